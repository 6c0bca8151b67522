#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace blobscope::syntax {

/// Finds the lines of a text, at the cost of a few bytes per hundred lines: some line starts are stored at intervals,
/// the others are searched in the text when needed. Lines end with "\n" or "\r\n"; LastEnd says whether the end of the
/// last one begins another line. Lines are counted from 0, offsets from the start of the text. An empty text has one
/// empty line.
///
/// Grows by advance(); the lines found so far can be used at any time. The last line may be incomplete then. Does not
/// change once it is complete, so that any thread may read it.
class LineIndex {
public:
  /// What follows a line end at the end of the text: nothing, or an empty line, as in an editor.
  enum class LastEnd { BeginsNoLine, BeginsLine };

  explicit LineIndex(Bytes text, LastEnd lastEnd = LastEnd::BeginsNoLine)
      : m_text(std::move(text)), m_lastEnd(lastEnd) {
    m_marks.push_back({0, 0});
  }

  /// The complete index. Cancelled is the only error; progress in bytes.
  static Result<std::shared_ptr<const LineIndex>> compute(Bytes text, Monitor& monitor);

  /// Reads about `bytes` more of the text. Returns whether the index is complete.
  bool advance(uint64_t bytes);
  bool isComplete() const { return m_indexed == m_text.size(); }
  uint64_t indexedBytes() const { return m_indexed; }
  const Bytes& text() const { return m_text; }

  /// Lines known so far, at least 1.
  uint64_t lineCount() const { return m_lines; }
  /// Bytes of the longest line known so far.
  uint64_t longestLine() const { return m_longest; }
  /// The bytes of the line without its end; the last known line when the number is too large.
  Extent line(uint64_t number) const;
  /// The line's first byte.
  uint64_t lineStart(uint64_t number) const;
  /// The line that contains the byte, where the line's end belongs to the line; the last known one for offsets after
  /// it.
  uint64_t lineAt(uint64_t offset) const;
  /// Memory that the marks use.
  uint64_t memoryBytes() const { return m_marks.capacity() * sizeof(Mark); }

private:
  struct Mark {
    uint64_t line, offset;
  };
  /// Index of the last mark whose `key` is at most `wanted`.
  std::size_t markBefore(uint64_t Mark::* key, uint64_t wanted) const;

  Bytes m_text;
  LastEnd m_lastEnd;
  std::vector<Mark> m_marks; ///< ascending; the first is line 0
  uint64_t m_indexed = 0;
  uint64_t m_lines = 1;
  uint64_t m_lastStart = 0; ///< of the last known line
  uint64_t m_longest = 0;
};

} // namespace blobscope::syntax
