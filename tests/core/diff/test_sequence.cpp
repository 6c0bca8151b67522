#include "core/diff/sequence.h"

#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#ifdef BLOBSCOPE_DTL
#include <dtl/dtl.hpp>
#endif

#include <algorithm>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

SequenceDiff compared(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint64_t cost = kSequenceCost) {
  uint32_t numbers = 0;
  for (const auto* list : {&a, &b})
    for (const uint32_t item : *list) numbers = std::max(numbers, item + 1);
  NullMonitor monitor;
  auto result = compareSequences(a, b, numbers, monitor, cost);
  return result ? std::move(*result) : SequenceDiff{};
}

} // namespace

class TestSequenceDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void shortListsAreCompared_data();
  void shortListsAreCompared();
  void listEqualsItself();
  void resultIsSymmetric();
  void resultIsAsShortAsThatOfDtl();
  void cappedResultIsNearlyAsShort();
  void everyCostLimitGivesAValidResult();
  void costIsLimitedForUnrelatedLists_data();
  void costIsLimitedForUnrelatedLists();
  void fewDifferencesInALargeListAreFound();
  void comparisonCanBeCancelled();
  void longestAscendingSubsequenceIsFound();
};

void TestSequenceDiff::shortListsAreCompared_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<QString>("hunks");
  const auto row = [](const char* name, const char* a, const char* b, const char* hunks) {
    QTest::newRow(name) << a << b << hunks;
  };
  row("both empty", "", "", "");
  row("from nothing", "", "ab", "+0+0,0+2");
  row("to nothing", "ab", "", "-0+2,0+0");
  row("equal", "abc", "abc", "=0+3,0+3");
  row("nothing in common", "abc", "xy", "~0+3,0+2");
  row("one changed", "abc", "axc", "=0+1,0+1 ~1+1,1+1 =2+1,2+1");
  row("one removed", "abc", "ac", "=0+1,0+1 -1+1,1+0 =2+1,1+1");
  row("one added", "ac", "abc", "=0+1,0+1 +1+0,1+1 =1+1,2+1");
  row("first", "abc", "xbc", "~0+1,0+1 =1+2,1+2");
  row("last", "abc", "abx", "=0+2,0+2 ~2+1,2+1");
  row("moved", "abcdef", "bcdefa", "-0+1,0+0 =1+5,0+5 +6+0,5+1");
  row("two places", "abcdefg", "axcdyfg", "=0+1,0+1 ~1+1,1+1 =2+2,2+2 ~4+1,4+1 =5+2,5+2");
  row("last of equal places", "abab", "ababab", "=0+4,0+4 +4+0,4+2");
  row("slides to the last place", "xaay", "xaaay", "=0+3,0+3 +3+0,3+1 =3+1,4+1");
  row("slides after a repeated end", "f{}g{}", "f{}h{}g{}", "=0+3,0+3 +3+0,3+3 =3+3,6+3");
  row("two removals meet", "xabab", "x", "=0+1,0+1 -1+4,1+0");
  row("Myers' example", "abcabba", "cbabac", "~0+2,0+1 =2+1,1+1 -3+1,2+0 =4+1,2+1 ~5+1,3+1 =6+1,4+1 +7+0,5+1");
}

void TestSequenceDiff::shortListsAreCompared() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(QString, hunks);
  const auto first = letters(a.toStdString()), second = letters(b.toStdString());
  const SequenceDiff found = compared(first, second);
  QCOMPARE(breachOf(found.hunks, first, second), QString());
  QVERIFY(!found.capped);
  // The example has several shortest answers.
  if (a == QStringLiteral("abcabba"))
    QCOMPARE(editsOf(found.hunks), uint64_t{5});
  else
    QCOMPARE(hunksText(found.hunks), hunks);
}

void TestSequenceDiff::listEqualsItself() {
  std::mt19937 random(1);
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{10'000}}) {
    const auto list = randomList(random, size, 50);
    const SequenceDiff found = compared(list, list);
    QCOMPARE(hunksText(found.hunks), QStringLiteral("=0+%1,0+%1").arg(size));
  }
}

/// From the other side the same number of items differs.
void TestSequenceDiff::resultIsSymmetric() {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    const uint32_t numbers = 2 + static_cast<uint32_t>(random() % 40);
    const auto a = randomList(random, random() % 60, numbers);
    const auto b = i % 2 == 0 ? edited(a, random, 6, numbers) : randomList(random, random() % 60, numbers);
    QCOMPARE(editsOf(compared(a, b).hunks), editsOf(compared(b, a).hunks));
  }
}

/// As short as the result of a library that searches for the shortest one.
void TestSequenceDiff::resultIsAsShortAsThatOfDtl() {
#ifdef BLOBSCOPE_DTL
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    const uint32_t numbers = 2 + static_cast<uint32_t>(random() % 60);
    const auto a = randomList(random, random() % 120, numbers);
    const auto b = i % 3 == 0 ? randomList(random, random() % 120, numbers)
                              : edited(a, random, static_cast<int>(random() % 12), numbers);
    dtl::Diff<uint32_t> other(a, b);
    other.compose();
    const SequenceDiff found = compared(a, b);
    QCOMPARE(breachOf(found.hunks, a, b), QString());
    QCOMPARE(editsOf(found.hunks), static_cast<uint64_t>(other.getEditDistance()));
  }
#else
  QSKIP("dtl/dtl.hpp not found (Debian: libdtl-dev)");
#endif
}

/// When the cost limit is reached, the result may be longer, but not by much while there are items that divide the
/// lists.
void TestSequenceDiff::cappedResultIsNearlyAsShort() {
#ifdef BLOBSCOPE_DTL
  std::mt19937 random(4);
  struct Case {
    std::size_t size;
    uint32_t numbers;
    int edits;
  };
  for (const Case& one :
       {Case{20'000, 10'000, 400}, Case{20'000, 300, 200}, Case{3'000, 20, 600}, Case{2'000, 4, 2'000}}) {
    const auto a = randomList(random, one.size, one.numbers);
    const auto b = edited(a, random, one.edits, one.numbers);
    dtl::Diff<uint32_t> other(a, b);
    other.onHuge();
    other.compose();
    const auto shortest = static_cast<uint64_t>(other.getEditDistance());
    const SequenceDiff exact = compared(a, b);
    QCOMPARE(breachOf(exact.hunks, a, b), QString());
    QVERIFY(!exact.capped);
    QCOMPARE(editsOf(exact.hunks), shortest);
    const SequenceDiff cheap = compared(a, b, 20'000);
    QCOMPARE(breachOf(cheap.hunks, a, b), QString());
    QVERIFY(cheap.capped);
    if (one.numbers < one.size / 2) continue;
    const uint64_t longer = editsOf(cheap.hunks);
    QVERIFY2(longer <= shortest + shortest / 4,
             qPrintable(QStringLiteral("%1, shortest %2").arg(longer).arg(shortest)));
  }
#else
  QSKIP("dtl/dtl.hpp not found (Debian: libdtl-dev)");
#endif
}

/// Whatever the cost limit is, the result is valid.
void TestSequenceDiff::everyCostLimitGivesAValidResult() {
  std::mt19937 random(5);
  for (const uint64_t cost : {uint64_t{0}, uint64_t{1}, uint64_t{30}, uint64_t{1'000}, uint64_t{20'000}}) {
    for (int i = 0; i < 50; ++i) {
      const uint32_t numbers = 3 + static_cast<uint32_t>(random() % 300);
      const auto a = randomList(random, 200 + random() % 300, numbers);
      const auto b = i % 2 == 0 ? edited(a, random, 60, numbers) : randomList(random, 400, numbers);
      QCOMPARE(breachOf(compared(a, b, cost).hunks, a, b), QString());
    }
  }
}

void TestSequenceDiff::costIsLimitedForUnrelatedLists_data() {
  QTest::addColumn<int>("numbers");
  QTest::addColumn<bool>("reversed");
  QTest::newRow("unrelated, 2 numbers") << 2 << false;
  QTest::newRow("unrelated, 50 numbers") << 50 << false;
  QTest::newRow("unrelated, 5,000 numbers") << 5'000 << false;
  QTest::newRow("unrelated, 200,000 numbers") << 200'000 << false;
  QTest::newRow("reversed") << 0 << true;
}

/// 200,000 items each: the search ends at its limit. Steps are counted, not seconds.
void TestSequenceDiff::costIsLimitedForUnrelatedLists() {
  QFETCH(int, numbers);
  QFETCH(bool, reversed);
  std::mt19937 random(6);
  std::vector<uint32_t> a, b;
  if (reversed) {
    for (uint32_t i = 0; i < 200'000; ++i) a.push_back(i);
    b.assign(a.rbegin(), a.rend());
  } else {
    a = randomList(random, 200'000, static_cast<uint32_t>(numbers));
    b = randomList(random, 200'000, static_cast<uint32_t>(numbers));
  }
  // The monitor is checked every million steps.
  class Counter final : public Monitor {
  public:
    bool stopRequested() const override { return ++m_looks < 0; }
    void progress(std::string_view, uint64_t, uint64_t) override {}
    mutable int64_t m_looks = 0;
  } counter;
  const auto found = compareSequences(a, b, 200'001, counter, kSequenceCost / 10);
  QVERIFY(found.hasValue());
  QCOMPARE(breachOf(found->hunks, a, b), QString());
  QVERIFY2(counter.m_looks < 40, qPrintable(QString::number(counter.m_looks)));
}

void TestSequenceDiff::fewDifferencesInALargeListAreFound() {
  std::mt19937 random(7);
  const auto a = randomList(random, 300'000, 20'000);
  auto b = a;
  b[100] = 20'000;
  b.erase(b.begin() + 150'000);
  b.insert(b.begin() + 299'000, 20'001);
  const SequenceDiff found = compared(a, b);
  QCOMPARE(breachOf(found.hunks, a, b), QString());
  QCOMPARE(editsOf(found.hunks), uint64_t{4});
  QVERIFY(!found.capped);
}

void TestSequenceDiff::comparisonCanBeCancelled() {
  std::mt19937 random(8);
  const auto a = randomList(random, 20'000, 50), b = randomList(random, 20'000, 50);
  for (const int looks : {0, 1, 2, 5}) {
    StopAfter monitor(looks);
    const auto found = compareSequences(a, b, 50, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

void TestSequenceDiff::longestAscendingSubsequenceIsFound() {
  QCOMPARE(longestAscending({}), std::vector<uint32_t>{});
  const std::vector<uint32_t> values = {5, 1, 4, 2, 3, 0};
  QCOMPARE(longestAscending(values), (std::vector<uint32_t>{1, 3, 4}));
}

BLOBSCOPE_TEST(TestSequenceDiff);

#include "test_sequence.moc"
