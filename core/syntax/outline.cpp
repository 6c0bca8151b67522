#include "core/syntax/outline.h"

#include "core/base/limits.h"
#include "core/base/thread_rule.h"

#include <optional>

namespace blobscope::syntax {
namespace {

constexpr uint64_t kCheckInterval = 4'096;

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// The last name before the first "(" of the text: "k" in "void __launch_bounds__(4) k(int)", when the text begins
/// after ")".
std::string nameBeforeParenthesis(std::string_view code) {
  const std::size_t open = code.find('(');
  if (open == std::string_view::npos) return {};
  std::size_t end = open;
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\t')) --end;
  std::size_t begin = end;
  while (begin > 0 && isNameByte(code[begin - 1])) --begin;
  return std::string(code.substr(begin, end - begin));
}

/// The words that declare a kernel or function in a language.
struct Marks {
  std::string_view kernel, function;
};
std::optional<Marks> marksOf(const Language& language) {
  if (language.name == "ptx") return Marks{".entry", ".func"};
  if (language.name == "opencl") return Marks{"__kernel", {}};
  if (language.name == "cuda") return Marks{"__global__", {}};
  return std::nullopt;
}

class Outliner {
public:
  Outliner(Marks marks, bool assembly) : m_marks(marks), m_assembly(assembly) {}

  /// `line` without comments.
  void take(std::string_view line, uint64_t number) {
    if (!m_pending) {
      const bool kernel = contains(line, m_marks.kernel);
      if (!kernel && (m_marks.function.empty() || !contains(line, m_marks.function))) return;
      m_pending = OutlineEntry{{}, number, kernel};
      m_code.clear();
      line.remove_prefix(line.find(kernel ? m_marks.kernel : m_marks.function));
    }
    m_code += line;
    m_code += ' ';
    std::string name = m_assembly ? directiveName() : functionName();
    const bool over = m_code.find_first_of("{;") != std::string::npos || m_code.size() > 4'096;
    if (name.empty() && !over) return;
    if (!name.empty()) {
      m_pending->name = std::move(name);
      m_entries.push_back(*m_pending);
    }
    m_pending.reset();
  }

  std::vector<OutlineEntry> m_entries;

private:
  /// As a separate word.
  static bool contains(std::string_view line, std::string_view word) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) return false;
    return (at == 0 || !isNameByte(line[at - 1])) &&
           (at + word.size() == line.size() || !isNameByte(line[at + word.size()]));
  }
  /// ".entry NAME", ".func NAME" or ".func (.param …) NAME".
  std::string directiveName() const {
    std::string_view rest = m_code;
    rest.remove_prefix(m_pending->kernel ? m_marks.kernel.size() : m_marks.function.size());
    const auto skipBlanks = [&] {
      while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r')) rest.remove_prefix(1);
    };
    skipBlanks();
    if (!rest.empty() && rest[0] == '(') {
      const std::size_t close = rest.find(')');
      if (close == std::string_view::npos) return {};
      rest.remove_prefix(close + 1);
      skipBlanks();
    }
    std::size_t size = 0;
    while (size < rest.size() && isNameByte(rest[size])) ++size;
    return std::string(rest.substr(0, size));
  }
  /// Attributes with their own arguments precede the name.
  std::string functionName() const {
    std::string_view rest = m_code;
    for (;;) {
      std::string name = nameBeforeParenthesis(rest);
      if (name != "__launch_bounds__" && name != "__attribute__" && !name.empty()) return name;
      const std::size_t open = rest.find('(');
      if (open == std::string_view::npos) return {};
      int depth = 0;
      std::size_t at = open;
      for (; at < rest.size(); ++at) {
        depth += rest[at] == '(' ? 1 : rest[at] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (at >= rest.size()) return {};
      rest.remove_prefix(at + 1);
    }
  }

  Marks m_marks;
  bool m_assembly;
  std::optional<OutlineEntry> m_pending;
  std::string m_code;
};

} // namespace

Result<std::vector<OutlineEntry>> computeOutline(const Bytes& text, const Language& language, Monitor& monitor) {
  longWork("syntax::computeOutline");
  const auto marks = marksOf(language);
  if (!marks) return std::vector<OutlineEntry>{};
  Outliner outliner(*marks, language.assembly);
  const std::string_view all = text.view();
  std::vector<Token> tokens;
  LineState state = LineState::Code;
  std::string code;
  uint64_t number = 0;
  for (std::size_t at = 0; at < all.size() && outliner.m_entries.size() < limits::kTreeRows; ++number) {
    if (number % kCheckInterval == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading the outline", at, all.size());
    }
    std::size_t end = all.find('\n', at);
    if (end == std::string_view::npos) end = all.size();
    const std::string_view line = all.substr(at, std::min<std::size_t>(end - at, kLexedBytes));
    state = lexLine(language, line, state, tokens);
    // Comments and strings declare nothing.
    code.assign(line);
    for (const Token& token : tokens)
      if (token.kind == TokenKind::Comment || token.kind == TokenKind::String)
        code.replace(token.begin, token.size, token.size, ' ');
    outliner.take(code, number);
    at = end + 1;
  }
  return std::move(outliner.m_entries);
}

} // namespace blobscope::syntax
