#pragma once

#include <QApplication>

#include <atomic>

namespace blobscope::ui {

/// The application of the GUI. If memory runs out while an event is handled (content of a page, painting), the event is
/// abandoned; the windows stay open and report it. Background work has its own errors, see Jobs.
class Application : public QApplication {
  Q_OBJECT
public:
  using QApplication::QApplication;

  /// The only place where Qt allows catching an exception. Source: Qt 6, "Exception Safety", "Exceptions in client
  /// code", and QCoreApplication::notify().
  bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
  /// Emitted from the event loop, at most once a second, because a failing paint event is repeated.
  void memoryRanOut();

private:
  void reportLater() noexcept;

  std::atomic<bool> m_reported = false; ///< and not to be reported again yet
};

} // namespace blobscope::ui
