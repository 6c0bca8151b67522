#include "ui/widgets/grid/value_grid.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_limit.h"
#include "ui/widgets/labels.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace blobscope::ui {
namespace {

constexpr int kValueSwatch = 4, kCellGap = 8, kChangedEdge = 3;
constexpr int kMostPastedValues = 4096; ///< values that one paste changes
constexpr uint64_t kMostCopied = uint64_t{1} << 20;

} // namespace

ValueGrid::ValueGrid(QWidget* parent)
    : QAbstractScrollArea(parent), m_down(verticalScrollBar(),
                                          [this] {
                                            viewport()->update();
                                            Q_EMIT scrolled();
                                          }),
      m_over(horizontalScrollBar(), [this] {
        viewport()->update();
        Q_EMIT scrolled();
      }) {
  setLayoutDirection(Qt::LeftToRight); // rows and columns of numbers
  installAccessibleBars();
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Values"));
  viewport()->setMouseTracking(true);
  m_hint = new ThemeLabel({}, TextRole::Secondary, Role::Text, this);
  m_hint->setAutoFillBackground(true);
  m_hint->setBackgroundRole(QPalette::ToolTipBase);
  m_hint->hide();
  measure();
}

ValueGrid::~ValueGrid() {
  if (m_editor) m_editor->removeEventFilter(this);
}

void ValueGrid::setSlice(std::shared_ptr<const view::GridSource> source, std::shared_ptr<const view::GridMap> map) {
  finishEditing(false);
  m_source = std::move(source);
  m_map = std::move(map);
  m_row = m_column = m_anchorRow = m_anchorColumn = 0;
  measure();
}

void ValueGrid::setColors(const std::optional<GridColors>& colors) {
  m_colors = colors;
  viewport()->update();
}

void ValueGrid::setChanged(QHash<quint64, QString> before) {
  m_changed = std::move(before);
  viewport()->update();
}

void ValueGrid::measure() {
  const QFontMetrics code(textFont(TextRole::Code)), text(textFont(TextRole::Secondary));
  m_rowHeight = metrics::rowHeight();
  // The widest of the first values decides; longer ones are shortened and have a tool tip.
  int widest = code.horizontalAdvance(QStringLiteral("-0.000000000"));
  constexpr uint64_t kMeasuredRows = 16, kMeasuredColumns = 16;
  for (uint64_t row = 0; m_map && row < std::min(m_map->rows(), kMeasuredRows); ++row)
    for (uint64_t column = 0; column < std::min(m_map->columns(), kMeasuredColumns); ++column)
      widest = std::max(widest, code.horizontalAdvance(textOf(row, column).left(24)));
  m_columnWidth = widest + 2 * kCellGap + kValueSwatch;
  const uint64_t rows = m_map ? m_map->rows() : 0, columns = m_map ? m_map->columns() : 0;
  m_labelWidth = text.horizontalAdvance(toQt(groupedText(rows))) + 24;
  const int tall = std::max(1, (viewport()->height() - m_rowHeight) / m_rowHeight),
            wide = std::max(1, (viewport()->width() - m_labelWidth) / m_columnWidth);
  m_down.setRange(rows, static_cast<uint64_t>(tall));
  m_over.setRange(columns, static_cast<uint64_t>(wide));
  viewport()->update();
}

view::GridRegion ValueGrid::visible() const {
  if (!m_map) return {};
  return {m_down.top(), m_over.top(), std::min(m_down.visible(), m_map->rows() - m_down.top()),
          std::min(m_over.visible(), m_map->columns() - m_over.top())};
}

QRect ValueGrid::cellRect(uint64_t row, uint64_t column) const {
  const auto down = static_cast<int64_t>(row) - static_cast<int64_t>(m_down.top()),
             over = static_cast<int64_t>(column) - static_cast<int64_t>(m_over.top());
  constexpr int64_t kFar = 10'000;
  return {m_labelWidth + static_cast<int>(std::clamp(over, -kFar, kFar)) * m_columnWidth,
          m_rowHeight + static_cast<int>(std::clamp(down, -kFar, kFar)) * m_rowHeight, m_columnWidth, m_rowHeight};
}

std::optional<std::pair<uint64_t, uint64_t>> ValueGrid::cellAt(QPoint point) const {
  if (!m_map || point.x() < m_labelWidth || point.y() < m_rowHeight) return std::nullopt;
  const uint64_t row = m_down.top() + static_cast<uint64_t>((point.y() - m_rowHeight) / m_rowHeight),
                 column = m_over.top() + static_cast<uint64_t>((point.x() - m_labelWidth) / m_columnWidth);
  if (row >= m_map->rows() || column >= m_map->columns()) return std::nullopt;
  return std::pair(row, column);
}

QString ValueGrid::textOf(uint64_t row, uint64_t column) const {
  const uint64_t index = m_map->index(row, column);
  return index == view::GridMap::kNone ? QString() : toQt(m_source->text(index));
}

/// The value with its place, as a tool tip and for assistive technology.
QString ValueGrid::describe(uint64_t row, uint64_t column) const {
  if (!m_map || row >= m_map->rows() || column >= m_map->columns()) return {};
  const uint64_t index = m_map->index(row, column);
  if (index == view::GridMap::kNone) return {};
  QString out = QStringLiteral("%1  %2").arg(toQt(view::placeText(m_map->place(row, column))), textOf(row, column));
  if (const auto before = m_changed.find(index); before != m_changed.end()) out += tr(", before %1").arg(*before);
  return out;
}

int ValueGrid::barCount() const {
  const view::GridRegion shown = visible();
  return static_cast<int>(std::min<uint64_t>(shown.rows * shown.columns, 10'000));
}

QString ValueGrid::barText(int cell) const {
  const view::GridRegion shown = visible();
  if (shown.columns == 0) return {};
  const auto at = static_cast<uint64_t>(cell);
  return describe(shown.row + at / shown.columns, shown.column + at % shown.columns);
}

QString ValueGrid::currentText() const { return describe(m_row, m_column); }

QRect ValueGrid::barRect(int cell) const {
  const view::GridRegion shown = visible();
  if (shown.columns == 0) return {};
  const auto at = static_cast<uint64_t>(cell);
  return cellRect(shown.row + at / shown.columns, shown.column + at % shown.columns);
}

// --- the selection

void ValueGrid::setCurrent(uint64_t row, uint64_t column) {
  if (!m_map || row >= m_map->rows() || column >= m_map->columns()) return;
  m_row = m_anchorRow = row;
  m_column = m_anchorColumn = column;
  if (m_sized) {
    m_down.reveal(row);
    m_over.reveal(column);
  }
  setAccessibleDescription(plainLine(currentText()));
  viewport()->update();
}

void ValueGrid::scrollTo(uint64_t row, uint64_t column) {
  m_down.setTop(row);
  m_over.setTop(column);
}

void ValueGrid::choose(uint64_t row, uint64_t column, bool extend) {
  if (!m_map || m_map->rows() == 0 || m_map->columns() == 0) return;
  finishEditing(true);
  m_row = std::min(row, m_map->rows() - 1);
  m_column = std::min(column, m_map->columns() - 1);
  if (!extend) {
    m_anchorRow = m_row;
    m_anchorColumn = m_column;
  }
  m_down.reveal(m_row);
  m_over.reveal(m_column);
  setAccessibleDescription(plainLine(currentText()));
  QAccessibleValueChangeEvent changed(this, currentText());
  QAccessible::updateAccessibility(&changed);
  viewport()->update();
  Q_EMIT chosen(m_row, m_column);
}

view::GridRegion ValueGrid::selection() const {
  const uint64_t top = std::min(m_row, m_anchorRow), left = std::min(m_column, m_anchorColumn);
  return {top, left, std::max(m_row, m_anchorRow) - top + 1, std::max(m_column, m_anchorColumn) - left + 1};
}

void ValueGrid::copy() {
  if (!m_map || m_map->rows() == 0) return;
  const view::GridRegion chosenCells = selection();
  if (chosenCells.rows > kMostCopied / chosenCells.columns) {
    Q_EMIT message(tr("The selection has %1 values, but at most %2 can be copied at once.")
                       .arg(toQt(groupedText(chosenCells.rows * chosenCells.columns)), toQt(groupedText(kMostCopied))));
    return;
  }
  QString out;
  for (uint64_t row = 0; row < chosenCells.rows; ++row) {
    if (row > 0) out += QLatin1Char('\n');
    for (uint64_t column = 0; column < chosenCells.columns; ++column) {
      if (column > 0) out += QLatin1Char('\t');
      out += textOf(chosenCells.row + row, chosenCells.column + column);
    }
  }
  QApplication::clipboard()->setText(out);
}

void ValueGrid::paste() {
  if (!m_map || !isEditable()) return;
  const view::GridRegion chosenCells = selection();
  const QStringList lines = QApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
  QVector<Entered> values;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QStringList cells = lines[i].split(QLatin1Char('\t'));
    for (qsizetype k = 0; k < cells.size(); ++k) {
      const uint64_t index =
          m_map->index(chosenCells.row + static_cast<uint64_t>(i), chosenCells.column + static_cast<uint64_t>(k));
      const QString text = cells[k].trimmed();
      if (index >= m_source->stored()) {
        Q_EMIT message(tr("The copied values do not fit here."));
        return;
      }
      if (const auto stored = m_nearest(fromQt(text)); !stored) {
        Q_EMIT message(toQt(stored.error().message()));
        return;
      }
      values << Entered{index, text};
    }
    if (values.size() > kMostPastedValues) {
      Q_EMIT message(tr("At most %1 values can be pasted at once. Replace the tensor with a file instead.")
                         .arg(toQt(groupedText(kMostPastedValues))));
      return;
    }
  }
  if (!values.isEmpty()) Q_EMIT entered(values);
}

// --- editing

bool ValueGrid::isEditing() const { return m_editor && m_editor->isVisible(); }

bool ValueGrid::startEditing(const QString& text) {
  if (!m_map || !isEditable() || m_map->rows() == 0 || m_map->columns() == 0) return false;
  const uint64_t index = m_map->index(m_row, m_column);
  if (index >= m_source->stored()) return false;
  if (!m_editor) {
    m_editor = new QLineEdit(viewport());
    m_editor->setAccessibleName(tr("Value"));
    m_editor->setFont(textFont(TextRole::Code));
    m_editor->installEventFilter(this);
    connect(m_editor, &QLineEdit::textEdited, this, [this] { checkTyped(); });
  }
  m_down.reveal(m_row);
  m_over.reveal(m_column);
  m_editor->setGeometry(cellRect(m_row, m_column));
  m_editor->setText(text.isEmpty() ? textOf(m_row, m_column) : text);
  if (text.isEmpty()) m_editor->selectAll();
  m_editor->show();
  m_editor->setFocus();
  checkTyped();
  return true;
}

/// Shows what would be stored when that is another number, or why nothing can be.
void ValueGrid::checkTyped() {
  auto* const hint = static_cast<ThemeLabel*>(m_hint);
  const QString typed = m_editor->text().trimmed();
  const auto stored = m_nearest(fromQt(typed));
  const bool same = stored && toQt(*stored) == typed;
  hint->setVisible(!same && !typed.isEmpty());
  if (same) return;
  hint->setText(stored ? tr("stored as %1").arg(toQt(*stored)) : toQt(stored.error().message()));
  hint->setRole(stored ? Role::Text : Role::Error);
  hint->adjustSize();
  const QPoint below = m_editor->mapTo(this, QPoint(0, m_editor->height() + 2));
  const int y =
      below.y() + hint->height() > height() ? m_editor->mapTo(this, QPoint()).y() - hint->height() - 2 : below.y();
  hint->move(std::clamp(below.x(), 0, std::max(0, width() - hint->width())), std::max(0, y));
  hint->raise();
}

void ValueGrid::finishEditing(bool accept) {
  if (!isEditing()) return;
  const QString typed = m_editor->text().trimmed();
  const bool changed = typed != textOf(m_row, m_column);
  const auto stored = accept && changed ? m_nearest(fromQt(typed)) : Result<std::string>(std::string());
  const bool hadFocus = m_editor->hasFocus();
  m_editor->hide();
  m_hint->hide();
  if (hadFocus) setFocus();
  if (!accept || !changed) return;
  if (!stored) {
    Q_EMIT message(toQt(stored.error().message()));
    return;
  }
  Q_EMIT message({});
  Q_EMIT entered({{m_map->index(m_row, m_column), typed}});
}

bool ValueGrid::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_editor) return QAbstractScrollArea::eventFilter(watched, event);
  if (event->type() == QEvent::FocusOut) {
    finishEditing(true);
    return false;
  }
  // The window's shortcuts must not take the keys of the editor.
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return false;
  const auto* const key = static_cast<QKeyEvent*>(event);
  const bool done = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Tab;
  if (!done && key->key() != Qt::Key_Escape) return false;
  if (event->type() == QEvent::ShortcutOverride) {
    event->accept();
    return true;
  }
  const uint64_t row = m_row + (key->key() == Qt::Key_Tab ? 0 : 1), column = m_column + (key->key() == Qt::Key_Tab);
  if (done && !m_nearest(fromQt(m_editor->text()))) return true; // the hint says why
  finishEditing(done);
  if (done) choose(row, column, false);
  return true;
}

// --- mouse and keys

bool ValueGrid::event(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) measure();
  // F2 and single keys start to edit, whatever shortcuts they are.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* const key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy) ||
        (isEditable() && (key->matches(QKeySequence::Paste) || key->key() == Qt::Key_F2))) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

bool ValueGrid::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* const help = static_cast<QHelpEvent*>(event);
    if (const auto cell = cellAt(help->pos()))
      QToolTip::showText(help->globalPos(), plainTip(describe(cell->first, cell->second)), this);
    else
      QToolTip::hideText();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void ValueGrid::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  finishEditing(true);
  measure();
  if (!std::exchange(m_sized, true)) setCurrent(m_row, m_column);
  Q_EMIT scrolled();
}

void ValueGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position().toPoint()))
    choose(cell->first, cell->second, event->modifiers().testFlag(Qt::ShiftModifier));
}

void ValueGrid::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton) || isEditing()) return;
  if (const auto cell = cellAt(event->position().toPoint()); cell && *cell != std::pair(m_row, m_column))
    choose(cell->first, cell->second, true);
}

void ValueGrid::mouseDoubleClickEvent(QMouseEvent* event) {
  if (cellAt(event->position().toPoint())) startEditing();
}

void ValueGrid::wheelEvent(QWheelEvent* event) {
  finishEditing(true);
  const QPoint turn = event->angleDelta();
  if (event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(turn.x()) > std::abs(turn.y())) {
    const int by = turn.x() != 0 ? turn.x() : turn.y();
    m_over.moveBy(by > 0 ? -1 : 1);
    event->accept();
    return;
  }
  if (!m_down.wheel(event)) QAbstractScrollArea::wheelEvent(event);
}

void ValueGrid::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::Paste) && isEditable()) return paste();
  const bool extend = event->modifiers().testFlag(Qt::ShiftModifier),
             control = event->modifiers().testFlag(Qt::ControlModifier);
  const uint64_t page = m_down.visible();
  const uint64_t lastRow = m_map && m_map->rows() > 0 ? m_map->rows() - 1 : 0,
                 lastColumn = m_map && m_map->columns() > 0 ? m_map->columns() - 1 : 0;
  switch (event->key()) {
  case Qt::Key_Left: return choose(m_row, m_column == 0 ? 0 : m_column - 1, extend);
  case Qt::Key_Right: return choose(m_row, m_column + 1, extend);
  case Qt::Key_Up: return choose(m_row == 0 ? 0 : m_row - 1, m_column, extend);
  case Qt::Key_Down: return choose(m_row + 1, m_column, extend);
  case Qt::Key_PageUp: return choose(m_row > page ? m_row - page : 0, m_column, extend);
  case Qt::Key_PageDown: return choose(std::min(m_row + page, lastRow), m_column, extend);
  case Qt::Key_Home: return choose(control ? 0 : m_row, 0, extend);
  case Qt::Key_End: return choose(control ? lastRow : m_row, lastColumn, extend);
  case Qt::Key_F2:
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (startEditing()) return;
    break;
  default:
    // A typed number replaces the value.
    if (!control && !event->text().isEmpty() && QStringLiteral("0123456789-+.nitf").contains(event->text().at(0)) &&
        startEditing(event->text()))
      return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void ValueGrid::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void ValueGrid::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

// --- painting

void ValueGrid::paintHeaders(QPainter& painter, const view::GridRegion& shown) const {
  const Theme& look = theme();
  painter.fillRect(QRect(0, 0, viewport()->width(), m_rowHeight), look.color(Role::Window));
  painter.setFont(textFont(TextRole::Secondary));
  const auto label = [&](const QRect& place, uint64_t number, bool currentOne) {
    QFont font = textFont(TextRole::Secondary);
    font.setWeight(currentOne ? QFont::DemiBold : QFont::Normal);
    painter.setFont(font);
    painter.setPen(look.color(currentOne ? Role::Text : Role::Secondary));
    painter.drawText(place.adjusted(0, 0, -kCellGap, 0), Qt::AlignRight | Qt::AlignVCenter, toQt(groupedText(number)));
  };
  for (uint64_t column = shown.column; column <= shown.column + shown.columns && column < m_map->columns(); ++column)
    label(QRect(cellRect(0, column).left(), 0, m_columnWidth, m_rowHeight), column, column == m_column);
  for (uint64_t row = shown.row; row <= shown.row + shown.rows && row < m_map->rows(); ++row)
    label(QRect(0, cellRect(row, 0).top(), m_labelWidth, m_rowHeight), row, row == m_row);
  painter.fillRect(QRect(0, m_rowHeight - 1, viewport()->width(), 1), look.color(Role::Rule));
  painter.fillRect(QRect(m_labelWidth - 1, 0, 1, viewport()->height()), look.color(Role::Rule));
}

void ValueGrid::paintCell(QPainter& painter, uint64_t row, uint64_t column) const {
  const Theme& look = theme();
  const uint64_t index = m_map->index(row, column);
  if (index == view::GridMap::kNone) return;
  const QRect place = cellRect(row, column);
  const view::GridRegion chosenCells = selection();
  const bool selected = row >= chosenCells.row && row < chosenCells.row + chosenCells.rows &&
                        column >= chosenCells.column && column < chosenCells.column + chosenCells.columns;
  const bool changed = m_changed.contains(index);
  if (changed) painter.fillRect(place, look.color(Role::ChangedLine));
  if (selected && chosenCells.rows * chosenCells.columns > 1)
    painter.fillRect(place, look.color(hasFocus() ? Role::Selection : Role::InactiveSelection));
  if (changed)
    painter.fillRect(QRect(place.left(), place.top(), kChangedEdge, place.height()), look.color(Role::Changed));
  if (m_colors && index < m_source->stored()) {
    const QRect swatch(place.left() + kChangedEdge + 2, place.top() + 4, kValueSwatch, place.height() - 8);
    painter.fillRect(swatch, QColor(m_colors->of(m_source->number(index))));
  }
  painter.setFont(textFont(TextRole::Code));
  painter.setPen(look.color(Role::Text));
  const QRect text = place.adjusted(kChangedEdge + kValueSwatch + 4, 0, -kCellGap, 0);
  painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(textOf(row, column), Qt::ElideRight, text.width()));
  if (row != m_row || column != m_column) return;
  painter.setPen(QPen(look.color(hasFocus() ? Role::Accent : Role::ControlBorder), hasFocus() ? 2 : 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(place).adjusted(1, 1, -1, -1));
}

void ValueGrid::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme().color(Role::Base));
  if (!m_map) return;
  const view::GridRegion shown = visible();
  for (uint64_t row = shown.row; row <= shown.row + shown.rows && row < m_map->rows(); ++row)
    for (uint64_t column = shown.column; column <= shown.column + shown.columns && column < m_map->columns(); ++column)
      paintCell(painter, row, column);
  paintHeaders(painter, shown);
}

} // namespace blobscope::ui
