#pragma once

#include <QApplication>

#include <atomic>

namespace blobscope::ui {

/// The application of the windows. Where memory runs out while an event is handled (what a page shows, a drawing), that
/// event ends there and the windows live on and say so. Work in the background has errors of its own, see Jobs.
class Application : public QApplication {
  Q_OBJECT
public:
  using QApplication::QApplication;

  /// The one place where Qt allows an exception to be caught. Source: Qt 6, "Exception Safety", "Exceptions in client
  /// code", and QCoreApplication::notify().
  bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
  /// From the event loop, at most once a second: a drawing that fails is repeated.
  void memoryRanOut();

private:
  void reportLater() noexcept;

  std::atomic<bool> m_reported = false; ///< and not to be told right now
};

} // namespace blobscope::ui
