#pragma once

#include "core/base/memory.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>

namespace blobscope::ui {

/// Background jobs for work in core. A job has a tag; a newer job with the same tag cancels the older one, whose result
/// is dropped. Results and progress arrive on the thread that owns this object. The destructor cancels all jobs and
/// waits for them, at most as long as a cancel takes (100 ms).
class Jobs : public QObject {
  Q_OBJECT
public:
  explicit Jobs(QObject* parent = nullptr);
  ~Jobs() override;

  /// Runs `work(monitor)` and passes its Result<T> to `done`, unless the job was cancelled or replaced before. If
  /// memory runs out, the result is FILE-LIMIT.
  template <class T>
  void start(const QString& tag, std::function<Result<T>(Monitor&)> work, std::function<void(Result<T>)> done) {
    auto state = begin(tag);
    m_pool.start([this, tag, state, work = std::move(work), done = std::move(done)] {
      auto result = std::make_shared<Result<T>>(withinMemory([&] { return work(*state); }));
      QMetaObject::invokeMethod(
          this,
          [this, tag, state, done, result] {
            if (end(tag, state)) done(std::move(*result));
          },
          Qt::QueuedConnection);
    });
  }

  /// Cancels the job with that tag; its `done` is not called.
  void cancel(const QString& tag);
  bool isRunning(const QString& tag) const { return m_running.contains(tag); }
  QStringList running() const { return m_running.keys(); }

Q_SIGNALS:
  /// Emitted at most 20 times a second per job. `total` 0: unknown.
  void progressed(const QString& tag, const QString& what, quint64 done, quint64 total);
  void started(const QString& tag);
  /// Emitted before `done`, or instead of it if the job was cancelled.
  void finished(const QString& tag);

private:
  class JobMonitor final : public Monitor {
  public:
    JobMonitor(Jobs* jobs, QString tag) : m_jobs(jobs), m_tag(std::move(tag)) { m_clock.start(); }
    bool stopRequested() const override { return m_stop; }
    void progress(std::string_view what, uint64_t done, uint64_t total) override;
    void stop() { m_stop = true; }

  private:
    Jobs* m_jobs; // outlives the job: its destructor waits
    QString m_tag;
    std::atomic<bool> m_stop = false;
    QElapsedTimer m_clock;
    qint64 m_lastMs = -1000;
  };

  std::shared_ptr<JobMonitor> begin(const QString& tag);
  /// Returns whether the job is still wanted.
  bool end(const QString& tag, const std::shared_ptr<JobMonitor>& state);

  QThreadPool m_pool;
  QHash<QString, std::shared_ptr<JobMonitor>> m_running;
};

} // namespace blobscope::ui
