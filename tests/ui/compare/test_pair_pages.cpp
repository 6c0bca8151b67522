#include "tests/core/graph/example_graphs.h"
#include "tests/core/sizes/sizes_example.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/compare/compare_test.h"
#include "tests/ui/ui_test.h"
#include "ui/compare/byte_map.h"
#include "ui/compare/bytes_pair_page.h"
#include "ui/compare/graph_pair_page.h"
#include "ui/compare/rows_pair_page.h"
#include "ui/compare/size_pair_page.h"
#include "ui/compare/tensor_pair_page.h"
#include "ui/models/size_changes_model.h"
#include "ui/pages/graph_page.h"
#include "ui/widgets/graph/graph_view.h"
#include "ui/widgets/hex/hex_view.h"

#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

ComparedPagePtr bytePages(const std::string& a, const std::string& b) {
  return comparedPage({"Hex", view::HexPage{placedBytes(a, 5), nullptr, {}}},
                      {"Hex", view::HexPage{placedBytes(b, 11), nullptr, {}}});
}

} // namespace

class TestPairPages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void hexViewsScrollTogether();
  void changedBytesAreVisitedInOrder();
  void byteMapShowsDifferences();
  void keyboardMovesThroughChangedRows();
  void selectedRowsAreCopied();
  void equalRowsAreFolded();
  void tensorDifferencesAreShown();
  void graphsAreMerged();
  void sizesAreSignedBars();
  void changesArePaintedInTheDarkTheme();

private:
  Application m_application;
};

void TestPairPages::hexViewsScrollTogether() {
  std::string a(20'000, 'x'), b(12'000, 'x');
  b[100] = 'y';
  BytesPairPage page(*bytePages(a, b), nullptr);
  page.resize(1'100, 400);
  page.show();
  HexView &first = page.view(Side::A), &second = page.view(Side::B);
  // Equal positions share a row, whatever their offsets in the files.
  QCOMPARE(first.fileOffset(0), 0U);
  QCOMPARE(second.fileOffset(0), 0U);
  first.verticalScrollBar()->setValue(300);
  QCOMPARE(second.verticalScrollBar()->value(), 300);
  second.verticalScrollBar()->setValue(20);
  QCOMPARE(first.verticalScrollBar()->value(), 20);
  // The shorter side stops, and does not limit the longer one.
  first.verticalScrollBar()->setValue(first.verticalScrollBar()->maximum());
  QCOMPARE(second.verticalScrollBar()->value(), second.verticalScrollBar()->maximum());
  QCOMPARE(first.verticalScrollBar()->value(), first.verticalScrollBar()->maximum());
}

void TestPairPages::changedBytesAreVisitedInOrder() {
  std::string a(20'000, 'x'), b = a + "more";
  b[100] = b[101] = b[15'000] = 'y';
  BytesPairPage page(*bytePages(a, b), nullptr);
  page.resize(1'100, 400);
  page.show();
  QSignalSpy moved(&page, &PairPage::changeMoved);
  QCOMPARE(page.changeCount(), 3);
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(page.view(Side::A).cursor(), 100U);
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(page.view(Side::B).cursor(), 15'000U);
  QVERIFY(page.view(Side::A).visibleBytes().contains(15'000));
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(page.view(Side::B).cursor(), 20'000U);
  QVERIFY(!page.goToNextChange(false));
  QVERIFY(page.goToNextChange(true));
  QCOMPARE(page.currentChange(), 1);
  QCOMPARE(moved.count(), 4);
}

void TestPairPages::byteMapShowsDifferences() {
  std::string a(100'000, 'x'), b(80'000, 'x');
  b[40'000] = 'y';
  BytesPairPage page(*bytePages(a, b), nullptr);
  page.resize(1'124, 400);
  page.show();
  ByteMap& map = page.map();
  QVERIFY(map.accessibleDescription().contains(QStringLiteral("1 ")));
  QTest::mouseClick(&map, Qt::LeftButton, {}, {12 + (map.width() - 24) / 2, map.height() / 2});
  QVERIFY(qAbs(static_cast<qint64>(page.view(Side::A).cursor()) - 50'000) < 200);
  QTest::keyClick(&map, Qt::Key_Left);
  QVERIFY(page.view(Side::B).visibleBytes().contains(40'000));
  const QImage image = drawn(map, 1);
  QVERIFY(countPixels(image, theme().color(Role::Changed)) > 10);
  QVERIFY(countPixels(image, theme().color(Role::Removed)) > 10); // bytes that only A has
}

void TestPairPages::keyboardMovesThroughChangedRows() {
  std::vector<std::vector<std::string>> rows;
  for (int row = 0; row < 200; ++row) rows.push_back({"k" + std::to_string(row), "1"});
  auto other = rows;
  other[50][1] = "2";
  other[150][1] = "3";
  const std::vector<view::Column> columns = {{"name"}, {"registers", true}};
  RowsPairPage page(comparedPage(view::tablePage("T", columns, rows), view::tablePage("T", columns, other)), nullptr);
  page.resize(800, 300);
  page.show();
  QCOMPARE(page.changeCount(), 2);
  QCOMPARE(page.currentChange(), -1);
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(page.view().currentIndex().row(), 50);
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(page.view().currentIndex().row(), 150);
  QVERIFY(!page.goToNextChange(false));
  QVERIFY(page.goToNextChange(true));
  QCOMPARE(page.currentChange(), 0);
  page.goToEnd(true);
  QCOMPARE(page.currentChange(), 1);
}

void TestPairPages::selectedRowsAreCopied() {
  const std::vector<view::Column> columns = {{"name"}, {"registers", true}};
  RowsPairPage page(comparedPage(view::tablePage("T", columns, {{"a", "1"}, {"b", "2"}}),
                                 view::tablePage("T", columns, {{"a", "9"}, {"b", "2"}})),
                    nullptr);
  page.resize(800, 300);
  page.show();
  QTest::keySequence(&page.view(), QKeySequence::Copy);
  QCOMPARE(QApplication::clipboard()->text(), QString::fromUtf8("changed\ta\t1 → 9\nsame\tb\t2\n"));
}

void TestPairPages::equalRowsAreFolded() {
  const std::vector<view::Column> columns = {{"name"}, {"registers", true}};
  RowsPairPage page(comparedPage(view::tablePage("T", columns, {{"a", "1"}, {"b", "2"}}),
                                 view::tablePage("T", columns, {{"a", "9"}, {"b", "2"}})),
                    nullptr);
  QVERIFY(page.canFold());
  page.setFolding(true);
  QCOMPARE(page.model().rowCount(), 1);
  page.setFolding(false);
  QCOMPARE(page.model().rowCount(), 2);
}

void TestPairPages::tensorDifferencesAreShown() {
  diff::TensorDiff numbers;
  numbers.compared = true;
  numbers.count = 1'000;
  numbers.differing = 10;
  numbers.bytesDiffering = 20;
  numbers.maxAbsolute = 0.25;
  numbers.maxRelative = 0.5;
  numbers.maxAbsoluteAt.at = {1, 2};
  numbers.maxAbsoluteAt.a = "0.5";
  numbers.maxAbsoluteAt.b = "0.75";
  numbers.histogram = {{0.125, 0.25, 4}, {0.25, 0.5, 6}};
  const auto facts = TensorPairPage::factsOf(numbers);
  QCOMPARE(facts[1].second, QStringLiteral("10 (1.0 %)"));
  QVERIFY(facts[3].second.contains(QStringLiteral("[1, 2]: 0.5")));
  TensorPairPage page(numbers, nullptr);
  page.resize(700, 500);
  page.show();
  auto* const chart = page.findChild<DifferenceChart*>();
  QVERIFY(chart);
  QVERIFY(chart->accessibleDescription().contains(QStringLiteral("6 from")));
  QVERIFY(countPixels(drawn(*chart, 1), theme().color(Role::Changed)) > 100);
  numbers = {};
  numbers.note = "other shape";
  QCOMPARE(TensorPairPage::factsOf(numbers).size(), 1);
}

/// Both graphs are one picture; the changes are visited from the first layer to the last.
void TestPairPages::graphsAreMerged() {
  Jobs jobs;
  const auto compared = comparedPage({"Graph", chainOf({"conv", "relu", "dense", "add"})},
                                     {"Graph", chainOf({"conv", "dense", "add", "softmax"})});
  GraphPairPage page(compared, PageContext{jobs, Ref::file()}, nullptr);
  QSignalSpy arranged(&page.graph(), &ui::GraphPage::arranged);
  page.resize(900, 500);
  page.show();
  QVERIFY(arranged.wait(kWaitMs));
  QCOMPARE(page.graph().view().colouring(), graph::Colouring::Mark);
  QCOMPARE(page.changeCount(), 2);
  QCOMPARE(page.currentChange(), -1);
  const auto title = [&] { return page.graph().view().scene()->picture.boxes[*page.graph().view().current()].title; };
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(title(), std::string("relu"));
  QCOMPARE(page.currentChange(), 0);
  QVERIFY(page.goToNextChange(false));
  QCOMPARE(title(), std::string("softmax"));
  QVERIFY(!page.goToNextChange(false));
  QVERIFY(page.goToNextChange(true));
  QCOMPARE(title(), std::string("relu"));
  QVERIFY(!page.goToNextChange(true));
  page.goToEnd(true);
  QCOMPARE(page.currentChange(), 1);
}

void TestPairPages::sizesAreSignedBars() {
  SizePairPage page(sizesExample(), nullptr);
  page.resize(900, 300);
  page.show();
  QCOMPARE(page.changeCount(), 2);
  QCOMPARE(page.currentChange(), -1);
  QVERIFY(page.goToNextChange(false));
  const auto text = [&](int row, int column) { return page.model().index(row, column).data().toString(); };
  QCOMPARE(text(0, SizeChangesModel::Difference), QStringLiteral("−3,000"));
  QCOMPARE(text(0, SizeChangesModel::Before), QStringLiteral("4,000"));
  QCOMPARE(text(1, SizeChangesModel::Before), QStringLiteral("–"));
  QCOMPARE(page.model().index(1, 0).data(SizeChangesModel::ShareRole).toDouble(), 0.5);
  QVERIFY(page.goToNextChange(false));
  QVERIFY(!page.goToNextChange(false));
  page.goToEnd(false);
  QCOMPARE(page.currentChange(), 0);
  page.view().clearSelection();
  const QImage image = drawn(page, 1);
  const int shrinks = countPixels(image, theme().color(Role::Ok)),
            grows = countPixels(image, theme().color(Role::Warning));
  QVERIFY2(shrinks > 400 && grows > 200 && shrinks > grows,
           qPrintable(QStringLiteral("%1 %2").arg(shrinks).arg(grows)));
  page.resize(400, 300); // only names and differences
  QVERIFY(page.view().isColumnHidden(SizeChangesModel::In) && page.view().isColumnHidden(SizeChangesModel::Before));
  QVERIFY(!page.view().isColumnHidden(SizeChangesModel::Difference));
}

void TestPairPages::changesArePaintedInTheDarkTheme() {
  setTheme(Theme::dark());
  const std::vector<view::Column> columns = {{"name"}, {"registers", true}};
  RowsPairPage page(comparedPage(view::tablePage("T", columns, {{"a", "1"}, {"b", "2"}}),
                                 view::tablePage("T", columns, {{"a", "9"}, {"c", "2"}})),
                    nullptr);
  page.resize(800, 300);
  page.show();
  const QImage image = drawn(page, 1.5);
  for (const Role role : {Role::ChangedLine, Role::AddedLine, Role::RemovedLine})
    QVERIFY(countPixels(image, theme().color(role)) > 100);
  setTheme(Theme::light());
}

BLOBSCOPE_TEST(TestPairPages);
#include "test_pair_pages.moc"
