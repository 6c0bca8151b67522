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

/// Finds the innermost node for places in the file; made once, asked for many places.
class Locator {
public:
  explicit Locator(const Package& package);
  /// A ref to the node that holds `offset` (kernel code, module, blob, section, or the file), without "@".
  Ref at(uint64_t offset) const;

private:
  struct Range {
    Extent extent;
    Ref ref;
    std::size_t parent; ///< the range around it, its own index when there is none
  };
  std::vector<Range> m_ranges; ///< by offset, outer ranges before inner ones
};

} // namespace blobscope::library
