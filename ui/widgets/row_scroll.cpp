#include "ui/widgets/row_scroll.h"

#include <QApplication>
#include <QWheelEvent>

#include <algorithm>

namespace blobscope::ui {
namespace {

// Far enough below INT_MAX that value + page step does not overflow.
constexpr uint64_t kSteps = 1U << 30;

} // namespace

RowScroll::RowScroll(QScrollBar* bar, std::function<void()> moved) : m_bar(bar), m_moved(std::move(moved)) {
  QObject::connect(bar, &QScrollBar::valueChanged, bar, [this](int value) {
    if (m_syncing || value == barValue()) return;
    m_top = value == m_bar->maximum() ? m_maximum : std::min(static_cast<uint64_t>(value) * m_scale, m_maximum);
    m_moved();
  });
  // If the bar is scaled, its steps are larger than a row.
  QObject::connect(bar, &QScrollBar::actionTriggered, bar, [this](int action) {
    if (m_scale == 1) return;
    const auto page = static_cast<int64_t>(m_visible);
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd: moveBy(1); break;
    case QAbstractSlider::SliderSingleStepSub: moveBy(-1); break;
    case QAbstractSlider::SliderPageStepAdd: moveBy(page); break;
    case QAbstractSlider::SliderPageStepSub: moveBy(-page); break;
    default: return;
    }
    m_bar->setSliderPosition(barValue());
  });
}

int RowScroll::barValue() const {
  return static_cast<int>(m_top == m_maximum ? (m_maximum + m_scale - 1) / m_scale : m_top / m_scale);
}

void RowScroll::syncBar() {
  m_syncing = true;
  m_bar->setValue(barValue());
  m_syncing = false;
}

void RowScroll::setRange(uint64_t rows, uint64_t visible) {
  m_visible = std::max<uint64_t>(visible, 1);
  m_maximum = rows > m_visible ? rows - m_visible : 0;
  m_scale = m_maximum / kSteps + 1;
  m_syncing = true;
  m_bar->setRange(0, static_cast<int>((m_maximum + m_scale - 1) / m_scale));
  m_bar->setPageStep(static_cast<int>(std::max<uint64_t>(m_visible / m_scale, 1)));
  m_bar->setSingleStep(1);
  m_syncing = false;
  const uint64_t before = m_top;
  m_top = std::min(m_top, m_maximum);
  syncBar();
  if (m_top != before) m_moved();
}

void RowScroll::setTop(uint64_t row) {
  const uint64_t before = m_top;
  m_top = std::min(row, m_maximum);
  syncBar();
  if (m_top != before) m_moved();
}

void RowScroll::moveBy(int64_t rows) {
  if (rows < 0) {
    const auto up = static_cast<uint64_t>(-rows);
    setTop(up > m_top ? 0 : m_top - up);
  } else {
    const auto down = static_cast<uint64_t>(rows);
    setTop(down > m_maximum - m_top ? m_maximum : m_top + down);
  }
}

void RowScroll::reveal(uint64_t row) {
  if (row >= m_top && row - m_top < m_visible) return;
  const uint64_t half = m_visible / 2;
  if (row < m_top)
    setTop(m_top - row <= half ? row : row > half ? row - half : 0);
  else
    setTop(row - m_top < m_visible + half ? row - m_visible + 1 : row - half);
}

bool RowScroll::wheel(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  if (delta.y() == 0 || (event->modifiers() & Qt::ShiftModifier)) return false;
  m_wheel += delta.y() * QApplication::wheelScrollLines();
  const int rows = m_wheel / 120;
  m_wheel -= rows * 120;
  moveBy(-rows);
  event->accept();
  return true;
}

} // namespace blobscope::ui
