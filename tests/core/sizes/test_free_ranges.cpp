#include "core/sizes/free_ranges.h"

#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using sizes::FreeRanges;

namespace {

using Places = std::vector<Extent>;

QString rangesText(const FreeRanges& ranges) {
  QStringList out;
  for (const Extent range : ranges.ranges()) out << QStringLiteral("%1+%2").arg(range.offset).arg(range.size);
  return out.join(QLatin1Char(' '));
}

} // namespace

/// Bytes are taken once, and none is lost.
class TestFreeRanges : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void placesTakeWhatIsFree_data() {
    QTest::addColumn<Places>("places");
    QTest::addColumn<QString>("taken");
    QTest::addColumn<QString>("left");
    const auto row = [](const char* name, Places places, const char* taken, const char* left) {
      QTest::newRow(name) << std::move(places) << QString::fromUtf8(taken) << QString::fromUtf8(left);
    };
    row("nothing", {}, "", "0+100");
    row("all", {{0, 100}}, "100", "");
    row("in the middle", {{10, 20}, {50, 5}}, "20 5", "0+10 30+20 55+45");
    row("neighbours", {{10, 20}, {30, 5}}, "20 5", "0+10 35+65");
    row("in another order", {{50, 5}, {10, 20}}, "5 20", "0+10 30+20 55+45");
    row("overlap: the first one", {{10, 20}, {20, 20}}, "20 10", "0+10 40+60");
    row("one in another", {{10, 20}, {15, 5}}, "20 0", "0+10 30+70");
    row("the same place", {{10, 20}, {10, 20}, {10, 30}}, "0 0 30", "0+10 40+60");
    row("beyond the end", {{90, 20}, {200, 5}}, "10 0", "0+90");
    row("an end that does not fit", {{90, UINT64_MAX}, {UINT64_MAX, 5}}, "10 0", "0+90");
    row("empty places", {{0, 0}, {100, 0}}, "0 0", "0+100");
  }
  void placesTakeWhatIsFree() {
    QFETCH(Places, places);
    QFETCH(QString, taken);
    QFETCH(QString, left);
    FreeRanges ranges(100);
    QStringList bytes;
    uint64_t sum = 0;
    for (const uint64_t one : ranges.takeBytes(places)) {
      bytes << QString::number(one);
      sum += one;
    }
    QCOMPARE(bytes.join(QLatin1Char(' ')), taken);
    QCOMPARE(rangesText(ranges), left);
    QCOMPARE(sum + ranges.bytes(), uint64_t{100});
  }

  void partsCountFromThePlace() {
    FreeRanges ranges(100);
    QCOMPARE(rangesText(ranges.take({20, 10})), QStringLiteral("0+10"));
    const Places places = {{10, 40}, {60, 10}};
    const std::vector<FreeRanges> taken = ranges.takeEach(places);
    QCOMPARE(rangesText(taken[0]), QStringLiteral("0+10 20+20")); // without what is gone already
    QCOMPARE(taken[0].bytes(), uint64_t{30});
    QCOMPARE(rangesText(taken[1]), QStringLiteral("0+10"));
    QCOMPARE(rangesText(ranges), QStringLiteral("0+10 50+10 70+30"));
    FreeRanges both = taken[0];
    both.append(taken[1], 100);
    QCOMPARE(rangesText(both), QStringLiteral("0+10 20+20 100+10"));
    QCOMPARE(both.bytes(), uint64_t{40});
  }
};

BLOBSCOPE_TEST(TestFreeRanges);
#include "test_free_ranges.moc"
