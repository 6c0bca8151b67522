#pragma once

#include <QString>

#include <cstdint>
#include <string_view>

namespace blobscope::ui {

/// A character of a line and its position. Text is drawn in cells of equal width, so that a column is found without any
/// layout.
struct Cell {
  uint64_t offset;    ///< of its first byte in the line
  uint64_t column;    ///< the line's first is 0
  uint32_t size;      ///< bytes, including the combining marks after it
  uint32_t width;     ///< cells; more than 1 for tabs and wide characters
  char32_t character; ///< what is drawn: U+FFFD for bytes that are not UTF-8, U+00B7 for control characters
  bool marked;        ///< followed by combining marks
};

/// The longest line whose characters are decoded. In longer lines every byte is a cell, so that a position far to the
/// right is found without reading everything before it.
constexpr uint64_t kLongLine = 65'536;
constexpr uint64_t kTabWidth = 8;

/// Iterates over the cells of a line, which is given without its line end.
class CellWalker {
public:
  /// Starts with the cell that contains `column`, or at the end when there is none.
  explicit CellWalker(std::string_view line, uint64_t column = 0);
  /// Returns false at the end; `cell` is unchanged then.
  bool next(Cell& cell);

private:
  bool read(Cell& cell) const;

  std::string_view m_line;
  uint64_t m_offset = 0, m_column = 0;
};

/// Number of cells of the whole line.
uint64_t columnCount(std::string_view line);
/// Returns the column of the character that contains the byte; columnCount() for the end of the line.
uint64_t columnOf(std::string_view line, uint64_t offset);
/// Returns the first byte of the character at the column; with `nearest`, of the character whose left edge is closest
/// to it, where `column` may be fractional. Returns the line's size when there is none.
uint64_t offsetOf(std::string_view line, double column, bool nearest = false);
/// Returns the text to draw for the cell.
QString cellText(std::string_view line, const Cell& cell);

} // namespace blobscope::ui
