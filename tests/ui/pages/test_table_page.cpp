#include "ui/pages/table_page.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// Kernels with a size and arguments; one row far below the first ones has the widest cells.
class Kernels final : public view::TableSource {
public:
  explicit Kernels(uint64_t rows, uint64_t wide) : m_rows(rows), m_wide(wide) {}
  std::vector<view::Column> columns() const override {
    return {{"kernel", false, false}, {"code", true, true}, {"arguments", false, false}, {"registers", true, false}};
  }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t column) const override {
    if (column == 0)
      return "fused_matmul" + std::to_string(row) + (row == m_wide ? "_add_divide_subtract_kernel" : "_kernel");
    if (column == 1) return row == m_wide ? "12345678901" : std::to_string(row % 100);
    if (column == 2) return row == m_wide ? "handle, handle, handle, int32, int64, float32" : "handle";
    return std::to_string(row % 255);
  }

private:
  uint64_t m_rows, m_wide;
};

struct Shown {
  explicit Shown(uint64_t rows, uint64_t wide, int width)
      : page({std::make_shared<Kernels>(rows, wide)}, PageContext{jobs, Ref::file()}, nullptr) {
    QSignalSpy measured(&page, &TablePage::measured);
    page.resize(width, 400);
    page.show();
    isMeasured = measured.wait(kWaitMs);
    QCoreApplication::processEvents();
  }
  QString line() {
    for (const QLabel* label : page.findChildren<QLabel*>())
      if (label->text().contains(u"rows"_s)) return label->text();
    return {};
  }
  /// Without any margin.
  int contentWidth(const QString& text) { return QFontMetrics(page.view().font()).horizontalAdvance(text); }
  Jobs jobs;
  TablePage page;
  bool isMeasured = false;
};

} // namespace

/// Columns, order and filter of a table.
class TestTablePage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void widestCellDecidesTheColumnWidth_data();
  void widestCellDecidesTheColumnWidth();
  void nameColumnKeepsItsRoom();
  void measuringDoesNotBlockTheWindow();
  void sortOrderIsShownAndReversible();
  void filterMatchesAreMarked();

private:
  Application m_application;
};

void TestTablePage::widestCellDecidesTheColumnWidth_data() {
  QTest::addColumn<int>("rows");
  QTest::newRow("wraps") << 1'500;
  QTest::newRow("does not wrap") << 9'000;
}

void TestTablePage::widestCellDecidesTheColumnWidth() {
  QFETCH(const int, rows);
  const auto wide = static_cast<uint64_t>(rows) - 3;
  Shown shown(static_cast<uint64_t>(rows), wide, 1'400);
  QVERIFY(shown.isMeasured);
  TablePage& page = shown.page;
  for (int column = 0; column < 4; ++column) {
    const QModelIndex cell = page.model().index(static_cast<int>(wide), column);
    const QString text = cell.data().toString();
    const int bar = cell.data(BarRole).isValid() ? 44 : 0, icon = column == 0 ? 22 : 0;
    QVERIFY2(page.view().columnWidth(column) >= shown.contentWidth(text) + 16 + bar + icon,
             qPrintable(u"column %1: %2 for %3"_s.arg(column).arg(page.view().columnWidth(column)).arg(text)));
  }
  // Separators count.
  QCOMPARE(page.model().index(static_cast<int>(wide), 1).data().toString(), u"12,345,678,901"_s);
}

/// In a narrow table the words of other columns wrap, then columns are hidden; the name keeps its room.
void TestTablePage::nameColumnKeepsItsRoom() {
  Shown shown(9'000, 8'990, 420);
  QVERIFY(shown.isMeasured);
  QTableView& view = shown.page.view();
  QVERIFY(!view.isColumnHidden(0));
  QVERIFY(view.isColumnHidden(2));
  QVERIFY(view.isColumnHidden(3));
  QVERIFY(!view.isColumnHidden(1)); // the number that matters
  QVERIFY2(shown.line().contains(u"hidden columns: Arguments, Registers"_s), qPrintable(shown.line()));
  shown.page.resize(1'400, 400);
  QCoreApplication::processEvents();
  for (int column = 0; column < 4; ++column) QVERIFY(!view.isColumnHidden(column));
  QVERIFY(!shown.line().contains(u"no room"_s));
}

/// Measuring is not done in the window's thread.
void TestTablePage::measuringDoesNotBlockTheWindow() {
  QElapsedTimer clock;
  clock.start();
  Jobs jobs;
  TablePage page({std::make_shared<Kernels>(120'000, 119'990)}, PageContext{jobs, Ref::file()}, nullptr);
  page.resize(1'400, 400);
  page.show();
  QVERIFY2(clock.elapsed() < 2'000, qPrintable(QString::number(clock.elapsed())));
  QSignalSpy measured(&page, &TablePage::measured);
  QVERIFY(measured.wait(kWaitMs));
  const QString name = page.model().index(119'990, 0).data().toString();
  QVERIFY(page.view().columnWidth(0) >= QFontMetrics(page.view().font()).horizontalAdvance(name) + 38);
}

/// Numbers are sorted with the largest first; the third click restores the stored order, which has a name.
void TestTablePage::sortOrderIsShownAndReversible() {
  Shown shown(200, 120, 1'400);
  QVERIFY(shown.isMeasured);
  TablePage& page = shown.page;
  QVERIFY2(shown.line().contains(u"stored order"_s), qPrintable(shown.line()));
  QSignalSpy ordered(&page, &TablePage::ordered);
  const auto click = [&](int column) {
    ordered.clear();
    Q_EMIT page.view().horizontalHeader()->sectionClicked(column);
    return !ordered.isEmpty() || ordered.wait(kWaitMs);
  };
  const auto first = [&](int column) { return page.model().index(0, column).data().toString(); };
  QVERIFY(click(1));
  QCOMPARE(first(1), u"12,345,678,901"_s);
  QCOMPARE(page.view().horizontalHeader()->sortIndicatorSection(), 1);
  QCOMPARE(page.view().horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
  QVERIFY2(shown.line().contains(u"sorted by Code, largest first"_s), qPrintable(shown.line()));
  ordered.clear();
  QVERIFY(click(1));
  QCOMPARE(first(1), u"0"_s);
  QVERIFY(shown.line().contains(u"smallest first"_s));
  ordered.clear();
  QVERIFY(click(1));
  QCOMPARE(first(0), u"fused_matmul0_kernel"_s);
  QVERIFY(shown.line().contains(u"stored order"_s));
  ordered.clear();
  QVERIFY(click(0));
  QCOMPARE(page.view().horizontalHeader()->sortIndicatorOrder(), Qt::AscendingOrder);
  QVERIFY(shown.line().contains(u"sorted by Kernel, A to Z"_s));
}

/// Filter matches are marked, also in a column that had been hidden.
void TestTablePage::filterMatchesAreMarked() {
  Shown shown(9'000, 8'990, 420);
  QVERIFY(shown.isMeasured);
  TablePage& page = shown.page;
  QVERIFY(page.view().isColumnHidden(2));
  const QColor marked = theme().color(Role::Found);
  QCOMPARE(countPixels(drawn(page.view(), 1), marked), 0);
  QSignalSpy ordered(&page, &TablePage::ordered);
  page.filter().setText(u"FLOAT32"_s);
  QVERIFY(ordered.wait(kWaitMs));
  QCOMPARE(page.model().rowCount(), 1);
  QVERIFY(!page.view().isColumnHidden(2));
  QVERIFY(countPixels(drawn(page.view(), 1), marked) > 40);
  ordered.clear();
  page.filter().setText({});
  QVERIFY(!ordered.isEmpty() || ordered.wait(kWaitMs));
  QVERIFY(page.view().isColumnHidden(2));
  QCOMPARE(countPixels(drawn(page.view(), 1), marked), 0);
}

BLOBSCOPE_TEST(TestTablePage);

#include "test_table_page.moc"
