#include "core/syntax/lexer.h"

#include "core/syntax/languages.h"

#include <algorithm>
#include <array>

namespace blobscope::syntax {
namespace {

enum Class : uint8_t { Other = 0, Space = 1, Digit = 2, WordStart = 4 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (const char c : std::string_view(" \t\r\v\f")) classes[static_cast<uint8_t>(c)] = Space;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = Digit;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = WordStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = WordStart;
  for (const char c : std::string_view("_$")) classes[static_cast<uint8_t>(c)] = WordStart;
  for (std::size_t c = 0x80; c < 0x100; ++c) classes[c] = WordStart; // bytes of letters in UTF-8
  return classes;
}();

bool is(char c, int classes) { return (kClasses[static_cast<uint8_t>(c)] & classes) != 0; }

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::binary_search(words.begin(), words.end(), word);
}

const Language kPlain = {.name = ""};

/// Splits one line into tokens.
class Lexer {
public:
  Lexer(const Language& words, std::string_view line, std::vector<Token>& out)
      : m_language(words), m_line(line.substr(0, kLexedBytes)), m_out(out) {}

  LineState run(LineState before) {
    m_out.clear();
    if (before == LineState::LineComment) return lineComment();
    if (before == LineState::BlockComment && !blockComment(0)) return LineState::BlockComment;
    bool first = true; // only blanks and comments so far
    while (m_at < m_line.size()) {
      const char c = m_line[m_at];
      if (is(c, Space)) {
        ++m_at;
        continue;
      }
      if (m_language.comments && c == '/' && next() == '/') return lineComment();
      if (m_language.comments && c == '/' && next() == '*') {
        const std::size_t from = m_at;
        m_at += 2;
        if (!blockComment(from)) return LineState::BlockComment;
        continue;
      }
      if (m_language.semicolonComments && c == ';') return lineComment();
      if (m_language.preprocessor && first && c == '#')
        directive();
      else if (c == '"' || (c == '\'' && m_language.preprocessor))
        string(c);
      else if (is(c, Digit) || (c == '.' && is(next(), Digit)) || (m_language.keys && c == '-' && is(next(), Digit)))
        number();
      else if (m_language.assembly && (c == '.' || c == '%') && is(next(), WordStart | Digit))
        c == '.' ? dotWord() : registerName();
      else if (m_language.variables && (c == '%' || c == '@') && is(next(), WordStart | Digit))
        variable(c);
      else if (is(c, WordStart))
        word();
      else
        other(c);
      first = false;
    }
    return LineState::Code;
  }

private:
  char next() const { return m_at + 1 < m_line.size() ? m_line[m_at + 1] : '\0'; }
  void add(std::size_t from, TokenKind kind) {
    if (kind != TokenKind::Plain && m_at > from)
      m_out.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(m_at - from), kind});
  }
  void skip(int classes) {
    while (m_at < m_line.size() && is(m_line[m_at], classes)) ++m_at;
  }

  LineState lineComment() {
    const std::size_t from = m_at;
    m_at = m_line.size();
    add(from, TokenKind::Comment);
    // PTX has no continued lines; a comment with a path may end with a backslash.
    return m_language.preprocessor && m_line.ends_with('\\') ? LineState::LineComment : LineState::Code;
  }

  /// Reads from m_at, which is inside the comment that begins at `from`. Returns false when it does not end in this
  /// line.
  bool blockComment(std::size_t from) {
    const std::size_t end = m_line.find("*/", m_at);
    m_at = end == std::string_view::npos ? m_line.size() : end + 2;
    add(from, TokenKind::Comment);
    return end != std::string_view::npos;
  }

  void directive() {
    const std::size_t from = m_at++;
    skip(Space);
    const std::size_t name = m_at;
    skip(WordStart | Digit);
    const bool include = m_line.substr(name, m_at - name) == "include";
    add(from, TokenKind::Keyword);
    if (!include) return;
    skip(Space);
    if (m_at == m_line.size() || m_line[m_at] != '<') return;
    const std::size_t file = m_at;
    const std::size_t end = m_line.find('>', m_at);
    m_at = end == std::string_view::npos ? m_line.size() : end + 1;
    add(file, TokenKind::String);
  }

  void string(char quote) {
    const std::size_t from = m_at++;
    while (m_at < m_line.size() && m_line[m_at] != quote) m_at += m_line[m_at] == '\\' ? 2 : 1;
    m_at = std::min(m_at + 1, m_line.size());
    TokenKind kind = TokenKind::String;
    if (m_language.keys) {
      const std::size_t after = m_line.find_first_not_of(" \t", m_at);
      if (after != std::string_view::npos && m_line[after] == ':') kind = TokenKind::Keyword;
    }
    add(from, kind);
    m_statement = false;
  }

  /// Reads digits, letters and points, like the preprocessing numbers of C: 1.5e-3f, 0x1p+4, 0F3F800000, 1'000.
  void number() {
    const std::size_t from = m_at;
    const bool hex = m_line[m_at] == '0' && (next() == 'x' || next() == 'X');
    ++m_at;
    while (m_at < m_line.size()) {
      const char c = m_line[m_at], before = m_line[m_at - 1];
      const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      const bool separator = c == '\'' && m_language.preprocessor && is(next(), Digit | WordStart);
      if (!is(c, Digit | WordStart) && c != '.' && !((c == '+' || c == '-') && exponent) && !separator) break;
      ++m_at;
    }
    add(from, TokenKind::Number);
    m_statement = false;
  }

  void word() {
    const std::size_t from = m_at;
    skip(WordStart | Digit);
    const std::string_view text = m_line.substr(from, m_at - from);
    if (m_language.assembly) {
      assemblyWord(from, text);
      return;
    }
    TokenKind kind = TokenKind::Plain;
    if (contains(m_language.keywords, text))
      kind = TokenKind::Keyword;
    else if (contains(m_language.types, text))
      kind = TokenKind::Type;
    else if (contains(m_language.registers, text))
      kind = TokenKind::Register;
    add(from, kind);
  }

  void assemblyWord(std::size_t from, std::string_view text) {
    const std::size_t after = m_line.find_first_not_of(" \t", m_at);
    const bool colon = after != std::string_view::npos && m_line[after] == ':';
    if (m_statement && contains(m_language.opcodes, text)) {
      // The suffixes belong to the word: ld.global.L1::no_allocate.f32
      while (m_at < m_line.size()) {
        if (m_line[m_at] == '.' && is(next(), WordStart | Digit))
          ++m_at;
        else if (m_line[m_at] == ':' && next() == ':')
          m_at += 2;
        else
          break;
        skip(WordStart | Digit);
      }
      add(from, TokenKind::Type);
      m_branch = text == "bra" || text == "brx";
    } else if (text[0] == '$' || m_branch || (m_statement && colon)) {
      add(from, TokenKind::Label);
      m_branch = false;
    } else if (contains(m_language.keywords, text)) {
      add(from, TokenKind::Keyword);
    }
    m_statement = false;
  }

  void dotWord() {
    const std::size_t from = m_at++;
    skip(WordStart | Digit);
    const std::string_view text = m_line.substr(from, m_at - from);
    TokenKind kind = TokenKind::Plain;
    if (contains(m_language.keywords, text))
      kind = TokenKind::Keyword;
    else if (contains(m_language.types, text))
      kind = TokenKind::Type;
    add(from, kind);
    m_statement = false;
  }

  void registerName() {
    const std::size_t from = m_at++;
    skip(WordStart | Digit);
    // %tid.x is one register; %p.y.z is not known.
    const bool part = m_line.substr(m_at, 1) == "." && std::string_view("xyzw").find(next()) != std::string_view::npos;
    if (part && (m_at + 2 >= m_line.size() || !is(m_line[m_at + 2], WordStart | Digit))) m_at += 2;
    add(from, TokenKind::Register);
  }

  /// Names of Relay contain points and slashes: %a.in, %conv/w.
  void variable(char sigil) {
    const std::size_t from = m_at++;
    skip(WordStart | Digit);
    while (m_at < m_line.size() && std::string_view("./").find(m_line[m_at]) != std::string_view::npos &&
           is(next(), WordStart | Digit)) {
      ++m_at;
      skip(WordStart | Digit);
    }
    add(from, sigil == '%' ? TokenKind::Register : TokenKind::Label);
  }

  void other(char c) {
    if (c == ';' || c == '{' || c == '}' || c == ':') {
      m_statement = true;
      m_branch = false;
    }
    ++m_at;
  }

  const Language& m_language;
  std::string_view m_line;
  std::vector<Token>& m_out;
  std::size_t m_at = 0;
  bool m_statement = true; ///< an opcode or a label may follow
  bool m_branch = false;   ///< the target of a branch follows
};

} // namespace

const Language& language(std::string_view name) {
  for (const Language* known :
       {&kPtx, &kOpencl, &kCuda, &kC, &kJson, &kSpirv, &kSass, &kMetal, &kWgsl, &kVm, &kAsm, &kRelay})
    if (known->name == name) return *known;
  return kPlain;
}

LineState lexLine(const Language& language, std::string_view line, LineState before, std::vector<Token>& out) {
  if (language.name.empty()) {
    out.clear();
    return LineState::Code;
  }
  return Lexer(language, line, out).run(before);
}

} // namespace blobscope::syntax
