#pragma once

#include "ui/widgets/find/find_search.h"

#include <QObject>
#include <QThread>

#include <atomic>

namespace blobscope::ui {

/// Runs one search at a time in a separate thread. Signals are emitted in the thread of the Finder and belong to the
/// latest search.
class Finder : public QObject {
  Q_OBJECT
public:
  explicit Finder(QObject* parent = nullptr);
  ~Finder() override;

  /// Starts a search with findAll(); the previous one stops and emits no more signals.
  void start(const Bytes& bytes, const FindQuery& query);
  void cancel();
  bool isRunning() const { return m_running; }

Q_SIGNALS:
  void found(const blobscope::ui::FindHits& hits);
  void progressed(quint64 done, quint64 total);
  /// Not emitted after cancel().
  void finished(const blobscope::ui::FindEnd& end);

private:
  QThread m_thread;
  QObject m_worker;                      ///< lives in m_thread
  std::atomic<quint64> m_generation = 0; ///< of the search that may continue
  bool m_running = false;
};

} // namespace blobscope::ui
