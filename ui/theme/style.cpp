#include "ui/theme/style.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolButton>

#include <tuple>

#include <algorithm>

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

void drawLineEdit(const QStyleOption* option, QPainter* painter, const QWidget* widget) {
  const Theme& look = theme();
  const bool framed = !qobject_cast<const QLineEdit*>(widget) || static_cast<const QLineEdit*>(widget)->hasFrame();
  if (!framed) return;
  const bool focus = option->state & QStyle::State_HasFocus;
  roundedBox(painter, option->rect, look.color(Role::Base), look.color(focus ? Role::Accent : Role::ControlBorder),
             focus ? 2 : 1);
}

void drawPushButton(const QStyleOption* option, QPainter* painter, const QWidget* widget) {
  const Theme& look = theme();
  const bool down = option->state & (QStyle::State_Sunken | QStyle::State_On);
  const bool hover = (option->state & QStyle::State_MouseOver) && (option->state & QStyle::State_Enabled);
  if (isPrimary(widget) && (option->state & QStyle::State_Enabled)) {
    QColor fill = look.color(Role::Accent);
    if (down || hover) fill = down ? fill.darker(115) : fill.lighter(110);
    roundedBox(painter, option->rect, fill, QColor());
  } else {
    roundedBox(painter, option->rect,
               look.color(down    ? Role::Selection
                          : hover ? Role::Hover
                                  : Role::Raised),
               look.color(Role::ControlBorder));
  }
  // Also applies to combo boxes, for which Fusion uses the same element.
  const QStyle::State byKeyboard = QStyle::State_HasFocus | QStyle::State_KeyboardFocusChange;
  if ((option->state & byKeyboard) != byKeyboard) return;
  const bool filled = isPrimary(widget) && (option->state & QStyle::State_Enabled);
  const int inset = filled ? 3 : 0;
  roundedBox(painter, option->rect.adjusted(inset, inset, -inset, -inset), Qt::transparent,
             look.color(filled ? Role::OnAccent : Role::Accent), filled ? 1 : 2);
}

void drawCheckMark(const QStyleOption* option, QPainter* painter) {
  const Theme& look = theme();
  const bool on = option->state & (QStyle::State_On | QStyle::State_NoChange),
             enabled = option->state & QStyle::State_Enabled;
  const QColor accent = look.color(enabled ? Role::Accent : Role::Faint);
  const QRect rect = option->rect.adjusted(1, 1, -1, -1);
  roundedBox(painter, rect,
             on ? accent : look.color((option->state & QStyle::State_MouseOver) && enabled ? Role::Hover : Role::Base),
             on ? QColor() : look.color(enabled ? Role::ControlBorder : Role::Rule));
  if (!on) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(
      QPen(look.color(enabled ? Role::OnAccent : Role::Base), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF center = QRectF(rect).center();
  if (option->state & QStyle::State_On)
    painter->drawPolyline(
        QPolygonF({center + QPointF(-3, 0.2), center + QPointF(-0.9, 2.4), center + QPointF(3.2, -2.3)}));
  else
    painter->drawLine(center + QPointF(-3, 0), center + QPointF(3, 0));
  painter->restore();
}

void drawTabClose(const QStyleOption* option, QPainter* painter) {
  const Theme& look = theme();
  // Drawn only where it can be clicked immediately: on the current tab and under the mouse.
  if (!(option->state & (QStyle::State_Selected | QStyle::State_MouseOver))) return;
  if (option->state & QStyle::State_MouseOver) roundedBox(painter, option->rect, look.color(Role::Header), QColor());
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(look.color(Role::Secondary), 1.4, Qt::SolidLine, Qt::RoundCap));
  const QPointF center = QRectF(option->rect).center();
  painter->drawLine(center + QPointF(-3.5, -3.5), center + QPointF(3.5, 3.5));
  painter->drawLine(center + QPointF(-3.5, 3.5), center + QPointF(3.5, -3.5));
  painter->restore();
}

void drawBranch(const QStyleOption* option, QPainter* painter) {
  const Theme& look = theme();
  if (!(option->state & QStyle::State_Children)) return;
  // A chevron; expanded points down, collapsed points to the end of the row.
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(look.color(Role::Secondary), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF center = QRectF(option->rect).center();
  QPolygonF line;
  if (option->state & QStyle::State_Open)
    line << center + QPointF(-4, -2) << center + QPointF(0, 2) << center + QPointF(4, -2);
  else {
    const double ahead = option->direction == Qt::RightToLeft ? -2 : 2;
    line << center + QPointF(-ahead, -4) << center + QPointF(ahead, 0) << center + QPointF(-ahead, 4);
  }
  painter->drawPolyline(line);
  painter->restore();
}

/// Draws the chevron of scroll buttons, menus and boxes, in the direction of the element.
void drawArrow(QStyle::PrimitiveElement element, const QStyleOption* option, QPainter* painter) {
  const QRectF rect(option->rect);
  const qreal size = qMin(4.0, qMin(rect.width(), rect.height()) / 2 - 1);
  QTransform turn;
  turn.translate(rect.center().x(), rect.center().y());
  turn.rotate(element == QStyle::PE_IndicatorArrowUp      ? 180
              : element == QStyle::PE_IndicatorArrowLeft  ? 90
              : element == QStyle::PE_IndicatorArrowRight ? -90
                                                          : 0);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(theme().color(option->state & QStyle::State_Enabled ? Role::Secondary : Role::Rule), 1.5,
                       Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter->drawPolyline(turn.map(QPolygonF({{-size, -size / 2}, {0, size / 2}, {size, -size / 2}})));
  painter->restore();
}

/// Draws a surface that is above others, with an edge that is visible on light and dark.
void drawRaised(const QStyleOption* option, QPainter* painter) {
  painter->fillRect(option->rect, theme().color(Role::ControlBorder));
  painter->fillRect(option->rect.adjusted(1, 1, -1, -1), theme().color(Role::Raised));
}

/// Returns the icon that replaces one of the toolkit; null for those that Blobscope does not use.
QIcon ownIcon(QStyle::StandardPixmap which) {
  switch (which) {
  case QStyle::SP_LineEditClearButton:
  case QStyle::SP_TitleBarCloseButton:
  case QStyle::SP_DockWidgetCloseButton: return icon(QStringLiteral("cancel"));
  case QStyle::SP_MessageBoxInformation:
  case QStyle::SP_MessageBoxQuestion: return icon(QStringLiteral("note"), Role::Note);
  case QStyle::SP_MessageBoxWarning: return icon(QStringLiteral("warning"), Role::Warning);
  case QStyle::SP_MessageBoxCritical: return icon(QStringLiteral("error"), Role::Error);
  case QStyle::SP_ToolBarHorizontalExtensionButton:
  case QStyle::SP_ToolBarVerticalExtensionButton: return icon(QStringLiteral("down"));
  default: return {};
  }
}

void drawTab(const QStyleOption* option, QPainter* painter) {
  const Theme& look = theme();
  const bool current = option->state & QStyle::State_Selected;
  painter->fillRect(option->rect, look.color(current                                     ? Role::Base
                                             : (option->state & QStyle::State_MouseOver) ? Role::Hover
                                                                                         : Role::Header));
  if (current)
    painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 2),
                      look.color(Role::Accent));
  painter->fillRect(QRect(option->rect.right(), option->rect.top(), 1, option->rect.height()), look.color(Role::Rule));
  if (!current)
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                      look.color(Role::Rule));
}

void drawHeaderLabel(const QStyleOption* option, QPainter* painter, const QWidget* widget) {
  const Theme& look = theme();
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  painter->save();
  QFont font = textFont(TextRole::Secondary);
  const bool sorted = header->sortIndicator != QStyleOptionHeader::None;
  font.setWeight(sorted ? QFont::DemiBold : QFont::Medium);
  painter->setFont(font);
  painter->setPen(look.color(sorted ? Role::Text : Role::Secondary));
  QRect rect = widget ? widget->rect() : option->rect;
  rect.setLeft(option->rect.left());
  rect.setWidth(option->rect.width());
  // The rectangle of the label already includes margins; the cells below have eight pixels.
  if (const auto* view = qobject_cast<const QHeaderView*>(widget)) {
    const int section = header->section;
    rect.setLeft(view->sectionViewportPosition(section) + 8);
    rect.setWidth(view->sectionSize(section) - 16);
  }
  QStringList lines = header->text.split(QLatin1Char('\n'));
  int width = 0;
  for (QString& line : lines) {
    line = painter->fontMetrics().elidedText(line, Qt::ElideRight, rect.width() - (sorted ? 14 : 0));
    width = std::max(width, painter->fontMetrics().horizontalAdvance(line));
  }
  // The painter mirrors the alignment from right to left; the arrow is at the other end of the text.
  const bool atRight =
      header->textAlignment.testFlag(Qt::AlignRight) != (painter->layoutDirection() == Qt::RightToLeft);
  const QRect place = sorted && atRight ? rect.adjusted(14, 0, 0, 0) : rect;
  painter->drawText(place, static_cast<int>((header->textAlignment & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter),
                    lines.join(QLatin1Char('\n')));
  if (sorted) {
    const qreal x = header->textAlignment.testFlag(Qt::AlignHCenter) ? rect.center().x() + width / 2.0 + 8
                    : atRight                                        ? rect.right() - width - 8
                                                                     : rect.left() + width + 8;
    const qreal y = rect.center().y() + 0.5, up = header->sortIndicator == QStyleOptionHeader::SortUp ? 2 : -2;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(look.color(Role::Text), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(QPolygonF({{x - 3.5, y + up}, {x, y - up}, {x + 3.5, y + up}}));
  }
  painter->restore();
}

} // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  const Theme& look = theme();
  switch (element) {
  case PE_IndicatorHeaderArrow: return; // beside the label
  case PE_PanelLineEdit: drawLineEdit(option, painter, widget); return;
  case PE_PanelButtonCommand: drawPushButton(option, painter, widget); return;
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
  case PE_IndicatorCheckBox:
  case PE_IndicatorItemViewItemCheck: drawCheckMark(option, painter); return;
  case PE_FrameTabBarBase: return;
  case PE_IndicatorTabClose: drawTabClose(option, painter); return;
  case PE_PanelToolBar:
  case PE_PanelMenuBar:
  case PE_PanelStatusBar:
  case PE_FrameStatusBarItem: return; // the colour of the window, no bevels
  case PE_IndicatorBranch: drawBranch(option, painter); return;
  case PE_PanelMenu:
  case PE_FrameMenu:
  case PE_PanelTipLabel: drawRaised(option, painter); return;
  case PE_PanelScrollAreaCorner: painter->fillRect(option->rect, look.color(Role::Base)); return;
  case PE_Frame:
    if (!widget || !widget->inherits("QComboBoxPrivateContainer")) break;
    drawRaised(option, painter);
    return;
  case PE_IndicatorArrowUp:
  case PE_IndicatorArrowDown:
  case PE_IndicatorArrowLeft:
  case PE_IndicatorArrowRight: drawArrow(element, option, painter); return;
  default: break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  const Theme& look = theme();
  switch (element) {
  case CE_Splitter: painter->fillRect(option->rect, look.color(Role::Rule)); return;
  case CE_ToolBar:
    painter->fillRect(option->rect, look.color(Role::Window));
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                      look.color(Role::Rule));
    return;
  case CE_MenuBarItem: {
    const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
    painter->fillRect(option->rect, look.color(Role::Window));
    if (option->state & (State_Selected | State_Sunken))
      roundedBox(painter, option->rect.adjusted(1, 2, -1, -2), look.color(Role::Header), QColor());
    drawItemText(painter, option->rect, Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, option->palette,
                 option->state & State_Enabled, item->text, QPalette::ButtonText);
    return;
  }
  case CE_TabBarTabShape: drawTab(option, painter); return;
  case CE_MenuBarEmptyArea: painter->fillRect(option->rect, look.color(Role::Window)); return;
  case CE_HeaderSection:
  case CE_HeaderEmptyArea:
    painter->fillRect(option->rect, look.color(Role::Window));
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                      look.color(Role::Rule));
    return;
  case CE_HeaderLabel: drawHeaderLabel(option, painter, widget); return;
  case CE_ToolButtonLabel: {
    QStyleOptionToolButton label = *qstyleoption_cast<const QStyleOptionToolButton*>(option);
    if (label.toolButtonStyle == Qt::ToolButtonTextBesideIcon) label.rect.adjust(5, 0, 0, 0);
    QProxyStyle::drawControl(element, &label, painter, widget);
    return;
  }
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
  if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option); spin && control == CC_SpinBox)
    return drawSpinBox(*spin, painter, widget);
  if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
      box && box->editable && control == CC_ComboBox)
    return drawEditableBox(*box, painter, widget);
  if (control != CC_ScrollBar) {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    return;
  }
  // A thumb of 6 pixels without a background.
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

/// Draws the frame of a line edit with the two arrows in it.
void Style::drawSpinBox(const QStyleOptionSpinBox& option, QPainter* painter, const QWidget* widget) const {
  const Theme& look = theme();
  const bool focus = option.state & State_HasFocus;
  roundedBox(painter, option.rect, look.color(Role::Base), look.color(focus ? Role::Accent : Role::ControlBorder),
             focus ? 2 : 1);
  if (option.buttonSymbols == QAbstractSpinBox::NoButtons) return;
  for (const auto& [part, step, arrow] :
       {std::tuple(SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled, PE_IndicatorArrowUp),
        std::tuple(SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled, PE_IndicatorArrowDown)}) {
    QStyleOption button = option;
    button.rect = subControlRect(CC_SpinBox, &option, part, widget);
    if (!(option.stepEnabled & step)) button.state &= ~State_Enabled;
    const bool active = option.activeSubControls & part && button.state & State_Enabled;
    if (active && option.state & (State_MouseOver | State_Sunken))
      painter->fillRect(button.rect.adjusted(0, part == SC_SpinBoxUp ? 2 : 0, -2, part == SC_SpinBoxUp ? 0 : -2),
                        look.color(option.state & State_Sunken ? Role::Selection : Role::Hover));
    drawPrimitive(arrow, &button, painter, widget);
  }
}

/// Draws the frame of a line edit with one arrow in it.
void Style::drawEditableBox(const QStyleOptionComboBox& option, QPainter* painter, const QWidget* widget) const {
  const bool focus = option.state & State_HasFocus;
  roundedBox(painter, option.rect, theme().color(Role::Base), theme().color(focus ? Role::Accent : Role::ControlBorder),
             focus ? 2 : 1);
  QStyleOption arrow = option;
  arrow.rect = subControlRect(CC_ComboBox, &option, SC_ComboBoxArrow, widget);
  drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
  case PM_ScrollBarExtent: return 12;
  case PM_ScrollBarSliderMin: return 28;
  case PM_SplitterWidth: return 1;
  case PM_TreeViewIndentation: return metrics::kIndent;
  case PM_IndicatorWidth:
  case PM_IndicatorHeight:
  case PM_SmallIconSize:
  case PM_ToolBarIconSize:
  case PM_ButtonIconSize: return metrics::kIcon;
  case PM_ToolBarItemSpacing: return metrics::kGap;
  case PM_ToolBarItemMargin: return 8;
  case PM_ToolBarFrameWidth: return 0;
  case PM_DefaultFrameWidth: return qobject_cast<const QAbstractScrollArea*>(widget) ? 0 : 1;
  case PM_DockWidgetSeparatorExtent: return 1;
  case PM_FocusFrameHMargin: return 4;
  case PM_TabBarTabHSpace: return 24;
  case PM_TabBarTabVSpace: return 8;
  case PM_TabBarTabShiftVertical:
  case PM_TabBarTabShiftHorizontal:
  case PM_TabBarTabOverlap:
  case PM_TabBarBaseOverlap: return 0;
  case PM_TabCloseIndicatorWidth:
  case PM_TabCloseIndicatorHeight: return 18;
  case PM_MenuBarHMargin: return 4;
  case PM_MenuBarVMargin: return 2;
  case PM_MenuBarItemSpacing: return 0;
  case PM_MenuBarPanelWidth: return 0;
  case PM_MenuPanelWidth: return 1;
  default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

QRect Style::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  const QRect rect = QProxyStyle::subElementRect(element, option, widget);
  return element == SE_LineEditContents ? rect.adjusted(5, 0, -3, 0) : rect;
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* returnData) const {
  switch (hint) {
  case SH_ToolTip_WakeUpDelay: return 600;
  case SH_ScrollBar_Transient: return 0;
  case SH_EtchDisabledText: return 0;
  case SH_DialogButtonBox_ButtonsHaveIcons: return 0;
  case SH_ItemView_ShowDecorationSelected: return 1;
  case SH_ItemView_ActivateItemOnSingleClick: return 0; // one click selects, a double click opens
  default: return QProxyStyle::styleHint(hint, option, widget, returnData);
  }
}

QIcon Style::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  const QIcon own = ownIcon(which);
  return own.isNull() ? QProxyStyle::standardIcon(which, option, widget) : own;
}

QPixmap Style::standardPixmap(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  const QIcon own = ownIcon(which);
  return own.isNull() ? QProxyStyle::standardPixmap(which, option, widget) : own.pixmap(metrics::kIcon);
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
  QSize out = QProxyStyle::sizeFromContents(type, option, size, widget);
  if (type == CT_PushButton) out = QSize(qMax(out.width() + 8, 72), 30);
  if (type == CT_LineEdit) out.setHeight(qMax(out.height(), 28));
  if (type == CT_ToolButton) {
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    const bool words = button && button->toolButtonStyle == Qt::ToolButtonTextBesideIcon;
    out = QSize(out.width() + (words ? 12 : 6), qMax(out.height(), 28));
  }
  if (type == CT_HeaderSection) out.setHeight(28);
  if (type == CT_TabBarTab) out.setHeight(metrics::kTabs);
  if (type == CT_MenuBarItem) out = QSize(out.width() - 2, 24);
  return out;
}

void Style::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget)) widget->setAttribute(Qt::WA_Hover);
}

} // namespace blobscope::ui
