#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/panels/search_panel.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Find everywhere: text, bytes, regular expression; matches lead to their bytes.
class TestSearchPanel : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void matchesAreFound_data();
  void matchesAreFound();
  void invalidPatternsAreRefused_data();
  void invalidPatternsAreRefused();
  void matchOpensItsNode();
  void matchesHaveTheMenuOfTheirNode();
  void searchHasCaseScopeAndKeys();
  void searchCanBeCancelled();
  void laterSearchWins();
  void numberOfMatchesIsLimited();

private:
  WindowApplication m_application;
  Files m_files;
};

namespace {
/// Starts a search as a user does and waits for its end.
bool searched(MainWindow& window, const QString& pattern, int syntax) {
  action(window, ActionId::FindEverywhere)->trigger();
  part<SearchPanel>(window).findChild<QComboBox*>()->setCurrentIndex(syntax);
  const QSignalSpy ended(&part<SearchPanel>(window), &SearchPanel::ended);
  part<SearchPanel>(window).edit().setText(pattern);
  QTest::keyClick(&part<SearchPanel>(window).edit(), Qt::Key_Return);
  return QTest::qWaitFor([&] { return !ended.isEmpty(); }, kWaitMs);
}

QModelIndexList allRows(const SearchModel& model) {
  QModelIndexList out;
  for (int group = 0; group < model.rowCount(); ++group) {
    out << model.index(group, 0);
    for (int row = 0; row < model.rowCount(model.index(group, 0)); ++row)
      out << model.index(row, 0, model.index(group, 0));
  }
  return out;
}
} // namespace

void TestSearchPanel::matchesAreFound_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::addColumn<bool>("found");
  QTest::newRow("kernel name") << "mean_kernel" << 0 << true;
  QTest::newRow("other case") << "MEAN_KERNEL" << 0 << true;
  QTest::newRow("hex") << "7f454c46" << 1 << true;
  QTest::newRow("hex with blanks") << "7f 45 4c 46" << 1 << true;
  QTest::newRow("hex not there") << "deadbeefdeadbeefdeadbeef" << 1 << false;
  QTest::newRow("regex") << "mean_k[a-z]+l" << 2 << true;
  QTest::newRow("regex not there") << "no_such_[0-9]{9}" << 2 << false;
}

void TestSearchPanel::matchesAreFound() {
  QFETCH(QString, pattern);
  QFETCH(int, syntax);
  QFETCH(bool, found);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, pattern, syntax));
  const SearchModel& model = part<SearchPanel>(window).model();
  QCOMPARE(model.hitCount() > 0, found);
  const QString status = part<SearchPanel>(window).status();
  QCOMPARE(status, !found                  ? QStringLiteral("No matches")
                   : model.hitCount() == 1 ? QStringLiteral("1 match")
                                           : QStringLiteral("%1 matches").arg(model.hitCount()));
  for (const QModelIndex& index : allRows(model))
    for (int column = 0; column < model.columnCount(); ++column)
      QVERIFY(!index.siblingAtColumn(column).data().toString().isEmpty());
}

void TestSearchPanel::invalidPatternsAreRefused_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::newRow("regex") << "a(b" << 2;
  QTest::newRow("odd hex") << "7f4" << 1;
  QTest::newRow("no hex") << "xy" << 1;
}

void TestSearchPanel::invalidPatternsAreRefused() {
  QFETCH(QString, pattern);
  QFETCH(int, syntax);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(searched(window, pattern, syntax));
  QCOMPARE(part<SearchPanel>(window).model().hitCount(), 0);
  QVERIFY2(part<SearchPanel>(window).status().contains(pattern), qPrintable(part<SearchPanel>(window).status()));
  // The next search works.
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(part<SearchPanel>(window).model().hitCount() > 0);
}

void TestSearchPanel::matchOpensItsNode() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  auto* const view = part<SearchPanel>(window).findChild<QTreeView*>();
  const SearchModel& model = part<SearchPanel>(window).model();
  QModelIndex inModule;
  for (const QModelIndex& index : allRows(model))
    if (const search::Hit* const hit = model.hitAt(index); hit && hit->ref.node() == Ref::moduleAt({}, 2))
      inModule = inModule.isValid() ? inModule : index;
  QVERIFY(inModule.isValid());
  QCOMPARE(inModule.parent().data().toString(), QStringLiteral("cuda · module m2"));
  const uint64_t offset = model.hitAt(inModule)->offset;
  view->setFocus();
  view->setCurrentIndex(inModule);
  QTest::keyClick(view, Qt::Key_Return);
  QVERIFY(QTest::qWaitFor([&] { return pageOf<HexPage>(window) != nullptr; }, kWaitMs));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  HexView& hex = pageOf<HexPage>(window)->view();
  QTRY_COMPARE_WITH_TIMEOUT(hex.fileOffset(hex.selection().offset), quint64{offset}, kWaitMs);
  QCOMPARE(hex.selection().size, uint64_t{11});
  // All matches in turn; those in the code are shown in the code.
  bool inText = false;
  for (const QModelIndex& index : allRows(model)) {
    const search::Hit* const hit = model.hitAt(index);
    if (!hit) continue;
    view->setFocus();
    view->setCurrentIndex(index);
    QTest::keyClick(view, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady() && currentView(window)->current(); }, kWaitMs));
    if (TextPage* const page = pageOf<TextPage>(window)) {
      inText = true;
      const TextView& text = page->view();
      QTRY_COMPARE_WITH_TIMEOUT(*text.text().offset() + text.selection().offset, hit->offset, kWaitMs);
      QCOMPARE(text.selection().size, hit->size);
    }
  }
  QVERIFY(inText);
}

/// Down moves from the edit to the matches; the case matters on request; a node can be searched alone. A match, and a
/// node with several, has the menu of its target.
void TestSearchPanel::matchesHaveTheMenuOfTheirNode() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("softmax_kernel"), 0));
  auto& view = *part<SearchPanel>(window).findChild<QTreeView*>();
  const QModelIndex group = view.model()->index(0, 0);
  askMenu(view, view.model()->index(0, 0, group));
  QStringList titles = takeMenu();
  QVERIFY2(titles.contains(QStringLiteral("Show in Hex")) && titles.contains(QStringLiteral("Copy value")),
           qPrintable(titles.join(QLatin1Char(','))));
  QVERIFY(!titles.contains(QStringLiteral("Open in new tab")));
  askMenu(view, group);
  titles = takeMenu();
  QVERIFY2(titles.contains(QStringLiteral("Open in new tab")), qPrintable(titles.join(QLatin1Char(','))));
}

void TestSearchPanel::searchHasCaseScopeAndKeys() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(searched(window, QStringLiteral("MEAN_KERNEL"), 0));
  SearchPanel& panel = part<SearchPanel>(window);
  const int all = panel.model().hitCount();
  QVERIFY(all > 0);
  auto* const matchCase = panel.findChild<QToolButton*>();
  QVERIFY(matchCase && matchCase->isCheckable());
  matchCase->click();
  QVERIFY(searched(window, QStringLiteral("MEAN_KERNEL"), 0));
  QCOMPARE(panel.model().hitCount(), 0);
  matchCase->click();
  // The selected module.
  QVERIFY(go(window, "m2"));
  action(window, ActionId::FindEverywhere)->trigger();
  auto* const scope = panel.findChildren<QComboBox*>()[1];
  QCOMPARE(scope->count(), 2);
  QCOMPARE(scope->itemText(1), QStringLiteral("In cuda · module m2"));
  scope->setCurrentIndex(1);
  QVERIFY(searched(window, QStringLiteral("MEAN_KERNEL"), 0));
  QVERIFY(panel.model().hitCount() > 0 && panel.model().hitCount() < all);
  for (int i = 0; i < panel.model().hitCount(); ++i) QCOMPARE(panel.model().hit(i).ref.module, 2u);
  auto* const view = panel.findChild<QTreeView*>();
  panel.edit().setFocus();
  QTest::keyClick(&panel.edit(), Qt::Key_Down);
  QVERIFY(view->hasFocus());
  QVERIFY(panel.model().hitAt(view->currentIndex()));
}

void TestSearchPanel::searchCanBeCancelled() {
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
  finishJobs(window.document().jobs());
  QCOMPARE(part<SearchPanel>(window).model().hitCount(), 0);
  QVERIFY(searched(window, QStringLiteral("mean_kernel"), 0));
  QVERIFY(part<SearchPanel>(window).model().hitCount() > 0);
  // An empty pattern starts no search.
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
  QTRY_COMPARE_WITH_TIMEOUT(part<SearchPanel>(window).status(), QStringLiteral("No matches"), kWaitMs);
  QCOMPARE(part<SearchPanel>(window).model().hitCount(), 0);
}

void TestSearchPanel::numberOfMatchesIsLimited() {
  const QString path = m_files.write(QStringLiteral("many.so"), libraryWithCode(100'000));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QVERIFY(searched(window, QStringLiteral("90"), 1));
  QCOMPARE(part<SearchPanel>(window).model().hitCount(), 10'000);
  QVERIFY2(part<SearchPanel>(window).status().startsWith(QStringLiteral("The first 10,000 matches")),
           qPrintable(part<SearchPanel>(window).status()));
}

BLOBSCOPE_TEST(TestSearchPanel);

#include "test_search_panel.moc"
