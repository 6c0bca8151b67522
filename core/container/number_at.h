#pragma once

#include "core/base/extent.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace blobscope::container {

/// The unsigned integer of `size` bytes (at most 8) at `offset` in either byte order; 0 when it is not completely
/// there. For headers with either byte order; what TVM writes is little-endian and is read by Reader.
inline uint64_t numberAt(std::string_view bytes, uint64_t offset, unsigned size, bool bigEndian) {
  if (size > 8 || offset > bytes.size() || bytes.size() - offset < size) return 0;
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[offset + (bigEndian ? i : size - 1 - i)]);
  return value;
}

/// The little-endian number at `offset`, 0 when it is not inside `bytes`; one load, for scans.
template <class T> T numberAt(std::string_view bytes, uint64_t offset) {
  static_assert(std::is_integral_v<T> && std::endian::native == std::endian::little);
  T value{};
  if (Extent{0, bytes.size()}.contains(Extent{offset, sizeof(T)}))
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

} // namespace blobscope::container
