#include "core/search/regex.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex.h>
#include <string>

/// AddressSanitizer assumes that the text passed to regexec() ends in NUL, even with REG_STARTEND. Only its runtime
/// calls this function.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name that the runtime looks for.
extern "C" const char* __asan_default_suppressions() { return "interceptor_name:regexec\n"; }

namespace blobscope::search {
namespace {

/// The reason why the pattern is not passed to the C library; empty when it may be.
std::string whyRefused(std::string_view pattern) {
  constexpr std::size_t kLongest = 1000;
  constexpr uint64_t kRepetitions = 100'000;
  if (pattern.empty()) return "it is empty";
  if (pattern.size() > kLongest) return "it is longer than " + std::to_string(kLongest) + " characters";
  if (pattern.find('\0') != std::string_view::npos) return "it contains a NUL";
  uint64_t product = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      if (i < pattern.size() && pattern[i] >= '1' && pattern[i] <= '9')
        return "back-references such as \\1 are not supported";
    } else if (pattern[i] == '{') {
      const std::string_view inside = pattern.substr(i + 1, pattern.find('}', i) - i - 1);
      const std::string_view high = inside.substr(inside.find(',') + 1); // the whole text when there is no comma
      uint64_t count = 1;
      std::from_chars(high.data(), high.data() + high.size(), count);
      uint64_t low = 1;
      std::from_chars(inside.data(), inside.data() + inside.size(), low);
      product *= std::max<uint64_t>({count, low, 1});
      if (product > kRepetitions) return "its repetition counts multiply to more than 100,000";
    }
  }
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
    std::array<char, 200> reason;
    regerror(failure, &compiled, reason.data(), reason.size());
    return refuse(reason.data());
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
