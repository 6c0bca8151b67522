#pragma once

#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string_view>

namespace blobscope::search {

/// A POSIX extended regular expression over bytes, also with \d, \s, \w and \b. It is matched in time linear in the
/// length of the text, the same on all systems.
class Regex {
public:
  /// PATTERN with the reason, also for back-references, which would take exponential time, and for repetition counts
  /// above 1,000. Without `matchCase`, ASCII letters of both cases are the same.
  static Result<Regex> compile(std::string_view pattern, bool matchCase = true);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  struct Match {
    std::size_t at, size;
  };
  /// The first non-empty match in `text` between `from` and `to`, the longest one there. `^` and `$` match only the
  /// ends of the whole `text`.
  std::optional<Match> findIn(std::string_view text, std::size_t from, std::size_t to) const;

private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace blobscope::search
