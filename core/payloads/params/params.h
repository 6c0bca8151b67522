#pragma once

#include "core/base/field_tree.h"
#include "core/base/result.h"
#include "core/base/writer.h"
#include "core/payloads/tensor/tensor.h"
#include "core/view/page.h"

#include <memory>
#include <vector>

namespace blobscope::payloads {

/// A params file (`.params`, `params.bin`): the parameters of a model in a separate file next to its library, the same
/// in all releases. Source: core/formats/blob.md 10; tvm src/runtime/file_utils.cc v0.8 –, SaveParams.
struct Params {
  static constexpr uint64_t kMagic = 0xF7E58D4F05049CB7;

  uint64_t magic = kMagic;
  uint64_t reserved = 0;
  std::vector<Bytes> names;
  uint64_t count = 0; ///< equals the number of names
  std::vector<Tensor> tensors;
};

template <class A> void wire(A& ar, wire_ref<A, Params> v) {
  ar.number("magic", v.magic, FieldRole::TypeCode);
  if constexpr (A::kReads)
    if (ar.ok() && v.magic != Params::kMagic)
      ar.reader().failValue("magic", ar.reader().position() - 8, v.magic, "0xf7e58d4f05049cb7");
  ar.number("reserved", v.reserved, FieldRole::Padding);
  ar.list("names", v.names, 8, [](A& a, auto& name) { a.string("", name); });
  ar.number("count", v.count, FieldRole::Length);
  if constexpr (A::kReads)
    if (ar.ok() && v.count != v.names.size())
      ar.reader().failValue("count", ar.reader().position() - 8, v.count, "the number of names");
  ar.items("tensors", v.tensors, v.count, 40,
           [](A& a, auto& tensor) { a.group("", [&](A& inner) { wire(inner, tensor); }); });
}

/// Reads a whole params file. Fails like Reader, and for bytes after the last tensor. `dlpack`: numbering of the data
/// types, which the file does not state; *guess*: that of v0.21 and later, since only codes 6 to 8 differ.
Result<std::shared_ptr<const Params>> readParams(const Bytes& bytes, bool dlpack = true);

/// Writes the same bytes.
void encodeParams(const Params& params, Writer& writer);
/// The fields of a params file; `bytes` are those from which it was read.
FieldTree describeParams(const Params& params, Bytes bytes);
/// The row of describeParams() with the n-th tensor.
std::optional<uint32_t> paramRow(const FieldTree& tree, std::size_t index);

/// Adds the page "Parameters"; its rows refer to the parts `param:NAME` of the node.
void addParamsPages(const Params& params, view::PageList& list);

} // namespace blobscope::payloads
