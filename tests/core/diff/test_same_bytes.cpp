#include "core/diff/same_bytes.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;
using diff::SameBytes;

class TestSameBytes : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// Compared with the plain result, at places near the borders of the cache.
  void slicesAreComparedAsOneByOne() {
    NullMonitor monitor;
    std::string text(300'000, 'x');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 + i / 251);
    std::string other = text;
    for (const std::size_t at : {std::size_t{0}, std::size_t{65'535}, std::size_t{131'072}, std::size_t{299'999}})
      other[at] ^= 1;
    const Bytes a = bytes(text), b = bytes(other);
    const auto same = SameBytes::of(a, b, monitor);
    QVERIFY(same);
    QVERIFY(!same->identical());
    const std::vector<uint64_t> edges = {0,       1,       65'534,  65'535,  65'536,  65'537, 131'071,
                                         131'072, 131'073, 200'000, 299'998, 299'999, 300'000};
    for (const uint64_t from : edges)
      for (const uint64_t to : edges) {
        if (to < from) continue;
        const auto equal = same->equal(a.slice(from, to - from), b.slice(from, to - from), monitor);
        QVERIFY(equal);
        QCOMPARE(*equal, text.substr(from, to - from) == other.substr(from, to - from));
        const auto count = same->countDifferences(a.slice(from, to - from), b.slice(from, to - from), monitor);
        QVERIFY(count);
        uint64_t expected = 0;
        for (uint64_t i = from; i < to; ++i) expected += text[i] != other[i];
        QCOMPARE(count->bytes, expected);
        QCOMPARE(count->first.has_value(), expected > 0);
      }
    // At different places nothing is known in advance.
    QVERIFY(*same->equal(a.slice(1, 50'000), Bytes::copyOf(a.slice(1, 50'000).view()), monitor));
    QVERIFY(!*same->equal(a.slice(1, 50'000), b.slice(2, 50'000), monitor));
    QVERIFY(!*same->equal(a.slice(1, 5), b.slice(1, 6), monitor));
    QVERIFY(*same->equal(Bytes(), b.slice(3, 0), monitor));
  }

  void sizesAndFirstDifferenceAreReported() {
    NullMonitor monitor;
    QVERIFY(SameBytes::of(bytes("abc"), bytes("abc"), monitor)->identical());
    QVERIFY(!SameBytes::of(bytes("abc"), bytes("abcd"), monitor)->identical());
    const auto same = SameBytes::of(bytes("abc"), bytes("abcd"), monitor);
    const auto count = same->countDifferences(bytes("abX"), bytes("abcde"), monitor);
    QCOMPARE(count->bytes, uint64_t{3});
    QCOMPARE(*count->first, uint64_t{2});
  }

  void comparisonCanBeCancelled() {
    const std::string text(4 << 20, 'a');
    const Bytes a = bytes(text), b = bytes(text);
    StopAfter stop(1);
    const auto same = SameBytes::of(a, b, stop);
    QVERIFY(!same);
    QCOMPARE(same.error().code(), ErrorCode::Cancelled);
    NullMonitor monitor;
    const auto known = SameBytes::of(a, bytes("x"), monitor);
    StopAfter soon(1);
    QVERIFY(!known->equal(a, b, soon));
    StopAfter sooner(1);
    QVERIFY(!diff::computeHash(a, sooner));
  }
};

BLOBSCOPE_TEST(TestSameBytes);

#include "test_same_bytes.moc"
