#include "ui/pages/flame_view.h"

#include "ui/models/calls_model.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kFlameMargin = 12, kFlameRow = 24;
constexpr double kNarrow = 1; ///< pixels
constexpr int kDeepest = 24;

Role flameRole(view::CallsPage::Kind kind) {
  switch (kind) {
  case view::CallsPage::Kind::Function: return Role::KindVm;
  case view::CallsPage::Kind::Kernel: return Role::KindDevice;
  default: return Role::KindHost;
  }
}

} // namespace

FlameView::FlameView(CallsModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  setLayoutDirection(Qt::LeftToRight); // an axis of shares
  installAccessibleBars();
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Flame view"));
}

QSize FlameView::sizeHint() const { return {600, std::max(2, m_levels) * kFlameRow + 10}; }
QSize FlameView::minimumSizeHint() const { return {240, 2 * kFlameRow + 10}; }

void FlameView::rebuild() {
  m_cells.clear();
  m_levels = 1;
  const double wide = std::max(10, width() - 2 * kFlameMargin);
  if (m_zoomed && m_model.value(*m_zoomed) > 0)
    place({*m_zoomed}, kFlameMargin, wide / m_model.value(*m_zoomed), 0);
  else
    place(m_model.roots(), kFlameMargin, wide / m_model.total(), 0);
  QStringList words;
  for (const Cell& cell : m_cells)
    if (words.size() < 40) words << textOf(cell);
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  update();
}

void FlameView::place(const std::vector<uint32_t>& rows, double left, double perUnit, int level) {
  if (level >= kDeepest) return;
  std::vector<uint32_t> sorted = rows;
  std::ranges::stable_sort(sorted, [this](uint32_t a, uint32_t b) { return m_model.value(a) > m_model.value(b); });
  std::optional<Cell> merged;
  for (const uint32_t row : sorted) {
    const double wide = m_model.value(row) * perUnit;
    if (wide <= 0) break;
    const QRectF box(left, 4 + level * kFlameRow, wide, kFlameRow - 2);
    left += wide;
    if (wide < kNarrow) {
      if (!merged) {
        merged = Cell{box, row, 0};
      } else {
        merged->place.setRight(box.right());
        ++merged->merged;
      }
      continue;
    }
    m_levels = std::max(m_levels, level + 1);
    m_cells.push_back({box, row, 0});
    place(m_model.childrenOf(row), box.left(), perUnit, level + 1);
  }
  if (merged && merged->place.width() >= kNarrow) m_cells.push_back(*merged);
}

QString FlameView::textOf(const Cell& cell) const {
  if (cell.merged > 0) return tr("%n narrow box(es)", nullptr, pluralCount(uint64_t{cell.merged} + 1));
  const auto text = [&](int column) { return m_model.indexOf(cell.row, column).data().toString(); };
  QString out =
      tr("%1, calls: %2, launches: %3, share: %4")
          .arg(text(CallsModel::Name), text(CallsModel::Calls), text(CallsModel::Launches), text(CallsModel::Share));
  if (m_model.page().rows[cell.row].flop) out += QStringLiteral(", ") + tr("%1 FLOP").arg(text(CallsModel::Flop));
  return out;
}

std::optional<uint32_t> FlameView::rowAt(QPointF place) const {
  const auto found = std::ranges::find_if(m_cells, [&](const Cell& cell) { return cell.place.contains(place); });
  return found == m_cells.end() ? std::nullopt : std::optional(found->row);
}

void FlameView::setCurrent(std::optional<uint32_t> row) {
  m_current = row;
  update();
}

void FlameView::zoomTo(std::optional<uint32_t> row) {
  m_zoomed = row && m_model.value(*row) > 0 ? row : std::nullopt;
  rebuild();
}

QString FlameView::currentText() const {
  const auto at = std::ranges::find_if(m_cells, [this](const Cell& cell) { return m_current == cell.row; });
  return at == m_cells.end() ? QString() : textOf(*at);
}

void FlameView::choose(uint32_t row) {
  m_current = row;
  update();
  QAccessibleValueChangeEvent changed(this, currentText());
  QAccessible::updateAccessibility(&changed);
  Q_EMIT chosen(row);
}

bool FlameView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto found = std::ranges::find_if(m_cells, [&](const Cell& cell) { return cell.place.contains(help->pos()); });
  if (found == m_cells.end())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), plainTip(textOf(*found)), this);
  return true;
}

void FlameView::resizeEvent(QResizeEvent*) { rebuild(); }

void FlameView::mousePressEvent(QMouseEvent* event) {
  if (const auto row = rowAt(event->position()); row && event->button() == Qt::LeftButton) choose(*row);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto row = rowAt(event->position());
  zoomTo(row == m_zoomed ? std::nullopt : row);
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_current) zoomTo(m_current);
    return;
  case Qt::Key_Escape:
  case Qt::Key_Backspace:
    if (!m_zoomed) return QWidget::keyPressEvent(event);
    return zoomTo(std::nullopt);
  case Qt::Key_Left:
  case Qt::Key_Right:
  case Qt::Key_Up:
  case Qt::Key_Down: return step(event->key());
  default: return QWidget::keyPressEvent(event);
  }
}

/// Goes to the neighbour at that side.
void FlameView::step(int key) {
  const auto at =
      std::ranges::find_if(m_cells, [this](const Cell& cell) { return m_current && cell.row == *m_current; });
  if (at == m_cells.end()) {
    if (!m_cells.empty()) choose(m_cells.front().row);
    return;
  }
  const QPointF from = at->place.center();
  const Cell* best = nullptr;
  for (const Cell& cell : m_cells) {
    const double level = cell.place.top() - at->place.top();
    bool fits = false;
    switch (key) {
    case Qt::Key_Down:
      fits = level == kFlameRow && cell.place.left() >= at->place.left() - 0.5 && cell.place.left() < at->place.right();
      break;
    case Qt::Key_Up:
      fits = level == -kFlameRow && cell.place.left() <= from.x() && cell.place.right() >= from.x();
      break;
    case Qt::Key_Right: fits = level == 0 && cell.place.left() > at->place.left(); break;
    default: fits = level == 0 && cell.place.left() < at->place.left();
    }
    if (!fits) continue;
    const bool nearer =
        !best || std::abs(cell.place.left() - at->place.left()) < std::abs(best->place.left() - at->place.left());
    if (nearer) best = &cell;
  }
  if (best) choose(best->row);
}

void FlameView::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void FlameView::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void FlameView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  painter.fillRect(rect(), theme().color(Role::Base));
  painter.setFont(textFont(TextRole::Secondary));
  if (m_cells.empty()) {
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(rect(), Qt::AlignCenter, tr("Nothing to show for this measure."));
    return;
  }
  for (const Cell& cell : m_cells) {
    QColor over = theme().color(cell.merged > 0 ? Role::KindUnknown : flameRole(m_model.page().rows[cell.row].kind));
    over.setAlphaF(theme().isDark() ? 0.42F : 0.36F);
    const QRectF box = cell.place.adjusted(0, 0, cell.place.width() > 3 ? -1 : 0, 0);
    painter.fillRect(box, over);
    if (m_current && cell.row == *m_current && cell.merged == 0) {
      painter.setPen(QPen(theme().color(Role::Accent), hasFocus() ? 2 : 1.4));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (box.width() < 40 || cell.merged > 0) continue;
    painter.setPen(theme().color(Role::Text));
    painter.drawText(box.adjusted(6, 0, -6, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_model.indexOf(cell.row).data().toString(), Qt::ElideMiddle,
                                                      static_cast<int>(box.width()) - 12));
  }
}

} // namespace blobscope::ui
