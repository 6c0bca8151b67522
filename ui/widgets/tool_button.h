#pragma once

#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"

#include <QToolButton>

namespace blobscope::ui {

/// Returns an icon button with a name for tool tip and screen readers.
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

/// Returns a button with an icon and its name.
inline QToolButton* wordButton(const QString& iconName, const QString& text, QWidget* parent) {
  auto* const button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIcon(icon(iconName));
  button->setText(QStringLiteral(" ") + text); // the style leaves no space between icon and text
  button->setAccessibleName(plainLine(text));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

} // namespace blobscope::ui
