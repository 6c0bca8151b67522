#pragma once

#include "core/syntax/lexer.h"
#include "core/syntax/line_index.h"

#include <cstdint>
#include <vector>

namespace blobscope::syntax {

/// The states at the starts of a text's lines, computed on demand and stored at intervals. A view lexes the lines that
/// it shows from the state before the first of them. Until that is known it assumes code, which is right unless the
/// line is in a comment of several lines.
class LineStates {
public:
  explicit LineStates(const Language& language) : m_language(&language) { m_marks.push_back({0, LineState::Code}); }

  /// Advances towards `line`, by about `bytes` of text. Returns whether the state before that line is known.
  bool advance(const LineIndex& index, uint64_t line, uint64_t bytes);
  /// Forgets the states after the start of `line`, because the text changed there.
  void forgetAfter(uint64_t line);
  /// Whether the state before the line is known.
  bool knows(uint64_t line) const { return line <= m_known || !m_language->comments; }
  /// The state before the line; Code when it is unknown.
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
  uint64_t m_sinceMark = 0; ///< bytes lexed after the last mark
  std::vector<Token> m_tokens;
};

} // namespace blobscope::syntax
