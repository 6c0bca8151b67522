#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"
#include "ui/text/name_parts.h"

#include <QFontMetricsF>
#include <QStringList>
#include <QVector>

#include <array>

namespace blobscope::ui {

/// Widths of a font's characters, in pixels: any thread may measure with them, and one cell costs one addition per
/// byte. Characters beyond ASCII count as wide as the widest letter, those of three bytes and more as twice that.
class CharacterWidths {
public:
  explicit CharacterWidths(const QFontMetricsF& metrics);
  double widthOf(std::string_view text) const;

private:
  std::array<double, 128> m_ascii = {};
  double m_widest = 0;
};

/// What the rows of a table need: found in the background, because there may be very many.
struct TableMeasure {
  std::vector<std::string> widest; ///< one per column: the cell that is widest, as the source has it
  Affixes affixes;                 ///< of the first column's names
};

/// Looks at every cell. `words`: of the table's font, `code`: of the font of offsets. Error: Cancelled.
Result<TableMeasure> measureTable(const view::TableSource& source, const CharacterWidths& words,
                                  const CharacterWidths& code, Monitor& monitor);

/// A column that wants room. The first one is the name.
struct ColumnWish {
  int width = 0;        ///< what its widest cell takes, in pixels
  bool number = false;  ///< has its width or leaves
  bool matters = false; ///< leaves last: the number with the bar, the sorted column
  bool matched = false; ///< holds a match of the filter: never leaves
};

struct ColumnWidths {
  QVector<int> widths;
  QVector<bool> left; ///< columns that have no room
};

/// Widths in `room` pixels. Where `wrap`, words are broken into lines and columns of words become narrower first; else
/// the name keeps its width, up to 70 % of the room (one very long name must not drive out all else). Then columns
/// leave, the last one first; the name never does.
ColumnWidths fitColumns(const QVector<ColumnWish>& wishes, int room, bool wrap);

} // namespace blobscope::ui
