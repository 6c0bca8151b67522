#include "app/runner/backends/opencl/source.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::runner {
namespace {

constexpr std::string_view kMark = "// Function: ";
/// Parameters of one kernel; those after the limit are not read.
constexpr std::size_t kParameters = 1024;

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Calls `visit` with each line, without its line end, and its offset.
template <class Visit> void eachLine(std::string_view text, Visit&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    visit(text.substr(at, end - at), at);
    at = end + 1;
  }
}

/// Splits C into words and single characters, without comments, literals and preprocessor lines.
class Words {
public:
  explicit Words(std::string_view text) : m_text(text) {}

  /// Returns an empty text at the end.
  std::string_view next() {
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      const std::string_view rest = m_text.substr(m_at);
      if (c == '\n') m_lineBegins = true;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++m_at;
      } else if (rest.starts_with("//") || (c == '#' && m_lineBegins)) {
        skipLine();
      } else if (rest.starts_with("/*")) {
        const std::size_t end = m_text.find("*/", m_at + 2);
        m_at = end == std::string_view::npos ? m_text.size() : end + 2;
      } else if (c == '"') {
        skipString();
      } else {
        m_lineBegins = false;
        std::size_t size = 1;
        if (isWord(c))
          while (m_at + size < m_text.size() && isWord(m_text[m_at + size])) ++size;
        m_at += size;
        return rest.substr(0, size);
      }
    }
    return {};
  }

private:
  void skipLine() {
    // A backslash at its end continues a line.
    do {
      m_at = std::min(m_text.find('\n', m_at), m_text.size());
      if (m_at == m_text.size() || m_at == 0 || m_text[m_at - 1] != '\\') return;
      ++m_at;
    } while (m_at < m_text.size());
  }
  void skipString() {
    ++m_at;
    while (m_at < m_text.size() && m_text[m_at] != '"' && m_text[m_at] != '\n') m_at += m_text[m_at] == '\\' ? 2 : 1;
    m_at = std::min(m_at + 1, m_text.size());
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  bool m_lineBegins = true;
};

/// Returns whether the word is "half", "half2" … "half16".
bool isHalfType(std::string_view word) {
  if (!word.starts_with("half")) return false;
  word.remove_prefix(4);
  return word.empty() || word == "2" || word == "3" || word == "4" || word == "8" || word == "16";
}

} // namespace

std::optional<std::string_view> kernelSource(std::string_view source, std::string_view kernel) {
  source = source.substr(0, source.find('\0'));
  std::optional<std::size_t> begin, end;
  bool marked = false;
  eachLine(source, [&](std::string_view line, std::size_t at) {
    if (!line.starts_with(kMark)) return;
    marked = true;
    if (begin && !end) end = at;
    if (!begin && trimmed(line.substr(kMark.size())) == kernel) begin = at;
  });
  if (!marked) return source;
  if (!begin) return std::nullopt;
  return source.substr(*begin, end.value_or(source.size()) - *begin);
}

std::optional<std::vector<SourceParameter>> sourceParameters(std::string_view source, std::string_view kernel) {
  Words words(source);
  // --- 1. `NAME (`; with `__kernel` somewhere before it, otherwise a call of the same name would match. ---
  bool declared = false;
  for (std::string_view word = words.next();; word = words.next()) {
    if (word.empty()) return std::nullopt;
    if (word == "__kernel" || word == "kernel") declared = true;
    if (word == ";" || word == "{" || word == "}") declared = false;
    if (declared && word == kernel && words.next() == "(") break;
  }

  // --- 2. The text between its parentheses. ---
  std::vector<SourceParameter> parameters;
  SourceParameter current;
  const auto finish = [&] {
    if (!current.text.empty() && current.text != "void" && parameters.size() < kParameters)
      parameters.push_back(current);
    current = {};
  };
  int depth = 1;
  for (std::string_view word = words.next(); depth > 0; word = words.next()) {
    if (word.empty()) return std::nullopt;
    if (word == "(") ++depth;
    if (word == ")" && --depth == 0) break;
    if (word == "," && depth == 1) {
      finish();
      continue;
    }
    if (word == "*") current.isPointer = true;
    if (isHalfType(word)) current.isHalf = true;
    if (word.starts_with("image") && word.ends_with("_t")) current.image = word;
    if (!current.text.empty() && word != "*") current.text += ' ';
    current.text += word;
  }
  finish();
  return parameters;
}

bool usesHalf(std::string_view source) {
  Words words(source);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    if (isHalfType(word)) return true;
  return false;
}

std::optional<std::string> widenedSource(std::string_view source, std::string& reason) {
  // --- 1. Code that cannot be widened by redefining words. ---
  Words words(source);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    if (word.starts_with("vload_half") || word.starts_with("vloada_half") || word.starts_with("vstore_half") ||
        word.starts_with("vstorea_half")) {
      reason =
          "it calls " + std::string(word) + ", which reads or writes fp16 in memory and cannot be widened to float32";
      return std::nullopt;
    }

  // --- 2. The definitions, one for each vector type. ---
  std::string out = "/* fp16 widened to float32 for a test run */\n";
  for (const std::string_view size : {"", "2", "3", "4", "8", "16"}) {
    const std::string from = "half" + std::string(size), to = "float" + std::string(size);
    out += "#define " + from + ' ' + to + '\n';
    for (const std::string_view function : {"convert_", "as_"})
      out += "#define " + std::string(function) + from + ' ' + std::string(function) + to + '\n';
  }

  // --- 3. The text without its guard (from `#ifdef cl_khr_fp16` to its `#endif`) and without the lines that enable the
  // extension. Line ends are kept, so that line numbers in a compiler's log match those in the kernel's part. ---
  out += "#line 1\n";
  bool inGuard = false;
  int depth = 0;
  eachLine(source, [&](std::string_view line, std::size_t) {
    const std::string_view directive = trimmed(line);
    const bool opens = directive.starts_with("#if");
    if (!inGuard && opens && directive.find("fp16") != std::string_view::npos) {
      inGuard = true;
      depth = 0;
    }
    if (inGuard) {
      if (opens) ++depth;
      if (directive.starts_with("#endif") && --depth == 0) inGuard = false;
    } else if (!(directive.starts_with("#pragma") && directive.find("fp16") != std::string_view::npos)) {
      out += line;
    }
    out += '\n';
  });
  return out;
}

} // namespace blobscope::runner
