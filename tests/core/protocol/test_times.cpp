#include "core/protocol/times.h"

#include "core/protocol/number_text.h"
#include "tests/core/protocol/numbers.h"
#include "tests/support/test_main.h"

#include <array>
#include <vector>

using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

using Times = std::vector<double>;

} // namespace

class TestRunTimes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void timesAreSummarised();
  void invalidTimesAreIgnored();
  void clearDifferencesAreReported();
  void differencesWithinTheSpreadAreNotClear();
  void differencesOfSomeRoundsAreNotClear();
  void tooFewRunsAreNotCompared();
  void durationsAndNumbersAreFormatted();
};

void TestRunTimes::timesAreSummarised() {
  const TimeSummary found = summarizeTimes(Times{5, 1, 2, 4, 3});
  QCOMPARE(found.count, uint64_t{5});
  QCOMPARE(found.minimum, 1.0);
  QCOMPARE(found.lowerQuartile, 2.0);
  QCOMPARE(found.median, 3.0);
  QCOMPARE(found.upperQuartile, 4.0);
  QCOMPARE(found.p95, 4.8);
  QCOMPARE(found.quartileRange(), 2.0);
  const TimeSummary even = summarizeTimes(Times{1, 2, 3, 4});
  QCOMPARE(even.median, 2.5);
  QCOMPARE(even.lowerQuartile, 1.75);
  QCOMPARE(even.upperQuartile, 3.25);
  const TimeSummary one = summarizeTimes(Times{7});
  QVERIFY(one.count == 1 && one.minimum == 7 && one.median == 7 && one.p95 == 7 && one.quartileRange() == 0);
  QCOMPARE(found.text(), "median 3 µs (quartiles 2 µs to 4 µs), fastest 1 µs, 95 % within 4.8 µs, 5 runs");
  QVERIFY(one.text().ends_with(", 1 run"));
}

void TestRunTimes::invalidTimesAreIgnored() {
  QCOMPARE(summarizeTimes(Times{}).count, uint64_t{0});
  QCOMPARE(summarizeTimes(Times{}).text(), "not measured");
  const TimeSummary found = summarizeTimes(Times{kNan, 2, kInfinity, -1, -kInfinity, 2, 2});
  QCOMPARE(found.count, uint64_t{3});
  QVERIFY(found.minimum == 2 && found.p95 == 2);
  const TimeComparison huge = compareTimes(Times{1e308, 1e308, 1e308}, Times{0, 0, 0});
  QVERIFY(huge.verdict == TimeComparison::Verdict::Slower && huge.ratio == 0);
  QVERIFY(!huge.sentence().empty());
}

void TestRunTimes::clearDifferencesAreReported() {
  const TimeComparison faster = compareTimes(Times{10, 10.1, 9.9, 10}, Times{12.5, 12.4, 12.6, 12.5});
  QVERIFY(faster.verdict == TimeComparison::Verdict::Faster);
  QCOMPARE(faster.difference, -2.5);
  QCOMPARE(faster.ratio, 0.8);
  QCOMPARE(faster.sentence(), "faster: median 10 µs against 12.5 µs, 0.80 times as long");
  const TimeComparison slower = compareTimes(Times{12.5, 12.4, 12.6, 12.5}, Times{10, 10.1, 9.9, 10});
  QCOMPARE(slower.sentence(), "slower: median 12.5 µs against 10 µs, 1.25 times as long");
  // A difference as large as the spread is clear; a smaller one is not.
  const TimeComparison edge = compareTimes(Times{1, 2, 3, 4, 5}, Times{5, 5, 5, 5, 5});
  QCOMPARE(edge.spread, 2.0);
  QVERIFY(edge.verdict == TimeComparison::Verdict::Faster);
}

void TestRunTimes::differencesWithinTheSpreadAreNotClear() {
  // The larger of both spreads counts, whichever side it is on.
  const Times wide = {1, 2, 3, 4, 5}, narrow = {4.5, 4.5, 4.5};
  QVERIFY(compareTimes(wide, narrow).verdict == TimeComparison::Verdict::NoClearDifference);
  QVERIFY(compareTimes(narrow, wide).verdict == TimeComparison::Verdict::NoClearDifference);
  QCOMPARE(compareTimes(narrow, wide).sentence(),
           "no clear difference: median 4.5 µs against 3 µs, runs spread over 2 µs");
  QVERIFY(compareTimes(narrow, narrow).verdict == TimeComparison::Verdict::NoClearDifference);
}

void TestRunTimes::differencesOfSomeRoundsAreNotClear() {
  const TimeRound faster = {{10, 10.1, 9.9}, {12.5, 12.4, 12.6}}, equal = {{10, 10.1, 9.9}, {10, 10.1, 9.9}};
  const auto compare = [](const TimeRound& one, const TimeRound& other) {
    return compareRounds(std::array<TimeRound, 2>{one, other});
  };
  QCOMPARE(compare(faster, faster).sentence(), "faster: median 10 µs against 12.5 µs, 0.80 times as long");
  // One process was slow as a whole: over both rounds the difference is as large as the spread.
  const TimeRound slowReference = {{10, 10.1, 9.9}, {60, 60.1, 59.9, 60, 60, 60, 60}};
  QVERIFY(
      compareTimes(Times{10, 10.1, 9.9, 10, 10.1, 9.9}, Times{60, 60.1, 59.9, 60, 60, 60, 60, 10, 10.1, 9.9}).verdict ==
      TimeComparison::Verdict::Faster);
  QCOMPARE(compare(slowReference, equal).sentence(),
           "no clear difference: median 10 µs against 60 µs, not in each round of runs");
  // A round with too few runs decides nothing.
  QVERIFY(compare(faster, {{10}, {12.5}}).verdict == TimeComparison::Verdict::Faster);
}

void TestRunTimes::tooFewRunsAreNotCompared() {
  QCOMPARE(compareTimes(Times{1, 1}, Times{9, 9, 9}).sentence(), "too few runs to compare: 2 and 3");
  QVERIFY(compareTimes(Times{}, Times{9, 9, 9}).verdict == TimeComparison::Verdict::TooFew);
}

void TestRunTimes::durationsAndNumbersAreFormatted() {
  QCOMPARE(durationText(0), "0 µs");
  QCOMPARE(durationText(4.25), "4.25 µs");
  QCOMPARE(durationText(0.0123), "0.0123 µs");
  QCOMPARE(durationText(1300), "1.3 ms");
  QCOMPARE(durationText(2e6), "2 s");
  QCOMPARE(durationText(1e10), "10000 s");
  QCOMPARE(plainNumber(2e-3), "2e-3");
  QCOMPARE(plainNumber(1.6e-2), "1.6e-2");
  QCOMPARE(plainNumber(0), "0");
  QCOMPARE(plainNumber(0.5), "0.5");
  QCOMPARE(plainNumber(1e-12), "1e-12");
  QCOMPARE(plainNumber(1e20), "1e20");
  QCOMPARE(plainNumber(-kInfinity), "-inf");
  QCOMPARE(roundedNumber(0.0017123), "1.7e-3");
  QCOMPARE(roundedNumber(0.002), "2e-3");
  QCOMPARE(roundedNumber(0.25), "0.25");
  QCOMPARE(roundedNumber(12.3), "12");
  QCOMPARE(roundedNumber(123), "123");
  QCOMPARE(roundedNumber(123.4), "1.2e2");
  QCOMPARE(roundedNumber(1.79e308), "1.8e308");
}

BLOBSCOPE_TEST(TestRunTimes);
#include "test_times.moc"
