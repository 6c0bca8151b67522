#pragma once

#include "ui/session/saved_session.h"

#include <QObject>
#include <QSet>

namespace blobscope::ui {

class MainWindow;

/// Stores which files are open, and opens them again at the next start if the user prefers that. One for the program;
/// without one, windows keep nothing.
class SessionKeeper : public QObject {
  Q_OBJECT
public:
  /// `parent` is the application.
  explicit SessionKeeper(QObject* parent);
  ~SessionKeeper() override;
  /// Returns the one of the application, null if there is none.
  static SessionKeeper* ofApplication();

  /// At a start without files: opens the files of the last session in `first` and in further windows. If the program
  /// ended while it did that the last time, they are only offered. A banner names files that no longer exist.
  void start(MainWindow& first);
  /// The files that are open have changed.
  void changed();
  /// The window is about to close. Windows that close together are a session.
  void closing();
  /// Closes all windows, which are the session.
  void quit();

private:
  void offer(MainWindow& first, const QVector<SavedWindow>& windows);
  void open(MainWindow& first, const QVector<SavedWindow>& windows);
  void watch(MainWindow& window);
  void settled(const QObject* window);
  static QVector<SavedWindow> current();

  bool m_isClosing = false;       ///< what was stored when the first window closed stays
  QSet<const QObject*> m_opening; ///< windows that still open their file
};

} // namespace blobscope::ui
