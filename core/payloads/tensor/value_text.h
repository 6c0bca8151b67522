#pragma once

#include "core/base/result.h"
#include "core/payloads/tensor/tensor_values.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace blobscope::payloads {

/// A value as bits of an element type.
struct EncodedValue {
  uint64_t bits = 0;
  std::string text; ///< as TensorValues writes it; differs from the requested text when that is not representable
};

/// Returns the bits, in the type of `tensor`, of the number that a text names: "0.5", "-3", "0x10" for integers, "nan",
/// "inf", "-inf", "true". A float becomes the nearest value of the type, or the one with an even last bit of two that
/// are equally near. REP-VALUE with the reason for text that is not such a number, numbers outside the range, and types
/// whose elements are not single numbers; `ref` names the value in the message.
Result<EncodedValue> encodeValue(const Tensor& tensor, std::string_view text, std::string_view ref);

/// The number of the element with that index on each axis; nothing when there is none.
std::optional<uint64_t> elementAt(const Tensor& tensor, std::span<const uint64_t> index);

} // namespace blobscope::payloads
