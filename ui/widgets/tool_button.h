#pragma once

#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"

#include <QToolButton>

namespace blobscope::ui {

/// An icon that is a button, with its name for those who cannot see it.
template <class F> QToolButton* toolButton(const QString& iconName, const QString& name, QWidget* parent, F run) {
  auto* const button = new QToolButton(parent);
  button->setIcon(icon(iconName));
  button->setAutoRaise(true);
  button->setAccessibleName(plainLine(name));
  button->setToolTip(plainTip(name));
  button->setFocusPolicy(Qt::TabFocus);
  QObject::connect(button, &QToolButton::clicked, parent, run);
  return button;
}

/// An icon with its name beside it.
inline QToolButton* wordButton(const QString& iconName, const QString& text, QWidget* parent) {
  auto* const button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIcon(icon(iconName));
  button->setText(QStringLiteral(" ") + text); // the style puts no room between icon and word
  button->setAccessibleName(plainLine(text));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

} // namespace blobscope::ui
