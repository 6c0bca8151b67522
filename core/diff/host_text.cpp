#include "core/diff/host_text.h"

#include <algorithm>
#include <optional>

namespace blobscope::diff {
namespace {

bool isHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool isWordByte(char c) {
  return isHexDigit(c) || (c >= 'g' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '.';
}

/// Returns the size of the address and the instruction bytes with the blanks after them; nothing if the line is not an
/// instruction.
std::optional<std::size_t> headOf(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] == ' ') ++at;
  const std::size_t address = at;
  while (at < line.size() && isHexDigit(line[at])) ++at;
  if (at == address || line.substr(at, 2) != "  ") return std::nullopt;
  at += 2;
  // Pairs of digits, each followed by a blank.
  const std::size_t bytes = at;
  while (at + 2 < line.size() && isHexDigit(line[at]) && isHexDigit(line[at + 1]) && line[at + 2] == ' ') at += 3;
  return at == bytes ? std::nullopt : std::optional(at);
}

/// Returns where the name of an instruction's target begins, "  ; <name>" or "  ; 0x12 <name>"; npos if there is none.
std::size_t noteOf(std::string_view text) {
  if (!text.ends_with('>')) return std::string_view::npos;
  const std::size_t at = text.rfind("  ; ");
  if (at == std::string_view::npos) return at;
  const std::string_view note = text.substr(at + 4);
  return note.starts_with('<') || (note.starts_with("0x") && note.find(" <") != std::string_view::npos)
             ? at
             : std::string_view::npos;
}

/// Returns the length of "0x1f" or "-0x1f" at `at`; 0 if there is no number.
std::size_t numberAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (text.substr(end, 2) != "0x") return 0;
  end += 2;
  while (end < text.size() && isHexDigit(text[end])) ++end;
  return end - at > 2 ? end - at : 0;
}

/// Returns where the last number begins; npos if there is none.
std::size_t lastNumber(std::string_view text) {
  for (std::size_t at = text.rfind("0x"); at != std::string_view::npos && at > 0; at = text.rfind("0x", at - 1))
    if (!isWordByte(text[at - 1]) && numberAt(text, at) > 0) return at;
  return std::string_view::npos;
}

/// Returns 7 for "x7", a general register of AArch64.
std::optional<unsigned> registerNumber(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || text[0] != 'x') return std::nullopt;
  unsigned number = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number < 31 ? std::optional(number) : std::nullopt;
}

/// Returns whether the operand is only the address to which the instruction jumps, as in "call 0x1010", "b.eq 0x20",
/// "jal ra, 0x10", "{ jump 0x12b4 }". Recognizes calls and jumps of the machines that can be disassembled.
bool isJump(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  if (word == "{") return text.find("jump") != std::string_view::npos || text.find("call") != std::string_view::npos;
  if (word.starts_with("call") || word.starts_with('j') || word == "loop" || word == "loope" || word == "loopne")
    return true;
  if (word.starts_with("xbegin") || word.starts_with("cbz") || word.starts_with("cbnz") || word.starts_with("tbz") ||
      word.starts_with("tbnz"))
    return true;
  // b, bl, b.eq, beq, bne, bgeu, c.beqz …; not bic, bfi, bsf, bt.
  if (word == "b" || word == "bl" || word == "blx" || word.starts_with("b.") || word.starts_with("bl.")) return true;
  constexpr std::string_view kConditions[] = {"eq",  "ne",  "cs",  "hs",  "cc",  "lo",  "mi",  "pl",  "vs",
                                              "vc",  "hi",  "ls",  "ge",  "lt",  "gt",  "le",  "al",  "ltu",
                                              "geu", "gtu", "leu", "eqz", "nez", "lez", "gez", "ltz", "gtz"};
  std::string_view rest = word;
  if (rest.starts_with("c.")) rest.remove_prefix(2);
  if (!rest.starts_with('b')) return false;
  rest.remove_prefix(1);
  if (rest.starts_with('l') && rest.size() == 3) rest.remove_prefix(1);
  if (rest.ends_with(".w") || rest.ends_with(".n")) rest.remove_suffix(2);
  return std::find(std::begin(kConditions), std::end(kConditions), rest) != std::end(kConditions);
}

/// Returns whether the instruction uses its own address: adr, adrp, auipc, lea and others with "[rip + 0x10]", "[pc,
/// #0x10]".
bool isRelative(std::string_view text) {
  return text.starts_with("adr") || text.starts_with("auipc") || text.find("[rip") != std::string_view::npos ||
         text.find("[pc") != std::string_view::npos;
}

} // namespace

HostNormaliser::HostNormaliser(std::string_view page) {
  std::string_view first = page.substr(0, page.find('\n'));
  if (first.ends_with(':')) first.remove_suffix(1);
  m_own = first;
}

void HostNormaliser::operator()(std::string_view line, std::string& out) {
  out.clear();
  const auto head = headOf(line);
  if (!head) {
    // The name in the first line is shown by its position.
    if (line.ends_with(':') && line.substr(0, line.size() - 1) == m_own)
      out = "own:";
    else
      out = line;
    return;
  }
  // --- 1. The instruction and the name of its target. ---
  std::string_view text = line.substr(*head);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t note = noteOf(text);
  std::string_view name;
  if (note != std::string_view::npos) {
    name = text.substr(text.find('<', note) + 1);
    name.remove_suffix(1);
    text = text.substr(0, note);
    text = text.substr(0, text.find_last_not_of(' ') + 1);
  }

  // --- 2. The numbers that are addresses. ---
  std::size_t from = text.size(), to = text.size();
  const bool packet = text.starts_with('{');
  if (const std::size_t open = text.find("[rip"); open != std::string_view::npos) {
    from = open;
    to = std::min(text.find(']', open), text.size());
  } else if (const std::size_t low = lowHalfOf(text); low != std::string_view::npos) {
    from = low;
  } else if (packet ? !name.empty() || isJump(text) : !name.empty() || isJump(text) || isRelative(text)) {
    from = packet ? 0 : std::min(lastNumber(text), text.size());
  }
  notePages(text);

  // --- 3. The line without them. ---
  out = text.substr(0, from);
  for (std::size_t at = from; at < to;) {
    const std::size_t size = at > 0 && isWordByte(text[at - 1]) ? 0 : numberAt(text, at);
    if (size == 0) {
      out += text[at++];
      continue;
    }
    if (out.ends_with("+ ") || out.ends_with("- ")) out.resize(out.size() - 2);
    if (out.ends_with('-')) out.pop_back();
    out += '?';
    at += size;
  }
  if (out.ends_with("[rip")) out += " ?"; // a zero offset is not written
  out += text.substr(to);
  // A name with an offset into the same function changes with every instruction inserted before it.
  if (name == m_own || (name.starts_with(m_own) && name.substr(m_own.size()).starts_with('+')))
    out += " <own>";
  else if (!name.empty())
    out.append(" <").append(name) += '>';
}

std::size_t HostNormaliser::lowHalfOf(std::string_view text) const {
  if (m_pages == 0) return std::string_view::npos;
  // "add x0, x1, #0x18", "ldr x0, [x1, #0x18]".
  const std::size_t number = lastNumber(text);
  if (number == std::string_view::npos || number < 3 || text.substr(number - 3, 3) != ", #")
    return std::string_view::npos;
  const std::size_t begin = text.find_last_of(" [", number - 4);
  if (begin == std::string_view::npos) return begin;
  const auto base = registerNumber(text.substr(begin + 1, number - 4 - begin));
  const bool uses = text.starts_with("add ") || text[begin] == '[';
  return base && uses && (m_pages >> *base & 1) != 0 ? number : std::string_view::npos;
}

void HostNormaliser::notePages(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  if (word == "bl" || word == "blr" || word == "ret") m_pages = 0;
  if (blank == std::string_view::npos || word.starts_with("st")) return;
  const std::string_view operand = text.substr(blank + 1, text.find(',', blank) - blank - 1);
  const auto number = registerNumber(operand);
  if (!number) return;
  m_pages = word == "adrp" ? m_pages | 1u << *number : m_pages & ~(1u << *number);
}

Result<LineDiff> compareHostText(const Bytes& a, const Bytes& b, Monitor& monitor, uint64_t cost) {
  LineOptions options;
  options.normaliseA = HostNormaliser(a.view());
  options.normaliseB = HostNormaliser(b.view());
  options.cost = cost;
  return compareLines(a, b, options, monitor);
}

bool isHostText(std::string_view page) {
  const std::size_t end = page.find('\n');
  if (end == std::string_view::npos || end == 0 || page[end - 1] != ':') return false;
  const std::size_t next = page.find('\n', end + 1);
  return headOf(page.substr(end + 1, next == std::string_view::npos ? next : next - end - 1)).has_value();
}

} // namespace blobscope::diff
