#pragma once

#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string_view>

namespace blobscope::search {

/// A POSIX extended regular expression over bytes, matched by the C library.
class Regex {
public:
  /// PATTERN with the reason of the C library. Some patterns are refused before that: back-references, which can take
  /// exponential time, and repetition counts that the C library would expand to more than 10,000 characters, or 600
  /// where the length varies, as in a{1,255}{1,255}. Without `matchCase`, ASCII letters of both cases are the same.
  static Result<Regex> compile(std::string_view pattern, bool matchCase = true);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  struct Match {
    std::size_t at, size;
  };
  /// The first non-empty match in `text` at or after `from`. `^` and `$` match the ends of `text`, if these are the
  /// start (`begins`) and the end (`ends`) of the searched text.
  std::optional<Match> findIn(std::string_view text, std::size_t from, bool begins = true, bool ends = true) const;

private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace blobscope::search
