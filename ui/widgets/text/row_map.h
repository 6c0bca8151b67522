#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace blobscope::ui {

/// A row of a view: a line of the text, and which of its rows if the line is wrapped.
struct RowPlace {
  uint64_t line = 0, part = 0;
  friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

/// Maps the rows of a view to the lines of a text, of which some are hidden and long ones may take several rows. Lines,
/// parts and rows are counted from 0. Without wrapping, every call takes at most logarithmic time. With it, lines are
/// measured in blocks, in advance() or when they are asked for; a line that is not measured yet counts as one row.
class RowMap {
public:
  /// Returns the number of rows that a line takes, at least 1.
  using Measure = std::function<uint64_t(uint64_t line)>;
  struct Hidden {
    uint64_t first = 0, last = 0; ///< lines
  };

  /// The number of lines, at least 1; more lines may follow later. Lines from `changed` on are measured again.
  void setLines(uint64_t lines, uint64_t changed = UINT64_MAX);
  /// Null: every line takes one row.
  void setMeasure(Measure measure);
  /// Ranges in order that do not touch; the first line is never hidden.
  void setHidden(std::vector<Hidden> hidden);
  bool hasHidden() const { return !m_hidden.empty(); }
  bool wraps() const { return static_cast<bool>(m_measure); }
  /// Measures some lines; returns whether all are measured.
  bool advance();

  uint64_t rowCount() const;
  /// The first row of a line; for a hidden line that of the line above the hidden ones.
  uint64_t rowOf(uint64_t line) const;
  RowPlace placeOf(uint64_t row) const;
  /// The number of rows of a line that is not hidden.
  uint64_t rowsOf(uint64_t line) const { return m_measure ? m_measure(line) : 1; }
  bool isHidden(uint64_t line) const { return shownLine(line) != line; }
  /// The line itself, or the one above the hidden lines around it.
  uint64_t shownLine(uint64_t line) const;
  /// The next and the previous line that is not hidden; the number of lines, or 0, if there is none.
  uint64_t nextLine(uint64_t line) const;
  uint64_t previousLine(uint64_t line) const { return line == 0 ? 0 : shownLine(line - 1); }

private:
  static constexpr uint64_t kBlock = 256;
  struct Range {
    uint64_t first, last;
    uint64_t before; ///< hidden lines before it
  };
  /// The first hidden range that ends at the line or after it.
  std::vector<Range>::const_iterator rangeAt(uint64_t line) const;
  uint64_t hiddenBefore(uint64_t line) const;
  uint64_t shownIn(uint64_t block) const;
  void measure(uint64_t block) const;
  /// The first row of a block.
  uint64_t startOf(uint64_t block) const;
  void sumUp() const;

  uint64_t m_lines = 1;
  Measure m_measure;
  std::vector<Range> m_hidden;
  mutable std::vector<uint32_t> m_rows;  ///< of each block that is measured, otherwise kUnknown
  mutable std::vector<uint64_t> m_start; ///< first row of each block, and the number of rows
  mutable bool m_summed = false;         ///< m_start is valid
  uint64_t m_next = 0;                   ///< blocks before this one are measured
};

} // namespace blobscope::ui
