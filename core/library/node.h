#pragma once

#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::library {

/// Something of a package that a Ref names.
struct Node {
  Ref ref;
  std::string title;          ///< "module 1 'cuda'"
  std::optional<Bytes> bytes; ///< what `extract` writes; nothing when the node has no bytes of its own
  std::string whyNoBytes;     ///< a sentence, when there are none
};

/// The node that `ref` names, read in the package as opened. REF-NOT-FOUND with the reason.
Result<Node> findNode(const Package& package, const Ref& ref);

/// What can be shown of it. The first page is the one to show first; the list is never empty. The same package and ref
/// give the same pages. REF-NOT-FOUND.
Result<view::PageList> pagesOf(const PackagePtr& package, const Ref& ref);

} // namespace blobscope::library
