#pragma once

#include "ui/theme/theme.h"

#include <QIcon>
#include <QString>

class QPainter;

namespace blobscope::ui {

/// Draws resources/icons/NAME.svg in its own colours so that it fills `rect`.
void drawIcon(QPainter& painter, const QString& name, const QRectF& rect);
/// The icon of the program, for its windows.
QIcon programIcon();
/// An icon of resources/icons/NAME.svg, drawn in the colour of the role at paint time, so that it follows
/// the theme. Disabled icons are drawn in Role::Faint.
QIcon icon(const QString& name, Role role = Role::Secondary);
/// Returns the same icon as a pixmap of `size` device-independent pixels.
QPixmap iconPixmap(const QString& name, Role role, int size, qreal devicePixelRatio);

} // namespace blobscope::ui
