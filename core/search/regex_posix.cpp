#include "core/search/regex.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <regex.h>
#include <string>
#include <system_error>
#include <vector>

/// AddressSanitizer assumes that the text passed to regexec() ends in NUL, even with REG_STARTEND. Only its runtime
/// calls this function.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name that the runtime looks for.
extern "C" const char* __asan_default_suppressions() { return "interceptor_name:regexec\n"; }

namespace blobscope::search {
namespace {

/// The size of a part of a pattern after its repetition counts are expanded, as the C library does.
struct Expanded {
  uint64_t atoms = 0;  ///< characters and brackets
  uint64_t varied = 0; ///< those of them in repeated parts of varying length, for which it keeps many states
  bool varies = false; ///< the length of a match varies

  void add(const Expanded& next) {
    atoms += next.atoms;
    varied += next.varied;
    varies = varies || next.varies;
  }
};

/// Adds up the size of a pattern. Every sequence of bytes is accepted: the C library refuses invalid patterns.
class Expander {
  /// Sums stay below this, so that they cannot overflow: a pattern has at most 1,000 characters.
  static constexpr uint64_t kMost = 1'000'000'000;

public:
  explicit Expander(std::string_view pattern) : m_pattern(pattern) {}

  Expanded expand() {
    while (m_at < m_pattern.size()) {
      switch (const char c = m_pattern[m_at++]) {
      case '(':
        endPart();
        m_around.push_back(m_sum);
        m_sum = {};
        break;
      case ')':
        endPart();
        if (m_around.empty()) break;
        m_part = m_sum;
        m_sum = m_around.back();
        m_around.pop_back();
        break;
      case '*':
      case '+':
      case '?': m_part.varies = true; break;
      case '{': repeat(); break;
      case '|':
        endPart();
        m_sum.varies = true;
        break;
      default:
        if (c == '[') skipBracket();
        if (c == '\\') ++m_at;
        endPart();
        m_part.atoms = 1;
      }
    }
    endPart();
    for (; !m_around.empty(); m_around.pop_back()) m_sum.add(m_around.back());
    return m_sum;
  }

private:
  void endPart() {
    m_sum.add(m_part);
    m_part = {};
  }
  /// Skips to after the ']'. The first character may be ']', and classes such as [:digit:] contain one.
  void skipBracket() {
    if (m_at < m_pattern.size() && m_pattern[m_at] == '^') ++m_at;
    for (bool first = true; m_at < m_pattern.size(); first = false) {
      const char c = m_pattern[m_at++];
      if (c == ']' && !first) return;
      const char kind = c == '[' && m_at < m_pattern.size() ? m_pattern[m_at] : '\0';
      if (kind != ':' && kind != '.' && kind != '=') continue;
      const std::size_t end = m_pattern.find(std::string{kind, ']'}, m_at + 1);
      if (end != std::string_view::npos) m_at = end + 2;
    }
  }
  void repeat() {
    const std::string_view inside = m_pattern.substr(m_at, m_pattern.find('}', m_at) - m_at);
    const std::size_t comma = inside.find(',');
    const auto number = [](std::string_view text) {
      uint64_t value = 0;
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
      return failure == std::errc::result_out_of_range ? kMost : std::min(value, kMost);
    };
    const uint64_t low = number(inside),
                   high = comma == std::string_view::npos ? low : number(inside.substr(comma + 1));
    m_at = std::min(m_at + inside.size() + 1, m_pattern.size());
    const uint64_t copies = std::max<uint64_t>({low, high, 1});
    m_part.varies = m_part.varies || low != high;
    m_part.atoms = std::min(m_part.atoms * copies, kMost);
    m_part.varied = m_part.varies && copies > 1 ? m_part.atoms : std::min(m_part.varied * copies, kMost);
  }

  std::string_view m_pattern;
  std::size_t m_at = 0;
  Expanded m_sum;                 ///< of the group or the whole pattern before the part
  Expanded m_part;                ///< what an operator that follows applies to
  std::vector<Expanded> m_around; ///< sums of the groups around it
};

/// What is wrong with a pattern that regcomp() refuses.
std::string reasonOf(std::string_view pattern, int failure) {
  if (failure == REG_BADPAT && pattern.ends_with('[')) failure = REG_EBRACK; // glibc 2.36
  switch (failure) {
  case REG_EPAREN: return "'(' and ')' do not match";
  case REG_EBRACK: return "'[' has no matching ']'";
  case REG_EBRACE: return "'{' has no matching '}'";
  case REG_BADBR: return "the repetition count in '{}' is invalid";
  case REG_BADRPT: return "'*', '+', '?' or '{' has nothing to repeat";
  case REG_ERANGE: return "a range in '[]' ends before it begins";
  case REG_ECTYPE: return "'[: :]' names an unknown class of characters";
  case REG_ECOLLATE: return "'[. .]' or '[= =]' names an unknown character";
  case REG_EESCAPE: return "it ends with a backslash";
  case REG_ESPACE: return "it needs too much memory";
  default: return "it is not a POSIX extended regular expression";
  }
}

/// The reason why the pattern is not passed to the C library; empty when it may be.
std::string whyRefused(std::string_view pattern) {
  constexpr std::size_t kLongest = 1000;
  // glibc 2.36, 2 KiB of text, compiled and matched: ([a-z]?){0,600}b 0.4 s, a{1,1000}a{1,1000} 1.8 s, a{1,255}{1,255}
  // more than 20 s; a{20000} 0.03 s.
  constexpr uint64_t kAtoms = 10'000, kVaried = 600;
  if (pattern.empty()) return "it is empty";
  if (pattern.size() > kLongest) return "it is longer than " + std::to_string(kLongest) + " characters";
  if (pattern.find('\0') != std::string_view::npos) return "it contains a NUL";
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '\\' && ++i < pattern.size() && pattern[i] >= '1' && pattern[i] <= '9')
      return "back-references such as \\1 are not supported";
  const Expanded expanded = Expander(pattern).expand();
  const auto tooLong = [](uint64_t size, uint64_t limit) {
    return "its repetition counts expand to " + groupedText(size) + " characters, more than the limit of " +
           groupedText(limit) + "; use smaller counts, or '*' or '+'";
  };
  if (expanded.varied > kVaried) return tooLong(expanded.varied, kVaried);
  if (expanded.atoms > kAtoms) return tooLong(expanded.atoms, kAtoms);
  return {};
}

} // namespace

struct Regex::State {
  regex_t compiled = {};
  ~State() { regfree(&compiled); }
};

Regex::Regex(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern, bool matchCase) {
  const auto refuse = [&](std::string reason) {
    return Error(DiagnosticId::Pattern, {arg("pattern", pattern), {"reason", std::move(reason)}});
  };
  if (std::string reason = whyRefused(pattern); !reason.empty()) return refuse(std::move(reason));
  regex_t compiled = {};
  const int failure = regcomp(&compiled, std::string(pattern).c_str(), REG_EXTENDED | (matchCase ? 0 : REG_ICASE));
  if (failure != 0) {
    return refuse(reasonOf(pattern, failure));
  }
  auto state = std::make_unique<State>();
  state->compiled = compiled;
  return Regex(std::move(state));
}

std::optional<Regex::Match> Regex::findIn(std::string_view text, std::size_t from, bool begins, bool ends) const {
  while (from < text.size()) {
    // REG_STARTEND: the text needs no terminator; the offsets count from `text`.
    regmatch_t match = {static_cast<regoff_t>(from), static_cast<regoff_t>(text.size())};
    const int flags = REG_STARTEND | (from > 0 || !begins ? REG_NOTBOL : 0) | (ends ? 0 : REG_NOTEOL);
    if (regexec(&m_state->compiled, text.data(), 1, &match, flags) != 0) return std::nullopt;
    if (match.rm_eo > match.rm_so)
      return Match{static_cast<std::size_t>(match.rm_so), static_cast<std::size_t>(match.rm_eo - match.rm_so)};
    from = static_cast<std::size_t>(match.rm_so) + 1; // a longer match may follow an empty one
  }
  return std::nullopt;
}

} // namespace blobscope::search
