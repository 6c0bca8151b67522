#include "core/payloads/ptx/ptx.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/payloads/pages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <unordered_set>

namespace blobscope::payloads {
namespace {

bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '$' || c == '%';
}

/// A word with its points ("ld.param.u64"), a string with its quotes, one other byte, or nothing at the end.
struct Token {
  std::string_view text;
  uint64_t position = 0;
  uint64_t line = 0;

  bool end() const { return text.empty(); }
  bool is(std::string_view what) const { return text == what; }
  bool word() const { return !end() && isWordByte(text[0]); }
};

/// Splits text into tokens; comments are not tokens.
class PtxLexer {
public:
  explicit PtxLexer(std::string_view text) : m_text(text.substr(0, text.find('\0'))) {}

  Token next() {
    skipSpace();
    Token token{{}, m_position, m_line};
    if (m_position >= m_text.size()) return token;
    std::size_t end = m_position + 1;
    if (m_text[m_position] == '"') {
      while (end < m_text.size() && m_text[end] != '"') {
        if (m_text[end] == '\\') ++end;
        if (end < m_text.size() && m_text[end] == '\n') ++m_line;
        ++end;
      }
      end = std::min(end + 1, m_text.size());
    } else if (isWordByte(m_text[m_position])) {
      while (end < m_text.size() && isWordByte(m_text[end])) ++end;
    }
    token.text = m_text.substr(m_position, end - m_position);
    m_position = end;
    return token;
  }

private:
  void skipSpace() {
    while (m_position < m_text.size()) {
      const char c = m_text[m_position];
      const char after = m_position + 1 < m_text.size() ? m_text[m_position + 1] : '\0';
      if (c == '/' && after == '/') {
        m_position = std::min(m_text.find('\n', m_position), m_text.size());
      } else if (c == '/' && after == '*') {
        const std::size_t end = std::min(m_text.find("*/", m_position + 2), m_text.size());
        m_line += static_cast<uint64_t>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_position),
                                                   m_text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        m_position = std::min(end + 2, m_text.size());
      } else if (c == '\n') {
        ++m_line;
        ++m_position;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++m_position;
      } else {
        return;
      }
    }
  }

  std::string_view m_text;
  std::size_t m_position = 0;
  uint64_t m_line = 1;
};

/// Bytes of a type of variables in memory; nothing for other words.
std::optional<uint64_t> typeBytes(std::string_view type) {
  struct Size {
    std::string_view type;
    uint64_t bytes;
  };
  // Source: ptxas of nvidia-cuda-nvcc 13.0.88, which was given an array of each type and refuses all others.
  static constexpr auto kSizes = std::to_array<Size>({{".b8", 1},
                                                      {".u8", 1},
                                                      {".s8", 1},
                                                      {".b16", 2},
                                                      {".u16", 2},
                                                      {".s16", 2},
                                                      {".f16", 2},
                                                      {".b32", 4},
                                                      {".u32", 4},
                                                      {".s32", 4},
                                                      {".f32", 4},
                                                      {".f16x2", 4},
                                                      {".b64", 8},
                                                      {".u64", 8},
                                                      {".s64", 8},
                                                      {".f64", 8},
                                                      {".b128", 16}});
  const auto* const found =
      std::find_if(kSizes.begin(), kSizes.end(), [&](const Size& size) { return size.type == type; });
  return found == kSizes.end() ? std::nullopt : std::optional(found->bytes);
}
bool isTypeWithoutSize(std::string_view word) {
  return word == ".texref" || word == ".samplerref" || word == ".surfref" || word == ".pred";
}

uint64_t saturatedSum(uint64_t a, uint64_t b) { return checkedAdd(a, b).value_or(UINT64_MAX); }

class PtxReader {
  /// Maximum kept of one entry; PTX ISA 9.0 has a dozen, each once.
  static constexpr std::size_t kDirectives = 64;

public:
  explicit PtxReader(const Bytes& text) : m_bytes(text), m_lexer(text.view()) { advance(); }

  Ptx read() {
    bool isExtern = false; // of the declaration that is being read
    while (!m_token.end()) {
      const std::string_view word = m_token.text;
      if (word == ".version") {
        advance();
        if (m_token.word()) m_ptx.version = escapedWithin(take(), 20);
      } else if (word == ".target") {
        readTarget();
      } else if (word == ".address_size") {
        advance();
        if (m_token.word()) m_ptx.addressSize = parseNumber(take());
      } else if (word == ".extern") {
        isExtern = true;
        advance();
        continue;
      } else if (word == ".visible" || word == ".weak" || word == ".common") {
        advance();
        continue;
      } else if (word == ".entry") {
        if (!readEntry()) break;
      } else if (word == ".func") {
        readFunction();
      } else if (word == ".global" || word == ".const" || word == ".shared") {
        readModuleVariables(isExtern);
      } else if (word == "{") {
        skipBraces();
      } else {
        advance();
      }
      isExtern = false;
    }
    if (m_parameters > limits::kListItems)
      m_damage.add(groupedText(m_parameters) + " parameters, more than the limit of " +
                   groupedText(limits::kListItems));
    if (m_ptx.version.empty()) m_damage.add("there is no '.version'");
    if (m_ptx.target.empty()) m_damage.add("there is no '.target'");
    m_ptx.damage = m_damage.take();
    return std::move(m_ptx);
  }

private:
  void advance() {
    m_end = m_token.position + m_token.text.size();
    m_token = m_lexer.next();
  }
  std::string_view take() {
    const std::string_view text = m_token.text;
    advance();
    return text;
  }
  Bytes bytesOf(const Token& token) const { return m_bytes.slice(token.position, token.text.size()); }
  static std::string where(const Token& token) { return "line " + groupedText(token.line); }

  void readTarget() {
    advance();
    if (m_token.word() && !m_token.text.starts_with('.')) m_ptx.target = escapedWithin(take(), 40);
    while (m_token.is(",")) {
      advance();
      if (!m_token.word()) return;
      if (m_ptx.targetOptions.size() < 16) m_ptx.targetOptions.push_back(escapedWithin(m_token.text, 40));
      advance();
    }
  }

  /// Reads `.entry NAME ( parameters ) directives { body }`; false at the limit of entries.
  bool readEntry() {
    if (m_ptx.entries.size() >= limits::kListItems) {
      m_damage.add(where(m_token) + ": more than the limit of " + groupedText(limits::kListItems) + " entries");
      return false;
    }
    PtxEntry entry;
    entry.line = m_token.line;
    advance();
    if (!m_token.word() || m_token.text.starts_with('.')) {
      m_damage.add(where(m_token) + ": '.entry' without a name");
      return true;
    }
    entry.name = bytesOf(m_token);
    advance();
    if (m_token.is("(")) readParameters(entry);
    readDirectives(entry);
    if (m_token.is("{")) readBody(entry);
    m_ptx.entries.push_back(std::move(entry));
    return true;
  }

  void readParameters(PtxEntry& entry) {
    advance();
    while (!m_token.end() && !m_token.is(")") && !m_token.is("{") && !m_token.is(";")) {
      if (m_token.is(".param")) {
        advance();
        PtxVariable parameter = readVariable(readType());
        if (++m_parameters > limits::kListItems) continue;
        entry.parameters.push_back(std::move(parameter));
      } else {
        advance();
      }
    }
    if (m_token.is(")")) advance();
  }

  void readDirectives(PtxEntry& entry) {
    while (!m_token.end() && !m_token.is("{")) {
      if (m_token.is(";")) {
        // The semicolon ends a declaration without a body, but also `.pragma "…";` before a body.
        const bool pragma = !entry.directives.empty() && entry.directives.back().name == "pragma";
        advance();
        if (!pragma) return;
      } else if (m_token.text.starts_with('.') && m_token.text.size() > 1) {
        if (m_token.is(".entry") || m_token.is(".visible") || m_token.is(".func")) return; // cut short
        if (entry.directives.size() < kDirectives)
          entry.directives.push_back({escapedWithin(m_token.text.substr(1), 40), {}});
        advance();
      } else {
        if (const auto value = parseNumber(m_token.text);
            value && !entry.directives.empty() && entry.directives.back().values.size() < 3)
          entry.directives.back().values.push_back(*value);
        advance();
      }
    }
  }

  void readBody(PtxEntry& entry) {
    const Token open = m_token;
    uint64_t depth = 0;
    while (!m_token.end()) {
      if (m_token.is("{")) {
        ++depth;
      } else if (m_token.is("}")) {
        if (--depth == 0) break;
      } else if (m_token.is(".shared")) {
        forEachVariable([&](const PtxVariable& variable) {
          entry.sharedBytes = saturatedSum(entry.sharedBytes, variable.bytes.value_or(0));
        });
        continue; // at the token after the declaration
      } else if (!m_externShared.empty() && m_token.word() && m_externShared.contains(m_token.text)) {
        entry.dynamicSharedMemory = true;
      }
      advance();
    }
    if (m_token.end())
      m_damage.add(where(open) + ": the body of '" + escapedWithin(entry.name.view(), 100) + "' has no end");
    advance();
    entry.body = {open.position, m_end - open.position};
  }

  /// `.func (result) NAME (parameters) { body }` or `;`.
  void readFunction() {
    advance();
    while (!m_token.end() && !m_token.is("{") && !m_token.is(";") && !m_token.is(".entry") && !m_token.is(".func"))
      advance();
    if (!m_token.is("{")) return;
    ++m_ptx.functions;
    skipBraces();
  }

  void skipBraces() {
    const Token open = m_token;
    uint64_t depth = 0;
    while (!m_token.end()) {
      if (m_token.is("{")) ++depth;
      if (m_token.is("}") && --depth == 0) break;
      advance();
    }
    if (m_token.end()) m_damage.add(where(open) + ": '{' without '}'");
    advance();
  }

  void readModuleVariables(bool isExtern) {
    const std::string_view space = m_token.text;
    uint64_t& total = space == ".shared" ? m_ptx.sharedBytes : space == ".const" ? m_ptx.constBytes : m_ptx.globalBytes;
    forEachVariable([&](const PtxVariable& variable) {
      if (!isExtern)
        total = saturatedSum(total, variable.bytes.value_or(0));
      else if (space == ".shared" && !variable.name.empty() && m_externShared.size() < limits::kListItems)
        m_externShared.insert(variable.name.view());
    });
  }

  /// Type and alignment before the names; reads up to the first name.
  struct Type {
    std::string name;
    std::optional<uint64_t> bytes;
  };
  Type readType() {
    Type type;
    uint64_t factor = 1;
    std::string vector;
    while (m_token.text.starts_with('.')) {
      const std::string_view word = take();
      if (word == ".align") {
        if (m_token.word() && parseNumber(m_token.text)) advance();
      } else if (word == ".attribute") {
        while (!m_token.end() && !m_token.is(")") && !m_token.is(";")) advance();
        if (m_token.is(")")) advance();
      } else if (word == ".v2" || word == ".v4" || word == ".v8") {
        factor = static_cast<uint64_t>(word[2] - '0');
        vector = std::string(word.substr(1)) + '.';
      } else if (const auto bytes = typeBytes(word)) {
        // `.ptr .global .align 8` after the type of a parameter does not name another type.
        if (type.name.empty()) type = {std::string(word.substr(1)), bytes};
      } else if (isTypeWithoutSize(word)) {
        if (type.name.empty()) type = {std::string(word.substr(1)), std::nullopt};
      }
    }
    type.name = vector + type.name;
    if (type.bytes) *type.bytes *= factor;
    return type;
  }

  /// `NAME`, `NAME[4]`, `NAME[2][3]`, `NAME[]`; reads to its end.
  PtxVariable readVariable(const Type& type) {
    PtxVariable variable;
    variable.type = type.name;
    variable.bytes = type.bytes;
    if (m_token.word()) {
      variable.name = bytesOf(m_token);
      advance();
    }
    while (m_token.is("[")) {
      advance();
      const auto count = m_token.word() ? parseNumber(m_token.text) : std::nullopt;
      if (variable.type.size() < 100) variable.type += '[' + (count ? std::to_string(*count) : std::string()) + ']';
      variable.bytes = count && variable.bytes ? checkedMultiply(*variable.bytes, *count) : std::nullopt;
      while (!m_token.end() && !m_token.is("]") && !m_token.is(";") && !m_token.is("}") && !m_token.is(")")) advance();
      if (m_token.is("]")) advance();
    }
    return variable;
  }

  /// The variables of one declaration, with their initial values; reads to the end of its `;`. A brace that does not
  /// belong to it is not consumed.
  template <class F> void forEachVariable(const F& use) {
    advance();
    const Type type = readType();
    while (!m_token.end()) {
      use(readVariable(type));
      uint64_t depth = 0;
      const bool value = m_token.is("=");
      while (!m_token.end() && !(depth == 0 && (m_token.is(",") || m_token.is(";")))) {
        if (m_token.is("{")) {
          if (!value) return;
          ++depth;
        }
        if (m_token.is("}") && depth-- == 0) return;
        advance();
      }
      const bool more = m_token.is(",");
      advance();
      if (!more) return;
    }
  }

  Bytes m_bytes;
  PtxLexer m_lexer;
  Token m_token;
  uint64_t m_parameters = 0;
  uint64_t m_end = 0; ///< end of the token before m_token
  Ptx m_ptx;
  DamageList m_damage;
  std::unordered_set<std::string_view> m_externShared;
};

std::string directivesText(const PtxEntry& entry) {
  std::string out;
  for (const PtxDirective& directive : entry.directives) {
    if (!out.empty()) out += ", ";
    out += directive.name;
    for (const uint64_t value : directive.values) out += ' ' + std::to_string(value);
    if (out.size() > 200) return shortened(out, 200);
  }
  return out;
}

std::string entryCell(const PtxEntry& entry, std::size_t column) {
  switch (column) {
  case 0: return escaped(entry.name.view());
  case 1: return std::to_string(entry.line);
  case 2: return std::to_string(entry.body.size);
  case 3: return std::to_string(entry.parameters.size());
  case 4: return std::to_string(entry.parameterBytes());
  case 5: return std::to_string(entry.sharedBytes);
  case 6: return entry.dynamicSharedMemory ? "yes" : "";
  default: return directivesText(entry);
  }
}

} // namespace

uint64_t PtxEntry::parameterBytes() const {
  uint64_t sum = 0;
  for (const PtxVariable& parameter : parameters) sum = saturatedSum(sum, parameter.bytes.value_or(0));
  return sum;
}

std::optional<uint64_t> PtxEntry::blockThreads() const {
  const auto find = [&](std::string_view wanted) {
    return std::find_if(directives.begin(), directives.end(),
                        [&](const PtxDirective& one) { return one.name == wanted; });
  };
  auto found = find("reqntid");
  if (found == directives.end()) found = find("maxntid");
  if (found == directives.end()) return std::nullopt;
  std::optional<uint64_t> out = 1;
  for (const uint64_t value : found->values)
    if (out) out = checkedMultiply(*out, value);
  return out;
}

uint32_t ptxVersionNumber(std::string_view text) {
  uint32_t major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return 0;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc{} || major > 1'000 || minor > 9) return 0;
  return 10 * major + minor;
}

Ptx readPtx(const Bytes& text) { return PtxReader(text).read(); }

std::vector<PtxName> findPtxNames(const Bytes& text, const std::set<std::string_view>& names) {
  std::vector<PtxName> found;
  PtxLexer lexer(text.view());
  bool entry = false;
  for (Token token = lexer.next(); !token.end(); token = lexer.next()) {
    if (names.contains(token.text)) found.push_back({text.slice(token.position, token.text.size()), entry});
    entry = token.is(".entry");
  }
  return found;
}

bool isPtxName(std::string_view name) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto follows = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), follows)) return false;
  return isLetter(name[0]) || ((name[0] == '_' || name[0] == '$') && name.size() > 1);
}

void addPtxPages(const Bytes& text, view::PageList& list) {
  const auto ptx = std::make_shared<const Ptx>(readPtx(text));
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string label, std::string value) {
    if (!value.empty()) rows.push_back({std::move(label), std::move(value)});
  };
  std::string target = ptx->target;
  for (const std::string& option : ptx->targetOptions) target += ", " + option;
  add("version", ptx->version);
  add("target", target);
  add("address size", ptx->addressSize ? std::to_string(*ptx->addressSize) + " bits" : "");
  add("entries", groupedText(ptx->entries.size()));
  add("functions", groupedText(ptx->functions));
  add(".shared", sizeText(ptx->sharedBytes));
  add(".const", sizeText(ptx->constBytes));
  add(".global", sizeText(ptx->globalBytes));
  list.push_back(view::factsPage("PTX", std::move(rows)));
  list.push_back(lazyPage("Entries",
                          {{"name"},
                           {"line", true},
                           {"body bytes", true, true},
                           {"parameters", true},
                           {"parameter bytes", true},
                           {"shared bytes", true},
                           {"dynamic shared"},
                           {"directives"}},
                          ptx->entries.size(),
                          [ptx](uint64_t row, std::size_t column) { return entryCell(ptx->entries[row], column); }));
  addDamagePage(ptx->damage, list);
}

} // namespace blobscope::payloads
