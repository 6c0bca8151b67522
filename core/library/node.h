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
  std::shared_ptr<const payloads::Tensor> tensor; ///< whose elements `bytes` are, null for what is no tensor
};

/// The tensor as a NumPy file. EXPORT-NO-TENSOR when the node is none, or its bytes do not fit its shape and type.
/// `note` is a sentence when NumPy has no such type and other numbers stand for it, else empty.
struct NpyFile {
  Bytes bytes;
  std::string note;
};
Result<NpyFile> npyOf(const Node& node);

/// The node that `ref` names, read in the package as opened. REF-NOT-FOUND with the reason, or why its bytes cannot be
/// had (a damaged compressed image). Cancelled.
Result<Node> findNode(const Package& package, const Ref& ref, Monitor& monitor);
Result<Node> findNode(const Package& package, const Ref& ref);

/// Where in the package's file the bytes lie as they are; nothing when they were unpacked or rebuilt.
std::optional<uint64_t> placeIn(const Package& package, const Bytes& bytes);

/// The fields of a module's payload.
std::shared_ptr<const FieldTree> treeOf(const Module& module);

} // namespace blobscope::library
