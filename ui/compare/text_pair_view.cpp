#include "ui/compare/text_pair_view.h"

#include "core/base/text.h"
#include "ui/compare/pair_accessible.h"
#include "ui/compare/pair_painter.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/text/line_cells.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

/// Number of rows of a long line that is shown completely.
constexpr std::size_t kAllRows = 400;
/// Number of rows whose layout is cached.
constexpr std::size_t kKept = 4'096;
/// Columns of longer lines are not counted for the width of the view.
constexpr uint64_t kCountedLine = 4'096;
/// Characters of a line that are read aloud.
constexpr qsizetype kReportedCharacters = 400;

} // namespace

TextPairView::TextPairView(QWidget* parent)
    : RowView(
          nullptr,
          [this] {
            if (m_moving) return;
            m_untouched = false;
            m_sub = m_scroll.top() == m_last.row ? m_last.sub : 0;
            viewport()->update();
          },
          parent),
      m_words(new PairWords(this)) {
  viewport()->setCursor(Qt::IBeamCursor);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Both texts"));
  connect(m_words, &PairWords::changed, viewport(), qOverload<>(&QWidget::update));
  remeasure();
  setText(nullptr);
}

TextPairView::~TextPairView() = default;

QAccessibleInterface* TextPairView::makeAccessible() { return new TextPairAccessible(this); }

void TextPairView::setText(TextPairPtr text) {
  m_lines.setText(std::move(text));
  m_words->setText(m_lines.text());
  m_expanded.clear();
  m_row = 0;
  m_sub = 0;
  m_anchor = m_cursor = 0;
  m_reportedChange.reset();
  m_untouched = true;
  m_moving = true;
  m_scroll.setTop(0);
  m_moving = false;
  horizontalScrollBar()->setValue(0);
  updateGeometry();
  if (changeCount() > 0) goToChange(0);
  emitChanges();
}

void TextPairView::setWrapping(bool wrap) {
  if (wrap == m_wrap) return;
  m_wrap = wrap;
  relayout();
}

void TextPairView::setFolding(bool folding) {
  if (folding == isFolding()) return;
  const PairLines::Row before = m_lines.rowCount() > 0 ? m_lines.row(m_row) : PairLines::Row{};
  m_lines.setFolding(folding);
  if (before.a != PairLines::kNone || before.b != PairLines::kNone)
    m_row = before.b != PairLines::kNone ? m_lines.rowOfLine(true, before.b) : m_lines.rowOfLine(false, before.a);
  m_row = std::min(m_row, std::max<uint64_t>(m_lines.rowCount(), 1) - 1);
  relayout();
  reveal(m_row);
}

// ---------------------------------------------------------------------------------------------- lines

const syntax::LineIndex& TextPairView::index(Side side) const {
  return side == Side::A ? *m_lines.text()->indexA : *m_lines.text()->indexB;
}

std::string_view TextPairView::lineBytes(Side side, uint64_t line) const {
  const Extent extent = index(side).line(line);
  return index(side).text().view().substr(extent.offset, extent.size);
}

bool TextPairView::isExpanded(const PairLines::Row& row) const { return m_expanded.count({row.a, row.b}) > 0; }

const TextPairView::Layout& TextPairView::layoutOf(uint64_t row) const {
  if (const auto found = m_layouts.find(row); found != m_layouts.end()) return found->second;
  if (m_layouts.size() >= kKept) m_layouts.clear();
  Layout& out = m_layouts[row];
  const PairLines::Row line = m_lines.row(row);
  if (line.folds > 0) return out;
  const std::size_t maximum = isExpanded(line) ? kAllRows : kLineRows;
  const auto cut = [&](Side side, uint64_t number, WrappedLine& wrapped) -> std::size_t {
    const std::string_view bytes = lineBytes(side, number);
    if (!m_wrap) {
      wrapped.pieces.push_back({0, bytes.size(), 0});
      return 1;
    }
    wrapped = wrapLine(bytes, m_columns, maximum);
    return wrapped.pieces.size() + (wrapped.rest > 0 ? 1 : 0);
  };
  const bool hasA = line.a != PairLines::kNone, hasB = line.b != PairLines::kNone;
  // Side by side, both are drawn; below one another, equal lines are drawn only once.
  if (hasA && !(m_inline && line.kind == diff::HunkKind::Equal)) out.linesA = cut(Side::A, line.a, out.a);
  if (hasB) out.linesB = cut(Side::B, line.b, out.b);
  out.lines = m_inline ? out.linesA + out.linesB : std::max(out.linesA, out.linesB);
  return out;
}

std::size_t TextPairView::linesOf(uint64_t row) const { return layoutOf(row).lines; }

int TextPairView::heightOf(uint64_t row) const {
  return m_lines.row(row).folds > 0 ? m_foldHeight : static_cast<int>(linesOf(row)) * m_metrics.lineHeight;
}

// ---------------------------------------------------------------------------------------------- geometry

void TextPairView::remeasure() {
  m_metrics.measure();
  m_foldFont = contentFont(TextRole::Secondary);
  m_foldHeight = rowHeightFor(m_foldFont);
  updateGeometry();
}

void TextPairView::updateGeometry() {
  const int width = viewport()->width();
  m_inline = width < kTwoSides;
  setVerticalScrollBarPolicy(m_inline ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
  m_half = m_inline ? width : (width - PairPainter::kRuler) / 2;
  m_gutter = m_metrics.gutter(std::max(m_lines.lineCount(false), m_lines.lineCount(true)), PairPainter::kGutter,
                              PairPainter::kNumberMargins);
  m_columns = static_cast<uint64_t>(std::max((m_half - m_gutter - PairPainter::kRightGap) / m_metrics.cell, 12.0));
  m_layouts.clear();
  updateRange();
  viewport()->update();
}

void TextPairView::relayout() { updateGeometry(); }

void TextPairView::updateRange() {
  const uint64_t rows = m_lines.rowCount();
  m_last = rows > 0 ? placeEndingAt(rows - 1, viewport()->height()) : Place{};
  if (rows > 0 && m_last.row >= rows) m_last = {rows - 1, 0}; // not even one row fits
  const Place before = place();
  m_moving = true;
  m_scroll.setRange(rows, rows > 0 ? rows - m_last.row : 1);
  m_moving = false;
  setPlace(before);
  uint64_t widest = 0;
  if (!m_wrap && m_lines.text()) {
    for (const Side side : {Side::A, Side::B}) widest = std::max(widest, index(side).longestLine());
    // Bytes are counted as columns, except for tabs.
    for (uint64_t row = m_scroll.top(); row < std::min(rows, m_scroll.top() + 80); ++row) {
      const PairLines::Row line = m_lines.row(row);
      if (line.folds > 0) continue;
      if (line.a != PairLines::kNone && index(Side::A).line(line.a).size <= kCountedLine)
        widest = std::max(widest, columnCount(lineBytes(Side::A, line.a)));
      if (line.b != PairLines::kNone && index(Side::B).line(line.b).size <= kCountedLine)
        widest = std::max(widest, columnCount(lineBytes(Side::B, line.b)));
    }
  }
  const uint64_t maximum = widest + 1 > m_columns ? widest + 1 - m_columns : 0;
  horizontalScrollBar()->setRange(0, m_wrap ? 0 : static_cast<int>(std::min<uint64_t>(maximum, 1U << 30)));
  horizontalScrollBar()->setPageStep(static_cast<int>(m_columns));
  horizontalScrollBar()->setSingleStep(4);
}

TextPairView::Place TextPairView::placeEndingAt(uint64_t row, int height) const {
  for (int left = height;; --row) {
    const int here = heightOf(row);
    if (here > left) {
      if (m_lines.row(row).folds > 0) return {row + 1, 0};
      const int hidden = (here - std::max(left, 0) + m_metrics.lineHeight - 1) / m_metrics.lineHeight;
      return static_cast<std::size_t>(hidden) >= linesOf(row) ? Place{row + 1, 0}
                                                              : Place{row, static_cast<std::size_t>(hidden)};
    }
    left -= here;
    if (row == 0) return {0, 0};
  }
}

void TextPairView::setPlace(Place wanted) {
  wanted = std::min(wanted, m_last);
  m_moving = true;
  m_scroll.setTop(wanted.row);
  m_moving = false;
  m_sub = m_lines.rowCount() > 0 ? std::min(wanted.sub, linesOf(m_scroll.top()) - 1) : 0;
  viewport()->update();
}

void TextPairView::moveLines(int lines) {
  if (m_lines.rowCount() == 0) return;
  Place to = place();
  for (; lines > 0 && to < m_last; --lines)
    if (++to.sub >= linesOf(to.row)) to = {to.row + 1, 0};
  for (; lines < 0 && to > Place{}; ++lines) {
    if (to.sub > 0)
      --to.sub;
    else
      to = {to.row - 1, linesOf(to.row - 1) - 1};
  }
  setPlace(to);
}

void TextPairView::reveal(uint64_t row) {
  const int height = viewport()->height();
  if (row < m_scroll.top() || (row == m_scroll.top() && m_sub > 0)) {
    const bool isClose = m_scroll.top() - row < 40;
    setPlace(isClose ? Place{row, 0} : placeEndingAt(row, std::max(height / 2, heightOf(row))));
    return;
  }
  const QRect rect = rowRect(row);
  if (!rect.isEmpty() && rect.bottom() < height) return;
  const Place ending =
      placeEndingAt(row, rect.isEmpty() ? std::max(height / 2, std::min(heightOf(row), height)) : height);
  setPlace(heightOf(row) > height ? Place{row, 0} : std::max(ending, rect.isEmpty() ? ending : place()));
}

QRect TextPairView::rowRect(uint64_t row) const {
  if (row < m_scroll.top() || row >= m_lines.rowCount()) return {};
  int y = -static_cast<int>(m_sub) * m_metrics.lineHeight;
  for (uint64_t at = m_scroll.top(); y < viewport()->height(); ++at) {
    const int height = heightOf(at);
    if (at == row) return {0, y, viewport()->width(), height};
    y += height;
  }
  return {};
}

uint64_t TextPairView::rowAt(int y) const {
  const uint64_t rows = m_lines.rowCount();
  int bottom = -static_cast<int>(m_sub) * m_metrics.lineHeight;
  uint64_t row = m_scroll.top();
  for (; row + 1 < rows; ++row) {
    bottom += heightOf(row);
    if (y < bottom) break;
  }
  return row;
}

TextPairView::Column TextPairView::column(Side side) const {
  if (m_inline || side == Side::A) return {0, m_half};
  return {m_half + PairPainter::kRuler, viewport()->width() - m_half - PairPainter::kRuler};
}

Side TextPairView::sideAt(int x) const {
  return m_inline ? m_side : x < m_half + PairPainter::kRuler / 2 ? Side::A : Side::B;
}

std::optional<uint64_t> TextPairView::offsetAt(Side side, QPointF point) const {
  if (m_lines.rowCount() == 0) return std::nullopt;
  const uint64_t number = rowAt(static_cast<int>(point.y()));
  const PairLines::Row row = m_lines.row(number);
  const uint64_t line = side == Side::A ? row.a : row.b;
  if (row.folds > 0 || line == PairLines::kNone) return std::nullopt;
  const Layout& layout = layoutOf(number);
  const WrappedLine& wrapped = side == Side::A ? layout.a : layout.b;
  if (wrapped.pieces.empty()) return std::nullopt;
  const QRect rect = rowRect(number);
  int at = std::max(0, static_cast<int>(point.y()) - rect.top()) / m_metrics.lineHeight;
  if (m_inline && side == Side::B) at = std::max(0, at - static_cast<int>(layout.linesA));
  const auto piece = std::min(static_cast<std::size_t>(at), wrapped.pieces.size() - 1);
  const WrappedLine::Piece& here = wrapped.pieces[piece];
  const std::string_view bytes = lineBytes(side, line);
  const double cells = (point.x() - column(side).left - m_gutter) / m_metrics.cell + horizontalScrollBar()->value() -
                       (piece > 0 ? double(kHangingCells) : 0.0);
  const uint64_t offset = offsetOf(bytes, std::max(cells, 0.0) + static_cast<double>(here.column), true);
  return index(side).line(line).offset + std::clamp(offset, here.from, here.to);
}

std::pair<double, double> TextPairView::thumb() const {
  const auto rows = static_cast<double>(std::max<uint64_t>(m_lines.rowCount(), 1));
  const double from = static_cast<double>(m_scroll.top()) / rows;
  const double to = m_lines.rowCount() == 0 ? 1 : static_cast<double>(rowAt(viewport()->height()) + 1) / rows;
  return {from, std::max(to, from)};
}

void TextPairView::dragRuler(int y) {
  const auto [from, to] = thumb();
  const double share = static_cast<double>(y) / std::max(viewport()->height(), 1) - (to - from) / 2;
  setPlace({static_cast<uint64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(m_lines.rowCount())), 0});
}

// ---------------------------------------------------------------------------------------------- rows, changes,
// selection

void TextPairView::setRow(uint64_t row, bool extend) {
  if (m_lines.rowCount() == 0) return;
  m_row = std::min(row, m_lines.rowCount() - 1);
  const PairLines::Row line = m_lines.row(m_row);
  const uint64_t number = m_side == Side::A ? line.a : line.b;
  if (line.folds == 0 && number != PairLines::kNone) {
    const uint64_t start = index(m_side).lineStart(number);
    const uint64_t after =
        number + 1 < index(m_side).lineCount() ? index(m_side).lineStart(number + 1) : index(m_side).text().size();
    m_cursor = extend && start >= m_anchor ? after : start;
  }
  if (!extend) m_anchor = m_cursor;
  viewport()->update();
  emitChanges();
}

void TextPairView::goToRow(uint64_t row) {
  m_untouched = false;
  setRow(row);
  reveal(m_row);
}

void TextPairView::emitChanges() {
  const int change = currentChange();
  Q_EMIT rowMoved(m_row);
  if (m_reportedChange != change) {
    m_reportedChange = change;
    Q_EMIT changeMoved(change, changeCount());
  }
  notifyAccessibility();
}

int TextPairView::currentChange() const {
  const auto change = m_lines.changeAt(m_row);
  return change ? static_cast<int>(*change) : -1;
}

void TextPairView::goToChange(int change) {
  if (change < 0 || change >= changeCount()) return;
  const auto number = static_cast<std::size_t>(change);
  const uint64_t row = m_lines.changeRow(number);
  setRow(row);
  // Scrolls so that rows before the change are visible, too; a long row is shown from its start.
  const int height = viewport()->height();
  const uint64_t last = row + std::min<uint64_t>(m_lines.changeSize(number), 200) - 1;
  if (const QRect first = rowRect(row), end = rowRect(last);
      !first.isEmpty() && !end.isEmpty() && first.top() >= 0 && end.bottom() < height)
    return;
  setPlace(std::min(placeEndingAt(row, heightOf(row) + height / 4), Place{row, 0}));
}

bool TextPairView::goToNextChange(bool backwards) {
  if (changeCount() == 0) return false;
  const int here = currentChange();
  int to = backwards ? here - 1 : here + 1;
  // Inside or after a change, going back leads to its start.
  if (backwards && here >= 0 && m_row > m_lines.changeRow(static_cast<std::size_t>(here))) to = here;
  if (to < 0 || to >= changeCount()) return false;
  goToChange(to);
  return true;
}

void TextPairView::toggleRow(uint64_t row) {
  if (row >= m_lines.rowCount()) return;
  const PairLines::Row line = m_lines.row(row);
  if (line.folds > 0) {
    m_lines.toggle(line.part);
  } else if (isExpanded(line)) {
    m_expanded.erase({line.a, line.b});
  } else if (const Layout& layout = layoutOf(row); layout.a.rest > 0 || layout.b.rest > 0) {
    m_expanded.insert({line.a, line.b});
  } else {
    return;
  }
  relayout();
  setRow(row);
  reveal(row);
}

void TextPairView::select(Side side, uint64_t offset, uint64_t size) {
  if (m_lines.rowCount() == 0) return;
  m_side = side;
  const uint64_t end = index(side).text().size();
  m_anchor = std::min(offset, end);
  m_cursor = m_anchor + std::min(size, end - m_anchor);
  m_row = m_lines.rowOfLine(side == Side::B, index(side).lineAt(m_anchor));
  reveal(m_row);
  viewport()->update();
  emitChanges();
}

void TextPairView::selectAll() { select(m_side, 0, index(m_side).text().size()); }

void TextPairView::extendTo(Side side, uint64_t offset) {
  m_side = side;
  m_cursor = offset;
  m_row = m_lines.rowOfLine(side == Side::B, index(side).lineAt(offset));
  viewport()->update();
  emitChanges();
}

QString TextPairView::selectedText() const {
  const Extent selected = selection();
  if (selected.size == 0) return {};
  const std::string_view bytes = index(m_side).text().view().substr(selected.offset, selected.size);
  return wholeToQt(bytes);
}

bool TextPairView::copy() {
  if (m_lines.rowCount() == 0) return false;
  const Extent selected = selection();
  if (selected.size > 0) return copyText(selected.size, [this] { return selectedText(); });
  const PairLines::Row row = m_lines.row(m_row);
  const uint64_t line = m_side == Side::A ? row.a : row.b;
  if (row.folds > 0 || line == PairLines::kNone) return false;
  QApplication::clipboard()->setText(wholeToQt(lineBytes(m_side, line)));
  return true;
}

QString TextPairView::describeRow(uint64_t number) const {
  if (number >= m_lines.rowCount()) return {};
  const PairLines::Row row = m_lines.row(number);
  if (row.folds > 0)
    return row.open ? tr("%n equal line(s), unfolded", nullptr, pluralCount(row.folds))
                    : tr("%n equal line(s), folded", nullptr, pluralCount(row.folds));
  const auto textOf = [this](Side side, uint64_t line) {
    return toQt(lineBytes(side, line)).left(kReportedCharacters);
  };
  const auto lineText = [](uint64_t line) { return toQt(groupedText(line + 1)); };
  switch (row.kind) {
  case diff::HunkKind::Equal: return tr("line %1: %2").arg(lineText(row.b), textOf(Side::B, row.b));
  case diff::HunkKind::Removed: return tr("line %1 only in A: %2").arg(lineText(row.a), textOf(Side::A, row.a));
  case diff::HunkKind::Added: return tr("line %1 only in B: %2").arg(lineText(row.b), textOf(Side::B, row.b));
  case diff::HunkKind::Changed: break;
  }
  return tr("line %1 changed, A: %2; line %3 of B: %4")
      .arg(lineText(row.a), textOf(Side::A, row.a), lineText(row.b), textOf(Side::B, row.b));
}

// ---------------------------------------------------------------------------------------------- events

void TextPairView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu* const menu = makeMenu();
  menu->addAction(selection().size > 0 ? tr("Copy") : tr("Copy line"), QKeySequence::Copy, this, [this] { copy(); });
  menu->addAction(m_side == Side::A ? tr("Select all of A") : tr("Select all of B"), QKeySequence::SelectAll, this,
                  &TextPairView::selectAll);
  popUp(menu, *event, rowRect(m_row).bottomLeft() + QPoint(m_gutter, 0));
}

void TextPairView::keyPressEvent(QKeyEvent* event) {
  m_untouched = false;
  if (m_lines.rowCount() == 0 || !(handleEditKey(*event) || moveRow(*event) || useRow(*event)))
    RowView::keyPressEvent(event);
}

bool TextPairView::moveRow(const QKeyEvent& event) {
  const bool extend = event.modifiers() & Qt::ShiftModifier, control = event.modifiers() & Qt::ControlModifier;
  const uint64_t last = m_lines.rowCount() - 1;
  const auto go = [&](uint64_t row) {
    setRow(row, extend);
    reveal(m_row);
  };
  const auto page = [&](int lines) {
    const int y = rowRect(m_row).isEmpty() ? 0 : std::max(rowRect(m_row).top(), 0);
    const Place before = place();
    moveLines(lines);
    const bool moved = before != place();
    go(moved ? rowAt(y) : lines < 0 ? 0 : last);
  };
  const int lines = std::max(viewport()->height() / m_metrics.lineHeight - 1, 1);
  switch (event.key()) {
  case Qt::Key_Up: control ? moveLines(-1) : go(m_row > 0 ? m_row - 1 : 0); return true;
  case Qt::Key_Down: control ? moveLines(1) : go(std::min(m_row + 1, last)); return true;
  case Qt::Key_PageUp: page(-lines); return true;
  case Qt::Key_PageDown: page(lines); return true;
  case Qt::Key_Home: go(0); return true;
  case Qt::Key_End: go(last); return true;
  default: return false;
  }
}

bool TextPairView::useRow(QKeyEvent& event) {
  const bool left = event.key() == Qt::Key_Left;
  switch (event.key()) {
  case Qt::Key_F7:
    // After the last change, the event is left to the owner, which goes to the next pair.
    if (!goToNextChange(event.modifiers() & Qt::ShiftModifier)) event.ignore();
    return true;
  case Qt::Key_Left:
  case Qt::Key_Right:
    if ((event.modifiers() & Qt::ControlModifier) && !m_wrap) {
      horizontalScrollBar()->setValue(horizontalScrollBar()->value() + (left ? -8 : 8));
      return true;
    }
    m_side = left ? Side::A : Side::B;
    setRow(m_row);
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
  case Qt::Key_Space: toggleRow(m_row); return true;
  default: return false;
  }
}

void TextPairView::mousePressEvent(QMouseEvent* event) {
  m_untouched = false;
  if (event->button() != Qt::LeftButton || m_lines.rowCount() == 0) return;
  const QPoint point = event->position().toPoint();
  if (!m_inline && point.x() >= m_half && point.x() < m_half + PairPainter::kRuler) {
    m_dragging = true;
    dragRuler(point.y());
    return;
  }
  const uint64_t number = rowAt(point.y());
  const QRect rect = rowRect(number);
  if (rect.isEmpty() || point.y() > rect.bottom()) return;
  const PairLines::Row row = m_lines.row(number);
  if (row.folds > 0) {
    toggleRow(number);
    return;
  }
  const Layout& layout = layoutOf(number);
  const int at = (point.y() - rect.top()) / m_metrics.lineHeight;
  if (m_inline) m_side = at < static_cast<int>(layout.linesA) ? Side::A : Side::B;
  const Side side = sideAt(point.x());
  const WrappedLine& wrapped = side == Side::A ? layout.a : layout.b;
  const int own = m_inline && side == Side::B ? at - static_cast<int>(layout.linesA) : at;
  if (wrapped.rest > 0 && own == static_cast<int>(wrapped.pieces.size())) {
    toggleRow(number);
    return;
  }
  const auto offset = offsetAt(side, event->position());
  if (!offset) {
    m_side = side;
    setRow(number);
    return;
  }
  const bool extend = (event->modifiers() & Qt::ShiftModifier) && side == m_side;
  if (!extend) m_anchor = *offset;
  m_selecting = true;
  extendTo(side, *offset);
}

void TextPairView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint point = event->position().toPoint();
  const bool ruler = !m_inline && point.x() >= m_half && point.x() < m_half + PairPainter::kRuler;
  const bool fold = m_lines.rowCount() > 0 && m_lines.row(rowAt(point.y())).folds > 0;
  viewport()->setCursor(ruler || fold ? Qt::ArrowCursor : Qt::IBeamCursor);
  if (!(event->buttons() & Qt::LeftButton)) return;
  if (m_dragging) {
    dragRuler(point.y());
    return;
  }
  if (!m_selecting) return;
  if (const auto offset = offsetAt(m_side, event->position())) extendTo(m_side, *offset);
  if (point.y() < 0 || point.y() >= viewport()->height()) moveLines(point.y() < 0 ? -1 : 1);
}

void TextPairView::mouseReleaseEvent(QMouseEvent*) { m_selecting = m_dragging = false; }

void TextPairView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setLayoutDirection(layoutDirection());
  PairPainter(*this, painter).paint();
  m_words->startWork();
}

void TextPairView::resizeEvent(QResizeEvent*) {
  updateGeometry();
  // The first change must be visible when the view gets its size.
  if (m_untouched && currentChange() >= 0) {
    setPlace({});
    goToChange(currentChange());
  }
}

void TextPairView::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  if (delta.y() == 0 || (event->modifiers() & Qt::ShiftModifier)) {
    RowView::wheelEvent(event);
    return;
  }
  m_untouched = false;
  m_wheel += delta.y() * QApplication::wheelScrollLines();
  const int lines = m_wheel / 120;
  m_wheel -= lines * 120;
  moveLines(-lines);
  event->accept();
}

} // namespace blobscope::ui
