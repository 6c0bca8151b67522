#include "ui/widgets/flow_layout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace blobscope::ui {

FlowLayout::FlowLayout(int gap, int lineGap, QWidget* parent) : QLayout(parent), m_gap(gap), m_lineGap(lineGap) {
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() { qDeleteAll(m_items); }

QLayoutItem* FlowLayout::takeAt(int index) { return index >= 0 && index < count() ? m_items.takeAt(index) : nullptr; }

QSize FlowLayout::sizeHint() const {
  QSize size;
  for (const QLayoutItem* const item : m_items) {
    if (item->isEmpty()) continue;
    size.setWidth(size.width() + item->sizeHint().width() + (size.width() > 0 ? m_gap : 0));
    size.setHeight(std::max(size.height(), item->sizeHint().height()));
  }
  return size;
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* const item : m_items)
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  return size;
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool apply) const {
  const Qt::LayoutDirection direction = parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
  int y = rect.y();
  for (qsizetype first = 0, next = 0; first < m_items.size(); first = next) {
    // One line: at least one widget, then those that fit.
    int used = 0, height = 0;
    for (next = first; next < m_items.size(); ++next) {
      if (m_items[next]->isEmpty()) continue;
      const QSize hint = m_items[next]->sizeHint();
      if (used > 0 && used + m_gap + hint.width() > rect.width()) break;
      used += hint.width() + (used > 0 ? m_gap : 0);
      height = std::max(height, hint.height());
    }
    if (height == 0) continue;
    if (y > rect.y()) y += m_lineGap;
    int x = rect.x();
    for (qsizetype i = first; apply && i < next; ++i) {
      if (m_items[i]->isEmpty()) continue;
      const QSize size(std::min(m_items[i]->sizeHint().width(), rect.width()), m_items[i]->sizeHint().height());
      const QRect place(QPoint(x, y + (height - size.height()) / 2), size);
      m_items[i]->setGeometry(QStyle::visualRect(direction, rect, place));
      x += size.width() + m_gap;
    }
    y += height;
  }
  return y - rect.y();
}

} // namespace blobscope::ui
