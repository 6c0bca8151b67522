#pragma once

#include <QString>

#include <cstdint>
#include <string_view>

namespace blobscope::ui {

/// A character of a line and where it stands. Text is drawn in cells of equal width, so that a column is found without
/// laying anything out.
struct Cell {
  uint64_t offset;    ///< of its first byte in the line
  uint64_t column;    ///< the line's first is 0
  uint32_t size;      ///< bytes, with combining marks behind it
  uint32_t width;     ///< cells; more than 1 for tabs and wide characters
  char32_t character; ///< what is drawn: U+FFFD for bytes that are not UTF-8, U+00B7 for control characters
  bool marked;        ///< combining marks follow
};

/// Longest line whose characters are told apart. In longer ones every byte is a cell, so that a place far to the right
/// is found without reading all before it.
constexpr uint64_t kLongLine = 65'536;
constexpr uint64_t kTabWidth = 8;

/// Walks over the cells of a line, which is given without its end.
class CellWalker {
public:
  /// Begins with the cell that holds `column`, or the end when there is none.
  explicit CellWalker(std::string_view line, uint64_t column = 0);
  /// False at the end; `cell` is then unchanged.
  bool next(Cell& cell);

private:
  bool read(Cell& cell) const;

  std::string_view m_line;
  uint64_t m_offset = 0, m_column = 0;
};

/// Cells of the whole line.
uint64_t columnCount(std::string_view line);
/// The column of the character that holds the byte; columnCount() for the end of the line.
uint64_t columnOf(std::string_view line, uint64_t offset);
/// The first byte of the character at the column; with `nearest` of the one whose left edge is nearest to it, where
/// `column` may be between two. The line's size when there is none.
uint64_t offsetOf(std::string_view line, double column, bool nearest = false);
/// What to draw for the cell.
QString cellText(std::string_view line, const Cell& cell);

} // namespace blobscope::ui
