#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace blobscope::container {

/// A number in the header of a tar.
struct TarNumber {
  uint64_t value = 0;
  bool ended = true; ///< by the end of the field, a blank or a NUL; some programs do not accept anything else
};

/// Reads octal text, or base-256 after a first byte with the highest bit set. Nothing for more than 64 bits in
/// base-256. Source: POSIX.1-1988 ustar; GNU tar for base-256.
inline std::optional<TarNumber> readTarNumber(std::string_view field) {
  TarNumber number;
  if (!field.empty() && field.front() & 0x80) {
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (number.value >> 56) return std::nullopt;
      number.value = number.value << 8 | (static_cast<unsigned char>(field[i]) & (i == 0 ? 0x7f : 0xff));
    }
    return number;
  }
  std::size_t at = std::min(field.find_first_not_of(' '), field.size());
  for (; at < field.size() && field[at] >= '0' && field[at] <= '7'; ++at)
    number.value = number.value << 3 | static_cast<uint64_t>(field[at] - '0');
  number.ended = at == field.size() || field[at] == ' ' || field[at] == '\0';
  return number;
}

} // namespace blobscope::container
