#include "ui/window/tab_bar.h"

#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QStyleOptionTab>
#include <QStylePainter>

namespace blobscope::ui {
namespace {

constexpr int kMinimumCharacters = 12, kMaximumCharacters = 40;

} // namespace

TabBar::TabBar(QWidget* parent) : QTabBar(parent) {
  setTabsClosable(true);
  setDocumentMode(true);
  setElideMode(Qt::ElideMiddle);
  setExpanding(false);
  setUsesScrollButtons(true);
  setDrawBase(false);
  setFixedHeight(metrics::kTabs);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Midlight);
  setContextMenuPolicy(Qt::CustomContextMenu);
}

void TabBar::setPreview(int index) {
  m_preview = index;
  update();
}

void TabBar::setPermanent(int index) {
  for (const auto side : {LeftSide, RightSide}) setTabButton(index, side, nullptr);
}

int TabBar::widthFor(int index, int characters) const {
  QStyleOptionTab option;
  initStyleOption(&option, index);
  int width = fontMetrics().averageCharWidth() * characters + style()->pixelMetric(QStyle::PM_TabBarTabHSpace);
  if (!option.icon.isNull()) width += option.iconSize.width() + 4;
  for (const QSize& button : {option.leftButtonSize, option.rightButtonSize})
    if (!button.isEmpty()) width += button.width() + 4;
  return width;
}

QSize TabBar::tabSizeHint(int index) const {
  const QSize size = QTabBar::tabSizeHint(index);
  return {qMin(size.width(), widthFor(index, kMaximumCharacters)), size.height()};
}

QSize TabBar::minimumTabSizeHint(int index) const {
  const QSize size = tabSizeHint(index);
  return {qMin(size.width(), widthFor(index, kMinimumCharacters)), size.height()};
}

void TabBar::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  const QFont normal = painter.font();
  QFont italic = normal;
  italic.setItalic(true);
  // The current tab is drawn above its neighbours.
  const auto draw = [&](int index) {
    QStyleOptionTab option;
    initStyleOption(&option, index);
    if (!isTabVisible(index) || !option.rect.intersects(rect())) return;
    painter.setFont(index == m_preview ? italic : normal);
    painter.drawControl(QStyle::CE_TabBarTab, option);
  };
  for (int i = 0; i < count(); ++i)
    if (i != currentIndex()) draw(i);
  if (currentIndex() < 0) return;
  draw(currentIndex());
  if (!hasFocus()) return;
  painter.setPen(theme().color(Role::Accent));
  painter.drawRect(tabRect(currentIndex()).adjusted(1, 1, -2, -2));
}

void TabBar::mouseReleaseEvent(QMouseEvent* event) {
  const int index = tabAt(event->position().toPoint());
  if (event->button() == Qt::MiddleButton && index >= 0)
    Q_EMIT tabCloseRequested(index);
  else
    QTabBar::mouseReleaseEvent(event);
}

} // namespace blobscope::ui
