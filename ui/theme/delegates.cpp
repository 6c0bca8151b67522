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

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QSize(QStyledItemDelegate::sizeHint(option, index).width() + 8, metrics::rowHeight());
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintRow(painter, option);
  const QFont font = m_code.contains(index.column()) ? textFont(TextRole::Code) : option.font;
  painter->setFont(font);
  painter->setPen(theme().color(Role::Text));
  const QRect rect = option.rect.adjusted(8, 0, -8, 0);
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  const Qt::Alignment align = alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft | Qt::AlignVCenter;
  painter->drawText(rect, static_cast<int>(align),
                    QFontMetrics(font).elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, rect.width()));
  painter->restore();
}

} // namespace blobscope::ui
