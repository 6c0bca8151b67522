#include "core/base/limits.h"
#include "core/syntax/structure_scanner.h"

#include <algorithm>
#include <array>

namespace blobscope::syntax {
namespace {

/// Longest declaration of a function that is read.
constexpr std::size_t kDeclarationBytes = 16'384;
constexpr std::size_t kMostDepth = 4'096;

/// The words that make a function a kernel.
std::string_view kernelWord(const Language& language) {
  if (language.name == "opencl") return "__kernel";
  if (language.name == "cuda") return "__global__";
  if (language.name == "metal") return "kernel";
  if (language.name == "wgsl") return "compute";
  if (language.name == "ptx") return ".entry";
  return {};
}

bool containsWord(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isCodeNameByte(text[at - 1])) && (end == text.size() || !isCodeNameByte(text[end]))) return true;
  }
  return false;
}

/// The first byte after the bracket that closes the one at `open`; the size of the text if none does.
std::size_t afterBracket(std::string_view text, std::size_t open) {
  const char opening = text[open], closing = opening == '(' ? ')' : ']';
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == opening ? 1 : text[at] == closing ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

/// The name before the first "(" that is not of an attribute, such as __launch_bounds__(4) or [[max(4)]] or @size(4);
/// empty for none.
std::string nameInDeclaration(std::string_view text) {
  constexpr std::array<std::string_view, 6> kAttributes = {"__launch_bounds__", "__attribute__", "__align__",
                                                           "__declspec",        "alignas",       "decltype"};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      at = afterBracket(text, at);
      continue;
    }
    if (text[at] != '(') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
    std::size_t begin = end;
    while (begin > 0 && isCodeNameByte(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    const bool attribute = (begin > 0 && text[begin - 1] == '@') ||
                           std::find(kAttributes.begin(), kAttributes.end(), name) != kAttributes.end();
    if (!attribute && !name.empty()) return std::string(name);
    at = afterBracket(text, at);
  }
  return {};
}

/// The name after a word such as ".entry", "fn" or "def @", with a list of results in brackets between them in PTX.
std::string nameAfterWord(std::string_view text, std::string_view word) {
  std::size_t at = 0;
  for (;; ++at) {
    at = text.find(word, at);
    if (at == std::string_view::npos) return {};
    const std::size_t end = at + word.size();
    if ((at == 0 || !isCodeNameByte(text[at - 1])) && (end == text.size() || !isCodeNameByte(text[end]))) break;
  }
  text = text.substr(at + word.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r@"), text.size()));
  if (text.starts_with('(')) text.remove_prefix(afterBracket(text, 0));
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
  std::size_t size = 0;
  while (size < text.size() && isCodeNameByte(text[size])) ++size;
  return std::string(text.substr(0, size));
}

class BraceScanner : public StructureScanner {
public:
  BraceScanner(const Language& language, CodeStructure& out) : StructureScanner(out), m_language(language) {}

  void take(std::string_view, std::string_view code, std::span<const Token> tokens, uint64_t number) override {
    const std::string_view words = trimmed(code);
    if (m_language.preprocessor && (m_directive || words.starts_with('#'))) {
      m_directive = words.ends_with('\\');
      return;
    }
    const bool brackets = m_language.keys;
    // ".version 9.0" and the like do not end with a semicolon.
    if (m_language.assembly && m_open.empty() && (containsWord(code, ".entry") || containsWord(code, ".func")))
      m_declaration.clear();
    if (m_language.assembly && !m_open.empty()) takeLabels(code, tokens, number);
    for (const char c : code) {
      if (c == '{' || (brackets && c == '['))
        open(number);
      else if (c == '}' || (brackets && c == ']'))
        close(number);
      else if (c == ';' && isOutside())
        declare(number);
      else if (isOutside())
        append(c, number);
    }
    if (isOutside()) append(' ', number);
  }

  void finish(uint64_t lines) override {
    if (isOpen()) endFunction(lines > 0 ? lines - 1 : 0);
  }

private:
  enum class Kind : uint8_t { Other, Function, Transparent };
  struct Open {
    uint64_t line;
    Kind kind;
  };

  /// Not inside a function, struct or initialiser.
  bool isOutside() const { return m_open.empty() ? m_depth == 0 : m_open.back().kind == Kind::Transparent; }

  void append(char c, uint64_t line) {
    if (m_declaration.empty()) {
      if (c == ' ' || c == '\t' || c == '\r') return;
      m_line = line;
    }
    if (m_declaration.size() < kDeclarationBytes) m_declaration += c;
  }

  std::string functionName() const {
    if (m_language.assembly) {
      std::string name = nameAfterWord(m_declaration, ".entry");
      return name.empty() ? nameAfterWord(m_declaration, ".func") : name;
    }
    if (m_language.variables) return nameAfterWord(m_declaration, "def");
    if (m_language.name == "wgsl") return nameAfterWord(m_declaration, "fn");
    if (m_language.keys) return {};
    const std::string_view words = trimmed(m_declaration);
    if (!words.ends_with(')') && !words.ends_with("const") && !words.ends_with("noexcept") && !words.ends_with("]]"))
      return {};
    // An initialiser calls a function, it is none.
    const std::size_t bracket = words.find('('), equals = words.find('=');
    return equals < bracket ? std::string() : nameInDeclaration(words);
  }

  CodeFunction functionOf(std::string name, uint64_t line) const {
    return {std::move(name), m_line, line, containsWord(m_declaration, kernelWord(m_language)), true};
  }

  void open(uint64_t line) {
    Kind kind = Kind::Other;
    if (isOutside()) {
      const std::string_view words = trimmed(m_declaration);
      if (m_language.preprocessor && (words == "extern" || words.starts_with("namespace"))) {
        kind = Kind::Transparent;
      } else if (std::string name = functionName(); !name.empty()) {
        kind = Kind::Function;
        addFunction(functionOf(std::move(name), line));
      }
      m_declaration.clear();
    }
    ++m_depth;
    if (m_open.size() < kMostDepth) m_open.push_back({line, kind});
  }

  void close(uint64_t line) {
    if (m_depth == 0) {
      m_declaration.clear();
      return;
    }
    if (m_depth-- > m_open.size()) return;
    const Open opened = m_open.back();
    m_open.pop_back();
    if (opened.kind == Kind::Function)
      endFunction(line);
    else
      addFold(opened.line, line);
    m_declaration.clear();
  }

  /// A declaration ends without a body. PTX declares what another module defines.
  void declare(uint64_t line) {
    if (m_language.assembly)
      if (std::string name = functionName(); !name.empty()) {
        CodeFunction function = functionOf(std::move(name), line);
        function.defined = false;
        addFunction(std::move(function));
        endFunction(line);
      }
    m_declaration.clear();
  }

  void takeLabels(std::string_view code, std::span<const Token> tokens, uint64_t number) {
    bool branch = false;
    for (const Token& token : tokens) {
      const std::string_view text = code.substr(token.begin, token.size);
      if (token.kind == TokenKind::Type) branch = text.starts_with("bra") || text.starts_with("brx");
      if (token.kind != TokenKind::Label) continue;
      const std::string_view rest = trimmed(code.substr(token.begin + token.size));
      if (rest.starts_with(':') && !rest.starts_with("::"))
        addLabel(std::string(text), number);
      else if (branch)
        addReference(std::string(text), number);
    }
  }

  const Language& m_language;
  std::vector<Open> m_open;
  std::size_t m_depth = 0;   ///< of braces, also those beyond the limit
  std::string m_declaration; ///< what precedes the next brace or semicolon
  uint64_t m_line = 0;       ///< of its first byte
  bool m_directive = false;  ///< a directive of the preprocessor continues
};

} // namespace

std::unique_ptr<StructureScanner> makeBraceScanner(const Language& language, CodeStructure& out) {
  constexpr std::array<std::string_view, 8> kKnown = {"c", "cuda", "json", "metal", "opencl", "ptx", "relay", "wgsl"};
  if (std::find(kKnown.begin(), kKnown.end(), language.name) == kKnown.end()) return nullptr;
  return std::make_unique<BraceScanner>(language, out);
}

} // namespace blobscope::syntax
