#include "ui/window/panels/side_edge.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace blobscope::ui {
namespace {

constexpr int kEdgeWidth = 26, kEdgeGap = 8;

} // namespace

SideEdge::SideEdge(const QString& name, QWidget* parent) : QAbstractButton(parent) {
  setText(name);
  setAccessibleName(plainLine(tr("Open %1").arg(name)));
  setToolTip(plainTip(tr("Open %1").arg(name)));
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

QSize SideEdge::sizeHint() const {
  return {kEdgeWidth,
          4 * kEdgeGap + metrics::kIcon + QFontMetrics(textFont(TextRole::Secondary)).horizontalAdvance(text())};
}

void SideEdge::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  if (underMouse() || isDown()) painter.fillRect(rect(), look.color(Role::Hover));
  if (hasFocus()) {
    painter.setPen(QPen(look.color(Role::Accent), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
  const QRect arrow((width() - metrics::kIcon) / 2, kEdgeGap, metrics::kIcon, metrics::kIcon);
  painter.drawPixmap(arrow.topLeft(), iconPixmap(isRightToLeft() ? QStringLiteral("forward") : QStringLiteral("back"),
                                                 Role::Secondary, metrics::kIcon, devicePixelRatioF()));
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(look.color(Role::Text));
  painter.translate(width(), arrow.bottom() + kEdgeGap);
  painter.rotate(90);
  painter.drawText(QRect(0, 0, height(), width()), Qt::AlignLeft | Qt::AlignVCenter, text());
}

} // namespace blobscope::ui
