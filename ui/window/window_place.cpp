#include "ui/window/window_place.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>
#include <QWindow>

namespace blobscope::ui {

QRect placeInside(const QRect& frame, const QVector<QRect>& screens) {
  if (screens.isEmpty()) return frame;
  const auto shownOn = [&](const QRect& screen) {
    const QRect shown = screen.intersected(frame);
    return static_cast<qint64>(shown.width()) * shown.height();
  };
  QRect screen = screens.first();
  for (const QRect& candidate : screens)
    if (shownOn(candidate) > shownOn(screen)) screen = candidate;
  QRect placed(frame.topLeft(), frame.size().boundedTo(screen.size()));
  placed.moveLeft(qBound(screen.left(), placed.left(), screen.right() + 1 - placed.width()));
  placed.moveTop(qBound(screen.top(), placed.top(), screen.bottom() + 1 - placed.height()));
  return placed;
}

QVector<QRect> availableScreens() {
  QVector<QRect> screens;
  const QScreen* const primary = QGuiApplication::primaryScreen();
  if (primary) screens << primary->availableGeometry();
  for (const QScreen* const screen : QGuiApplication::screens())
    if (screen != primary) screens << screen->availableGeometry();
  return screens;
}

QMargins frameMargins(const QWidget& window) {
  constexpr QMargins kGuess(2, 32, 2, 4);
  return window.isVisible() && window.windowHandle() ? window.windowHandle()->frameMargins() : kGuess;
}

} // namespace blobscope::ui
