#include "app/runner/parallel.h"

#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
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

/// Waits until another thread changes a value. The end of a short task is seen without going to sleep; the other thread
/// may need this one's processor for it.
template <class T> void waitWhile(const std::atomic<T>& value, T old) {
  constexpr int kYields = 20, kLoads = 10'000; // some 100 µs
  for (int i = 0; i < kYields; ++i) {
    for (int j = 0; j < kLoads; ++j)
      if (value != old) return;
    std::this_thread::yield();
  }
  value.wait(old);
}

class Barrier {
public:
  explicit Barrier(int count) : m_count(count) {}
  void wait() {
    const unsigned round = m_round;
    if (++m_waiting < m_count) return waitWhile(m_round, round);
    m_waiting = 0;
    ++m_round;
    m_round.notify_all();
  }

private:
  const int m_count;
  std::atomic<int> m_waiting = 0;
  std::atomic<unsigned> m_round = 0;
};

/// The argument of tasks. Source: apache/tvm v0.18 include/tvm/runtime/c_backend_api.h, TVMParallelGroupEnv.
struct Environment {
  void* sync;
  int32_t tasks;
};

/// Threads that are kept, so that a measured call does not include their start. One launch at a time uses them.
class Workers {
public:
  using Work = std::function<void(int)>;

  /// Returns false if fewer threads can be created.
  bool grow(int count) {
    if (m_tasks.empty()) m_home = system::processorHere();
    while (static_cast<int>(m_tasks.size()) < count) {
      std::atomic<const Work*>& task = m_tasks.emplace_back(nullptr);
      try {
        std::thread([this, &task, index = static_cast<int>(m_tasks.size())] { work(task, index); }).detach();
      } catch (const std::system_error&) {
        m_tasks.pop_back();
        return false;
      }
    }
    return true;
  }
  /// Runs work(0) … work(count - 1), the first one on this thread.
  void run(int count, const Work& work) {
    // Short tasks take twice as long if two of the threads that wait for each other share a processor.
    if (system::processorHere() != m_home) system::moveThread(m_home);
    m_left = count - 1;
    for (int i = 0; i < count - 1; ++i) {
      m_tasks[static_cast<std::size_t>(i)] = &work;
      m_tasks[static_cast<std::size_t>(i)].notify_one();
    }
    work(0);
    for (int left = m_left; left > 0; left = m_left) waitWhile(m_left, left);
  }

private:
  void work(std::atomic<const Work*>& task, int index) {
    const AlternateStack stack;
    system::placeThread(m_home, static_cast<unsigned>(index));
    while (true) {
      waitWhile<const Work*>(task, nullptr);
      const Work& work = *task.exchange(nullptr);
      work(index);
      if (--m_left == 0) m_left.notify_one();
    }
  }

  std::deque<std::atomic<const Work*>> m_tasks; ///< of each thread; null while it has none
  unsigned m_home = 0;                          ///< the processor of the thread that launches
  std::atomic<int> m_left = 0;                  ///< tasks of the launch that other threads have not ended
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
  // Asking for the number reads a file, which takes longer than many tasks.
  static const int all = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kWorkers));
  if (count <= 0) count = all;
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
