#include "core/search/regex.h"

// The only use of LLVM in search: a regular-expression engine that is the same on every system.
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Regex.h>

namespace blobscope::search {

struct Regex::State {
  llvm::Regex engine;
};

Regex::Regex(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern) {
  constexpr std::size_t kLongest = 1000;
  const auto refuse = [&](std::string reason) {
    return Error(DiagnosticId::Pattern, {arg("pattern", pattern), {"reason", std::move(reason)}});
  };
  if (pattern.empty()) return refuse("it is empty");
  if (pattern.size() > kLongest) return refuse("it is longer than " + std::to_string(kLongest) + " characters");
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    ++i;
    if (pattern[i] >= '1' && pattern[i] <= '9') return refuse("back-references such as \\1 are not supported");
  }
  auto state = std::make_unique<State>(State{llvm::Regex(llvm::StringRef(pattern.data(), pattern.size()))});
  std::string reason;
  if (!state->engine.isValid(reason)) return refuse(reason);
  return Regex(std::move(state));
}

std::optional<Regex::Match> Regex::findIn(std::string_view text) const {
  llvm::SmallVector<llvm::StringRef, 4> groups;
  if (!m_state->engine.match(llvm::StringRef(text.data(), text.size()), &groups) || groups[0].empty())
    return std::nullopt;
  return Match{static_cast<std::size_t>(groups[0].data() - text.data()), groups[0].size()};
}

} // namespace blobscope::search
