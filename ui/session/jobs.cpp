#include "ui/session/jobs.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

namespace blobscope::ui {

Jobs::Jobs(QObject* parent) : QObject(parent) { m_pool.setMaxThreadCount(qMax(2, QThread::idealThreadCount())); }

Jobs::~Jobs() {
  for (const auto& state : std::as_const(m_running)) state->stop();
  m_pool.waitForDone();
}

std::shared_ptr<Jobs::JobMonitor> Jobs::begin(const QString& tag) {
  if (const auto older = m_running.take(tag)) older->stop();
  auto state = std::make_shared<JobMonitor>(this, tag);
  m_running.insert(tag, state);
  Q_EMIT started(tag);
  return state;
}

bool Jobs::end(const QString& tag, const std::shared_ptr<JobMonitor>& state) {
  if (m_running.value(tag) != state) return false;
  m_running.remove(tag);
  // Emitted before `done`, which may start the next job with this tag.
  Q_EMIT finished(tag);
  return true;
}

void Jobs::cancel(const QString& tag) {
  const auto state = m_running.take(tag);
  if (!state) return;
  state->stop();
  const QString ended = tag; // receivers may change the string of the caller
  Q_EMIT finished(ended);
}

void Jobs::JobMonitor::progress(std::string_view what, uint64_t done, uint64_t total) {
  const qint64 now = m_clock.elapsed();
  if (now - m_lastMs < 50) return;
  m_lastMs = now;
  QMetaObject::invokeMethod(
      m_jobs,
      [jobs = m_jobs, tag = m_tag, text = coreText(what), done, total] {
        Q_EMIT jobs->progressed(tag, text, done, total);
      },
      Qt::QueuedConnection);
}

} // namespace blobscope::ui
