#pragma once

#include "core/syntax/lexer.h"
#include "core/syntax/line_index.h"

#include <cstdint>
#include <vector>

namespace blobscope::syntax {

/// The states in which the lines of a text begin, found on demand and remembered every so often. A view lexes the
/// lines it shows from the state before the first of them; until that is known it takes code, which is right unless
/// the line lies in a comment of several lines.
class LineStates {
public:
  explicit LineStates(const Language& language) : m_language(&language) { m_marks.push_back({0, LineState::Code}); }

  /// Goes on towards `line`, by about `bytes` of text. Returns whether the state before that line is known.
  bool advance(const LineIndex& index, uint64_t line, uint64_t bytes);
  /// Whether the state before the line is known.
  bool knows(uint64_t line) const { return line <= m_known || !m_language->comments; }
  /// The state before the line; Code when it is not known.
  LineState before(const LineIndex& index, uint64_t line) const;

private:
  struct Mark {
    uint64_t line;
    LineState state;
  };

  const Language* m_language;
  std::vector<Mark> m_marks; ///< ascending; the first is line 0
  uint64_t m_known = 0;      ///< the last line whose state is known
  LineState m_state = LineState::Code;
  uint64_t m_sinceMark = 0; ///< bytes lexed behind the last mark
  std::vector<Token> m_tokens;
};

} // namespace blobscope::syntax
