#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/hex_page.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/window/panels/search_panel.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Find everywhere: text, bytes, regular expression; hits lead to their bytes.
class TestSearchPanel : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void finds_data();
  void finds();
  void refused_data();
  void refused();
  void goesToAHit();
  void cancels();
  void laterSearchWins();
  void manyHits();

private:
  WindowApplication m_application;
  Files m_files;
};

namespace {
/// Starts as a user does and waits for the end.
bool searched(MainWindow& window, const QString& pattern, int syntax) {
  action(window, ActionId::FindEverywhere)->trigger();
  part<SearchPanel>(window).findChild<QComboBox*>()->setCurrentIndex(syntax);
  const QSignalSpy ended(&part<SearchPanel>(window), &SearchPanel::ended);
  part<SearchPanel>(window).edit().setText(pattern);
  QTest::keyClick(&part<SearchPanel>(window).edit(), Qt::Key_Return);
  return QTest::qWaitFor([&] { return !ended.isEmpty(); }, kWaitMs);
}
} // namespace

void TestSearchPanel::finds_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::addColumn<bool>("found");
  QTest::newRow("kernel name") << "mean_kernel" << 0 << true;
  QTest::newRow("other case") << "MEAN_KERNEL" << 0 << false;
  QTest::newRow("hex") << "7f454c46" << 1 << true;
  QTest::newRow("hex with blanks") << "7f 45 4c 46" << 1 << true;
  QTest::newRow("hex not there") << "deadbeefdeadbeefdeadbeef" << 1 << false;
  QTest::newRow("regex") << "mean_k[a-z]+l" << 2 << true;
  QTest::newRow("regex not there") << "no_such_[0-9]{9}" << 2 << false;
}

void TestSearchPanel::finds() {
  QFETCH(QString, pattern);
  QFETCH(int, syntax);
  QFETCH(bool, found);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, pattern, syntax));
  const SearchModel& model = part<SearchPanel>(window).model();
  QCOMPARE(model.rowCount() > 0, found);
  const QString status = part<SearchPanel>(window).status();
  QCOMPARE(status, !found                  ? QStringLiteral("Nothing found")
                   : model.rowCount() == 1 ? QStringLiteral("1 hit")
                                           : QStringLiteral("%1 hits").arg(model.rowCount()));
  for (int row = 0; row < model.rowCount(); ++row)
    for (int column = 0; column < model.columnCount(); ++column)
      QVERIFY(!model.index(row, column).data().toString().isEmpty());
}

void TestSearchPanel::refused_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::newRow("regex") << "a(b" << 2;
  QTest::newRow("odd hex") << "7f4" << 1;
  QTest::newRow("no hex") << "xy" << 1;
}

void TestSearchPanel::refused() {
  QFETCH(QString, pattern);
  QFETCH(int, syntax);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(searched(window, pattern, syntax));
  QCOMPARE(part<SearchPanel>(window).model().rowCount(), 0);
  QVERIFY2(part<SearchPanel>(window).status().contains(pattern), qPrintable(part<SearchPanel>(window).status()));
  // The next one works.
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(part<SearchPanel>(window).model().rowCount() > 0);
}

void TestSearchPanel::goesToAHit() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  auto* const view = part<SearchPanel>(window).findChild<QTableView*>();
  int inModule = -1;
  for (int row = 0; row < part<SearchPanel>(window).model().rowCount() && inModule < 0; ++row)
    if (part<SearchPanel>(window).model().hit(row).ref.kind == Ref::Kind::Module) inModule = row;
  QVERIFY(inModule >= 0);
  const uint64_t offset = part<SearchPanel>(window).model().hit(inModule).offset;
  view->setFocus();
  view->setCurrentIndex(view->model()->index(inModule, 0));
  QTest::keyClick(view, Qt::Key_Return);
  QVERIFY(QTest::qWaitFor([&] { return pageOf<HexPage>(window) != nullptr; }, kWaitMs));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  HexView& hex = pageOf<HexPage>(window)->view();
  QTRY_COMPARE_WITH_TIMEOUT(hex.fileOffset(hex.selection().offset), quint64{offset}, kWaitMs);
  QCOMPARE(hex.selection().size, uint64_t{11});
  // All hits, one after the other.
  for (int row = 0; row < part<SearchPanel>(window).model().rowCount(); ++row) {
    view->setFocus();
    view->setCurrentIndex(view->model()->index(row, 0));
    QTest::keyClick(view, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady() && pageOf<HexPage>(window); }, kWaitMs));
  }
}

void TestSearchPanel::cancels() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  action(window, ActionId::FindEverywhere)->trigger();
  QAbstractButton* const cancel = button(part<SearchPanel>(window), QStringLiteral("Cancel"));
  QVERIFY(cancel && !cancel->isVisible());
  {
    const BusyWorkers busy(window.document().jobs());
    part<SearchPanel>(window).edit().setText(QStringLiteral("mean_kernel"));
    part<SearchPanel>(window).start();
    QVERIFY(cancel->isVisible());
    cancel->click();
    QVERIFY(!cancel->isVisible());
    QVERIFY2(part<SearchPanel>(window).status().startsWith(QStringLiteral("Cancelled")),
             qPrintable(part<SearchPanel>(window).status()));
  }
  QTest::qWait(100);
  QCOMPARE(part<SearchPanel>(window).model().rowCount(), 0);
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(part<SearchPanel>(window).model().rowCount() > 0);
  // Nothing to find is nothing to do.
  part<SearchPanel>(window).edit().clear();
  part<SearchPanel>(window).start();
  QVERIFY(!cancel->isVisible());
}

void TestSearchPanel::laterSearchWins() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  {
    const BusyWorkers busy(window.document().jobs());
    part<SearchPanel>(window).edit().setText(QStringLiteral("kernel"));
    part<SearchPanel>(window).start();
    part<SearchPanel>(window).edit().setText(QStringLiteral("no such text"));
    part<SearchPanel>(window).start();
  }
  QTRY_COMPARE_WITH_TIMEOUT(part<SearchPanel>(window).status(), QStringLiteral("Nothing found"), kWaitMs);
  QCOMPARE(part<SearchPanel>(window).model().rowCount(), 0);
}

void TestSearchPanel::manyHits() {
  const QString path = m_files.write(QStringLiteral("many.so"), libraryWithCode(100'000));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QVERIFY(searched(window, QStringLiteral("90"), 1));
  QCOMPARE(part<SearchPanel>(window).model().rowCount(), 10'000);
  QVERIFY2(part<SearchPanel>(window).status().startsWith(QStringLiteral("The first 10000 hits")),
           qPrintable(part<SearchPanel>(window).status()));
}

BLOBSCOPE_TEST(TestSearchPanel);

#include "test_search_panel.moc"
