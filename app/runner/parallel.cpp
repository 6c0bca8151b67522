#include "app/runner/parallel.h"

#include "app/runner/channel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

namespace blobscope::runner {
namespace {

/// Maximum number of workers if a library requests all; it may request more itself.
constexpr unsigned kWorkers = 16;
constexpr int kMostTasks = 512;

class Barrier {
public:
  explicit Barrier(int count) : m_count(count) {}
  void wait() {
    std::unique_lock lock(m_lock);
    const uint64_t round = m_round;
    if (++m_waiting == m_count) {
      m_waiting = 0;
      ++m_round;
      m_changed.notify_all();
      return;
    }
    m_changed.wait(lock, [&] { return m_round != round; });
  }

private:
  std::mutex m_lock;
  std::condition_variable m_changed;
  const int m_count;
  int m_waiting = 0;
  uint64_t m_round = 0;
};

/// The argument of tasks. Source: apache/tvm v0.18 include/tvm/runtime/c_backend_api.h, TVMParallelGroupEnv.
struct Environment {
  void* sync;
  int32_t tasks;
};

/// Threads that are kept, so that a measured call does not include their start. One launch at a time uses them.
class Workers {
public:
  /// Returns false if fewer threads can be created.
  bool grow(int count) {
    while (static_cast<int>(m_count) < count) {
      try {
        std::thread([this, index = static_cast<int>(m_count)] { work(index); }).detach();
      } catch (const std::system_error&) {
        return false;
      }
      ++m_count;
    }
    return true;
  }
  /// Runs work(0) … work(count - 1), the first one on this thread.
  void run(int count, const std::function<void(int)>& work) {
    {
      const std::lock_guard lock(m_lock);
      m_work = &work;
      m_wanted = count - 1;
      m_left = count - 1;
      ++m_round;
    }
    m_changed.notify_all();
    work(0);
    std::unique_lock lock(m_lock);
    m_done.wait(lock, [&] { return m_left == 0; });
    m_work = nullptr;
  }

private:
  void work(int index) {
    const AlternateStack stack;
    uint64_t seen = 0;
    while (true) {
      const std::function<void(int)>* work = nullptr;
      {
        std::unique_lock lock(m_lock);
        m_changed.wait(lock, [&] { return m_round != seen; });
        seen = m_round;
        if (index < m_wanted) work = m_work;
      }
      if (!work) continue;
      (*work)(index + 1);
      const std::lock_guard lock(m_lock);
      if (--m_left == 0) m_done.notify_all();
    }
  }

  std::mutex m_lock;
  std::condition_variable m_changed, m_done;
  const std::function<void(int)>* m_work = nullptr;
  unsigned m_count = 0;
  int m_wanted = 0, m_left = 0;
  uint64_t m_round = 0;
};

/// Lives as long as the process, because its threads wait in it.
Workers& workers() {
  static Workers* const all = new Workers;
  return *all;
}

/// Whether a launch uses them: a launch inside a task would wait for the threads that wait for it.
std::atomic<bool> g_workersBusy{false};

} // namespace

int parallelLaunch(ParallelTask task, void* data, int count) noexcept {
  if (count <= 0) count = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kWorkers));
  if (count > kMostTasks) return -1;
  Barrier barrier(count);
  Environment environment{&barrier, count};
  std::mutex resultLock;
  int result = 0;
  const std::function<void(int)> one = [&](int index) {
    const int code = task(index, &environment, data);
    if (code == 0) return;
    const std::lock_guard lock(resultLock);
    if (result == 0) result = code;
  };
  if (count == 1) {
    one(0);
    return result;
  }
  if (!g_workersBusy.exchange(true)) {
    const bool enough = workers().grow(count - 1);
    if (enough) workers().run(count, one);
    g_workersBusy = false;
    return enough ? result : -1;
  }
  // No task begins before all threads exist: a barrier waits for each of them.
  enum : int { kWait, kGo, kLeave };
  std::atomic<int> sign{kWait};
  std::deque<std::thread> threads;
  const auto give = [&](int value) {
    sign = value;
    sign.notify_all();
  };
  try {
    for (int i = 1; i < count; ++i)
      threads.emplace_back([&one, &sign, i] {
        sign.wait(kWait);
        if (sign == kGo) one(i);
      });
    give(kGo);
    one(0);
  } catch (const std::system_error&) {
    give(kLeave);
    result = -1;
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

int parallelBarrier(int, void* environment) noexcept {
  const auto* const given = static_cast<const Environment*>(environment);
  if (!given || !given->sync) return -1;
  static_cast<Barrier*>(given->sync)->wait();
  return 0;
}

} // namespace blobscope::runner
