#include "ui/theme/delegates.h"

#include <QPainter>
#include <QWidget>

#include <algorithm>

namespace blobscope::ui {

QRect placed(const QStyleOptionViewItem& option, const QRect& rect) {
  return QStyle::visualRect(option.direction, option.rect, rect);
}

QRect placed(const QWidget& widget, const QRect& rect) {
  return QStyle::visualRect(widget.layoutDirection(), widget.rect(), rect);
}

int nameFlags(const QPainter& painter, Qt::Alignment alignment) {
  return static_cast<int>(QStyle::visualAlignment(painter.layoutDirection(), alignment)) | Qt::TextForceLeftToRight;
}

void paintChangedMark(QPainter* painter, const QRect& rect) {
  QRect disc(0, 0, kChangedMark, kChangedMark);
  disc.moveCenter(rect.center());
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme().color(Role::Changed));
  painter->drawEllipse(disc);
  painter->restore();
}

void paintRowIcon(QPainter* painter, const QStyleOptionViewItem& option, const QRect& rect, const QPixmap& picture) {
  const QRect place(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon, metrics::kIcon);
  painter->drawPixmap(placed(option, place).topLeft(), picture);
}

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
  // Names are read from left to right in every layout; the line as a whole begins at the start of the rectangle.
  if (painter->layoutDirection() == Qt::RightToLeft) {
    int total = 0;
    for (const LinePiece& piece : pieces) total += metrics.horizontalAdvance(piece.text);
    rest.setLeft(std::max(rect.left(), rect.right() + 1 - total));
  }
  for (const LinePiece& piece : pieces) {
    const int width = qMin(metrics.horizontalAdvance(piece.text), rest.width());
    if (piece.found) {
      const int height = metrics.height();
      painter->fillRect(QRect(rest.left(), rest.center().y() - height / 2, width, height), look.color(Role::Found));
    }
    painter->setPen(look.color(piece.dim && !piece.found ? Role::Secondary : Role::Text));
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextForceLeftToRight, piece.text);
    rest.setLeft(rest.left() + width);
  }
}

} // namespace blobscope::ui
