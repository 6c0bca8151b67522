#include "core/syntax/code_structure.h"

#include "core/base/limits.h"
#include "core/base/thread_rule.h"
#include "core/syntax/structure_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace blobscope::syntax {
namespace {

constexpr uint64_t kLinesPerCheck = 4'096;
constexpr std::size_t kMostRows = 1'000'000;
/// Longer names are neither looked up nor highlighted.
constexpr uint64_t kNameBytes = 1'024;

std::unique_ptr<StructureScanner> makeScanner(const Language& language, CodeStructure& out) {
  auto scanner = makeLineScanner(language, out);
  return scanner ? std::move(scanner) : makeBraceScanner(language, out);
}

/// Gives every jump the innermost lane in which it meets no shorter jump.
Result<bool> assignLanes(std::vector<CodeJump>& jumps, Monitor& monitor) {
  std::vector<uint32_t> order(jumps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
  const auto low = [&](uint32_t i) { return std::min(jumps[i].from, jumps[i].to); };
  const auto high = [&](uint32_t i) { return std::max(jumps[i].from, jumps[i].to); };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return high(a) - low(a) < high(b) - low(b); });
  std::array<std::set<std::pair<uint64_t, uint64_t>>, CodeJump::kLanes> taken; // last and first line
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kLinesPerCheck == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const uint32_t one = order[i];
    for (uint8_t lane = 0; lane < CodeJump::kLanes; ++lane) {
      const auto next = taken[lane].lower_bound({low(one), 0});
      if (next != taken[lane].end() && next->second <= high(one)) continue;
      taken[lane].emplace(high(one), low(one));
      jumps[one].lane = lane;
      break;
    }
  }
  return true;
}

Result<bool> arrange(CodeStructure& out, Monitor& monitor) {
  std::stable_sort(out.jumps.begin(), out.jumps.end(),
                   [](const CodeJump& a, const CodeJump& b) { return a.from < b.from; });
  std::stable_sort(out.folds.begin(), out.folds.end(), [](const CodeFold& a, const CodeFold& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  // Two folds of one line cannot be told apart: the outer one stays.
  out.folds.erase(std::unique(out.folds.begin(), out.folds.end(),
                              [](const CodeFold& a, const CodeFold& b) { return a.first == b.first; }),
                  out.folds.end());
  out.labelsByName.resize(out.labels.size());
  for (std::size_t i = 0; i < out.labels.size(); ++i) out.labelsByName[i] = static_cast<uint32_t>(i);
  std::stable_sort(out.labelsByName.begin(), out.labelsByName.end(),
                   [&](uint32_t a, uint32_t b) { return out.labels[a].name < out.labels[b].name; });
  std::stable_sort(out.addresses.begin(), out.addresses.end());
  return assignLanes(out.jumps, monitor);
}

bool hasDots(const Language& language) { return language.name == "vm" || language.name == "asm"; }

} // namespace

bool isCodeNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\v\f");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\v\f") - from + 1);
}

// --- StructureScanner

void StructureScanner::addFunction(CodeFunction function) {
  m_labels.clear();
  m_references.clear();
  m_open = m_out.functions.size() < limits::kTreeRows;
  m_out.complete = m_out.complete && m_open;
  if (m_open) m_out.functions.push_back(std::move(function));
}

void StructureScanner::addLabel(std::string name, uint64_t line) {
  if (m_out.labels.size() >= kMostRows) {
    m_out.complete = false;
    return;
  }
  m_labels.emplace(name, line);
  m_out.labels.push_back({std::move(name), line});
}

void StructureScanner::addFold(uint64_t first, uint64_t last) {
  if (last <= first) return;
  if (m_out.folds.size() < kMostRows)
    m_out.folds.push_back({first, last});
  else
    m_out.complete = false;
}

void StructureScanner::addReference(std::string name, uint64_t line) {
  if (m_references.size() < kMostRows) m_references.emplace_back(std::move(name), line);
}

void StructureScanner::addJump(uint64_t from, uint64_t to) {
  if (m_out.jumps.size() < kMostRows)
    m_out.jumps.push_back({from, to, CodeJump::kLanes});
  else
    m_out.complete = false;
}

void StructureScanner::endFunction(uint64_t last) {
  for (const auto& [name, line] : m_references)
    if (const auto found = m_labels.find(name); found != m_labels.end()) addJump(line, found->second);
  m_references.clear();
  m_labels.clear();
  if (!m_open) return;
  m_open = false;
  CodeFunction& function = m_out.functions.back();
  function.lastLine = std::max(last, function.line);
  if (function.defined) addFold(function.line, function.lastLine);
}

// --- CodeStructure

const CodeFunction* CodeStructure::functionAt(uint64_t line) const {
  const auto after = std::upper_bound(functions.begin(), functions.end(), line,
                                      [](uint64_t value, const CodeFunction& one) { return value < one.line; });
  if (after == functions.begin()) return nullptr;
  const CodeFunction& found = *std::prev(after);
  return line <= found.lastLine ? &found : nullptr;
}

const CodeFunction* CodeStructure::findFunction(std::string_view name) const {
  const CodeFunction* declared = nullptr;
  for (const CodeFunction& function : functions) {
    if (function.name != name) continue;
    if (function.defined) return &function;
    if (!declared) declared = &function;
  }
  return declared;
}

std::optional<uint64_t> CodeStructure::findDefinition(std::string_view name, uint64_t line) const {
  if (name.empty()) return std::nullopt;
  const CodeFunction* const function = functionAt(line);
  const auto [first, last] =
      std::equal_range(labelsByName.begin(), labelsByName.end(), name, [this](const auto& a, const auto& b) {
        if constexpr (std::is_same_v<std::decay_t<decltype(a)>, uint32_t>)
          return std::string_view(labels[a].name) < b;
        else
          return a < std::string_view(labels[b].name);
      });
  for (auto at = first; at != last; ++at)
    if (functionAt(labels[*at].line) == function) return labels[*at].line;
  if (const CodeFunction* const found = findFunction(name)) return found->line;
  const bool hex = name.starts_with("0x");
  uint64_t number = 0;
  const std::string_view digits = name.substr(hex ? 2 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (hex) {
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), std::pair<uint64_t, uint64_t>(number, 0));
    return at != addresses.end() && at->first == number ? std::optional(at->second) : std::nullopt;
  }
  const auto jump = std::lower_bound(jumps.begin(), jumps.end(), line,
                                     [](const CodeJump& one, uint64_t value) { return one.from < value; });
  for (auto at = jump; function && at != jumps.end() && at->from == line; ++at)
    if (at->to == function->line + 1 + number) return at->to;
  return std::nullopt;
}

std::vector<CodeJump> CodeStructure::jumpsBetween(uint64_t first, uint64_t last, std::size_t limit) const {
  std::vector<CodeJump> out;
  // Jumps stay within their functions.
  const CodeFunction* const top = functionAt(first);
  const CodeFunction* const bottom = functionAt(last);
  const uint64_t from = top ? top->line : first, to = bottom ? bottom->lastLine : last;
  auto at = std::lower_bound(jumps.begin(), jumps.end(), from,
                             [](const CodeJump& one, uint64_t value) { return one.from < value; });
  for (; at != jumps.end() && at->from <= to && out.size() < limit; ++at)
    if (std::min(at->from, at->to) <= last && std::max(at->from, at->to) >= first) out.push_back(*at);
  return out;
}

Result<std::shared_ptr<const CodeStructure>> computeStructure(const Bytes& text, const Language& language,
                                                              Monitor& monitor) {
  longWork("syntax::computeStructure");
  auto out = std::make_shared<CodeStructure>();
  const auto scanner = makeScanner(language, *out);
  if (!scanner) return std::shared_ptr<const CodeStructure>(out);
  const std::string_view all = text.view();
  std::vector<Token> tokens;
  std::string code;
  LineState state = LineState::Code;
  uint64_t number = 0;
  for (std::size_t at = 0; at < all.size(); ++number) {
    if (number % kLinesPerCheck == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading the outline", at, all.size());
    }
    std::size_t end = all.find('\n', at);
    if (end == std::string_view::npos) end = all.size();
    std::string_view line = all.substr(at, std::min<std::size_t>(end - at, kLexedBytes));
    if (line.ends_with('\r')) line.remove_suffix(1);
    state = lexLine(language, line, state, tokens);
    code.assign(line);
    for (const Token& token : tokens)
      if (token.kind == TokenKind::Comment || token.kind == TokenKind::String)
        code.replace(token.begin, token.size, token.size, ' ');
    scanner->take(line, code, tokens, number);
    at = end + 1;
  }
  scanner->finish(number);
  BLOBSCOPE_CHECK(arrange(*out, monitor));
  return std::shared_ptr<const CodeStructure>(out);
}

Extent nameAt(const Language& language, std::string_view line, uint64_t offset) {
  const bool dots = hasDots(language);
  const auto isPart = [&](uint64_t at) {
    return isCodeNameByte(line[at]) || (dots && line[at] == '.' && at > 0 && at + 1 < line.size() &&
                                        isCodeNameByte(line[at - 1]) && isCodeNameByte(line[at + 1]));
  };
  const bool sigils = language.assembly || language.name == "spirv" || language.name == "vm" || language.variables;
  const auto isSigil = [&](uint64_t at) {
    return (sigils && line[at] == '%') || (language.name == "sass" && line[at] == '.');
  };
  if (offset >= line.size() || (!isPart(offset) && !isSigil(offset))) return {offset, 0};
  uint64_t from = offset, to = offset + 1;
  while (from > 0 && offset - from < kNameBytes && isPart(from - 1)) --from;
  while (to < line.size() && to - offset < kNameBytes && isPart(to)) ++to;
  const auto isDigit = [&](uint64_t at) { return line[at] >= '0' && line[at] <= '9'; };
  // ".L_x_3" of SASS is a label; ".reuse" belongs to the register before it.
  if (from > 0 && isSigil(from - 1) && (line[from - 1] == '%' || from < 2 || !isCodeNameByte(line[from - 2]))) --from;
  if (to - from < 2 && isSigil(from)) return {offset, 0};
  if (isDigit(from) && !(language.name == "asm" && line.substr(from, 2) == "0x") && language.name != "vm")
    return {offset, 0};
  return {from, to - from};
}

std::string_view wholeRegister(const Language& language, std::string_view name) {
  if (language.name != "asm" || name.size() > 5 || name.size() < 2) return name;
  constexpr std::array<std::array<std::string_view, 5>, 8> kNamed = {{{"rax", "eax", "ax", "al", "ah"},
                                                                      {"rbx", "ebx", "bx", "bl", "bh"},
                                                                      {"rcx", "ecx", "cx", "cl", "ch"},
                                                                      {"rdx", "edx", "dx", "dl", "dh"},
                                                                      {"rsi", "esi", "si", "sil", ""},
                                                                      {"rdi", "edi", "di", "dil", ""},
                                                                      {"rbp", "ebp", "bp", "bpl", ""},
                                                                      {"rsp", "esp", "sp", "spl", ""}}};
  if (name == "sp") return name; // of AArch64; of x86-64 nobody names 16 bits of it
  for (const auto& family : kNamed)
    for (const std::string_view part : family)
      if (part == name) return family[0];
  constexpr std::array<std::string_view, 31> kArm = {
      "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
      "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"};
  constexpr std::array<std::string_view, 8> kNumbered = {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
  constexpr std::array<std::string_view, 16> kVectors = {"xmm0",  "xmm1",  "xmm2",  "xmm3", "xmm4",  "xmm5",
                                                         "xmm6",  "xmm7",  "xmm8",  "xmm9", "xmm10", "xmm11",
                                                         "xmm12", "xmm13", "xmm14", "xmm15"};
  unsigned number = 0;
  const char* const last = name.data() + name.size();
  if (name.size() >= 4 && (name[0] == 'y' || name[0] == 'z') && name.substr(1, 2) == "mm") {
    const auto [end, error] = std::from_chars(name.data() + 3, last, number);
    return error == std::errc() && end == last && number < kVectors.size() ? kVectors[number] : name;
  }
  const auto [end, error] = std::from_chars(name.data() + 1, last, number);
  if (error != std::errc()) return name;
  if (name[0] == 'w' && end == last && number < kArm.size()) return kArm[number];
  const bool part = end + 1 == last && (*end == 'd' || *end == 'w' || *end == 'b');
  if (name[0] == 'r' && part && number >= 8 && number - 8 < kNumbered.size()) return kNumbered[number - 8];
  return name;
}

} // namespace blobscope::syntax
