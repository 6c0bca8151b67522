#include "core/diff/code_marks.h"

#include "core/base/thread_rule.h"
#include "core/syntax/instruction_mix.h"
#include "core/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace blobscope::diff {
namespace {

using Mark = view::ListingMark;
using Kind = Mark::Kind;

constexpr std::size_t kLinesPerLook = 4'096;

bool isCodeDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameByte(char c) { return isCodeDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Numbers the names of the current function.
class Numbering {
public:
  int64_t of(std::string_view name) {
    const auto [place, isNew] = m_numbers.try_emplace(std::string(name), m_next);
    if (isNew) ++m_next;
    return place->second;
  }
  int64_t fresh(int64_t count) { return (m_next += count) - count; }
  void clear() { m_numbers.clear(); }

private:
  std::unordered_map<std::string, int64_t> m_numbers;
  int64_t m_next = 0;
};

class PtxMarker {
public:
  explicit PtxMarker(std::vector<Mark>& out) : m_out(out) {}

  void take(std::string_view line, uint64_t begin) {
    m_state = syntax::lexLine(syntax::language("ptx"), line, m_state, m_tokens);
    for (const syntax::Token& token : m_tokens) {
      const std::string_view text = line.substr(token.begin, token.size);
      if (token.kind == syntax::TokenKind::Keyword && (text == ".entry" || text == ".func")) {
        m_names.clear();
        m_out.push_back({begin + token.begin, 0, Kind::Function, 0});
      } else if (token.kind == syntax::TokenKind::Label) {
        m_out.push_back({begin + token.begin, token.size, Kind::Use, m_names.of(text)});
      } else if (token.kind == syntax::TokenKind::Register) {
        takeRegister(line, token, begin);
      }
    }
  }

private:
  /// "%rd12", and the size of a list in ".reg .b64 %rd<36>"; not special registers such as "%envreg3" and "%tid.x".
  void takeRegister(std::string_view line, const syntax::Token& token, uint64_t begin) {
    const std::string_view text = line.substr(token.begin, token.size);
    std::size_t letters = text.size();
    while (letters > 0 && isCodeDigit(text[letters - 1])) --letters;
    const std::string_view stem = text.substr(0, letters);
    if (letters < text.size()) {
      constexpr std::array<std::string_view, 3> kSpecial = {"%envreg", "%pm", "%reserved_smem_offset_"};
      if (letters < 2 || std::find(kSpecial.begin(), kSpecial.end(), stem) != kSpecial.end()) return;
      m_out.push_back(
          {begin + token.begin + letters, static_cast<uint32_t>(text.size() - letters), Kind::Use, m_names.of(text)});
      return;
    }
    const std::size_t end = std::size_t{token.begin} + token.size;
    if (end >= line.size() || line[end] != '<') return;
    std::size_t last = end + 1;
    while (last < line.size() && isCodeDigit(line[last])) ++last;
    if (last > end + 1 && last < line.size() && line[last] == '>')
      m_out.push_back({begin + end + 1, static_cast<uint32_t>(last - end - 1), Kind::Place, 0});
  }

  std::vector<Mark>& m_out;
  std::vector<syntax::Token> m_tokens;
  syntax::LineState m_state = syntax::LineState::Code;
  Numbering m_names;
};

/// A register of SASS: "R12", "UR4", "P0", "UP1", "B0".
struct SassRegister {
  std::string_view kind;
  unsigned number = 0;
  bool isPredicate() const { return kind == "P" || kind == "UP"; }
};

std::optional<SassRegister> sassRegister(std::string_view word) {
  std::size_t letters = 0;
  while (letters < word.size() && word[letters] >= 'A' && word[letters] <= 'Z') ++letters;
  const std::string_view kind = word.substr(0, letters);
  if (letters == word.size() || word.size() > letters + 3) return std::nullopt;
  if (kind != "R" && kind != "UR" && kind != "P" && kind != "UP" && kind != "B") return std::nullopt;
  unsigned number = 0;
  for (const char c : word.substr(letters)) {
    if (!isCodeDigit(c)) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return SassRegister{kind, number};
}

bool isConstantPredicate(std::string_view word) { return word == "PT" || word == "UPT"; }
bool isConstantRegister(std::string_view word) { return word == "RZ" || word == "URZ"; }

/// Marks one instruction after the other. What an instruction writes is read from the form of its operands: the first
/// ones, up to the first that is no plain register. Read from listings of nvdisasm 12 and 13.
class SassMarker {
public:
  explicit SassMarker(std::vector<Mark>& out) : m_out(out) {}

  void take(std::string_view line, uint64_t begin) {
    m_line = line;
    m_begin = begin;
    std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view words = line.substr(at);
    if (words.starts_with(".section")) {
      m_names.clear();
      m_values.clear();
      m_out.push_back({begin, 0, Kind::Function, 0});
    }
    const std::string_view opcode = syntax::opcodeOf(line, "sass");
    if (opcode.empty()) {
      // A line that only repeats the encoding of an instruction.
      if (words.starts_with("/* 0x"))
        mark(0, line.size(), Kind::Note, 0);
      else
        labels(at, line.size());
      return;
    }
    at = line.find("*/", at) + 2;
    at = std::min(line.find_first_not_of(" \t", at), line.size());
    mark(0, at, Kind::Place, 0);
    const auto code = static_cast<std::size_t>(opcode.data() - line.data());
    const std::size_t end = std::min(line.find(';', code), line.size());
    if (line[at] == '@') uses(at, code);
    operands(opcode, code + opcode.size(), end);
    if (const std::size_t note = line.find("/*", end); note != std::string_view::npos)
      mark(note, line.size(), Kind::Note, 0);
  }

private:
  void mark(std::size_t from, std::size_t to, Kind kind, int64_t number) {
    if (to > from) m_out.push_back({m_begin + from, static_cast<uint32_t>(to - from), kind, number});
  }

  /// The word at a position: a name, or a label with its dots.
  std::string_view wordAt(std::size_t at, std::size_t end) const {
    std::size_t last = at;
    while (last < end && isNameByte(m_line[last])) ++last;
    return m_line.substr(at, last - at);
  }
  bool beginsWord(std::size_t at) const {
    return isNameByte(m_line[at]) && (at == 0 || (!isNameByte(m_line[at - 1]) && m_line[at - 1] != '.'));
  }
  /// The size of a label ".L_x_3" at a position; 0 for none.
  std::size_t labelAt(std::size_t at, std::size_t end) const {
    if (m_line.substr(at, 2) != ".L" || (at > 0 && isNameByte(m_line[at - 1]))) return 0;
    return 1 + wordAt(at + 1, end).size();
  }
  void labels(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at)
      if (const std::size_t size = labelAt(at, to)) {
        mark(at, at + size, Kind::Use, m_names.of(m_line.substr(at, size)));
        at += size - 1;
      }
  }

  /// The number of the value that a register holds now.
  int64_t valueOf(const SassRegister& one) {
    const auto [place, isNew] = m_values.try_emplace({std::string(one.kind), one.number}, 0);
    if (isNew) place->second = m_names.fresh(1);
    return place->second;
  }
  void use(std::size_t at, std::string_view word, const SassRegister& one) {
    mark(at + one.kind.size(), at + word.size(), Kind::Use, valueOf(one));
  }
  /// Registers that are read, labels, and hints in a part of the line.
  void uses(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at) {
      if (const std::size_t size = labelAt(at, to)) {
        mark(at, at + size, Kind::Use, m_names.of(m_line.substr(at, size)));
        at += size - 1;
      } else if (m_line.substr(at, 6) == ".reuse") {
        mark(at, at + 6, Kind::Place, 0);
        at += 5;
      } else if (beginsWord(at)) {
        const std::string_view word = wordAt(at, to);
        if (const auto one = sassRegister(word)) use(at, word, *one);
        at += word.size() - 1;
      }
    }
  }

  /// Begin and end of each operand, without the blanks around it.
  std::vector<std::pair<std::size_t, std::size_t>> split(std::size_t from, std::size_t to) const {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    int depth = 0;
    std::size_t begin = from;
    for (std::size_t at = from; at <= to; ++at) {
      const char c = at < to ? m_line[at] : ',';
      depth += c == '[' || c == '(' || c == '{' ? 1 : c == ']' || c == ')' || c == '}' ? -1 : 0;
      if (at < to && (c != ',' || depth > 0)) continue;
      std::size_t first = begin, last = at;
      while (first < last && (m_line[first] == ' ' || m_line[first] == '\t')) ++first;
      while (last > first && (m_line[last - 1] == ' ' || m_line[last - 1] == '\t')) --last;
      out.emplace_back(first, last);
      begin = at + 1;
    }
    return out;
  }

  void operands(std::string_view opcode, std::size_t from, std::size_t to) {
    const auto list = split(from, to);
    const std::size_t written = writtenOperands(opcode, list);
    // Reads come before writes: "IADD3 R4, R4, R5" reads the old value.
    const std::size_t begin = m_out.size();
    for (std::size_t i = written; i < list.size(); ++i) uses(list[i].first, list[i].second);
    std::vector<Mark> reads(m_out.begin() + static_cast<std::ptrdiff_t>(begin), m_out.end());
    m_out.resize(begin);
    for (std::size_t i = 0; i < written; ++i) {
      const std::string_view word = m_line.substr(list[i].first, list[i].second - list[i].first);
      const auto one = sassRegister(word);
      if (!one) continue;
      const unsigned width = one->isPredicate() || one->kind == "B" ? 1 : registersOf(opcode);
      const int64_t number = m_names.fresh(width);
      for (unsigned n = 0; n < width; ++n) m_values[{std::string(one->kind), one->number + n}] = number + n;
      mark(list[i].first + one->kind.size(), list[i].second, Kind::Definition, number);
    }
    m_out.insert(m_out.end(), reads.begin(), reads.end());
  }

  std::size_t writtenOperands(std::string_view opcode,
                              const std::vector<std::pair<std::size_t, std::size_t>>& list) const {
    constexpr std::array<std::string_view, 24> kWriteNothing = {
        "ST",   "STG", "STS",   "STL",  "RED",   "BRA",      "BRX",    "BRXU",      "JMP",  "JMX",  "CALL", "RET",
        "EXIT", "BAR", "BSYNC", "KILL", "BREAK", "WARPSYNC", "DEPBAR", "NANOSLEEP", "SUST", "CCTL", "R2B",  "YIELD"};
    constexpr std::array<std::string_view, 7> kPredicateFirst = {"LOP3",  "ULOP3", "SHFL", "ATOM",
                                                                 "ATOMG", "ATOMS", "MATCH"};
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    if (std::find(kWriteNothing.begin(), kWriteNothing.end(), base) != kWriteNothing.end()) return 0;
    const auto wordOf = [&](std::size_t i) {
      return i < list.size() ? m_line.substr(list[i].first, list[i].second - list[i].first) : std::string_view();
    };
    const auto isPredicate = [](std::string_view word) {
      const auto one = sassRegister(word);
      return isConstantPredicate(word) || (one && one->isPredicate());
    };
    const auto isRegister = [](std::string_view word) { return isConstantRegister(word) || sassRegister(word); };
    if (isPredicate(wordOf(0))) {
      const bool both = std::find(kPredicateFirst.begin(), kPredicateFirst.end(), base) != kPredicateFirst.end();
      return isPredicate(wordOf(1)) || (both && isRegister(wordOf(1))) ? 2 : 1;
    }
    if (!isRegister(wordOf(0))) return 0;
    // Carries: "IADD3 R2, P0, P1, R4, R5, R6".
    const std::size_t most = base == "IADD3" || base == "UIADD3" ? 3 : 2;
    std::size_t count = 1;
    while (count < most && isPredicate(wordOf(count))) ++count;
    return count;
  }

  /// The number of registers that an instruction writes from its first operand on.
  static unsigned registersOf(std::string_view opcode) {
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
    if (has(".128") || has(".M88.4") || has(".MT88.4")) return 4;
    if (base.ends_with("MMA")) return base == "HMMA" && has(".F16") && !has(".F32") ? 2 : 4;
    constexpr std::array<std::string_view, 4> kDoubles = {"DADD", "DMUL", "DFMA", "DMNMX"};
    const bool isDouble = std::find(kDoubles.begin(), kDoubles.end(), base) != kDoubles.end();
    const bool toDouble = opcode.starts_with("F2F.F64") || opcode.starts_with("I2F.F64");
    const bool special = base == "CS2R" && !has(".32");
    return isDouble || toDouble || special || has(".64") || has(".WIDE") || has("M88.2") ? 2 : 1;
  }

  std::vector<Mark>& m_out;
  std::string_view m_line;
  uint64_t m_begin = 0;
  Numbering m_names;
  std::map<std::pair<std::string, unsigned>, int64_t> m_values; ///< that the registers hold
};

template <class Marker> Result<bool> markLines(std::string_view text, Marker& marker, Monitor& monitor) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    if (number % kLinesPerLook == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, std::min(end - at, syntax::kLexedBytes));
    if (line.ends_with('\r')) line.remove_suffix(1);
    marker.take(line, at);
    at = end + 1;
  }
  return true;
}

} // namespace

bool isDeviceCode(const view::TextPage& page) {
  return (page.language == "ptx" || page.language == "sass") && page.text.size() <= kMarkedBytes;
}

Result<view::TextPage> markCode(view::TextPage page, Monitor& monitor) {
  longWork("diff::markCode");
  if (!isDeviceCode(page)) return page;
  auto marks = std::make_shared<view::ListingMarks>();
  if (page.language == "ptx") {
    PtxMarker marker(marks->marks);
    BLOBSCOPE_CHECK(markLines(page.text.view(), marker, monitor));
  } else {
    SassMarker marker(marks->marks);
    BLOBSCOPE_CHECK(markLines(page.text.view(), marker, monitor));
  }
  page.marks = std::move(marks);
  return page;
}

} // namespace blobscope::diff
