#include "tests/support/allocation_counter.h"

#include "tests/support/counting_monitor.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <new>
#include <thread>

namespace blobscope::test {
namespace {

/// Blocks are written here, because a compiler may remove an allocation that nothing uses.
void* volatile g_seen = nullptr;

void seen(void* block) { g_seen = block; }

/// Allocates and frees.
void spend(std::size_t bytes) {
  std::vector<char> block(bytes);
  seen(block.data());
}

} // namespace

/// The counters that other tests depend on.
class TestAllocationCounter : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void allocationsAreCounted() {
    const AllocationCounter counter;
    QCOMPARE(counter.currentBytes(), int64_t{0});
    std::vector<char> kept(10'000);
    seen(kept.data());
    spend(50'000);
    // malloc reserves a few bytes more than requested.
    const auto isAbout = [](uint64_t bytes, uint64_t wanted) { return bytes >= wanted && bytes < wanted + 4'096; };
    QVERIFY(isAbout(static_cast<uint64_t>(counter.currentBytes()), 10'000));
    QVERIFY(isAbout(counter.peakBytes(), 60'000));
    QVERIFY(isAbout(counter.totalBytes(), 60'000));
    QVERIFY(counter.allocations() >= 2);
    QCOMPARE(counter.refused(), uint64_t{0});
  }

  /// Older memory that is freed counts below zero.
  void earlierAllocationsCountBelowZero() {
    auto before = std::make_unique<std::vector<char>>(20'000);
    seen(before->data());
    const AllocationCounter counter;
    before.reset();
    QVERIFY(counter.currentBytes() <= -20'000);
    QCOMPARE(counter.peakBytes(), uint64_t{0});
  }

  void otherThreadsAreCounted() {
    const AllocationCounter counter;
    std::thread([] { spend(1 << 20); }).join();
    QVERIFY(counter.peakBytes() >= 1 << 20);
  }

  void everyFormOfNewIsCounted() {
    struct alignas(256) Wide {
      char bytes[512];
    };
    const AllocationCounter counter;
    const auto one = std::make_unique<Wide>();
    const auto many = std::make_unique<Wide[]>(3);
    seen(one.get());
    seen(many.get());
    QCOMPARE(reinterpret_cast<uintptr_t>(one.get()) % 256, uintptr_t{0});
    QCOMPARE(reinterpret_cast<uintptr_t>(many.get()) % 256, uintptr_t{0});
    void* const plain = ::operator new(100, std::nothrow);
    void* const aligned = ::operator new(100, std::align_val_t(64), std::nothrow);
    seen(plain);
    seen(aligned);
    QVERIFY(plain && aligned);
    QVERIFY(counter.currentBytes() >= 4 * 512 + 200);
    ::operator delete(plain, std::nothrow);
    ::operator delete(aligned, std::align_val_t(64), std::nothrow);
    QVERIFY(counter.currentBytes() >= 4 * 512 && counter.currentBytes() < 4 * 512 + 200);
  }

  void countersCanBeNested() {
    const AllocationCounter outer;
    spend(80'000);
    {
      const AllocationCounter inner;
      spend(40'000);
      QVERIFY(inner.peakBytes() >= 40'000 && inner.peakBytes() < 80'000);
    }
    QVERIFY(outer.peakBytes() >= 80'000 && outer.peakBytes() < 120'000);
    QVERIFY(outer.totalBytes() >= 120'000);
  }

  void allocationsAboveTheLimitFail() {
    const AllocationCounter outer;
    {
      const AllocationCounter inner(100'000);
      bool thrown = false;
      try {
        spend(200'000);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      QVERIFY(thrown);
      QVERIFY(!::operator new(200'000, std::nothrow));
      QCOMPARE(inner.refused(), uint64_t{2});
      spend(50'000);
      QCOMPARE(inner.refused(), uint64_t{2});
      // An inner limit cannot be above the outer one.
      const AllocationCounter most(500'000);
      QVERIFY(!::operator new(200'000, std::nothrow));
    }
    spend(200'000);
    QCOMPARE(outer.refused(), uint64_t{3});
  }

  void monitorCountsLooksAndProgress() {
    uint64_t spent = 0;
    CountingMonitor monitor(3);
    monitor.watch([&] { return spent; });
    for (const uint64_t step : {5, 20, 7}) {
      spent += step;
      QVERIFY(!monitor.stopRequested());
    }
    QCOMPARE(monitor.looksAfterStop(), uint64_t{0});
    QVERIFY(monitor.stopRequested());
    QCOMPARE(monitor.looksAfterStop(), uint64_t{0});
    QVERIFY(monitor.stopRequested());
    QCOMPARE(monitor.looks(), uint64_t{5});
    QCOMPARE(monitor.looksAfterStop(), uint64_t{1});
    QCOMPARE(monitor.longestStretch(), uint64_t{20});
    spent += 30;
    QCOMPARE(monitor.longestStretch(), uint64_t{30});
    monitor.progress("reading", 10, 100);
    monitor.progress("reading", 60, 100);
    monitor.progress("decoding", 5, 0);
    QCOMPARE(monitor.progressUnits(), uint64_t{65});
  }
};

BLOBSCOPE_TEST(TestAllocationCounter);

} // namespace blobscope::test

#include "test_allocation_counter.moc"
