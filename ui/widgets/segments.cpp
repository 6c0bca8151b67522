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
  setAccessibleName(plainLine(name));
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(0);
  m_group->setExclusive(true);
  connect(m_group, &QButtonGroup::idClicked, this, &Segments::chosen);
}

void Segments::setChoices(const QStringList& choices) {
  for (QAbstractButton* const button : m_group->buttons()) delete button;
  for (int i = 0; i < choices.size(); ++i) {
    auto* const button = new QToolButton(this);
    button->setText(plainLine(choices[i]));
    button->setAccessibleName(plainLine(m_name + QStringLiteral(": ") + choices[i]));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    m_group->addButton(button, i);
    layout()->addWidget(button);
  }
}

void Segments::setCurrent(int index) {
  if (QAbstractButton* const button = m_group->button(index)) button->setChecked(true);
}

int Segments::current() const { return m_group->checkedId(); }

void Segments::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme().color(Role::ControlBorder));
  painter.setBrush(theme().color(Role::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace blobscope::ui
