#pragma once

#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string_view>

namespace blobscope::search {

/// A POSIX extended regular expression (LLVM's engine, which runs on every system and needs no recursion per byte).
class Regex {
public:
  /// PATTERN with the engine's reason. Back-references are refused: they can take exponential time.
  static Result<Regex> compile(std::string_view pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  struct Match {
    std::size_t at, size;
  };
  /// The first match in `text`; empty matches do not count.
  std::optional<Match> findIn(std::string_view text) const;

private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace blobscope::search
