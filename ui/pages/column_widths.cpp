#include "ui/pages/column_widths.h"

#include "ui/models/table_model.h"
#include "ui/text/plain_text.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr uint64_t kMeasuredCells = 4096;
/// Number of names whose common words are searched.
constexpr uint64_t kNames = 4'096;
/// Minimum widths in pixels: text that wraps, text that is still readable, the name.
constexpr int kMinimumWords = 150, kGoodWords = 220, kMinimumName = 200;

/// Returns the columns that are hidden, because the minimum widths exceed `room`.
QVector<bool> findHiddenColumns(const QVector<ColumnNeed>& wishes, const QVector<int>& minimums, int room) {
  QVector<bool> hidden(minimums.size(), false);
  int total = 0;
  for (const int width : minimums) total += width;
  for (const bool matters : {false, true})
    for (qsizetype column = minimums.size() - 1; column > 0 && total > room; --column) {
      if (hidden[column] || wishes[column].matched || wishes[column].matters != matters) continue;
      hidden[column] = true;
      total -= minimums[column];
    }
  return hidden;
}

/// Repeatedly shrinks the widest text column, until all fit or none is wider than `limit`.
void shrink(const QVector<ColumnNeed>& wishes, ColumnWidths& fitted, qsizetype first, qsizetype last, int room,
            int limit) {
  int total = 0;
  for (qsizetype column = 0; column < wishes.size(); ++column)
    if (!fitted.left[column]) total += fitted.widths[column];
  while (total > room) {
    qsizetype widest = -1;
    for (qsizetype column = first; column <= last; ++column)
      if ((column == 0 || !wishes[column].number) && !fitted.left[column] &&
          (widest < 0 || fitted.widths[column] > fitted.widths[widest]))
        widest = column;
    if (widest < 0 || fitted.widths[widest] <= limit) return;
    const int cut = qMin(qMax(1, (total - room) / 4), fitted.widths[widest] - limit);
    fitted.widths[widest] -= cut;
    total -= cut;
  }
}

} // namespace

CharacterWidths::CharacterWidths(const QFontMetricsF& metrics) {
  for (std::size_t c = 0x20; c < 0x7f; ++c) {
    m_ascii[c] = metrics.horizontalAdvance(QLatin1Char(static_cast<char>(c)));
    m_widest = std::max(m_widest, m_ascii[c]);
  }
}

double CharacterWidths::widthOf(std::string_view text) const {
  double width = 0;
  for (const char c : text.substr(0, kLineCharacters)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      width += m_ascii[byte];
    else if (byte >= 0xc0)
      width += byte >= 0xe0 ? 2 * m_widest : m_widest;
  }
  return width;
}

Result<TableMeasure> measureTable(const view::TableSource& source, const CharacterWidths& words,
                                  const CharacterWidths& code, Monitor& monitor) {
  const std::vector<view::Column> columns = source.columns();
  TableMeasure out;
  out.widest.resize(columns.size());
  std::vector<double> widths(columns.size(), 0);
  const uint64_t rows = source.rowCount(), step = std::max<uint64_t>(1, rows / kNames);
  QStringList names;
  for (uint64_t row = 0; row < rows; ++row) {
    if (row % kMeasuredCells == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::string text = source.cell(row, column);
      if (column == 0 && row % step == 0) names.append(toQt(text));
      const double width = isCodeText(text) ? code.widthOf(text) : words.widthOf(text);
      if (width <= widths[column]) continue;
      widths[column] = width;
      out.widest[column] = std::move(text);
    }
  }
  out.affixes = commonAffixes(names);
  return out;
}

ColumnWidths fitColumns(const QVector<ColumnNeed>& wishes, int room, bool wrap) {
  ColumnWidths fitted;
  for (const ColumnNeed& wish : wishes) fitted.widths << wish.width;
  fitted.left.fill(false, wishes.size());
  if (wishes.isEmpty()) return fitted;
  room = qMax(kMinimumName, room);
  // A name of up to a third of the room fits next to the other columns and wraps; where nothing wraps, the other
  // columns shrink.
  const int name = wishes[0].width, minimumName = qMin(name, qMax(kMinimumName, room * (wrap ? 35 : 70) / 100));
  QVector<int> minimums = fitted.widths;
  for (qsizetype column = 0; column < wishes.size(); ++column)
    if (column == 0)
      minimums[column] = minimumName;
    else if (!wishes[column].number)
      minimums[column] = qMin(wishes[column].width, kMinimumWords);
  fitted.left = findHiddenColumns(wishes, minimums, room);
  const qsizetype last = wishes.size() - 1;
  shrink(wishes, fitted, 1, last, room, kGoodWords);
  if (wrap) shrink(wishes, fitted, 0, 0, room, qMax(minimumName, qMin(name, room * 50 / 100)));
  shrink(wishes, fitted, 1, last, room, kMinimumWords);
  shrink(wishes, fitted, 0, 0, room, minimumName);
  // A column with a match stays, even if the name must shrink for it.
  shrink(wishes, fitted, 0, 0, room, qMin(name, kMinimumName));
  return fitted;
}

} // namespace blobscope::ui
