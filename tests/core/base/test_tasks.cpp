#include "core/base/tasks.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// Waits until the condition holds, or the monitor asks to stop.
template <class Condition> Result<Done> waitFor(Condition condition, Monitor& monitor) {
  while (!condition()) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::this_thread::yield();
  }
  return Done{};
}

/// Remembers the steps that were reported, and in which thread.
class StepMonitor final : public Monitor {
public:
  bool stopRequested() const override { return stop; }
  void progress(std::string_view step, uint64_t, uint64_t) override {
    if (std::this_thread::get_id() != m_thread) fromOthers = true;
    if (step == "other") ++seen;
  }
  std::atomic<bool> stop = false;
  std::atomic<int> seen = 0;
  std::atomic<bool> fromOthers = false;

private:
  std::thread::id m_thread = std::this_thread::get_id();
};

} // namespace

class TestTasks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachTaskRunsOnce();
  void tasksRunBesideEachOther();
  void firstErrorEndsTheRest();
  void errorOfAnotherThreadIsReturned();
  void cancellingStopsAllThreads();
  void progressOfOtherThreadsIsPassedOn();
  void exceptionsReachTheCaller();

private:
  NullMonitor m_monitor;
};

void TestTasks::eachTaskRunsOnce() {
  constexpr std::size_t kTasks = 50;
  std::array<std::atomic<int>, kTasks> runs{};
  std::vector<Task> tasks;
  for (auto& one : runs)
    tasks.emplace_back([&one](Monitor&) {
      ++one;
      return Result<Done>(Done{});
    });
  QVERIFY(runTasks(tasks, m_monitor).hasValue());
  for (const auto& one : runs) QCOMPARE(one.load(), 1);
  QVERIFY(runTasks({}, m_monitor).hasValue());
}

void TestTasks::tasksRunBesideEachOther() {
  if (std::thread::hardware_concurrency() < 2) QSKIP("This machine has one processor.");
  std::atomic<bool> first = false, second = false;
  const std::vector<Task> tasks = {[&](Monitor& own) {
                                     first = true;
                                     return waitFor([&] { return second.load(); }, own);
                                   },
                                   [&](Monitor& own) {
                                     second = true;
                                     return waitFor([&] { return first.load(); }, own);
                                   }};
  QVERIFY(runTasks(tasks, m_monitor).hasValue());
}

void TestTasks::firstErrorEndsTheRest() {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> begun = 0;
  // The task in the caller's thread fails; those in others go on until they are stopped.
  const Task task = [&](Monitor& own) -> Result<Done> {
    ++begun;
    if (std::this_thread::get_id() == caller) return Error(DiagnosticId::FileNotFound, {});
    return waitFor([] { return false; }, own);
  };
  const auto done = runTasks(std::vector<Task>(100, task), m_monitor);
  QVERIFY(!done.hasValue());
  QVERIFY(done.error().id() == DiagnosticId::FileNotFound);
  QVERIFY2(begun <= 4, "One task per thread.");
}

void TestTasks::errorOfAnotherThreadIsReturned() {
  if (std::thread::hardware_concurrency() < 2) QSKIP("This machine has one processor.");
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> failed = false;
  // Both tasks are alike: the one in the other thread fails, the caller's ends afterwards.
  const Task task = [&](Monitor& own) -> Result<Done> {
    if (std::this_thread::get_id() == caller) return waitFor([&] { return failed.load(); }, own);
    failed = true;
    return Error(DiagnosticId::FileNotFound, {});
  };
  const auto done = runTasks({task, task}, m_monitor);
  QVERIFY(!done.hasValue());
  QVERIFY(done.error().id() == DiagnosticId::FileNotFound);
}

void TestTasks::cancellingStopsAllThreads() {
  StepMonitor monitor;
  monitor.stop = true;
  const Task endless = [](Monitor& own) { return waitFor([] { return false; }, own); };
  const auto done = runTasks({endless, endless, endless}, monitor);
  QVERIFY(!done.hasValue());
  QVERIFY(done.error().code() == ErrorCode::Cancelled);
}

void TestTasks::progressOfOtherThreadsIsPassedOn() {
  if (std::thread::hardware_concurrency() < 2) QSKIP("This machine has one processor.");
  StepMonitor monitor;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> begun = false;
  const Task task = [&](Monitor& own) -> Result<Done> {
    if (std::this_thread::get_id() == caller) return waitFor([&] { return begun.load(); }, own);
    own.progress("other", 1, 2);
    begun = true;
    return waitFor([&] { return monitor.seen > 0; }, own);
  };
  QVERIFY(runTasks({task, task}, monitor).hasValue());
  QVERIFY(monitor.seen > 0);
  QVERIFY(!monitor.fromOthers);
}

void TestTasks::exceptionsReachTheCaller() {
  const Task task = [](Monitor&) -> Result<Done> { throw std::runtime_error("out of memory"); };
  QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)runTasks({task, task, task}, m_monitor));
}

BLOBSCOPE_TEST(TestTasks);

#include "test_tasks.moc"
