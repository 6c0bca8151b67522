#include "core/base/budget.h"

#include "core/base/growing_buffer.h"
#include "core/base/limits.h"
#include "core/base/source.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <thread>

using namespace blobscope;

class TestBudget : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void limitsGrowWithTheFileSize();
  void memoryIsReturnedWhenAChargeEnds();
  void workIsNeverReturned();
  void requestAboveTheLimitTakesNothing();
  void unpackedBytesAreChargedWhileReferenced();
  void threadsShareOneBudget();
  void messageNamesTheAmountReached();
  void growingBufferAppendsAndResizes();
};

void TestBudget::limitsGrowWithTheFileSize() {
  QCOMPARE(Budget::memoryFor(0), limits::kBudgetBase);
  QCOMPARE(Budget::memoryFor(1000), limits::kBudgetBase + 1000 * limits::kBudgetRatio);
  QCOMPARE(Budget::memoryFor(uint64_t{1} << 40), limits::kBudgetMemory);
  QCOMPARE(Budget::memoryFor(UINT64_MAX), limits::kBudgetMemory);
  // The work limit keeps growing: a library of gigabytes is read as a whole.
  QVERIFY(Budget::forFile(uint64_t{1} << 40)->workLimit() >= uint64_t{64} << 40);
  QCOMPARE(Budget::forFile(UINT64_MAX)->workLimit(), UINT64_MAX);
  const auto chosen = Budget::forFile(1000, uint64_t{8} << 30);
  QCOMPARE(chosen->memoryLimit(), uint64_t{8} << 30);
  QCOMPARE(chosen->workLimit(), uint64_t{8} << 30);
}

void TestBudget::memoryIsReturnedWhenAChargeEnds() {
  const auto budget = std::make_shared<Budget>(100, 100);
  {
    Charge charge(budget);
    QVERIFY(charge.add(60));
    QVERIFY(!charge.add(41));
    QCOMPARE(charge.bytes(), uint64_t{60});
    Charge moved = std::move(charge);
    QVERIFY(moved.add(40));
    QCOMPARE(budget->memory(), uint64_t{100});
  }
  QCOMPARE(budget->memory(), uint64_t{0});
  QVERIFY(Charge().add(UINT64_MAX)); // without a budget there is no limit
}

void TestBudget::workIsNeverReturned() {
  Budget budget(100, 100);
  QVERIFY(budget.takeWork(100));
  QVERIFY(!budget.takeWork(1));
  QVERIFY(budget.takeWork(0));
}

void TestBudget::requestAboveTheLimitTakesNothing() {
  Budget budget(100, 100);
  QVERIFY(budget.takeMemory(99));
  QVERIFY(!budget.takeMemory(UINT64_MAX));
  QVERIFY(!budget.takeMemory(2));
  QVERIFY(budget.takeMemory(1));
}

/// Unpacked bytes are charged as long as anything refers to them, and no longer.
void TestBudget::unpackedBytesAreChargedWhileReferenced() {
  const auto budget = std::make_shared<Budget>(100, 100);
  Bytes part;
  {
    GrowingBuffer buffer;
    QVERIFY(buffer.resize(50));
    Charge charge(budget);
    QVERIFY(charge.add(50));
    part = ByteSource::all(ByteSource::fromBuffer(std::move(buffer), std::move(charge))).slice(10, 5);
  }
  QCOMPARE(budget->memory(), uint64_t{50});
  part = {};
  QCOMPARE(budget->memory(), uint64_t{0});
}

void TestBudget::threadsShareOneBudget() {
  Budget budget(10'000, 10'000);
  std::atomic<unsigned> taken = 0;
  const auto take = [&] {
    for (int i = 0; i < 8'000; ++i)
      if (budget.takeMemory(1)) ++taken;
  };
  std::thread other(take);
  take();
  other.join();
  QCOMPARE(taken.load(), 10'000U);
  QCOMPARE(budget.memory(), uint64_t{10'000});
}

void TestBudget::messageNamesTheAmountReached() {
  Budget budget(1000, 2000);
  QVERIFY(budget.takeMemory(900));
  const Diagnostic memory = budget.memoryExceeded("of unpacked members", 200);
  QCOMPARE(memory.idText(), std::string_view("FILE-LIMIT"));
  QCOMPARE(memory.message(),
           std::string("1.1 KiB (1,100 bytes) of unpacked members, more than the limit of 1,000 bytes for this file; "
                       "--memory SIZE allows more"));
  QCOMPARE(budget.workExceeded("of blobs to decode", 3000).message(),
           std::string("2.9 KiB (3,000 bytes) of blobs to decode, more than the limit of 2.0 KiB (2,000 bytes) for "
                       "this file; --memory SIZE allows more"));
  QVERIFY(!budget.memoryExceeded("of members", UINT64_MAX).message().empty());
}

void TestBudget::growingBufferAppendsAndResizes() {
  GrowingBuffer buffer;
  QVERIFY(buffer.span().empty());
  QVERIFY(buffer.append({}));
  const std::array<std::byte, 3> abc = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  QVERIFY(buffer.append(abc));
  QVERIFY(buffer.resize(5));
  QVERIFY(buffer.append(abc));
  const auto span = buffer.span();
  QCOMPARE(std::string(reinterpret_cast<const char*>(span.data()), span.size()), std::string("abc\0\0abc", 8));
  QVERIFY(!buffer.resize(UINT64_MAX)); // nothing changes
  QCOMPARE(buffer.size(), uint64_t{8});
  QVERIFY(buffer.resize(2));
  QVERIFY(buffer.resize(4));
  QCOMPARE(buffer.span()[2], std::byte{0}); // truncated bytes do not come back
}

BLOBSCOPE_TEST(TestBudget);
#include "test_budget.moc"
