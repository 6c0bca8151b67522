#pragma once

#include "ui/widgets/find/find_search.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <string>
#include <vector>

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
  /// Starts to compute what replaces the hits, with replacementsOf(); a running search stops. replaced() follows.
  void startReplacing(const Bytes& bytes, const FindHits& hits, const FindQuery& query, const QString& with);
  void cancel();
  bool isRunning() const { return m_running; }

Q_SIGNALS:
  void found(const blobscope::ui::FindHits& hits);
  void progressed(quint64 done, quint64 total);
  /// Not emitted after cancel().
  void finished(const blobscope::ui::FindEnd& end);
  void replaced(const blobscope::ui::FindHits& hits, const std::vector<std::string>& texts);

private:
  QThread m_thread;
  QObject m_worker;                      ///< lives in m_thread
  std::atomic<quint64> m_generation = 0; ///< of the search that may continue
  bool m_running = false;
};

} // namespace blobscope::ui
