#include "core/diff/bytes.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

ByteDiff comparedBytes(std::string_view a, std::string_view b, ByteOptions options = {}) {
  NullMonitor monitor;
  auto found = compareBytes(bytes(a), bytes(b), options, monitor);
  return found ? std::move(*found) : ByteDiff{};
}

} // namespace

class TestByteDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void smallContentsAreCompared();
  void resultEqualsAByteByByteComparison();
  void differencesAreJoinedIntoRanges();
  void mapCountsDifferencesPerBucket();
  void sameMemoryIsNotRead();
  void comparisonCanBeCancelled();
};

void TestByteDiff::smallContentsAreCompared() {
  QVERIFY(comparedBytes("", "").same());
  QVERIFY(comparedBytes("abc", "abc").same());
  const ByteDiff changed = comparedBytes("abcdef", "aXYdeZ");
  QCOMPARE(changed.differing, uint64_t{3});
  QCOMPARE(changed.ranges, (std::vector<Extent>{{1, 2}, {5, 1}}));
  const ByteDiff longer = comparedBytes("abc", "abcde");
  QVERIFY(!longer.same());
  QCOMPARE(longer.differing, uint64_t{0});
  QCOMPARE(longer.rest(), uint64_t{2});
  QVERIFY(longer.ranges.empty());
}

void TestByteDiff::resultEqualsAByteByByteComparison() {
  std::mt19937 random(41);
  for (int i = 0; i < 400; ++i) {
    std::string a(random() % 20'000, '\0');
    for (char& c : a) c = static_cast<char>(random() % 3);
    std::string b = a;
    // Few differences, runs of differences, and many differences.
    const std::size_t changes = i % 3 == 0 ? 3 : i % 3 == 1 ? 200 : 20'000;
    for (std::size_t n = 0; n < changes && !b.empty(); ++n) b[random() % b.size()] = static_cast<char>(random() % 3);
    if (i % 5 == 0) b.resize(random() % 25'000);
    std::vector<Extent> ranges;
    uint64_t differing = 0;
    for (std::size_t at = 0; at < std::min(a.size(), b.size()); ++at) {
      if (a[at] == b[at]) continue;
      ++differing;
      if (!ranges.empty() && ranges.back().end() == at)
        ++ranges.back().size;
      else
        ranges.push_back({at, 1});
    }
    ByteOptions options;
    options.ranges = i % 2 == 0 ? 100'000 : 50;
    options.buckets = 7;
    const ByteDiff found = comparedBytes(a, b, options);
    QCOMPARE(found.differing, differing);
    QCOMPARE(found.rangeCount, uint64_t{ranges.size()});
    if (ranges.size() > options.ranges) ranges.resize(options.ranges);
    QCOMPARE(found.ranges, ranges);
    QCOMPARE(std::accumulate(found.map.begin(), found.map.end(), uint64_t{0}), differing + found.rest());
    QCOMPARE(found.same(), a == b);
  }
}

void TestByteDiff::differencesAreJoinedIntoRanges() {
  // A range across blocks, pieces and steps is one range.
  std::string a(3 << 20, 'x'), b = a;
  for (std::size_t at = 60; at < 2'200'000; ++at) b[at] = 'y';
  const ByteDiff found = comparedBytes(a, b);
  QCOMPARE(found.ranges, (std::vector<Extent>{{60, 2'199'940}}));
  ByteOptions none;
  none.ranges = 0;
  none.buckets = 0;
  const ByteDiff counted = comparedBytes(a, b, none);
  QCOMPARE(counted.rangeCount, uint64_t{1});
  QCOMPARE(counted.rangesLeftOut(), uint64_t{1});
  QVERIFY(counted.map.empty());
}

void TestByteDiff::mapCountsDifferencesPerBucket() {
  std::string a(64'000, 'x'), b = a + std::string(1'000, 'z');
  b[0] = b[1] = b[63'999] = 'y';
  ByteOptions options;
  options.buckets = 10;
  const ByteDiff found = comparedBytes(a, b, options);
  QCOMPARE(found.bucketBytes, uint64_t{6'528});
  QCOMPARE(found.map.size(), std::size_t{10});
  QCOMPARE(found.map.front(), uint64_t{2});
  QCOMPARE(found.map.back(), uint64_t{1'001});
  QCOMPARE(std::accumulate(found.map.begin(), found.map.end(), uint64_t{0}), uint64_t{1'003});
}

/// The bytes are not read again.
void TestByteDiff::sameMemoryIsNotRead() {
  const Bytes all = bytes(std::string(5 << 20, 'x'));
  StopAfter monitor(0);
  const auto found = compareBytes(all, all.slice(0), {}, monitor);
  QVERIFY(found.hasValue() && found->same());
}

void TestByteDiff::comparisonCanBeCancelled() {
  const std::string all(5 << 20, 'x');
  for (const int looks : {0, 1, 4}) {
    StopAfter monitor(looks);
    const auto found = compareBytes(bytes(all), bytes(all), {}, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestByteDiff);

#include "test_bytes.moc"
