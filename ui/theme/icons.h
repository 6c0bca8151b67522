#pragma once

#include "ui/theme/theme.h"

#include <QIcon>
#include <QString>

namespace blobscope::ui {

/// An icon of resources/icons (":/icons/NAME.svg"), drawn in the colour of the role at paint time, so that it follows
/// the theme. Disabled icons are drawn in Role::Faint.
QIcon icon(const QString& name, Role role = Role::Secondary);
/// Returns the same icon as a pixmap of `size` device-independent pixels.
QPixmap iconPixmap(const QString& name, Role role, int size, qreal devicePixelRatio);

} // namespace blobscope::ui
