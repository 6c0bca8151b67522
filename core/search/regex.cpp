#include "core/search/regex.h"

#include "core/base/text.h"

#include <re2/re2.h>

#include <string>

namespace blobscope::search {
namespace {

re2::RE2::Options optionsFor(bool matchCase) {
  re2::RE2::Options options;
  options.set_posix_syntax(true);
  options.set_longest_match(true);
  options.set_perl_classes(true);  // \d \s \w
  options.set_word_boundary(true); // \b
  options.set_one_line(true);      // '^' and '$' are the ends of the text
  options.set_case_sensitive(matchCase);
  options.set_encoding(re2::RE2::Options::EncodingLatin1); // one byte is one character
  options.set_log_errors(false);
  return options;
}

/// The reason why the pattern is not compiled; empty when it may be.
std::string whyRefused(std::string_view pattern) {
  constexpr std::size_t kLongest = 1000;
  if (pattern.empty()) return "it is empty";
  if (pattern.size() > kLongest) return "it is longer than " + std::to_string(kLongest) + " characters";
  if (pattern.find('\0') != std::string_view::npos) return "it contains a NUL";
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '\\' && ++i < pattern.size() && pattern[i] >= '1' && pattern[i] <= '9')
      return "back-references such as \\1 are not supported";
  // The library takes a count of so many digits for the characters themselves.
  constexpr std::size_t kDigits = 8;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    const std::size_t end = pattern.find_first_not_of("0123456789", at + 1);
    if (end != std::string_view::npos && end - at > kDigits && (pattern[end] == '}' || pattern[end] == ','))
      return "invalid repetition count '" + std::string(pattern.substr(at, end - at)) +
             "…'; counts are limited to 1,000";
  }
  return {};
}

/// Why the library refuses a pattern, in our words.
std::string reasonOf(const re2::RE2& pattern) {
  using RE2 = re2::RE2;
  const std::string part = "'" + escaped(pattern.error_arg()) + "'";
  switch (pattern.error_code()) {
  case RE2::ErrorBadEscape: return "unknown escape sequence " + part;
  case RE2::ErrorBadCharClass: return "unknown character class " + part;
  case RE2::ErrorBadCharRange:
    return (pattern.error_arg().starts_with("[:") ? "unknown character class " : "invalid range ") + part;
  case RE2::ErrorMissingBracket: return "a '[' is not closed";
  case RE2::ErrorMissingParen: return "a '(' is not closed";
  case RE2::ErrorUnexpectedParen: return "a ')' has no '(' before it";
  case RE2::ErrorTrailingBackslash: return "it ends with a backslash";
  case RE2::ErrorRepeatArgument: return part + " has nothing before it to repeat";
  case RE2::ErrorRepeatSize:
    return "invalid repetition count " + part + "; counts are limited to 1,000, also multiplied with those around them";
  case RE2::ErrorRepeatOp: return part + " repeats a repetition; put the repetition in parentheses";
  case RE2::ErrorBadPerlOp:
  case RE2::ErrorBadNamedCapture: return part + " is not supported";
  case RE2::ErrorPatternTooLarge: return "it needs too much memory; use smaller repetition counts, or '*' or '+'";
  default: return "it cannot be compiled";
  }
}

} // namespace

struct Regex::State {
  re2::RE2 compiled;
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
  auto state = std::unique_ptr<State>(new State{{{pattern.data(), pattern.size()}, optionsFor(matchCase)}});
  if (!state->compiled.ok()) return refuse(reasonOf(state->compiled));
  return Regex(std::move(state));
}

std::optional<Regex::Match> Regex::findIn(std::string_view text, std::size_t from, std::size_t to) const {
  while (from < to) {
    re2::StringPiece found;
    if (!m_state->compiled.Match({text.data(), text.size()}, from, to, re2::RE2::UNANCHORED, &found, 1))
      return std::nullopt;
    const auto at = static_cast<std::size_t>(found.data() - text.data());
    if (!found.empty()) return Match{at, found.size()};
    from = at + 1; // a longer match may follow an empty one
  }
  return std::nullopt;
}

} // namespace blobscope::search
