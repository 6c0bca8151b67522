#include "ui/widgets/segments.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace blobscope::ui {

Segments::Segments(const QString& name, QWidget* parent)
    : QWidget(parent), m_name(name), m_group(new QButtonGroup(this)) {
  auto* const row = new QHBoxLayout(this);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(2);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(m_group, &QButtonGroup::idClicked, this, &Segments::chosen);
}

void Segments::setChoices(const QStringList& choices, const QStringList& tips) {
  constexpr int kWidest = 200;
  qDeleteAll(m_group->buttons());
  for (int i = 0; i < choices.size(); ++i) {
    auto* const button = new QToolButton(this);
    const QString text = plainLine(choices[i]);
    const QString shown = QFontMetrics(button->font()).elidedText(text, Qt::ElideMiddle, kWidest);
    button->setText(plainAction(shown));
    button->setShortcut({});
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(plainLine(m_name + QStringLiteral(": ") + text));
    if (i < tips.size())
      button->setToolTip(plainTip(tips[i]));
    else if (shown != text)
      button->setToolTip(plainTip(text));
    m_group->addButton(button, i);
    layout()->addWidget(button);
  }
  setCurrent(0);
}

int Segments::count() const { return static_cast<int>(m_group->buttons().size()); }
int Segments::current() const { return m_group->checkedId(); }

void Segments::setCurrent(int index) {
  if (QAbstractButton* const button = m_group->button(index)) button->setChecked(true);
}

void Segments::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme().color(Role::ControlBorder));
  painter.setBrush(theme().color(Role::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace blobscope::ui
