#include "ui/widgets/charts/target_strip.h"

#include "ui/text/plain_text.h"
#include "ui/text/state_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/state_cell.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kBoxGap = 3, kBox = 26, kSmallestBox = 26, kLineGap = 6, kBoxFrame = 2;

QFont boxLabelFont(bool bold) {
  QFont font = textFont(TextRole::Chip);
  font.setWeight(bold ? QFont::Bold : QFont::Medium);
  return font;
}
int boxLabelHeight() { return QFontMetrics(boxLabelFont(true)).height() + 3; }
int stripLineHeight() { return boxLabelHeight() + kBox + 2 * kBoxFrame + kLineGap; }

} // namespace

TargetStrip::TargetStrip(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of releases
  installAccessibleBars();
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void TargetStrip::setCells(const QString& title, std::vector<Cell> cells, const std::string& chosen) {
  const std::string key = m_key >= 0 ? m_cells[static_cast<std::size_t>(m_key)].choice : std::string();
  m_cells = std::move(cells);
  m_chosen = m_key = m_hovered = -1;
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    if (m_cells[i].choice == chosen) m_chosen = static_cast<int>(i);
    if (!key.empty() && m_cells[i].choice == key) m_key = static_cast<int>(i);
  }
  setAccessibleName(plainLine(title));
  arrange();
}

void TargetStrip::setFolded(bool folded) {
  if (m_folded == folded) return;
  m_folded = folded;
  arrange();
}

bool TargetStrip::isAlike(const Cell& a, const Cell& b) { return a.state == b.state && a.step == b.step; }

std::vector<TargetStrip::Box> TargetStrip::boxesAt(int width) const {
  std::vector<Box> boxes;
  for (int cell = 0; cell < static_cast<int>(m_cells.size()); ++cell) {
    const Cell& now = m_cells[static_cast<std::size_t>(cell)];
    if (m_folded && cell > 0 && isAlike(m_cells[static_cast<std::size_t>(cell) - 1], now))
      boxes.back().last = cell;
    else
      boxes.push_back({cell, cell});
  }
  const QFontMetrics metrics(boxLabelFont(true));
  int y = 0;
  for (std::size_t first = 0, next = 0; first < boxes.size(); first = next, y += stripLineHeight()) {
    int used = 0;
    for (next = first; next < boxes.size(); ++next) {
      const int wanted = std::max(kSmallestBox, metrics.horizontalAdvance(labelOf(boxes[next])) + 8);
      if (next > first && used + kBoxGap + wanted > width) break;
      boxes[next].place = QRect(0, y, std::min(wanted, std::max(width, kSmallestBox)), stripLineHeight() - kLineGap);
      used += wanted + (next > first ? kBoxGap : 0);
    }
    // A full line, and the only one, takes the whole width.
    const auto count = static_cast<int>(next - first);
    const int rest = std::max(0, next < boxes.size() || first == 0 ? width - used : 0);
    int x = 0;
    for (std::size_t i = first; i < next; ++i) {
      const auto at = static_cast<int>(i - first);
      QRect& place = boxes[i].place;
      place.moveLeft(x);
      place.setWidth(place.width() + (at + 1) * rest / count - at * rest / count);
      x = place.right() + 1 + kBoxGap;
    }
  }
  return boxes;
}

int TargetStrip::heightForWidth(int width) const {
  const std::vector<Box> boxes = boxesAt(width);
  return boxes.empty() ? 0 : boxes.back().place.bottom() + 1;
}

void TargetStrip::arrange() {
  m_boxes = boxesAt(width());
  m_hovered = -1;
  updateGeometry();
  update();
  setAccessibleDescription(plainLine(currentText()));
  Q_EMIT currentChanged(current());
}

void TargetStrip::resizeEvent(QResizeEvent*) { arrange(); }

QString TargetStrip::labelOf(const Box& box) const {
  const QString last = toQt(m_cells[static_cast<std::size_t>(box.last)].label);
  if (box.first == box.last) return last;
  return QStringLiteral("%1 – %2").arg(toQt(m_cells[static_cast<std::size_t>(box.first)].label), last);
}

int TargetStrip::boxOf(int cell) const {
  for (std::size_t i = 0; i < m_boxes.size(); ++i)
    if (cell >= m_boxes[i].first && cell <= m_boxes[i].last) return static_cast<int>(i);
  return -1;
}

int TargetStrip::boxAt(const QPoint& place) const {
  for (std::size_t i = 0; i < m_boxes.size(); ++i)
    if (m_boxes[i].place.contains(place)) return static_cast<int>(i);
  return -1;
}

int TargetStrip::shownCell(const Box& box) const {
  return m_chosen >= box.first && m_chosen <= box.last ? m_chosen : box.last;
}

int TargetStrip::current() const {
  if (m_hovered >= 0) return shownCell(m_boxes[static_cast<std::size_t>(m_hovered)]);
  if (hasFocus() && m_key >= 0) return m_key;
  if (m_chosen >= 0) return m_chosen;
  return m_cells.empty() ? -1 : static_cast<int>(m_cells.size()) - 1;
}

QString TargetStrip::labelOf(int cell) const {
  const int box = boxOf(cell);
  return box >= 0 ? labelOf(m_boxes[static_cast<std::size_t>(box)]) : QString();
}

QString TargetStrip::barText(int box) const {
  const Box& shown = m_boxes[static_cast<std::size_t>(box)];
  const Cell& cell = m_cells[static_cast<std::size_t>(shownCell(shown))];
  const QString state = stateText(cell.state, cell.step);
  QString text = cell.sentence.empty() ? tr("%1: %2").arg(labelOf(shown), state)
                                       : tr("%1: %2. %3").arg(labelOf(shown), state, toQt(cell.sentence));
  if (m_chosen >= shown.first && m_chosen <= shown.last) text = tr("%1 (chosen)").arg(text);
  return text;
}

QString TargetStrip::currentText() const {
  const int box = boxOf(current());
  return box >= 0 ? barText(box) : QString();
}

void TargetStrip::setHovered(int box) {
  if (box == m_hovered) return;
  m_hovered = box;
  setCursor(box >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
  Q_EMIT currentChanged(current());
}

void TargetStrip::moveTo(int box) {
  if (m_boxes.empty()) return;
  box = std::clamp(box, 0, static_cast<int>(m_boxes.size()) - 1);
  m_key = shownCell(m_boxes[static_cast<std::size_t>(box)]);
  m_hovered = -1;
  update();
  setAccessibleDescription(plainLine(currentText()));
  QAccessibleEvent focused(this, QAccessible::Focus);
  focused.setChild(box);
  QAccessible::updateAccessibility(&focused);
  Q_EMIT currentChanged(current());
}

bool TargetStrip::event(QEvent* event) {
  switch (event->type()) {
  case QEvent::ToolTip: {
    const auto* const help = static_cast<QHelpEvent*>(event);
    if (const int box = boxAt(help->pos()); box >= 0)
      QToolTip::showText(help->globalPos(), plainTip(barText(box)), this);
    else
      QToolTip::hideText();
    return true;
  }
  case QEvent::Leave: setHovered(-1); break;
  case QEvent::FocusIn:
  case QEvent::FocusOut: {
    if (event->type() == QEvent::FocusIn && m_key < 0) m_key = current();
    update();
    Q_EMIT currentChanged(current());
    break;
  }
  default: break;
  }
  return QWidget::event(event);
}

void TargetStrip::mouseMoveEvent(QMouseEvent* event) { setHovered(boxAt(event->position().toPoint())); }

void TargetStrip::mousePressEvent(QMouseEvent* event) {
  const int box = boxAt(event->position().toPoint());
  if (event->button() != Qt::LeftButton || box < 0) return QWidget::mousePressEvent(event);
  m_key = shownCell(m_boxes[static_cast<std::size_t>(box)]);
  Q_EMIT chosen(m_key);
}

void TargetStrip::keyPressEvent(QKeyEvent* event) {
  const int box = boxOf(m_key >= 0 ? m_key : current());
  switch (event->key()) {
  case Qt::Key_Left: return moveTo(box - 1);
  case Qt::Key_Right: return moveTo(box + 1);
  case Qt::Key_Home: return moveTo(0);
  case Qt::Key_End: return moveTo(static_cast<int>(m_boxes.size()) - 1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
  case Qt::Key_Space:
    if (m_key >= 0) Q_EMIT chosen(m_key);
    return;
  default: QWidget::keyPressEvent(event);
  }
}

void TargetStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const int shown = boxOf(current());
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const Box& box = m_boxes[i];
    const Cell& cell = m_cells[static_cast<std::size_t>(shownCell(box))];
    const bool isChosen = m_chosen >= box.first && m_chosen <= box.last;
    const bool isCurrent = static_cast<int>(i) == shown && (m_hovered >= 0 || hasFocus());
    painter.setFont(boxLabelFont(isChosen));
    painter.setPen(theme().color(isChosen ? Role::Text : Role::Secondary));
    QRect label = box.place;
    label.setHeight(boxLabelHeight());
    painter.drawText(label, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(labelOf(box), Qt::ElideMiddle, label.width()));
    const QRectF square = QRectF(box.place).adjusted(kBoxFrame, boxLabelHeight() + kBoxFrame, -kBoxFrame, -kBoxFrame);
    StateCell::paint(painter, square, cell.state, cell.step);
    if (!isChosen && !isCurrent) continue;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    if (isChosen) {
      painter.setPen(QPen(theme().color(Role::Accent), 2));
      painter.drawRoundedRect(square.adjusted(-1, -1, 1, 1), 4, 4);
    }
    if (isCurrent) {
      // Inside the frame of the chosen one.
      painter.setPen(QPen(theme().color(Role::Text), hasFocus() && m_hovered < 0 ? 1.6 : 1));
      const double in = isChosen ? 1.5 : 0;
      painter.drawRoundedRect(square.adjusted(in, in, -in, -in), 3, 3);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
}

} // namespace blobscope::ui
