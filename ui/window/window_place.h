#pragma once

#include <QMargins>
#include <QRect>
#include <QVector>

class QWidget;

namespace blobscope::ui {

/// Returns `frame`, a window with its title bar and borders, moved and shrunk so that it is inside the screen that
/// shows most of it, or inside the first one. `screens`: the available areas, without task bars; if empty, `frame` is
/// returned.
QRect placeInside(const QRect& frame, const QVector<QRect>& screens);

/// Returns the available areas of the current screens, that of the primary screen first.
QVector<QRect> availableScreens();

/// Returns the size of the window frame: measured if the window is visible, else a guess that is large enough for most
/// systems.
QMargins frameMargins(const QWidget& window);

} // namespace blobscope::ui
