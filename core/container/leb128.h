#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// LEB128 numbers, as in DWARF, Mach-O and WebAssembly. Source: DWARF 5 section 7.6; WebAssembly core 5.2.2.
namespace blobscope::container {

enum class LebEnd : uint8_t {
  Whole,
  Cut,     ///< the bytes end inside the number
  TooLarge ///< it has more bits than allowed
};

/// Reads an unsigned number of at most `bits` bits (up to 64) at `at`, which moves past the bytes that were read.
inline LebEnd readUleb(std::string_view bytes, uint64_t& at, uint64_t& value, unsigned bits = 64) {
  value = 0;
  for (unsigned shift = 0; shift < bits; shift += 7) {
    if (at >= bytes.size()) return LebEnd::Cut;
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (bits - shift < 7 && byte >> (bits - shift)) break;
    if (!(byte & 0x80)) return LebEnd::Whole;
  }
  return LebEnd::TooLarge;
}

/// The same for a signed number, which is extended to 64 bits.
inline LebEnd readSleb(std::string_view bytes, uint64_t& at, int64_t& value, unsigned bits = 64) {
  uint64_t read = 0;
  for (unsigned shift = 0; shift < bits; shift += 7) {
    if (at >= bytes.size()) return LebEnd::Cut;
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    read |= uint64_t{byte & 0x7fu} << shift;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift + 7 < 64) read |= ~uint64_t{0} << (shift + 7);
    value = static_cast<int64_t>(read);
    return LebEnd::Whole;
  }
  return LebEnd::TooLarge;
}

/// Bytes of the shortest form of an unsigned number.
constexpr unsigned ulebSize(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7) ++size;
  return size;
}

/// An unsigned number in at least `width` bytes, padded as linkers do it.
inline std::string ulebText(uint64_t value, std::size_t width = 1) {
  std::string text;
  for (; value > 0x7f || text.size() + 1 < width; value >>= 7) text += static_cast<char>((value & 0x7f) | 0x80);
  text += static_cast<char>(value & 0x7f);
  return text;
}

/// A signed number in at least `width` bytes.
inline std::string slebText(int64_t value, std::size_t width = 1) {
  std::string text;
  while (true) {
    const auto low = static_cast<uint8_t>(value & 0x7f);
    value >>= 7; // keeps the sign
    const bool done = ((value == 0 && !(low & 0x40)) || (value == -1 && (low & 0x40))) && text.size() + 1 >= width;
    text += static_cast<char>(low | (done ? 0 : 0x80));
    if (done) return text;
  }
}

} // namespace blobscope::container
