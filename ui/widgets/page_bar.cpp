#include "ui/widgets/page_bar.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/widgets/labels.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>

namespace blobscope::ui {
namespace {
constexpr int kBarMargin = 8, kSpace = 4, kBarButton = 28, kName = 260;
} // namespace

PageBar::PageBar(QWidget* parent) : QWidget(parent), m_group(new QButtonGroup(this)), m_more(new QToolButton(this)) {
  setFixedHeight(metrics::kPageBar + 1);
  m_group->setExclusive(true);
  m_more->setText(QStringLiteral("»"));
  m_more->setAutoRaise(true);
  m_more->setAccessibleName(tr("More pages"));
  m_more->setToolTip(tr("More pages"));
  m_more->setPopupMode(QToolButton::InstantPopup);
  m_more->setMenu(new QMenu(m_more));
  m_more->hide();
  connect(m_group, &QButtonGroup::idClicked, this, &PageBar::chosen);
}

void PageBar::setPages(const QStringList& names) {
  qDeleteAll(m_buttons);
  m_buttons.clear();
  for (int i = 0; i < names.size(); ++i) {
    auto* const button = new QToolButton(this);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->installEventFilter(this);
    QFont font = button->font();
    font.setWeight(QFont::DemiBold);
    const QFontMetrics bold(font);
    // The name of a page may come from the file.
    const QString name = bold.elidedText(plainLine(names[i]), Qt::ElideMiddle, kName);
    button->setText(plainAction(name));
    button->setShortcut({});
    if (i < 9)
      button->setToolTip(plainTip(tr("%1 (Ctrl+%2)").arg(names[i]).arg(i + 1)));
    else if (name != names[i])
      button->setToolTip(plainTip(names[i]));
    // The size fits the bold text, so that selecting a page does not move the others.
    button->setFixedSize(bold.horizontalAdvance(name) + 22, kBarButton);
    m_group->addButton(button, i);
    m_buttons.append(button);
    button->show();
  }
  arrange();
}

void PageBar::setCurrent(int index) {
  if (index < 0 || index >= m_buttons.size()) return;
  m_buttons[index]->setChecked(true);
  for (QToolButton* button : std::as_const(m_buttons)) {
    QFont font = button->font();
    font.setWeight(button->isChecked() ? QFont::DemiBold : QFont::Normal);
    button->setFont(font);
  }
  arrange();
}

int PageBar::current() const { return m_group->checkedId(); }

void PageBar::setTools(QWidget* tools) {
  if (m_tools && m_tools != tools) m_tools->hide();
  m_tools = tools;
  if (m_tools) {
    m_tools->setParent(this);
    m_tools->show();
  }
  arrange();
}

QSize PageBar::sizeHint() const { return {480, metrics::kPageBar + 1}; }
QSize PageBar::minimumSizeHint() const { return {160, metrics::kPageBar + 1}; }

void PageBar::resizeEvent(QResizeEvent*) { arrange(); }

void PageBar::arrange() {
  const int top = (metrics::kPageBar - kBarButton) / 2;
  int pages = 0;
  for (const QToolButton* button : std::as_const(m_buttons)) pages += button->width() + kSpace;
  // The tools shrink first, to their minimum; then the pages move to the menu.
  int tools = 0;
  if (m_tools) {
    const int preferred = m_tools->sizeHint().width(), minimum = m_tools->minimumSizeHint().width();
    tools = qMax(qMin(minimum, width() / 2), qMin(width() - pages - 2 * kBarMargin, preferred));
    m_tools->setGeometry(placed(*this, QRect(width() - kBarMargin - tools, top - 2, tools, kBarButton + 4)));
  }
  const int room = width() - 2 * kBarMargin - tools - (tools > 0 ? kSpace : 0);
  const bool all = pages - kSpace <= room;
  const int limit = all ? room : room - kBarButton - kSpace;
  m_more->menu()->clear();
  int x = kBarMargin;
  for (int i = 0; i < m_buttons.size(); ++i) {
    QToolButton* const button = m_buttons[i];
    // The current page is always visible: the pages before it leave room for it.
    const int kept = i < m_group->checkedId() ? m_buttons[m_group->checkedId()]->width() + kSpace : 0;
    const bool shown = button->isChecked() || x + button->width() + kept <= kBarMargin + limit;
    button->setVisible(shown);
    if (shown) {
      button->move(placed(*this, QRect(QPoint(x, top), button->size())).topLeft());
      x += button->width() + kSpace;
      continue;
    }
    QAction* const action = m_more->menu()->addAction(button->text(), this, [this, i] { Q_EMIT chosen(i); });
    action->setCheckable(true);
    action->setChecked(button->isChecked());
  }
  m_more->setVisible(!m_more->menu()->isEmpty());
  m_more->setGeometry(placed(*this, QRect(x, top, kBarButton, kBarButton)));
}

void PageBar::paintEvent(QPaintEvent*) { paintBar(*this, Role::Base); }

bool PageBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int step = isRightToLeft() ? -right : right;
    const auto at = m_buttons.indexOf(static_cast<QToolButton*>(watched));
    if (step != 0 && at + step >= 0 && at + step < m_buttons.size()) {
      m_buttons[at + step]->setFocus(Qt::TabFocusReason);
      Q_EMIT chosen(static_cast<int>(at + step));
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
