#include "ui/widgets/text/row_map.h"

#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

using namespace blobscope::ui;

namespace {

/// Lines take 1, 2, 3, 1, 2, 3 … rows.
uint64_t threeKinds(uint64_t line) { return line % 3 + 1; }

/// Checks every row and line against a list that is made line by line.
void compareWithList(const RowMap& map, uint64_t lines, const std::vector<RowMap::Hidden>& hidden, bool wraps) {
  std::vector<RowPlace> rows;
  uint64_t above = 0;
  for (uint64_t line = 0; line < lines; ++line) {
    const bool isHidden = std::any_of(hidden.begin(), hidden.end(), [line](const RowMap::Hidden& one) {
      return line >= one.first && line <= one.last;
    });
    QCOMPARE(map.isHidden(line), isHidden);
    if (isHidden) {
      QCOMPARE(map.shownLine(line), above);
      QCOMPARE(map.rowOf(line), map.rowOf(above));
      continue;
    }
    above = line;
    QCOMPARE(map.rowOf(line), uint64_t{rows.size()});
    for (uint64_t part = 0; part < (wraps ? threeKinds(line) : 1); ++part) rows.push_back({line, part});
  }
  QCOMPARE(map.rowCount(), uint64_t{rows.size()});
  for (uint64_t row = 0; row < rows.size(); ++row) QCOMPARE(map.placeOf(row), rows[row]);
  QCOMPARE(map.placeOf(rows.size() + 5), rows.back());
  uint64_t line = 0;
  for (const RowPlace& place : rows) {
    if (place.part != 0) continue;
    QCOMPARE(line, place.line);
    const uint64_t next = map.nextLine(line);
    if (next < lines) QCOMPARE(map.previousLine(next), line);
    line = next;
  }
  QCOMPARE(line, lines);
}

} // namespace

class TestRowMap : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void rowsAndLinesCorrespond_data() {
    QTest::addColumn<int>("lines");
    QTest::addColumn<bool>("wraps");
    QTest::addColumn<QList<int>>("hidden"); ///< first and last line of each range
    for (const bool wraps : {false, true}) {
      const char* const kind = wraps ? "wrapped" : "plain";
      QTest::addRow("%s, one line", kind) << 1 << wraps << QList<int>();
      QTest::addRow("%s, all lines", kind) << 1'000 << wraps << QList<int>();
      QTest::addRow("%s, some hidden", kind) << 1'000 << wraps << QList<int>{1, 3, 10, 10, 254, 258, 600, 998};
      QTest::addRow("%s, blocks hidden", kind) << 1'000 << wraps << QList<int>{255, 800};
      QTest::addRow("%s, end hidden", kind) << 1'000 << wraps << QList<int>{700, 999};
      QTest::addRow("%s, all but the first hidden", kind) << 300 << wraps << QList<int>{1, 299};
    }
  }
  void rowsAndLinesCorrespond() {
    QFETCH(int, lines);
    QFETCH(bool, wraps);
    QFETCH(QList<int>, hidden);
    std::vector<RowMap::Hidden> ranges;
    for (qsizetype i = 0; i < hidden.size(); i += 2)
      ranges.push_back({static_cast<uint64_t>(hidden[i]), static_cast<uint64_t>(hidden[i + 1])});
    RowMap map;
    map.setLines(static_cast<uint64_t>(lines));
    if (wraps) map.setMeasure(threeKinds);
    map.setHidden(ranges);
    QCOMPARE(map.wraps(), wraps);
    QCOMPARE(map.hasHidden(), !ranges.empty());
    while (!map.advance()) {}
    compareWithList(map, static_cast<uint64_t>(lines), ranges, wraps);
  }

  void linesMayFollowAndChange() {
    RowMap map;
    map.setMeasure(threeKinds);
    for (const uint64_t lines : {1, 100, 300, 299, 900, 20}) {
      map.setLines(lines, 0);
      while (!map.advance()) {}
      compareWithList(map, lines, {}, true);
    }
    map.setMeasure(nullptr);
    compareWithList(map, 20, {}, false);
  }

  /// A jump far down measures only what it needs.
  void onlyNeededBlocksAreMeasured() {
    RowMap map;
    uint64_t measured = 0;
    map.setLines(1'000'000);
    map.setMeasure([&measured](uint64_t line) {
      ++measured;
      return threeKinds(line);
    });
    const RowPlace place = map.placeOf(900'000);
    QVERIFY(map.rowOf(place.line) <= 900'000 && map.rowOf(place.line) + 3 > 900'000);
    QVERIFY2(measured < 5'000, qPrintable(QString::number(measured)));
    while (!map.advance()) {}
    QCOMPARE(map.rowCount(), uint64_t{1'999'999});
    QVERIFY(measured < 1'010'000);
  }
};

BLOBSCOPE_TEST(TestRowMap);

#include "test_row_map.moc"
