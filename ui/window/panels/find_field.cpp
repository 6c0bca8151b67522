#include "ui/window/panels/find_field.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace blobscope::ui {

FindField::FindField(const QString& text, const QString& shortcut, QWidget* parent)
    : QAbstractButton(parent), m_shortcut(shortcut) {
  setText(text);
  setAccessibleName(plainLine(text));
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::IBeamCursor);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setMaximumWidth(320);
}

void FindField::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& look = theme();
  const qreal line = hasFocus() ? 2 : 1;
  painter.setPen(QPen(look.color(hasFocus() ? Role::Accent : Role::ControlBorder), line));
  painter.setBrush(look.color(Role::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2), 4, 4);
  const QRect picture(8, (height() - metrics::kIcon) / 2, metrics::kIcon, metrics::kIcon);
  painter.drawPixmap(placed(*this, picture).topLeft(),
                     iconPixmap(QStringLiteral("find"), Role::Secondary, metrics::kIcon, devicePixelRatioF()));
  const QFont small = textFont(TextRole::Chip);
  const int key = QFontMetrics(small).horizontalAdvance(m_shortcut);
  const QRect rest = rect().adjusted(8 + metrics::kIcon + 6, 0, -8, 0);
  if (rest.width() < 20) return;
  painter.setPen(look.color(Role::Faint));
  const bool room = rest.width() > key + 60;
  painter.drawText(placed(*this, rest.adjusted(0, 0, room ? -key - 8 : 0, 0)), Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideRight, rest.width() - (room ? key + 8 : 0)));
  if (!room) return;
  painter.setFont(small);
  painter.setPen(look.color(Role::Secondary));
  painter.drawText(placed(*this, rest), Qt::AlignVCenter | Qt::AlignRight, m_shortcut);
}

} // namespace blobscope::ui
