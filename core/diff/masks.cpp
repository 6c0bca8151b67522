#include "core/diff/masks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace blobscope::diff {
namespace {

constexpr std::size_t kLineBytes = 1u << 20;
constexpr std::array<std::string_view, kMaskCount> kNames = {"addresses", "serials",   "labels",    "timestamps",
                                                             "paths",     "line-ends", "formatting"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
/// Words that end in a number that is not a counter: types and functions of C, CUDA, OpenCL, Metal and WGSL, targets.
constexpr std::array<std::string_view, 29> kNumbered = {
    "atan", "bfloat", "bool", "char",     "compute",   "double", "exp", "float", "fp",  "gfx",
    "half", "int",    "log",  "longlong", "long",      "mat",    "ptr", "schar", "sm",  "short",
    "tf",   "uchar",  "uint", "ulong",    "ulonglong", "ushort", "utf", "vec",   "simd"};
constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHexDigit(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isWord(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$'; }
bool isPathByte(char c) {
  return isWord(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view(".+-~@%=/").find(c) != std::string_view::npos;
}

/// Scans a line from left to right.
class Scanner {
public:
  Scanner(Masks masks, std::string_view line, std::vector<MaskedSpan>& out)
      : m_masks(masks), m_line(line), m_out(out) {}

  void run() {
    if (m_masks.has(Mask::Addresses)) lineAddress();
    while (m_at < m_line.size()) {
      const char c = m_line[m_at];
      if (m_masks.has(Mask::Timestamps) && (isDigit(c) || isLetter(c)) && !wordBefore() &&
          take(Mask::Timestamps, timestamp()))
        continue;
      if (m_masks.has(Mask::Paths) && (c == '/' || isLetter(c)) && take(Mask::Paths, path())) continue;
      if (c == '%' && m_masks.has(Mask::Serials) && take(Mask::Serials, valueName())) continue;
      if (c == '/' && m_masks.has(Mask::Addresses) && take(Mask::Addresses, sassOffset())) continue;
      if (c == '.' && m_masks.has(Mask::Labels) && !wordBefore() && take(Mask::Labels, dottedLabel())) continue;
      if (isWord(c))
        word();
      else
        ++m_at;
    }
  }

private:
  char byte(std::size_t at) const { return at < m_line.size() ? m_line[at] : '\0'; }
  bool wordBefore() const { return m_at > 0 && isWord(m_line[m_at - 1]); }
  std::size_t digitsFrom(std::size_t at, std::size_t most = SIZE_MAX) const {
    std::size_t count = 0;
    while (count < most && isDigit(byte(at + count))) ++count;
    return count;
  }
  bool take(Mask mask, std::size_t size) {
    if (size == 0) return false;
    m_out.push_back({static_cast<uint32_t>(m_at), static_cast<uint32_t>(size), mask});
    m_at += size;
    return true;
  }

  /// "1a40:" or "1a40  " at the start of a line, as in listings.
  void lineAddress() {
    std::size_t begin = 0;
    while (byte(begin) == ' ' || byte(begin) == '\t') ++begin;
    std::size_t end = begin;
    while (isHexDigit(byte(end)) && end - begin <= 16) ++end;
    if (end - begin < 4 || end - begin > 16) return;
    if (byte(end) != ':' && !(byte(end) == ' ' && byte(end + 1) == ' ')) return;
    m_at = begin;
    take(Mask::Addresses, end - begin);
  }

  /// A whole word: an address, a label, or a name with a counter.
  void word() {
    std::size_t end = m_at;
    while (end < m_line.size() && isWord(m_line[end])) ++end;
    const std::string_view text = m_line.substr(m_at, end - m_at);
    if (m_masks.has(Mask::Addresses) && isAddress(text)) {
      take(Mask::Addresses, text.size());
      return;
    }
    if (m_masks.has(Mask::Labels) && isLabel(text)) {
      take(Mask::Labels, text.size());
      return;
    }
    if (m_masks.has(Mask::Serials) && isSassRegister(text)) {
      m_at += text.find_first_of("0123456789");
      take(Mask::Serials, end - m_at);
      return;
    }
    if (m_masks.has(Mask::Serials)) serials(end);
    m_at = end;
  }
  static bool isAddress(std::string_view text) {
    if (text.size() < 6 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return false;
    return std::all_of(text.begin() + 2, text.end(), isHexDigit);
  }
  /// R12, UR4, P0, UP1.
  static bool isSassRegister(std::string_view text) {
    if (text.starts_with('U')) text.remove_prefix(1);
    if (text.size() < 2 || text.size() > 4 || (text[0] != 'R' && text[0] != 'P')) return false;
    return std::all_of(text.begin() + 1, text.end(), isDigit);
  }
  /// $L__BB0_3, LBB0_3, BB0_3, L__BB0_3.
  static bool isLabel(std::string_view text) {
    if (text.starts_with("$L")) return true;
    if (text.starts_with('L')) text.remove_prefix(1);
    while (text.starts_with('_')) text.remove_prefix(1);
    if (!text.starts_with("BB") || text.size() == 2) return false;
    return std::all_of(text.begin() + 2, text.end(), [](char c) { return isDigit(c) || c == '_'; });
  }
  /// "_123" and the number of "add3" in the word that ends at `end`.
  void serials(std::size_t end) {
    const std::size_t begin = m_at;
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t digits = digitsFrom(at + 1, end - at - 1);
      const std::size_t after = at + 1 + digits;
      if (digits == 0 || (after < end && m_line[after] != '_')) continue;
      if (m_line[at] == '_')
        m_at = at;
      else if (isCounted(begin, at + 1))
        m_at = at + 1;
      else
        continue;
      take(Mask::Serials, after - m_at);
      at = after - 1;
    }
  }
  /// Returns whether the number after the name in [begin, end) is a counter: after "add", "lv"; not after "float" or
  /// "x".
  bool isCounted(std::size_t begin, std::size_t end) const {
    if (m_line.substr(begin, end - begin).starts_with("__")) return false;
    std::size_t letters = end;
    while (letters > begin && isLetter(m_line[letters - 1])) --letters;
    const std::string_view stem = m_line.substr(letters, end - letters);
    return stem.size() > 1 && std::find(kNumbered.begin(), kNumbered.end(), stem) == kNumbered.end();
  }

  /// %rd12, %7, %SP0; not %tid.
  std::size_t valueName() const {
    std::size_t end = m_at + 1;
    while (isLetter(byte(end))) ++end;
    const std::size_t digits = digitsFrom(end);
    return digits > 0 && !isWord(byte(end + digits)) ? end + digits - m_at : 0;
  }
  /// "/*0040*/".
  std::size_t sassOffset() const {
    if (byte(m_at + 1) != '*') return 0;
    std::size_t end = m_at + 2;
    while (isHexDigit(byte(end)) && end - m_at < 20) ++end;
    return end - m_at >= 6 && byte(end) == '*' && byte(end + 1) == '/' ? end + 2 - m_at : 0;
  }
  /// ".L12", ".L_x_3", ".LBB0_3".
  std::size_t dottedLabel() const {
    if (byte(m_at + 1) != 'L') return 0;
    std::size_t end = m_at + 2;
    while (isWord(byte(end))) ++end;
    const std::string_view rest = m_line.substr(m_at + 2, end - m_at - 2);
    const bool counted = !rest.empty() && isDigit(rest.back());
    return counted ? end - m_at : 0;
  }

  std::size_t path() const {
    std::size_t first = m_at;
    char step = '/';
    if (isLetter(byte(m_at))) {
      if (wordBefore() || byte(m_at + 1) != ':' || (byte(m_at + 2) != '\\' && byte(m_at + 2) != '/')) return 0;
      first = m_at + 2;
      step = byte(first);
    } else if (m_at > 0 && isPathByte(m_line[m_at - 1]) && m_line[m_at - 1] != '=') {
      return 0; // inside a relative path, or a division
    }
    if (!isWord(byte(first + 1)) && byte(first + 1) != '.') return 0;
    std::size_t end = first, steps = 0;
    while (end < m_line.size() && (isPathByte(m_line[end]) || m_line[end] == step)) {
      // "//" begins a comment or ends a host name.
      if (m_line[end] == step) {
        if (byte(end + 1) == step) break;
        ++steps;
      }
      ++end;
    }
    while (end > first && (m_line[end - 1] == '.' || m_line[end - 1] == '=')) --end;
    return steps >= 2 ? end - m_at : 0;
  }

  /// Returns the length of "12:34:56" with an optional fraction, Z or +01:00; 0 if there is none at `at`.
  std::size_t clock(std::size_t at) const {
    if (digitsFrom(at, 2) != 2 || byte(at + 2) != ':' || digitsFrom(at + 3, 2) != 2 || byte(at + 5) != ':' ||
        digitsFrom(at + 6) != 2)
      return 0;
    std::size_t end = at + 8;
    if ((byte(end) == '.' || byte(end) == ',') && isDigit(byte(end + 1))) end += 1 + digitsFrom(end + 1);
    if (byte(end) == 'Z') return end + 1 - at;
    if ((byte(end) == '+' || byte(end) == '-') && digitsFrom(end + 1, 2) == 2) {
      const bool colon = byte(end + 3) == ':';
      if (digitsFrom(end + 3 + colon, 2) == 2) end += 5 + colon;
    }
    return end - at;
  }
  /// "2024-05-06", optionally followed by "T" or a blank and a time.
  std::size_t timestamp() const {
    if (const std::size_t size = clock(m_at)) return size;
    if (isDigit(byte(m_at))) {
      if (digitsFrom(m_at) != 4 || byte(m_at + 4) != '-' || digitsFrom(m_at + 5) != 2 || byte(m_at + 7) != '-' ||
          digitsFrom(m_at + 8) != 2)
        return 0;
      const char between = byte(m_at + 10);
      const std::size_t timeSize = between == 'T' || between == ' ' ? clock(m_at + 11) : 0;
      return timeSize > 0 ? 11 + timeSize : isWord(between) ? 0 : 10;
    }
    // ctime: [Mon ]May  6 [12:34:56 ]2024.
    const auto isOneOf = [&](const auto& words, std::size_t at) {
      return at <= m_line.size() && std::find(words.begin(), words.end(), m_line.substr(at, 3)) != words.end() &&
             byte(at + 3) == ' ';
    };
    std::size_t at = m_at;
    if (isOneOf(kDays, at)) at += 4;
    if (!isOneOf(kMonths, at)) return 0;
    at += 4;
    at += byte(at) == ' ';
    const std::size_t day = digitsFrom(at, 3);
    if (day == 0 || day > 2) return 0;
    at += day;
    std::size_t end = 0;
    if (byte(at) == ' ') {
      const std::size_t time = clock(at + 1);
      if (time > 0) end = at += 1 + time;
      if (byte(at) == ' ' && digitsFrom(at + 1) == 4 && !isWord(byte(at + 5))) end = at + 5;
    }
    return end > 0 ? end - m_at : 0;
  }

  Masks m_masks;
  std::string_view m_line;
  std::vector<MaskedSpan>& m_out;
  std::size_t m_at = 0;
};

/// Blanks and needless parentheses. Of the pairs in "(((x)))" only the inner one stays.
void findFormatting(std::string_view line, std::vector<MaskedSpan>& out) {
  const auto isBlank = [&](std::size_t at) { return line[at] == ' ' || line[at] == '\t'; };
  const auto hide = [&](std::size_t begin, std::size_t size) {
    out.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(size), Mask::Formatting});
  };
  struct Open {
    std::size_t at;
    std::size_t firstInside = SIZE_MAX; ///< the pair that follows it directly: where it opens, and where it closes
    std::size_t firstEnd = 0;
  };
  std::vector<Open> open;
  char last = '\0'; // the previous byte that is no blank
  std::size_t lastAt = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') { // a string stays as it is; the opening quote is no blank
      std::size_t end = at + 1;
      while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
      at = std::min(end, line.size() - 1);
    } else if (isBlank(at)) {
      std::size_t end = at;
      while (end < line.size() && isBlank(end)) ++end;
      const bool joins = at > 0 && end < line.size() && isWord(line[at - 1]) && isWord(line[end]);
      if (!joins)
        hide(at, end - at);
      else if (end - at > 1)
        hide(at + 1, end - at - 1);
      at = end - 1;
      continue;
    } else if (c == '(') {
      open.push_back({at});
    } else if (c == ')' && !open.empty()) {
      const Open pair = open.back();
      open.pop_back();
      // The pair inside begins directly after this one opens and ends directly before it closes.
      if (pair.firstInside != SIZE_MAX && last == ')' && lastAt == pair.firstEnd) {
        hide(pair.at, 1);
        hide(at, 1);
      }
      if (!open.empty()) {
        Open& outer = open.back();
        const std::string_view between = line.substr(outer.at + 1, pair.at - outer.at - 1);
        if (between.find_first_not_of(" \t") == std::string_view::npos)
          outer.firstInside = pair.at, outer.firstEnd = at;
      }
    }
    last = line[at];
    lastAt = at;
  }
  std::ranges::sort(out, {}, &MaskedSpan::begin);
}

/// Both lists are in order; of two spans over the same bytes the one of `first` stays.
void merge(std::vector<MaskedSpan>& first, const std::vector<MaskedSpan>& second) {
  std::vector<MaskedSpan> out;
  out.reserve(first.size() + second.size());
  auto next = first.begin();
  for (const MaskedSpan& span : second) {
    while (next != first.end() && next->begin + next->size <= span.begin) out.push_back(*next++);
    if (next == first.end() || span.begin + span.size <= next->begin) out.push_back(span);
  }
  out.insert(out.end(), next, first.end());
  first = std::move(out);
}

} // namespace

std::string_view maskName(Mask mask) { return kNames[static_cast<std::size_t>(mask)]; }

std::optional<Mask> findMask(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Mask>(found - kNames.begin());
}

void findMasked(Masks masks, std::string_view line, std::vector<MaskedSpan>& out) {
  out.clear();
  if (!masks.hidesWords()) return;
  Scanner(masks, line.substr(0, kLineBytes), out).run();
  if (!masks.has(Mask::Formatting)) return;
  std::vector<MaskedSpan> formatting;
  findFormatting(line.substr(0, kLineBytes), formatting);
  merge(out, formatting);
}

std::string_view maskedAs(std::string_view line, const MaskedSpan& span) {
  // The byte 0xff occurs in no UTF-8 text.
  static constexpr std::string_view kMarks = "\3770\3771\3772\3773\3774\3775\3776";
  static_assert(kMarks.size() == 2 * kMaskCount);
  if (span.mask == Mask::Formatting || (span.mask == Mask::Serials && line[span.begin] != '%')) return {};
  return kMarks.substr(2 * static_cast<std::size_t>(span.mask), 2);
}

void maskLine(Masks masks, std::string_view line, std::string& out, std::vector<MaskedSpan>& spans) {
  findMasked(masks, line, spans);
  out.clear();
  std::size_t at = 0;
  for (const MaskedSpan& span : spans) {
    out += line.substr(at, span.begin - at);
    out += maskedAs(line, span);
    at = span.begin + span.size;
  }
  out += line.substr(std::min(at, line.size()));
}

} // namespace blobscope::diff
