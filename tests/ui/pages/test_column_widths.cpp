#include "ui/pages/column_widths.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/ui/ui_test.h"

#include <QFont>

#include <numeric>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

class TestColumnWidths : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void widestCellOfEachColumnIsFound();
  void measuringCanBeCancelled();
  void columnsFitTheRoom_data();
  void columnsFitTheRoom();
  void columnsGetTheirFullWidth();

private:
  Application m_application;
};

namespace {

/// Ten thousand rows, of which one near the end is much wider.
std::shared_ptr<view::FixedTable> table() {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 10'000; ++i) rows.push_back({"name_" + std::to_string(i), "short"});
  rows[9'990][1] = "a text that is much longer than those of all other rows";
  return std::make_shared<view::FixedTable>(std::vector<view::Column>{{"name"}, {"text"}}, std::move(rows));
}

} // namespace

void TestColumnWidths::widestCellOfEachColumnIsFound() {
  const CharacterWidths widths{QFontMetricsF(QFont())};
  NullMonitor monitor;
  const auto measured = measureTable(*table(), widths, widths, monitor);
  QVERIFY(measured);
  QCOMPARE(QString::fromStdString(measured->widest[1]),
           QStringLiteral("a text that is much longer than those of all other rows"));
  QCOMPARE(measured->affixes.prefix, QStringLiteral("name_"));
}

void TestColumnWidths::measuringCanBeCancelled() {
  const CharacterWidths widths{QFontMetricsF(QFont())};
  StopAfter monitor(1);
  const auto measured = measureTable(*table(), widths, widths, monitor);
  QVERIFY(!measured && measured.error().code() == ErrorCode::Cancelled);
}

void TestColumnWidths::columnsFitTheRoom_data() {
  QTest::addColumn<int>("room");
  QTest::addColumn<bool>("wrap");
  for (const int room : {100, 300, 500, 700, 900, 1'400})
    for (const bool wrap : {false, true}) QTest::addRow("%d%s", room, wrap ? ", wrapped" : "") << room << wrap;
}

/// No column is wider than the room; the name and the filter matches are visible; numbers are complete or hidden.
void TestColumnWidths::columnsFitTheRoom() {
  QFETCH(const int, room);
  QFETCH(const bool, wrap);
  QVector<ColumnNeed> wishes = {{400}, {900}, {80, true, true}, {300}, {90, true}, {250}};
  for (const int matched : {-1, 3}) {
    if (matched >= 0) wishes[matched].matched = true;
    const ColumnWidths fitted = fitColumns(wishes, room, wrap);
    QVERIFY(!fitted.left[0] && fitted.widths[0] >= 200);
    if (matched >= 0) QVERIFY(!fitted.left[matched]);
    int total = 0;
    for (qsizetype column = 0; column < wishes.size(); ++column) {
      if (fitted.left[column]) continue;
      total += fitted.widths[column];
      if (wishes[column].number) QCOMPARE(fitted.widths[column], wishes[column].width);
      QVERIFY(fitted.widths[column] <= wishes[column].width);
    }
    // The name and a match get their minimum width, whatever the room is.
    QVERIFY2(total <= qMax(room, matched >= 0 ? 420 : 200), qPrintable(QString::number(total)));
  }
}

void TestColumnWidths::columnsGetTheirFullWidth() {
  const ColumnWidths fitted = fitColumns({{400}, {300}, {80, true}}, 2'000, true);
  QCOMPARE(fitted.widths, (QVector<int>{400, 300, 80}));
  QVERIFY(!fitted.left.contains(true));
}

BLOBSCOPE_TEST(TestColumnWidths);
#include "test_column_widths.moc"
