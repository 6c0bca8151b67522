#pragma once

#include "core/base/wire.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::payloads {

/// A tensor as TVM stores it, the same in every release: constants of modules, parameters, params files. Source:
/// core/formats/blob.md 5.3; tvm include/tvm/runtime/ndarray.h v0.4 – v0.21, tensor.h v0.22 –.
struct Tensor {
  static constexpr uint64_t kMagic = 0xDD5E40F096B4A13F;
  /// Largest number of dimensions; the field is an i32.
  static constexpr int32_t kMaxRank = 64;

  uint64_t magic = kMagic;
  uint64_t reserved = 0;
  int32_t deviceType = 1, deviceId = 0; ///< always written as (1, 0)
  int32_t rank = 0;                     ///< does not decode when negative or above kMaxRank
  uint32_t dtype = 0;                   ///< as stored: code, bits, lanes
  bool dlpack = false;                  ///< numbering of the data type codes
  std::vector<int64_t> shape;           ///< `rank` extents, outermost first; any value may occur in damaged files
  Bytes data;                           ///< row-major, little-endian; its stored length is an i64
  /// Not stored. Lanes of less than 8 bits follow one another from the lowest bit up, as in tensors of a test run.
  bool packed = false;

  /// "float16".
  std::string typeText() const;
  /// "[64, 128]", "[]" for a scalar.
  std::string shapeText() const;
  /// Product of the extents; nothing when one is negative or the product does not fit.
  std::optional<uint64_t> elementCount() const;
};

template <class A> void wire(A& ar, wire_ref<A, Tensor> v) {
  ar.number("magic", v.magic, FieldRole::TypeCode);
  if constexpr (A::kReads) {
    if (ar.ok() && v.magic != Tensor::kMagic)
      ar.reader().failValue("magic", ar.reader().position() - 8, v.magic, "0xdd5e40f096b4a13f");
    v.dlpack = ar.context().dlpack;
  }
  ar.number("reserved", v.reserved, FieldRole::Padding);
  ar.number("device_type", v.deviceType);
  ar.number("device_id", v.deviceId);
  ar.number("ndim", v.rank, FieldRole::Length);
  if constexpr (A::kReads)
    if (ar.ok() && (v.rank < 0 || v.rank > Tensor::kMaxRank))
      ar.reader().failValue("ndim", ar.reader().position() - 4, static_cast<uint32_t>(v.rank), "0 to 64");
  ar.dataType("dtype", v.dtype, v.dlpack);
  ar.items("shape", v.shape, v.rank > 0 ? static_cast<uint64_t>(v.rank) : 0, 8,
           [](A& a, auto& extent) { a.number("", extent); });
  ar.data("data", v.data);
}

} // namespace blobscope::payloads
