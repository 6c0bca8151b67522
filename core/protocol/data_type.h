#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace blobscope::protocol {

/// DLPack's data type; code 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 6 bool; the small floats have higher codes.
struct DataType {
  uint8_t code = 0;
  uint8_t bits = 0;
  uint16_t lanes = 1;
  friend bool operator==(const DataType&, const DataType&) = default;
};

/// Bytes of `count` elements; sub-byte types are packed, one-bit unsigned (bool) takes one byte each. Nothing when it
/// does not fit. Source: apache/tvm-ffi 0.1 include/tvm/ffi/container/tensor.h, GetDataSize.
std::optional<uint64_t> dataBytes(DataType type, std::span<const int64_t> shape);

} // namespace blobscope::protocol
