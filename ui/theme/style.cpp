#include "ui/theme/style.h"

#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolButton>

namespace blobscope::ui {
namespace {

constexpr qreal kRadius = 4;

void roundedBox(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border, qreal width = 1) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(fill);
  painter->setPen(border.isValid() ? QPen(border, width) : Qt::NoPen);
  const qreal inset = border.isValid() ? width / 2 : 0;
  painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
  painter->restore();
}

bool isPrimary(const QWidget* widget) {
  const auto* button = qobject_cast<const QPushButton*>(widget);
  return button && button->isDefault();
}

} // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  const Theme& look = theme();
  switch (element) {
  case PE_PanelLineEdit: {
    const bool framed = !qobject_cast<const QLineEdit*>(widget) || static_cast<const QLineEdit*>(widget)->hasFrame();
    if (!framed) return;
    const bool focus = option->state & State_HasFocus;
    roundedBox(painter, option->rect, look.color(Role::Base), look.color(focus ? Role::Accent : Role::ControlBorder),
               focus ? 2 : 1);
    return;
  }
  case PE_PanelButtonCommand: {
    const bool down = option->state & (State_Sunken | State_On);
    const bool hover = (option->state & State_MouseOver) && (option->state & State_Enabled);
    if (isPrimary(widget) && (option->state & State_Enabled)) {
      QColor fill = look.color(Role::Accent);
      if (down || hover) fill = down ? fill.darker(115) : fill.lighter(110);
      roundedBox(painter, option->rect, fill, QColor());
    } else {
      roundedBox(painter, option->rect, look.color(down ? Role::Selection : hover ? Role::Hover : Role::Raised),
                 look.color(Role::ControlBorder));
    }
    return;
  }
  case PE_PanelButtonTool:
    if (option->state & State_On)
      roundedBox(painter, option->rect, look.color(Role::Selection), QColor());
    else if (option->state & State_Sunken)
      roundedBox(painter, option->rect, look.color(Role::InactiveSelection), QColor());
    else if ((option->state & State_MouseOver) && (option->state & State_Enabled))
      roundedBox(painter, option->rect, look.color(Role::Header), QColor());
    return;
  case PE_FrameFocusRect:
    if (option->state & State_KeyboardFocusChange || widget) {
      painter->save();
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setBrush(Qt::NoBrush);
      painter->setPen(QPen(look.color(Role::Accent), 2));
      painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), kRadius, kRadius);
      painter->restore();
    }
    return;
  case PE_IndicatorToolBarSeparator: {
    const QRect rect = option->rect;
    painter->fillRect(QRect(rect.center().x(), rect.top() + 8, 1, rect.height() - 16), look.color(Role::Rule));
    return;
  }
  case PE_PanelToolBar:
  case PE_PanelMenuBar:
  case PE_PanelStatusBar:
  case PE_FrameStatusBarItem: return; // the window's own colour, no bevels
  case PE_IndicatorBranch: {
    if (!(option->state & State_Children)) return;
    // A chevron; open points down, closed points right.
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(look.color(Role::Secondary), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF center = QRectF(option->rect).center();
    QPolygonF line;
    if (option->state & State_Open)
      line << center + QPointF(-4, -2) << center + QPointF(0, 2) << center + QPointF(4, -2);
    else
      line << center + QPointF(-2, -4) << center + QPointF(2, 0) << center + QPointF(-2, 4);
    painter->drawPolyline(line);
    painter->restore();
    return;
  }
  default: QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  const Theme& look = theme();
  switch (element) {
  case CE_Splitter: painter->fillRect(option->rect, look.color(Role::Rule)); return;
  case CE_MenuBarEmptyArea: painter->fillRect(option->rect, look.color(Role::Window)); return;
  case CE_HeaderSection:
  case CE_HeaderEmptyArea:
    painter->fillRect(option->rect, look.color(Role::Window));
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), look.color(Role::Rule));
    return;
  case CE_PushButtonLabel:
    if (isPrimary(widget) && (option->state & State_Enabled)) {
      QStyleOptionButton label = *qstyleoption_cast<const QStyleOptionButton*>(option);
      label.palette.setColor(QPalette::ButtonText, look.color(Role::OnAccent));
      QProxyStyle::drawControl(element, &label, painter, widget);
      return;
    }
    break;
  default: break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
  if (control != CC_ScrollBar) {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    return;
  }
  // A thumb of 6 pixels on nothing.
  const Theme& look = theme();
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  const QRect slider = subControlRect(CC_ScrollBar, bar, SC_ScrollBarSlider, widget);
  painter->fillRect(option->rect, look.color(widget && widget->parentWidget() ? Role::Base : Role::Window));
  const bool active = option->state & (State_MouseOver | State_Sunken);
  QRect thumb = slider;
  if (bar->orientation == Qt::Vertical)
    thumb = QRect(slider.left() + 3, slider.top() + 2, 6, slider.height() - 4);
  else
    thumb = QRect(slider.left() + 2, slider.top() + 3, slider.width() - 4, 6);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  QColor color = look.color(Role::ControlBorder);
  if (!active) color.setAlphaF(0.6F);
  painter->setBrush(color);
  painter->drawRoundedRect(thumb, 3, 3);
  painter->restore();
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
  case PM_ScrollBarExtent: return 12;
  case PM_ScrollBarSliderMin: return 28;
  case PM_SplitterWidth: return 1;
  case PM_TreeViewIndentation: return metrics::kIndent;
  case PM_SmallIconSize:
  case PM_ToolBarIconSize:
  case PM_ButtonIconSize: return metrics::kIcon;
  case PM_ToolBarItemSpacing: return metrics::kGap;
  case PM_ToolBarItemMargin: return 0;
  case PM_ToolBarFrameWidth: return 0;
  case PM_DefaultFrameWidth: return qobject_cast<const QAbstractScrollArea*>(widget) ? 0 : 1;
  case PM_DockWidgetSeparatorExtent: return 1;
  case PM_FocusFrameHMargin: return 4;
  default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* returnData) const {
  switch (hint) {
  case SH_ToolTip_WakeUpDelay: return 600;
  case SH_ScrollBar_Transient: return 0;
  case SH_EtchDisabledText: return 0;
  case SH_ItemView_ShowDecorationSelected: return 1;
  default: return QProxyStyle::styleHint(hint, option, widget, returnData);
  }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
  QSize out = QProxyStyle::sizeFromContents(type, option, size, widget);
  if (type == CT_PushButton) out = QSize(qMax(out.width() + 8, 72), 30);
  if (type == CT_LineEdit) out.setHeight(qMax(out.height(), 28));
  if (type == CT_ToolButton) out = QSize(out.width() + 6, qMax(out.height(), 28));
  if (type == CT_HeaderSection) out.setHeight(28);
  return out;
}

void Style::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget)) widget->setAttribute(Qt::WA_Hover);
}

} // namespace blobscope::ui
