#include "ui/widgets/find/finder.h"

#include "core/base/memory.h"
#include "ui/widgets/find/find_replace.h"

#include <QElapsedTimer>

namespace blobscope::ui {
namespace {

constexpr qint64 kProgressMs = 50;

} // namespace

Finder::Finder(QObject* parent) : QObject(parent) { m_worker.moveToThread(&m_thread); }

Finder::~Finder() {
  cancel();
  m_thread.quit();
  m_thread.wait(); // the search checks the generation every 256 KiB
}

void Finder::cancel() {
  ++m_generation;
  m_running = false;
}

void Finder::start(const Bytes& bytes, const FindQuery& query) {
  cancel();
  m_running = true;
  if (!m_thread.isRunning()) m_thread.start();
  const quint64 generation = m_generation;
  // `this` outlives the thread: the destructor waits for it.
  const auto report = [this, generation](auto deliver) {
    QMetaObject::invokeMethod(
        this,
        [this, generation, deliver = std::move(deliver)] {
          if (generation == m_generation) deliver();
        },
        Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(
      &m_worker,
      [this, generation, report, bytes, query] {
        if (generation != m_generation) return;
        QElapsedTimer clock;
        clock.start();
        FindMonitor monitor;
        monitor.stopRequested = [this, generation] { return generation != m_generation; };
        monitor.progress = [&](uint64_t done, uint64_t total) {
          if (clock.elapsed() < kProgressMs) return;
          clock.restart();
          report([this, done, total] { Q_EMIT progressed(done, total); });
        };
        monitor.found = [&](FindHits hits) { report([this, batch = std::move(hits)] { Q_EMIT found(batch); }); };
        const auto found = withinMemory([&]() -> Result<FindEnd> { return findAll(bytes, query, monitor); });
        FindEnd end = found ? *found : FindEnd{};
        end.outOfMemory = !found;
        report([this, end] {
          m_running = false;
          Q_EMIT finished(end);
        });
      },
      Qt::QueuedConnection);
}

void Finder::startReplacing(const Bytes& bytes, const FindHits& hits, const FindQuery& query, const QString& with) {
  cancel();
  m_running = true;
  if (!m_thread.isRunning()) m_thread.start();
  const quint64 generation = m_generation;
  QMetaObject::invokeMethod(
      &m_worker,
      [this, generation, bytes, hits, query, with] {
        const auto texts = withinMemory([&]() -> Result<std::vector<std::string>> {
          auto made = replacementsOf(bytes, hits, query, with, [&] { return generation != m_generation; });
          return made ? std::move(*made) : std::vector<std::string>();
        });
        QMetaObject::invokeMethod(
            this,
            [this, generation, hits, texts = texts ? *texts : std::vector<std::string>()] {
              if (generation != m_generation) return;
              m_running = false;
              if (texts.size() == hits.size()) Q_EMIT replaced(hits, texts);
            },
            Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

} // namespace blobscope::ui
