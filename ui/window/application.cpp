#include "ui/window/application.h"

#include "ui/widgets/banner.h"
#include "ui/window/main_window.h"

#include <QTimer>

#include <new>
#include <stdexcept>

namespace blobscope::ui {
namespace {

constexpr int kQuietMs = 1000;

} // namespace

bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) { // larger than any possible allocation
  }
  reportLater();
  return false;
}

void Application::reportLater() noexcept {
  if (m_reported.exchange(true)) return;
  try {
    QMetaObject::invokeMethod(
        this,
        [this] {
          QTimer::singleShot(kQuietMs, this, [this] { m_reported = false; });
          Q_EMIT memoryRanOut();
          for (QWidget* const widget : topLevelWidgets())
            if (auto* const window = qobject_cast<MainWindow*>(widget))
              window->banner().showMessage(
                  Banner::Kind::Error, tr("Blobscope ran out of memory."),
                  tr("The window may be incomplete. Close tabs and windows that you do not need, "
                     "then reload the file."),
                  {{tr("Close"), [] {}}});
        },
        Qt::QueuedConnection);
  } catch (...) {
    m_reported = false; // report the next occurrence
  }
}

} // namespace blobscope::ui
