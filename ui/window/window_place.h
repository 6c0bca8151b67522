#pragma once

#include <QMargins>
#include <QRect>
#include <QVector>

class QWidget;

namespace blobscope::ui {

/// `frame`, a window with its title bar and borders, moved and made smaller until it lies inside the screen that shows
/// most of it; inside the first one when none does. `screens`: the available areas, without task bars; `frame` itself
/// when there is none.
QRect placeInside(const QRect& frame, const QVector<QRect>& screens);

/// The available areas of the screens there are now, that of the primary screen first.
QVector<QRect> availableScreens();

/// What the system draws around a window: measured when it is shown, else a guess that is large enough for most.
QMargins frameMargins(const QWidget& window);

} // namespace blobscope::ui
