#include "ui/widgets/scroll_area.h"

#include "ui/theme/theme.h"

#include <QFocusEvent>
#include <QPainter>

namespace blobscope::ui {

ScrollArea::ScrollArea(QWidget* parent) : QScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setViewportMargins(1, 1, 1, 1); // room for the frame
}

bool ScrollArea::event(QEvent* event) {
  const bool done = QScrollArea::event(event);
  if (event->type() == QEvent::Paint && hasFocus() && m_byKey) {
    QPainter painter(this);
    painter.setPen(theme().color(Role::Accent));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
  return done;
}

void ScrollArea::focusInEvent(QFocusEvent* event) {
  m_byKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
            event->reason() == Qt::ShortcutFocusReason;
  QScrollArea::focusInEvent(event);
}

} // namespace blobscope::ui
