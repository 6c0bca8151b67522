#pragma once

#include <cstdint>
#include <string_view>

namespace blobscope::write::macho {

/// Reads a uleb128 number at `at` and goes behind it; false when it is cut off or has more than 64 bits.
inline bool readUleb(std::string_view bytes, uint64_t& at, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; at < bytes.size(); shift += 7) {
    const uint64_t byte = static_cast<unsigned char>(bytes[at++]), bits = byte & 0x7f;
    if (shift > 63 ? bits != 0 : bits << shift >> shift != bits) return false;
    if (shift <= 63) value |= bits << shift;
    if (!(byte & 0x80)) return true;
    if (shift > 140) return false;
  }
  return false;
}

inline unsigned ulebSize(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7) ++size;
  return size;
}

} // namespace blobscope::write::macho
