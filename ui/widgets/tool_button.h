#pragma once

#include "ui/theme/icons.h"

#include <QToolButton>

namespace blobscope::ui {

/// An icon that is a button, with its name for those who cannot see it.
template <class F> QToolButton* toolButton(const QString& iconName, const QString& name, QWidget* parent, F run) {
  auto* const button = new QToolButton(parent);
  button->setIcon(icon(iconName));
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  button->setToolTip(name);
  button->setFocusPolicy(Qt::TabFocus);
  QObject::connect(button, &QToolButton::clicked, parent, run);
  return button;
}

} // namespace blobscope::ui
