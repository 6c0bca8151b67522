#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace blobscope {
namespace {

char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns how many letters have to be inserted, removed or replaced to make `b` of `a` (Levenshtein), in any case.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lowerCase(a[i]) == lowerCase(b[j]) ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

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

/// The code point of a sequence that utf8Length() accepts.
char32_t codePoint(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(sequence[i])); };
  switch (sequence.size()) {
  case 1: return byte(0);
  case 2: return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  case 3: return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  default: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  }
}

/// Characters above ASCII that are not shown unchanged: those that control some terminals, begin a new line in Qt's
/// texts, reorder the characters around them, or are invisible. Unicode 15.1: categories Cc, Cf, Zl, Zp and
/// noncharacters; DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
bool isUnsafeCharacter(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array kRanges = {
      Range{0x80, 0x9f},       // C1 controls
      Range{0xad, 0xad},       // soft hyphen
      Range{0x34f, 0x34f},     // combining grapheme joiner
      Range{0x600, 0x605},     // Arabic number signs
      Range{0x61c, 0x61c},     // Arabic letter mark
      Range{0x6dd, 0x6dd},     // Arabic end of ayah
      Range{0x70f, 0x70f},     // Syriac abbreviation mark
      Range{0x890, 0x891},     // Arabic pound and piastre marks
      Range{0x8e2, 0x8e2},     // Arabic disputed end of ayah
      Range{0x115f, 0x1160},   // Hangul fillers
      Range{0x17b4, 0x17b5},   // Khmer inherent vowels
      Range{0x180b, 0x180f},   // Mongolian variation selectors and vowel separator
      Range{0x200b, 0x200f},   // zero-width spaces and joiners, left-to-right and right-to-left marks
      Range{0x2028, 0x202e},   // line and paragraph separators, embeddings and overrides
      Range{0x2060, 0x206f},   // word joiner, invisible operators, isolates
      Range{0x3164, 0x3164},   // Hangul filler
      Range{0xfdd0, 0xfdef},   // noncharacters
      Range{0xfe00, 0xfe0f},   // variation selectors
      Range{0xfeff, 0xfeff},   // zero-width no-break space, byte order mark
      Range{0xffa0, 0xffa0},   // half-width Hangul filler
      Range{0xfff0, 0xfffb},   // unassigned ignorable ones, interlinear annotations
      Range{0xfffe, 0xffff},   // noncharacters
      Range{0x110bd, 0x110bd}, // Kaithi number signs
      Range{0x110cd, 0x110cd}, Range{0x13430, 0x1343f}, // Egyptian format controls
      Range{0x1bca0, 0x1bca3},                          // shorthand format controls
      Range{0x1d173, 0x1d17a},                          // musical format controls
      Range{0xe0000, 0xe0fff},                          // tags, variation selectors
  };
  if (c < 0x80) return c < 0x20 || c == 0x7f;
  const auto found = std::lower_bound(kRanges.begin(), kRanges.end(), c,
                                      [](const Range& range, char32_t wanted) { return range.last < wanted; });
  return (found != kRanges.end() && found->first <= c) || (c > 0xffff && (c & 0xfffe) == 0xfffe);
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

std::string demangled(std::string_view name) {
  constexpr std::size_t kNameBytes = 1'024, kShown = 16'384;
  // A name may refer to parts of itself, and packs may be expanded in packs: a crafted name of 300 bytes stands for
  // gigabytes. Each reference multiplies the length by less than 1.5, each expansion by less than the name's length.
  constexpr std::size_t kReferences = 24, kExpansions = 2;
  const std::string_view stored = name.starts_with("__Z") ? name.substr(1) : name; // Mach-O adds a character
  if (!stored.starts_with("_Z") || stored.size() > kNameBytes || stored.find('\0') != std::string_view::npos)
    return std::string(name);
  std::size_t references = 0, expansions = 0;
  for (std::size_t i = 2; i + 1 < stored.size(); ++i) {
    const char c = stored[i], next = stored[i + 1];
    const bool number = next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
    references += (c == 'S' || c == 'T') && number;
    expansions += (c == 'D' && next == 'p') || (c == 's' && next == 'p');
  }
  if (references > kReferences || expansions > kExpansions) return std::string(name);
  int failure = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(stored).c_str(), nullptr, nullptr, &failure), &std::free);
  if (!text || failure != 0 || std::strlen(text.get()) > kShown) return std::string(name);
  return text.get();
}

bool containsAny(std::string_view text, std::initializer_list<std::string_view> patterns) {
  return std::ranges::any_of(patterns,
                             [&](std::string_view one) { return findBytes(text, one, 0) != std::string_view::npos; });
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

std::string spacedHex(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) out += (i == 0 ? "" : " ") + hexDigits(bytes.substr(i, 1));
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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
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

std::string shareText(uint64_t bytes, uint64_t total) {
  const long percent = total > 0 ? std::lround(static_cast<double>(bytes) * 100.0 / static_cast<double>(total)) : 0;
  return percent == 0 && bytes > 0 ? "less than 1 %" : std::to_string(percent) + " %";
}

std::string groupedText(uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string countText(uint64_t count, std::string_view word) {
  return groupedText(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

std::optional<uint64_t> parseSize(std::string_view text) {
  constexpr std::string_view kBlanks = " \t", kUnits = "kmg";
  const auto skipBlanks = [&] { text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size())); };
  const auto take = [&](std::string_view word) {
    const bool fits = text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(),
                                                               [](char a, char b) { return a == (b | 0x20); });
    if (fits) text.remove_prefix(word.size());
    return fits;
  };
  const auto digits = [&](double& value, double& scale) {
    std::size_t count = 0;
    for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
      value = value * 10 + (text[count] - '0');
      scale *= 10;
    }
    text.remove_prefix(count);
    return count > 0;
  };
  double bytes = 0, scale = 1;
  skipBlanks();
  if (!digits(bytes, scale)) return std::nullopt;
  scale = 1;
  if (!text.empty() && (text[0] == '.' || text[0] == ',')) {
    text.remove_prefix(1);
    if (!digits(bytes, scale)) return std::nullopt;
    bytes /= scale;
  }
  skipBlanks();
  std::size_t power = 0;
  for (std::size_t i = 0; i < kUnits.size() && power == 0; ++i)
    if (take(kUnits.substr(i, 1))) power = i + 1;
  const bool binary = take("i"), decimal = !take("bytes") && take("b") && !binary;
  skipBlanks();
  if (!text.empty()) return std::nullopt;
  for (; power > 0; --power) bytes *= decimal ? 1000 : 1024;
  if (bytes > 9e18) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

namespace {

SizeUnits g_sizeUnits = SizeUnits::Binary;

/// The size of the smallest unit, by which the others are multiplied.
uint64_t unitBase() { return g_sizeUnits == SizeUnits::Decimal ? 1000 : 1024; }

/// A size in the largest unit that fits.
struct Scaled {
  double value;
  const char* unit;
};
/// Values that would be rounded up to a whole larger unit get that unit; `rounding` is half of the last digit shown.
Scaled scaled(uint64_t bytes, double rounding) {
  constexpr std::array<const char*, 6> kBinary = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"},
                                       kDecimal = {"kB", "MB", "GB", "TB", "PB", "EB"};
  const auto& units = g_sizeUnits == SizeUnits::Decimal ? kDecimal : kBinary;
  const auto base = static_cast<double>(unitBase());
  double value = static_cast<double>(bytes) / base;
  std::size_t unit = 0;
  while (value >= base - rounding && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  return {value, units[unit]};
}

/// Whether the size is written in bytes.
bool inBytes(uint64_t bytes) { return g_sizeUnits == SizeUnits::Bytes || bytes < unitBase(); }

std::string withUnit(const char* format, const Scaled& size) {
  std::array<char, 32> out;
  std::snprintf(out.data(), out.size(), format, size.value, size.unit);
  return out.data();
}

} // namespace

void setSizeUnits(SizeUnits units) { g_sizeUnits = units; }

std::string sizeText(uint64_t bytes) {
  const std::string exact = bytes == 1 ? "1 byte" : groupedText(bytes) + " bytes";
  if (inBytes(bytes)) return exact;
  const Scaled size = scaled(bytes, 0.5);
  return withUnit(size.value < 100 ? "%.1f %s" : "%.0f %s", size) + " (" + exact + ")";
}

std::string shortSizeText(uint64_t bytes) {
  if (inBytes(bytes)) return groupedText(bytes) + " B";
  const Scaled size = scaled(bytes, 0.05);
  return withUnit(size.value < 9.995 ? "%.2f %s" : "%.1f %s", size);
}

namespace {

/// Appends the first character of `bytes`, escaped if necessary; returns its size in bytes. Line feeds, tabs and
/// backslashes are not escaped when `composed`.
std::size_t appendEscaped(std::string_view bytes, std::string& out, bool composed = false) {
  const char c = bytes[0];
  const auto byte = static_cast<unsigned char>(c);
  if ((byte >= 0x20 && byte < 0x7f && c != '\\') || (composed && (c == '\n' || c == '\t' || c == '\\'))) {
    out += c;
    return 1;
  }
  const std::size_t length = utf8Length(bytes);
  if (length > 1) {
    const char32_t point = codePoint(bytes.substr(0, length));
    if (!isUnsafeCharacter(point)) {
      out += bytes.substr(0, length);
      return length;
    }
    out += point > 0xffff ? "\\U" : "\\u";
    for (int shift = point > 0xffff ? 28 : 12; shift >= 0; shift -= 4) out += kDigits[point >> shift & 15];
    return length;
  }
  if (c == '\n')
    out += "\\n";
  else if (c == '\t')
    out += "\\t";
  else if (c == '\r')
    out += "\\r";
  else if (c == '\\')
    out += "\\\\";
  else
    out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  return 1;
}

std::string shownWithin(std::string_view bytes, std::size_t limit, bool composed) {
  std::string out;
  std::size_t fits = 0, left = bytes.size(); // bytes of `out` that fit; bytes not shown yet
  out.reserve(std::min(bytes.size(), limit));
  while (!bytes.empty()) {
    bytes.remove_prefix(appendEscaped(bytes, out, composed));
    if (out.size() > limit)
      return out.substr(0, fits) + "… (" + groupedText(left) + (left == 1 ? " more byte)" : " more bytes)");
    fits = out.size();
    left = bytes.size();
  }
  return out;
}

} // namespace

std::string escaped(std::string_view bytes, std::size_t limit) { return shownWithin(bytes, limit, false); }

std::string escapedWhole(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) bytes.remove_prefix(appendEscaped(bytes, out));
  return out;
}

std::string escapedWithin(std::string_view bytes, std::size_t limit) {
  constexpr std::string_view kMark = "…";
  std::string out;
  std::size_t fits = 0; // size that can stay when the mark is added
  while (!bytes.empty()) {
    bytes.remove_prefix(appendEscaped(bytes, out));
    if (out.size() + kMark.size() <= limit) fits = out.size();
    if (out.size() > limit) return out.substr(0, fits) + std::string(kMark);
  }
  return out;
}

std::string plainText(std::string_view text, std::size_t limit) { return shownWithin(text, limit, true); }

bool isUtf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8Length(bytes.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lowerCase, lowerCase);
}

std::string proposalText(std::string_view unknown, std::span<const std::string> words) {
  constexpr std::size_t kLongest = 64;
  if (unknown.empty() || unknown.size() > kLongest) return {};
  // A third of the letters may differ, and two letters may be swapped.
  std::size_t least = std::max<std::size_t>(unknown.size() / 3, unknown.size() > 3 ? 2 : 1) + 1;
  const std::string* best = nullptr;
  for (const std::string& word : words) {
    const auto [shorter, longer] = std::minmax({word.size(), unknown.size()});
    if (word.size() > kLongest || longer - shorter >= least) continue;
    const std::size_t distance = editDistance(unknown, word);
    if (distance >= least) continue;
    least = distance;
    best = &word;
  }
  return best ? "; did you mean '" + escaped(*best) + "'?" : std::string();
}

} // namespace blobscope
