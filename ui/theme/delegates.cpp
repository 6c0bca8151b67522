#include "ui/theme/delegates.h"

#include <QPainter>

namespace blobscope::ui {

void paintRow(QPainter* painter, const QStyleOptionViewItem& option) {
  const Theme& look = theme();
  const bool active = option.state & QStyle::State_Active;
  if (option.state & QStyle::State_Selected)
    painter->fillRect(option.rect, look.color(active ? Role::Selection : Role::InactiveSelection));
  else if (option.state & QStyle::State_MouseOver)
    painter->fillRect(option.rect, look.color(Role::Hover));
  if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
    painter->setPen(look.color(Role::Accent));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }
}

} // namespace blobscope::ui
