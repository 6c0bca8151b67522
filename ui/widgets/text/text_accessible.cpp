#include "ui/widgets/text/text_accessible.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QScrollBar>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Cells of one line that are read aloud.
constexpr std::size_t kLineCells = 4'096;
constexpr int kTextLeft = 8;

} // namespace

TextView& TextViewAccessible::view() const { return *static_cast<TextView*>(object()); }

QString TextViewAccessible::text(QAccessible::Text kind) const {
  if (kind == QAccessible::Value) {
    const QString line = view().lineText(view().currentLine());
    const quint64 hidden = view().hiddenLines(view().currentLine());
    return hidden == 0 ? line : TextView::tr("%1, %n line(s) hidden below", nullptr, pluralCount(hidden)).arg(line);
  }
  QString own = QAccessibleWidget::text(kind);
  if (kind == QAccessible::Name && own.isEmpty()) return TextView::tr("Text");
  if (kind == QAccessible::Description && own.isEmpty()) {
    const QString place = TextView::tr("line %1 of %2, column %3")
                              .arg(toQt(groupedText(view().currentLine())), toQt(groupedText(view().lineCount())),
                                   toQt(groupedText(view().currentColumn())));
    const syntax::CodeFunction* const function =
        view().structure() ? view().structure()->functionAt(view().currentLine() - 1) : nullptr;
    return function ? TextView::tr("%1, in %2").arg(place, nameToQt(function->name)) : place;
  }
  return own;
}

QAccessible::State TextViewAccessible::state() const {
  QAccessible::State state = ShownTextAccessible::state();
  state.selectableText = true;
  return state;
}

TextViewAccessible::Shown TextViewAccessible::shown() const {
  const TextView& view = this->view();
  Shown out;
  const uint64_t first = view.topLine() - 1;
  const uint64_t bottom = std::min(view.m_scroll.top() + view.m_scroll.visible(), view.m_rows.rowCount()) - 1;
  const uint64_t last = view.m_rows.placeOf(bottom).line;
  const double left = view.m_gutter + kTextLeft - view.horizontalScrollBar()->value() * view.m_metrics.cell;
  const auto add = [&](const QString& text, uint64_t offset, QPoint place) {
    out.text += text;
    for (qsizetype i = 0; i < text.size(); ++i) {
      out.offsets.push_back(offset);
      out.places.push_back(place);
    }
  };
  for (uint64_t line = first; line <= last; line = view.m_rows.nextLine(line)) {
    const Extent extent = view.index().line(line);
    const std::string_view bytes = view.lineBytes(line);
    const int y = view.lineRect(line).top();
    const uint64_t rows = view.m_rows.rowsOf(line);
    const auto placeOf = [&](uint64_t cellColumn) {
      const uint64_t part = view.isWrapping() ? std::min(cellColumn / view.m_columns, rows - 1) : 0;
      const double x = left + static_cast<double>(cellColumn - view.partStart(part)) * view.m_metrics.cell;
      return QPoint(static_cast<int>(x), y + static_cast<int>(part) * view.m_metrics.lineHeight);
    };
    CellWalker walker(bytes);
    std::size_t cells = 0;
    uint64_t column = 0;
    for (Cell cell{}; cells < kLineCells && walker.next(cell); ++cells) {
      column = cell.column + cell.width;
      const QString text = bytes[cell.offset] == '\t' ? QStringLiteral("\t") : cellText(bytes, cell);
      add(text, extent.offset + cell.offset, placeOf(cell.column));
    }
    const QPoint end = placeOf(column);
    if (line < last)
      add(QStringLiteral("\n"), extent.end(), end);
    else
      out.places.push_back(end);
    if (line == last) out.offsets.push_back(extent.end());
  }
  return out;
}

int TextViewAccessible::Shown::position(uint64_t offset) const {
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), offset);
  if (after == offsets.begin()) return 0;
  // The first unit of the character.
  const auto first = std::lower_bound(offsets.begin(), after, *std::prev(after));
  return static_cast<int>(first - offsets.begin());
}

uint64_t TextViewAccessible::Shown::offset(int position) const {
  return offsets[static_cast<std::size_t>(std::clamp<int>(position, 0, static_cast<int>(offsets.size()) - 1))];
}

void TextViewAccessible::selection(int selectionIndex, int* startOffset, int* endOffset) const {
  *startOffset = *endOffset = 0;
  if (selectionIndex != 0 || selectionCount() == 0) return;
  const Shown text = shown();
  const Extent selected = view().selection();
  *startOffset = text.position(selected.offset);
  *endOffset = text.position(selected.end());
}

int TextViewAccessible::selectionCount() const { return view().selection().size > 0 ? 1 : 0; }

void TextViewAccessible::removeSelection(int) { view().goToOffset(view().m_cursor); }

void TextViewAccessible::setSelection(int, int startOffset, int endOffset) {
  const Shown text = shown();
  const uint64_t from = text.offset(startOffset), to = text.offset(endOffset);
  view().select(std::min(from, to), std::max(from, to) - std::min(from, to));
}

int TextViewAccessible::cursorPosition() const { return shown().position(view().m_cursor); }

void TextViewAccessible::setCursorPosition(int position) { view().goToOffset(shown().offset(position)); }

QRect TextViewAccessible::characterRect(int offset) const {
  const Shown text = shown();
  const int last = static_cast<int>(text.places.size()) - 1;
  const QPoint place = text.places[static_cast<std::size_t>(std::clamp(offset, 0, last))];
  return {view().viewport()->mapToGlobal(place), QSize(qCeil(view().m_metrics.cell), view().m_metrics.lineHeight)};
}

int TextViewAccessible::offsetAtPoint(const QPoint& point) const {
  return shown().position(view().offsetAt(view().viewport()->mapFromGlobal(point)));
}

void TextViewAccessible::scrollToSubstring(int startIndex, int) {
  view().m_scroll.reveal(view().m_rows.rowOf(view().index().lineAt(shown().offset(startIndex))));
}

} // namespace blobscope::ui
