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

/// Widths of a font's characters, in pixels: any thread may measure with them, and a cell costs one addition per byte.
/// Characters outside ASCII count as wide as the widest letter, those of three or more bytes as twice that.
class CharacterWidths {
public:
  explicit CharacterWidths(const QFontMetricsF& metrics);
  double widthOf(std::string_view text) const;

private:
  std::array<double, 128> m_ascii = {};
  double m_widest = 0;
};

/// Measurements of a table's rows, computed in the background, because a table may have very many rows.
struct TableMeasure {
  std::vector<std::string> widest; ///< one per column: the widest cell, as the source has it
  Affixes affixes;                 ///< of the first column's names
};

/// Measures every cell. `words`: widths of the table's font, `code`: of the font of offsets. Error: Cancelled.
Result<TableMeasure> measureTable(const view::TableSource& source, const CharacterWidths& words,
                                  const CharacterWidths& code, Monitor& monitor);

/// The width that a column needs. The first column is the name.
struct ColumnNeed {
  int width = 0;        ///< width of its widest cell in pixels
  bool number = false;  ///< is either shown at its full width or hidden
  bool matters = false; ///< hidden last: the number with the bar, the sorted column
  bool matched = false; ///< contains a match of the filter: never hidden
};

struct ColumnWidths {
  QVector<int> widths;
  QVector<bool> left; ///< columns that are hidden, because they do not fit
};

/// Computes widths for `room` pixels. With `wrap`, text is broken into lines and text columns become narrower first;
/// otherwise the name keeps its width, up to 70 % of the room (a very long name must not displace everything else).
/// Then columns are hidden, the last one first; the name is never hidden.
ColumnWidths fitColumns(const QVector<ColumnNeed>& wishes, int room, bool wrap);

} // namespace blobscope::ui
