#pragma once

#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::library {

/// A node of a package, named by a Ref.
struct Node {
  Ref ref;
  std::string title;          ///< "module 1 'cuda'"
  std::optional<Bytes> bytes; ///< what `extract` writes; nothing when the node has no separate bytes
  std::string whyNoBytes;     ///< a sentence, when there are no bytes
  std::shared_ptr<const payloads::Tensor> tensor; ///< `bytes` are its elements; null when the node is not a tensor
};

/// A tensor as a NumPy file. toNpy() returns EXPORT-NO-TENSOR when the node is not a tensor or its bytes do not fit its
/// shape and type. `note` is a sentence when NumPy does not have the type and other numbers represent it, else empty.
struct NpyFile {
  Bytes bytes;
  std::string note;
};
Result<NpyFile> toNpy(const Node& node);

/// Returns the node that `ref` names in the package as opened. Errors: REF-NOT-FOUND with the reason, the reason why
/// its bytes cannot be read (a damaged compressed image), Cancelled.
Result<Node> findNode(const Package& package, const Ref& ref, Monitor& monitor);
Result<Node> findNode(const Package& package, const Ref& ref);

/// Returns the offset at which the package's file contains exactly these bytes; nothing when they were unpacked or
/// rebuilt.
std::optional<uint64_t> placeIn(const Package& package, const Bytes& bytes);

/// Returns the fields of a module's payload.
std::shared_ptr<const FieldTree> treeOf(const Module& module);

} // namespace blobscope::library
