#pragma once

#include "core/base/source.h"
#include "ui/session/jobs.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QSemaphore>
#include <QTest>
#include <QThread>
#include <QWidget>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace blobscope::test {

/// The application during one test class, as its member. Draws off screen unless the environment names a platform, with
/// a font size that does not depend on the machine.
class Application {
public:
  Application() {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    m_application = std::make_unique<QApplication>(m_count, m_arguments);
    ui::installPlurals();
    QFont font = QApplication::font();
    font.setPixelSize(13);
    QApplication::setFont(font);
  }
  ~Application() { QCoreApplication::processEvents(); } // a remaining mouse event would reach the next application

private:
  int m_count = 1;
  char m_name[5] = "test";
  char* m_arguments[2] = {m_name, nullptr};
  std::unique_ptr<QApplication> m_application;
};

/// Bytes at `place` of a file.
inline Bytes placedBytes(std::string_view text, uint64_t place) {
  const Bytes bytes = Bytes::copyOf(text);
  return {bytes.owner(), bytes.span(), place};
}

/// Gives the widget the keyboard focus, for which its window must be shown and active.
inline bool focus(QWidget& widget) {
  widget.window()->show();
  widget.window()->activateWindow();
  widget.setFocus();
  return QTest::qWaitForWindowActive(widget.window()) && QTest::qWaitFor([&] { return widget.hasFocus(); });
}

/// The widget as drawn at a device pixel ratio.
inline QImage drawn(QWidget& widget, qreal ratio) {
  QImage image((QSizeF(widget.size()) * ratio).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  image.fill(Qt::magenta);
  widget.render(&image);
  return image;
}

/// The number of pixels with that colour, or with one that differs by at most `tolerance` in each part: letters are
/// smoothed.
inline int countPixels(const QImage& image, const QColor& color, int tolerance = 0) {
  const auto isNear = [&](const QColor& pixel) {
    return std::abs(pixel.red() - color.red()) <= tolerance && std::abs(pixel.green() - color.green()) <= tolerance &&
           std::abs(pixel.blue() - color.blue()) <= tolerance;
  };
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (isNear(image.pixel(x, y))) ++count;
  return count;
}

/// Keeps all workers of the jobs busy during its lifetime, so that jobs started meanwhile stay unfinished.
class BusyWorkers {
public:
  /// `tag`: a tag for which the window shows no progress; a job of the window with that tag ends.
  explicit BusyWorkers(ui::Jobs& jobs, const QString& tag = QStringLiteral("details"))
      : m_count(std::max(2, QThread::idealThreadCount())) {
    for (int i = 0; i < m_count; ++i)
      jobs.start<int>(
          tag,
          [gate = m_gate, begun = m_begun](Monitor&) -> Result<int> {
            begun->release();
            gate->acquire();
            return 0;
          },
          [](Result<int>) {});
    m_begun->acquire(m_count);
  }
  ~BusyWorkers() { m_gate->release(m_count); }
  BusyWorkers(const BusyWorkers&) = delete;
  BusyWorkers& operator=(const BusyWorkers&) = delete;

private:
  std::shared_ptr<QSemaphore> m_gate = std::make_shared<QSemaphore>(), m_begun = std::make_shared<QSemaphore>();
  int m_count;
};

/// Waits until every started job has ended and its result, if still wanted, has been delivered. Workers take jobs in
/// order, so once all of them run a job of this function, the earlier ones have ended.
inline void finishJobs(ui::Jobs& jobs) {
  { const BusyWorkers last(jobs, QStringLiteral("test")); }
  QCoreApplication::sendPostedEvents(&jobs, QEvent::MetaCall);
  QCoreApplication::processEvents();
}

/// Waits until two pictures of the window are equal and no job changes it. A null image when that does not happen
/// within `ms`.
inline QImage settledPicture(QWidget& window, ui::Jobs& jobs, int ms) {
  QImage last;
  const bool settled = QTest::qWaitFor(
      [&] {
        finishJobs(jobs);
        const QImage now = drawn(window, 1);
        return now == std::exchange(last, now);
      },
      ms);
  return settled ? last : QImage();
}

} // namespace blobscope::test
