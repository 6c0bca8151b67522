#include "core/base/tasks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace blobscope {
namespace {

constexpr std::size_t kThreads = 4;

/// The monitor of another thread: what it reports is passed on by the thread to which the caller's monitor belongs.
class RelayMonitor final : public Monitor {
public:
  bool stopRequested() const override { return stop; }
  void progress(std::string_view step, uint64_t done, uint64_t total) override {
    const std::lock_guard lock(m_mutex);
    m_step = step;
    m_done = done;
    m_total = total;
  }
  void passTo(Monitor& monitor) {
    const std::lock_guard lock(m_mutex);
    if (!m_step.empty()) monitor.progress(m_step, m_done, m_total);
  }
  std::atomic<bool> stop = false;

private:
  std::mutex m_mutex;
  std::string m_step;
  uint64_t m_done = 0, m_total = 0;
};

class TaskRunner {
public:
  explicit TaskRunner(const std::vector<Task>& tasks) : m_tasks(tasks) {
    const std::size_t threads = std::min({kThreads, tasks.size(), std::size_t{std::thread::hardware_concurrency()}});
    try {
      for (std::size_t i = 1; i < threads; ++i)
        m_others.push_back(std::async(std::launch::async, [this] { return work(m_relay); }));
    } catch (const std::system_error&) { // no more threads; those that there are do everything
    }
  }
  ~TaskRunner() { m_relay.stop = true; } // the futures wait
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  Result<Done> run(Monitor& monitor) {
    BLOBSCOPE_CHECK(work(monitor));
    for (std::future<Result<Done>>& other : m_others) {
      while (other.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
        if (monitor.stopRequested()) m_relay.stop = true;
        m_relay.passTo(monitor);
      }
      BLOBSCOPE_CHECK(other.get());
    }
    return Done{};
  }

private:
  Result<Done> work(Monitor& monitor) {
    for (std::size_t i = m_next++; i < m_tasks.size(); i = m_next++) {
      Result<Done> done = m_tasks[i](monitor);
      if (done) continue;
      m_next = m_tasks.size();
      return done;
    }
    return Done{};
  }

  const std::vector<Task>& m_tasks;
  std::atomic<std::size_t> m_next = 0;
  RelayMonitor m_relay;
  std::deque<std::future<Result<Done>>> m_others; ///< last, because their destructors wait
};

} // namespace

Result<Done> runTasks(const std::vector<Task>& tasks, Monitor& monitor) { return TaskRunner(tasks).run(monitor); }

} // namespace blobscope
