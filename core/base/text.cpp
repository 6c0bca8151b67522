#include "core/base/text.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace blobscope {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none (RFC 3629: no overlong forms,
/// no surrogates, nothing above U+10FFFF).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!tail(1) || !tail(2)) return 0;
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
    return 4;
  }
  return 0;
}

/// C1 controls (U+0080–U+009F) drive some terminals, U+2028 and U+2029 begin a new line (in Qt's texts), and
/// U+202A–U+202E, U+2066–U+2069 reorder what is shown.
bool isUnsafeCharacter(std::string_view sequence) {
  if (sequence.size() == 2) return sequence[0] == '\xc2' && static_cast<unsigned char>(sequence[1]) < 0xa0;
  if (sequence.size() != 3 || sequence[0] != '\xe2') return false;
  const auto second = static_cast<unsigned char>(sequence[1]), third = static_cast<unsigned char>(sequence[2]);
  return (second == 0x80 && third >= 0xa8 && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

int digitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

std::string hexText(uint64_t value) {
  std::array<char, 16> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return "0x" + std::string(digits.data(), end);
}

std::string hexDigits(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> parseHexDigits(std::string_view text) {
  std::string out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    const int digit = digitValue(c);
    if (digit < 0) return std::nullopt;
    if (high < 0) {
      high = digit;
    } else {
      out += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) return std::nullopt;
  return out;
}

std::optional<uint64_t> parseNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failure != std::errc{} || text.empty() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string groupedText(uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string sizeText(uint64_t bytes) {
  if (bytes == 1) return "1 byte";
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) { // what would be rounded to 1024
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> number;
  std::snprintf(number.data(), number.size(), value < 100 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return std::string(number.data()) + " (" + groupedText(bytes) + " bytes)";
}

namespace {

/// Appends the first character of `bytes`, escaped if need be; returns how many bytes it has.
std::size_t appendEscaped(std::string_view bytes, std::string& out) {
  const char c = bytes[0];
  const auto byte = static_cast<unsigned char>(c);
  const std::size_t length = utf8Length(bytes);
  const bool printable = byte >= 0x20 && byte != 0x7f && c != '\\' && length > 0;
  if (printable && !isUnsafeCharacter(bytes.substr(0, length))) {
    out += bytes.substr(0, length);
    return length;
  }
  const std::size_t count = length > 1 ? length : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<unsigned char>(bytes[i]);
    if (value == '\n')
      out += "\\n";
    else if (value == '\t')
      out += "\\t";
    else if (value == '\r')
      out += "\\r";
    else if (value == '\\')
      out += "\\\\";
    else
      out += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
  }
  return count;
}

} // namespace

std::string escaped(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) bytes.remove_prefix(appendEscaped(bytes, out));
  return out;
}

std::string escapedWithin(std::string_view bytes, std::size_t limit) {
  constexpr std::string_view kMark = "…";
  std::string out;
  std::size_t fits = 0; // how much may stay when the mark is added
  while (!bytes.empty()) {
    bytes.remove_prefix(appendEscaped(bytes, out));
    if (out.size() + kMark.size() <= limit) fits = out.size();
    if (out.size() > limit) return out.substr(0, fits) + std::string(kMark);
  }
  return out;
}

bool isUtf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8Length(bytes.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::size_t findBytes(std::string_view text, std::string_view pattern, std::size_t from) {
  if (pattern.empty()) return from <= text.size() ? from : std::string_view::npos;
  if (from >= text.size()) return std::string_view::npos;
#if defined(__GLIBC__) || defined(__APPLE__)
  const void* const at = memmem(text.data() + from, text.size() - from, pattern.data(), pattern.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : std::string_view::npos;
#else
  return text.find(pattern, from);
#endif
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

} // namespace blobscope
