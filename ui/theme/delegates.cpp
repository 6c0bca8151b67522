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

void paintPieces(QPainter* painter, const QRect& rect, const QList<LinePiece>& pieces) {
  const Theme& look = theme();
  const QFontMetrics metrics = painter->fontMetrics();
  QRect rest = rect;
  for (const LinePiece& piece : pieces) {
    const int width = qMin(metrics.horizontalAdvance(piece.text), rest.width());
    if (piece.found) {
      const int height = metrics.height();
      painter->fillRect(QRect(rest.left(), rest.center().y() - height / 2, width, height), look.color(Role::Found));
    }
    painter->setPen(look.color(piece.dim && !piece.found ? Role::Secondary : Role::Text));
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, piece.text);
    rest.setLeft(rest.left() + width);
  }
}

} // namespace blobscope::ui
