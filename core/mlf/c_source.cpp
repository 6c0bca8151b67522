#include "core/mlf/c_source.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace blobscope::mlf {
namespace {

constexpr std::string_view kTargetComment = "// tvm target:", kParameterPrefix = "__tvm_param__";
/// Words of one statement that are read. Real statements have up to a few hundred, with the name among the first.
constexpr std::size_t kStatementWords = 4'096;
/// Bytes between two checks of the monitor.
constexpr std::size_t kPassedAtOnce = std::size_t{1} << 20;
/// Limits for macros that define functions, and for the parameters of one. BYOC writes two, with up to five.
constexpr std::size_t kMacros = 1'024, kMacroParameters = 64;

bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordCharacter(char c) { return isWordStart(c) || isDigit(c); }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (isBlank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (isBlank(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

template <class T> void push(std::vector<T>& list, T item) {
  if (list.size() < limits::kListItems) list.push_back(std::move(item));
}

enum class Kind { Word, Number, String, Character, Mark };
struct Token {
  Kind kind = Kind::Mark;
  std::string_view text; ///< for a string: the text between the quotes
  uint64_t line = 0;

  bool is(std::string_view mark) const { return (kind == Kind::Mark || kind == Kind::Word) && text == mark; }
};

/// A macro with parameters whose body defines functions named like parameters.
struct FunctionMacro {
  std::string_view name;
  std::vector<std::size_t> named; ///< indices of these parameters
};

/// Returns the characters that a C string literal represents.
std::string unescaped(std::string_view literal) {
  std::string out;
  for (std::size_t i = 0; i < literal.size();) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      out += literal[i++];
      continue;
    }
    const char c = literal[i + 1];
    i += 2;
    if (c >= '0' && c <= '7') {
      unsigned value = static_cast<unsigned>(c - '0');
      for (int digits = 1; digits < 3 && i < literal.size() && literal[i] >= '0' && literal[i] <= '7'; ++digits)
        value = value * 8 + static_cast<unsigned>(literal[i++] - '0');
      out += static_cast<char>(value);
    } else if (c == 'x') {
      unsigned value = 0;
      const char* const first = literal.data() + i;
      const auto [end, failure] = std::from_chars(first, literal.data() + literal.size(), value, 16);
      i += static_cast<std::size_t>(end - first);
      out += static_cast<char>(value);
    } else if (c != '\n') {
      constexpr std::string_view kFrom = "ntrabfv", kTo = "\n\t\r\a\b\f\v";
      const std::size_t at = kFrom.find(c);
      out += at == std::string_view::npos ? c : kTo[at];
    }
  }
  return out;
}

/// Assembles words into statements of the outermost level.
class Statements {
public:
  Statements(CSource& out, bool cPlusPlus) : m_out(out), m_cPlusPlus(cPlusPlus) {}

  void feed(const Token& token) {
    if (m_depth > 0)
      inside(token);
    else
      outside(token);
  }
  /// Returns whether only braces count in what follows, up to the end of a body.
  bool passesOver() const { return m_depth > 0 && m_body != Body::Struct && !m_inRegistry && !m_inArray; }
  std::vector<FunctionMacro> macros;

private:
  enum class Body { Function, Data, Struct, Other };
  /// A brace that only encloses declarations.
  enum class Enclosure : uint8_t { Linkage, Namespace };

  void outside(const Token& token);
  void inside(const Token& token);
  void open();
  void end();
  void clear() {
    m_words.clear();
    m_last = {};
    m_parentheses = 0;
    m_assigned = false;
  }
  void keep(const Token& token) {
    m_last = token;
    if (m_words.size() < kStatementWords) m_words.push_back(token);
  }
  bool has(std::string_view word) const {
    return std::any_of(m_words.begin(), m_words.end(), [&](const Token& t) { return t.is(word); });
  }
  bool hasLinkage() const {
    for (std::size_t i = 1; i < m_words.size(); ++i)
      if (m_words[i].kind == Kind::String && m_words[i - 1].is("extern")) return true;
    return m_linkages > 0;
  }
  std::optional<std::size_t> functionName() const;
  std::optional<std::size_t> structKeyword() const;
  std::string_view dataName() const;
  void endWorkspace();
  void expandMacro();
  void endField();

  CSource& m_out;
  bool m_cPlusPlus;
  std::vector<Token> m_words; ///< since the last end of a statement
  Token m_last;
  uint64_t m_parentheses = 0;
  bool m_assigned = false; ///< "=" outside of parentheses
  std::vector<Enclosure> m_enclosures;
  uint64_t m_linkages = 0; ///< how many enclosures are extern "C"

  uint64_t m_depth = 0; ///< of opened braces that are skipped
  Body m_body = Body::Other;
  bool m_inRegistry = false, m_inArray = false;
  std::vector<Token> m_field;
  CStruct m_struct;
  std::vector<CName> m_functions; ///< of _tvm_func_array, which comes before the registry
};

void Statements::outside(const Token& token) {
  if (token.is("{")) {
    open();
  } else if (token.is("}")) {
    if (!m_enclosures.empty()) {
      if (m_enclosures.back() == Enclosure::Linkage) --m_linkages;
      m_enclosures.pop_back();
    }
    clear();
  } else if (token.is(";")) {
    end();
    clear();
  } else {
    if (token.is("(") || token.is("[")) ++m_parentheses;
    if ((token.is(")") || token.is("]")) && m_parentheses > 0) --m_parentheses;
    if (token.is("=") && m_parentheses == 0) m_assigned = true;
    keep(token);
  }
}

/// Returns the word before the first parentheses that do not belong to an attribute.
std::optional<std::size_t> Statements::functionName() const {
  constexpr std::array<std::string_view, 9> kAttributes = {
      "__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "__asm__", "asm", "__asm", "__pragma"};
  uint64_t depth = 0;
  for (std::size_t i = 0; i < m_words.size(); ++i) {
    if (m_words[i].is(")") && depth > 0) --depth;
    if (!m_words[i].is("(")) continue;
    const bool named = depth == 0 && i > 0 && m_words[i - 1].kind == Kind::Word;
    if (named && std::find(kAttributes.begin(), kAttributes.end(), m_words[i - 1].text) == kAttributes.end())
      return i - 1;
    ++depth;
  }
  return std::nullopt;
}

/// Returns the word "struct" if a struct body may follow: it is outside of parentheses, and no function name comes
/// after it.
std::optional<std::size_t> Statements::structKeyword() const {
  std::optional<std::size_t> keyword;
  uint64_t depth = 0;
  for (std::size_t i = 0; i < m_words.size(); ++i) {
    const Token& word = m_words[i];
    if (word.is("(")) ++depth;
    if (word.is(")") && depth > 0) --depth;
    if (depth == 0 && (word.is("struct") || word.is("union") || word.is("enum") || word.is("class"))) keyword = i;
  }
  const std::optional<std::size_t> name = keyword ? functionName() : std::nullopt;
  return name && *name > *keyword ? std::nullopt : keyword;
}

/// Returns the name of the variable that the statement defines: the last word before "=" or "[".
std::string_view Statements::dataName() const {
  std::string_view name;
  uint64_t depth = 0;
  for (const Token& word : m_words) {
    if (word.is("(")) ++depth;
    if (word.is(")") && depth > 0) --depth;
    if (depth > 0) continue;
    if (word.is("=") || word.is("[")) break;
    if (word.kind == Kind::Word && !word.is("__attribute__")) name = word.text;
  }
  return name;
}

void Statements::open() {
  m_body = Body::Other;
  m_inRegistry = m_inArray = false;
  if (m_assigned) {
    m_body = Body::Data;
    const std::string_view name = dataName();
    m_inArray = name == "_tvm_func_array";
    m_inRegistry = name == "_tvm_func_registry";
    if (name.starts_with(kParameterPrefix)) push(m_out.linkedParameters, name.substr(kParameterPrefix.size()));
    if (m_inArray) m_functions.clear();
    if (m_inRegistry) {
      m_out.registry.emplace();
      m_out.registry->line = m_last.line;
      m_out.registry->functions = m_functions;
    }
  } else if (m_last.kind == Kind::String && m_words.size() >= 2 && m_words[m_words.size() - 2].is("extern")) {
    m_enclosures.push_back(Enclosure::Linkage);
    ++m_linkages;
    clear();
    return;
  } else if (m_cPlusPlus && !m_words.empty() &&
             (m_words[0].is("namespace") ||
              (m_words[0].is("inline") && m_words.size() > 1 && m_words[1].is("namespace")))) {
    m_enclosures.push_back(Enclosure::Namespace);
    clear();
    return;
  } else if (const std::optional<std::size_t> keyword = structKeyword()) {
    const bool isStruct = m_words[*keyword].is("struct");
    m_body = isStruct ? Body::Struct : Body::Other;
    m_struct = {};
    m_struct.line = m_words[*keyword].line;
    if (m_last.kind == Kind::Word && !m_last.is("struct")) m_struct.name = m_last.text;
    m_field.clear();
  } else if (const std::optional<std::size_t> name = functionName()) {
    m_body = Body::Function;
    const bool member = *name > 0 && (m_words[*name - 1].is("::") || m_words[*name - 1].is(":"));
    // In a macro's body the name may be a parameter; the code that reads the macro checks for that.
    if (!has("static") && !has("inline") && !has("__inline__") && !has("__inline") && !has("typedef") && !member)
      push(m_out.definitions, CFunction{m_words[*name].text, m_words[*name].line, !m_cPlusPlus || hasLinkage()});
  }
  m_depth = 1;
}

void Statements::inside(const Token& token) {
  if (token.is("{")) {
    ++m_depth;
  } else if (token.is("}")) {
    if (--m_depth > 0) return;
    if (m_body == Body::Struct) {
      push(m_out.structs, std::move(m_struct));
      m_struct = {};
    }
    // After a struct or data, the statement continues.
    if (m_body == Body::Function || m_body == Body::Other) clear();
  } else if (m_body == Body::Struct && m_depth == 1) {
    if (token.is(";"))
      endField();
    else if (m_field.size() < kStatementWords)
      m_field.push_back(token);
  } else if (m_inRegistry && token.kind == Kind::String) {
    m_out.registry->text += unescaped(token.text);
  } else if (m_inArray && token.kind == Kind::Word && !token.is("TVMBackendPackedCFunc")) {
    push(m_functions, CName{token.text, token.line});
  }
}

/// Reads the name: the last word before ";" or "[" or ":".
void Statements::endField() {
  std::string_view name;
  for (const Token& word : m_field) {
    if (word.is("[") || word.is(":") || word.is("__attribute__")) break;
    if (word.kind == Kind::Word) name = word.text;
  }
  m_field.clear();
  if (!name.empty()) push(m_struct.fields, name);
}

void Statements::end() {
  if (m_assigned || has("typedef")) return;
  endWorkspace();
  const std::optional<std::size_t> name = functionName();
  if (!name) return;
  if (*name == 0) return expandMacro();
  const Token& before = m_words[*name - 1];
  const bool typed = before.kind == Kind::Word || before.is("*") || before.is("&");
  if (typed && !has("static"))
    push(m_out.declarations, CFunction{m_words[*name].text, m_words[*name].line, !m_cPlusPlus || hasLinkage()});
}

/// `static uint8_t global_workspace[6128];`
void Statements::endWorkspace() {
  if (!has("static") || !has("uint8_t")) return;
  for (std::size_t i = 1; i + 2 < m_words.size(); ++i) {
    if (!m_words[i].is("[") || m_words[i + 1].kind != Kind::Number || !m_words[i + 2].is("]")) continue;
    const Token& name = m_words[i - 1];
    const std::optional<uint64_t> size =
        parseNumber(m_words[i + 1].text.substr(0, m_words[i + 1].text.find_first_of("uUlL")));
    if (name.kind == Kind::Word && name.text.ends_with("workspace") && size)
      push(m_out.workspaces, CWorkspace{name.text, *size, name.line});
    return;
  }
}

/// Expands NAME(arguments) if the macro defines functions named like arguments.
void Statements::expandMacro() {
  const auto macro =
      std::find_if(macros.begin(), macros.end(), [&](const FunctionMacro& m) { return m.name == m_words[0].text; });
  if (macro == macros.end()) return;
  std::size_t argument = 0;
  uint64_t depth = 0;
  for (std::size_t i = 1; i < m_words.size(); ++i) {
    const Token& word = m_words[i];
    if (word.is("(")) ++depth;
    if (word.is(")") && depth > 0) --depth;
    if (word.is(",") && depth == 1) ++argument;
    const bool begins = m_words[i - 1].is("(") || m_words[i - 1].is(",");
    if (depth == 1 && begins && word.kind == Kind::Word &&
        std::find(macro->named.begin(), macro->named.end(), argument) != macro->named.end())
      push(m_out.definitions, CFunction{word.text, word.line, !m_cPlusPlus || hasLinkage()});
  }
}

/// Splits the text into words and does the work of the preprocessor.
class Scanner {
public:
  Scanner(std::string_view text, bool cPlusPlus, bool body, CSource& out, Monitor& monitor)
      : m_text(text), m_cPlusPlus(cPlusPlus), m_isBody(body), m_out(out), m_monitor(monitor),
        m_statements(out, cPlusPlus) {}

  void scan();

private:
  struct Condition {
    bool known;   ///< __cplusplus or a number
    bool skipped; ///< the current branch is skipped
  };

  char at(std::size_t position) const { return position < m_text.size() ? m_text[position] : '\0'; }
  void feed(Kind kind, std::size_t from, std::size_t to, uint64_t line) {
    if (m_skipped == 0) m_statements.feed({kind, m_text.substr(from, to - from), line});
  }
  void passOver();
  bool skipComment();
  void scanQuoted(char quote);
  bool scanRawString();
  void scanDirective();
  void setSkipped(Condition& condition, bool skipped) {
    m_skipped += static_cast<int64_t>(skipped) - static_cast<int64_t>(condition.skipped);
    condition.skipped = skipped;
  }
  void scanCondition(std::string_view word, std::string_view rest);
  void scanDefine(std::string_view rest, uint64_t line);

  std::string_view m_text;
  bool m_cPlusPlus;
  bool m_isBody; ///< of a macro, without directives
  CSource& m_out;
  Monitor& m_monitor;
  Statements m_statements;
  std::size_t m_position = 0;
  uint64_t m_line = 1;
  bool m_lineStart = true;
  std::vector<Condition> m_conditions;
  int64_t m_skipped = 0;                ///< number of skipped conditions
  std::array<std::size_t, 7> m_stops{}; ///< next position of each stop character; at most m_stopsEnd
  std::size_t m_stopsEnd = 0;
};

/// Moves to the next character that can change a count of braces, lines, quotes or conditions: nine tenths of generated
/// code are the insides of functions and tables. The next position of each of these characters is remembered, because
/// most of them are rare.
void Scanner::passOver() {
  constexpr std::string_view kStops = "{}\"'/#\n";
  static_assert(kStops.size() == std::tuple_size_v<decltype(m_stops)>);
  if (m_position >= m_stopsEnd) {
    m_stopsEnd = m_position + std::min(m_text.size() - m_position, kPassedAtOnce);
    m_stops.fill(0);
  }
  std::size_t stop = m_stopsEnd;
  for (std::size_t i = 0; i < kStops.size(); ++i) {
    if (m_stops[i] < m_position)
      m_stops[i] = std::min(m_text.substr(0, m_stopsEnd).find(kStops[i], m_position), m_stopsEnd);
    stop = std::min(stop, m_stops[i]);
  }
  const std::string_view passed = m_text.substr(m_position, stop - m_position);
  m_lineStart =
      m_lineStart && std::all_of(passed.begin(), passed.end(), [](char c) { return isBlank(c) || c == '\\'; });
  m_position = stop;
}

bool Scanner::skipComment() {
  if (at(m_position) != '/') return false;
  if (at(m_position + 1) == '/') {
    std::size_t end = std::min(m_text.find('\n', m_position), m_text.size());
    const std::string_view comment = m_text.substr(m_position, end - m_position);
    if (comment.starts_with(kTargetComment) && !m_isBody) {
      std::string_view target = comment.substr(kTargetComment.size());
      if (target.starts_with(' ')) target.remove_prefix(1);
      if (target.ends_with('\r')) target.remove_suffix(1);
      push(m_out.targets, CName{target, m_line});
    }
    m_position = end;
    return true;
  }
  if (at(m_position + 1) != '*') return false;
  const std::size_t end = m_text.find("*/", m_position + 2);
  const std::size_t next = end == std::string_view::npos ? m_text.size() : end + 2;
  m_line += static_cast<uint64_t>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_position),
                                             m_text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
  m_position = next;
  return true;
}

/// A literal ends with its quote or, if that is missing, with the line.
void Scanner::scanQuoted(char quote) {
  const std::size_t from = ++m_position;
  const uint64_t line = m_line;
  while (m_position < m_text.size() && m_text[m_position] != quote && m_text[m_position] != '\n') {
    if (m_text[m_position] == '\\' && m_position + 1 < m_text.size()) {
      if (m_text[m_position + 1] == '\n') ++m_line;
      ++m_position;
    }
    ++m_position;
  }
  feed(quote == '"' ? Kind::String : Kind::Character, from, m_position, line);
  if (at(m_position) == quote) ++m_position;
}

/// Scans R"delimiter( … )delimiter"; the position is at the quote.
bool Scanner::scanRawString() {
  constexpr std::size_t kDelimiter = 16; // maximum number of characters in the C++ standard
  const std::size_t open = m_text.substr(0, m_position + kDelimiter + 2).find('(', m_position);
  if (open == std::string_view::npos) return false;
  const std::string closing = ")" + std::string(m_text.substr(m_position + 1, open - m_position - 1)) + "\"";
  if (closing.find_first_of(" \\\n\t", 0) != std::string::npos || std::count(closing.begin(), closing.end(), '"') != 1)
    return false;
  const std::size_t end = m_text.find(closing, open);
  if (end == std::string_view::npos) { // compilers then treat everything as part of the string
    m_position = m_text.size();
    return true;
  }
  feed(Kind::String, open + 1, end, m_line);
  m_line += static_cast<uint64_t>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_position),
                                             m_text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  m_position = end + closing.size();
  return true;
}

void Scanner::scanDirective() {
  const uint64_t line = m_line;
  const std::size_t from = m_position + 1;
  std::size_t end = from;
  while (end < m_text.size() && m_text[end] != '\n') {
    if (m_text.substr(end, 2) == "/*") { // a comment may hide the end of the line
      const std::size_t close = m_text.find("*/", end + 2);
      const std::size_t next = close == std::string_view::npos ? m_text.size() : close + 2;
      m_line += static_cast<uint64_t>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(end),
                                                 m_text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
      end = next;
      continue;
    }
    if (m_text[end] == '\\' && (m_text.substr(end, 2) == "\\\n" || m_text.substr(end, 3) == "\\\r\n")) {
      end += m_text[end + 1] == '\n' ? 1 : 2;
      ++m_line;
    }
    ++end;
  }
  m_position = end;
  std::string_view rest = trimmed(m_text.substr(from, end - from));
  std::size_t size = 0;
  while (size < rest.size() && isWordCharacter(rest[size])) ++size;
  const std::string_view word = rest.substr(0, size);
  rest = trimmed(rest.substr(size));
  if (word == "if" || word == "ifdef" || word == "ifndef" || word == "else" || word == "elif" || word == "endif")
    return scanCondition(word, rest);
  if (m_skipped > 0) return;
  if (word == "include" && rest.size() >= 2 && (rest[0] == '<' || rest[0] == '"')) {
    const std::size_t close = rest.find(rest[0] == '<' ? '>' : '"', 1);
    if (close != std::string_view::npos) push(m_out.includes, CName{rest.substr(1, close - 1), line});
  } else if (word == "define") {
    scanDefine(rest, line);
  }
}

void Scanner::scanCondition(std::string_view word, std::string_view rest) {
  if (word == "endif") {
    if (m_conditions.empty()) return;
    setSkipped(m_conditions.back(), false);
    m_conditions.pop_back();
    return;
  }
  if (word == "else" || word == "elif") {
    if (m_conditions.empty()) return;
    Condition& condition = m_conditions.back();
    if (condition.known) setSkipped(condition, !condition.skipped);
    if (word == "elif") condition.known = false; // its own condition is unknown
    return;
  }
  std::size_t size = 0;
  while (size < rest.size() && isWordCharacter(rest[size])) ++size;
  const std::string_view name = rest.substr(0, size);
  Condition condition{false, false};
  bool skipped = false;
  if (word != "if" && name == "__cplusplus") {
    condition.known = true;
    skipped = (word == "ifdef") != m_cPlusPlus;
  } else if (word == "if" && (rest == "0" || rest == "1")) {
    condition.known = true;
    skipped = rest == "0";
  } else if (word == "if" && (rest == "defined(__cplusplus)" || rest == "defined __cplusplus")) {
    condition.known = true;
    skipped = !m_cPlusPlus;
  }
  m_conditions.push_back(condition);
  setSkipped(m_conditions.back(), skipped);
}

void Scanner::scanDefine(std::string_view rest, uint64_t line) {
  std::size_t size = 0;
  while (size < rest.size() && isWordCharacter(rest[size])) ++size;
  const std::string_view name = rest.substr(0, size);
  rest.remove_prefix(size);
  if (name.empty()) return;
  if (!rest.starts_with('(')) {
    const std::size_t comment = std::min(rest.find("//"), rest.find("/*"));
    push(m_out.macros, CMacro{name, trimmed(rest.substr(0, comment)), line});
    return;
  }
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) return;
  std::vector<std::string_view> parameters;
  for (std::string_view list = rest.substr(1, close - 1); !list.empty();) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parameters.push_back(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  // The definitions in the body, which is read as a separate source.
  CSource body;
  Scanner(rest.substr(close + 1), m_cPlusPlus, true, body, m_monitor).scan();
  FunctionMacro macro{name, {}};
  for (std::size_t i = 0; i < parameters.size() && i < kMacroParameters; ++i)
    if (body.defines(parameters[i])) macro.named.push_back(i);
  if (!macro.named.empty() && m_statements.macros.size() < kMacros) m_statements.macros.push_back(std::move(macro));
}

void Scanner::scan() {
  for (uint64_t words = 0; m_position < m_text.size(); ++words) {
    if (words % 4096 == 0 && m_monitor.stopRequested()) return;
    // In C++, a word before a quote and a quote in a number have other meanings.
    if (!m_cPlusPlus && (m_skipped > 0 || m_statements.passesOver())) {
      passOver();
      if (m_position == m_stopsEnd) {
        if (m_position == m_text.size() || m_monitor.stopRequested()) return;
        continue;
      }
    }
    const char c = m_text[m_position];
    const std::size_t from = m_position;
    if (c == '\n') {
      ++m_line;
      ++m_position;
      m_lineStart = true;
      continue;
    }
    if (isBlank(c) || c == '\\') {
      ++m_position;
      continue;
    }
    if (skipComment()) continue;
    const bool first = m_lineStart;
    m_lineStart = false;
    if (c == '#' && first && !m_isBody) {
      scanDirective();
    } else if (c == '"' || c == '\'') {
      scanQuoted(c);
    } else if (isWordStart(c)) {
      while (m_position < m_text.size() && isWordCharacter(m_text[m_position])) ++m_position;
      const std::string_view word = m_text.substr(from, m_position - from);
      const bool raw = m_cPlusPlus && at(m_position) == '"' && word.ends_with('R') && word.size() <= 3;
      if (!raw || !scanRawString()) feed(Kind::Word, from, m_position, m_line);
    } else if (isDigit(c)) {
      while (m_position < m_text.size() &&
             (isWordCharacter(m_text[m_position]) || m_text[m_position] == '.' ||
              (m_cPlusPlus && m_text[m_position] == '\'' && isWordCharacter(at(m_position + 1)))))
        ++m_position;
      feed(Kind::Number, from, m_position, m_line);
    } else {
      m_position += m_text.substr(from, 2) == "::" || m_text.substr(from, 2) == "==" ? 2 : 1;
      feed(Kind::Mark, from, m_position, m_line);
    }
  }
}

template <class List> bool named(const List& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
}

} // namespace

std::optional<std::string> CMacro::number() const {
  std::string_view text = trimmed(value);
  while (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = trimmed(text.substr(1, text.size() - 2));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text = trimmed(text.substr(1));
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  if (hex ? text.size() < 3 : text.empty() || !isDigit(text[0])) return std::nullopt;
  const std::optional<uint64_t> magnitude = parseNumber(text);
  if (!magnitude) return std::nullopt;
  return (negative && *magnitude != 0 ? "-" : "") + std::to_string(*magnitude);
}

bool CSource::defines(std::string_view function) const { return named(definitions, function); }
bool CSource::declares(std::string_view function) const { return named(declarations, function); }

const CStruct* CSource::findStruct(std::string_view name) const {
  const auto found = std::find_if(structs.begin(), structs.end(), [&](const CStruct& s) { return s.name == name; });
  return found == structs.end() ? nullptr : &*found;
}

CSource scanC(std::string_view text, bool cPlusPlus, Monitor& monitor) {
  CSource out;
  Scanner(text, cPlusPlus, false, out, monitor).scan();
  return out;
}

} // namespace blobscope::mlf
