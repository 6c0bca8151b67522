#include "core/payloads/tensor/tensor.h"

namespace blobscope::payloads {

std::string Tensor::typeText() const { return dataTypeName(dtype, dlpack); }

std::string Tensor::shapeText() const {
  std::string out = "[";
  for (const int64_t extent : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
  return out + "]";
}

std::optional<uint64_t> Tensor::elementCount() const {
  uint64_t count = 1;
  for (const int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count)) return std::nullopt;
  return count;
}

} // namespace blobscope::payloads
