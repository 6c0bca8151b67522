#include "ui/compare/cut_row.h"

#include <QEvent>

#include <algorithm>

namespace blobscope::ui {

void CutRow::add(QWidget* widget, int space, bool joined) {
  widget->setParent(this);
  m_items.append({widget, space, joined});
  updateGeometry();
  arrange();
}

QSize CutRow::sizeHint() const {
  QSize out(0, 0);
  for (const Item& item : m_items) {
    const QSize hint = item.widget->sizeHint();
    out = QSize(out.width() + hint.width() + item.space, std::max(out.height(), hint.height()));
  }
  return out;
}

QSize CutRow::minimumSizeHint() const { return {40, sizeHint().height()}; }

bool CutRow::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) {
    updateGeometry();
    arrange();
  }
  return QWidget::event(event);
}

void CutRow::resizeEvent(QResizeEvent*) { arrange(); }

void CutRow::arrange() {
  int x = 0;
  bool fits = true;
  for (qsizetype i = 0; i < m_items.size(); ++i) {
    const Item& item = m_items[i];
    const QSize hint = item.widget->sizeHint();
    int need = hint.width();
    if (item.joined && i + 1 < m_items.size()) need += item.space + m_items[i + 1].widget->sizeHint().width();
    fits = fits && x + need <= width();
    item.widget->setVisible(fits);
    item.widget->setGeometry(x, (height() - hint.height()) / 2, hint.width(), hint.height());
    x += hint.width() + item.space;
  }
}

} // namespace blobscope::ui
