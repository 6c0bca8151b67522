#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/progress_strip.h"
#include "ui/window/panels/search_panel.h"

#include <QHeaderView>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Time for workers to begin, so that each moment of their work is met over the rounds.
constexpr std::array kMoments = {0, 1, 5, 20, 60, 150, 250};

} // namespace

/// The window goes in the midst of work. What matters is what the address sanitizer says of it.
class TestClosing : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init() { WindowApplication::reset(); }
  void whileOpening_data() { moments(); }
  void whileOpening();
  void whileReopening_data() { moments(); }
  void whileReopening();
  void whilePagesAreDescribed_data() { moments(); }
  void whilePagesAreDescribed();
  void whileTabsClose();
  void whileSearching_data() { moments(); }
  void whileSearching();
  void whileSorting_data() { moments(); }
  void whileSorting();
  void whileAnotherFileComes();

private:
  static void moments() {
    QTest::addColumn<int>("ms");
    for (const int ms : kMoments) QTest::addRow("%d ms", ms) << ms;
  }

  WindowApplication m_application;
  Files m_files;
  QString m_code, m_symbols;
};

void TestClosing::initTestCase() {
  m_code = m_files.write(QStringLiteral("code.so"), libraryWithCode(64 << 20));
  m_symbols = m_files.write(QStringLiteral("symbols.so"), libraryWithSymbols(500'000));
}

void TestClosing::whileOpening() {
  QFETCH(int, ms);
  for (const QString& path : {m_code, m_symbols}) {
    auto window = std::make_unique<MainWindow>();
    window->show();
    window->openFile(path);
    QTest::qWait(ms);
    window->close();
    window.reset();
  }
}

void TestClosing::whileReopening() {
  QFETCH(int, ms);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_code));
  window->document().reload();
  QTest::qWait(ms);
}

void TestClosing::whilePagesAreDescribed() {
  QFETCH(int, ms);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_code));
  for (const char* ref : {"m1", "blob", "m0", "symbol:__tvm_ffi_add"}) window->navigate(*Ref::parse(ref));
  QTest::qWait(ms);
}

void TestClosing::whileTabsClose() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_code));
  for (int round = 0; round < 5; ++round) {
    for (const char* ref : {"m1", "blob", "m0"}) window.navigate(*Ref::parse(ref));
    while (tabs(window).count() > 1) action(window, ActionId::CloseTab)->trigger();
    QTest::qWait(round);
  }
  QTRY_VERIFY_WITH_TIMEOUT(!progressOf(window).isBusy(), kWaitMs);
  QVERIFY(go(window, "m1"));
}

void TestClosing::whileSearching() {
  QFETCH(int, ms);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_symbols));
  part<SearchPanel>(*window).edit().setText(QStringLiteral("fused"));
  part<SearchPanel>(*window).start();
  QTest::qWait(ms);
}

void TestClosing::whileSorting() {
  QFETCH(int, ms);
  auto window = std::make_unique<MainWindow>();
  QVERIFY(showActive(*window));
  QVERIFY(open(*window, m_symbols));
  QVERIFY(go(*window, "", QStringLiteral("Symbols")));
  auto* const table = pageOf<TablePage>(*window);
  QVERIFY(table);
  QVERIFY(table->model().rowCount() > 500'000);
  const QSignalSpy ordered(table, &TablePage::ordered);
  Q_EMIT table->view().horizontalHeader()->sectionClicked(0);
  QTest::qWait(ms);
  table->filter().setText(QStringLiteral("operator_1"));
  QTest::qWait(ms);
}

void TestClosing::whileAnotherFileComes() {
  auto window = std::make_unique<MainWindow>();
  QVERIFY(showActive(*window));
  QVERIFY(open(*window, m_symbols));
  QVERIFY(go(*window, "", QStringLiteral("Symbols")));
  auto* const table = pageOf<TablePage>(*window);
  QVERIFY(table);
  Q_EMIT table->view().horizontalHeader()->sectionClicked(0);
  part<SearchPanel>(*window).edit().setText(QStringLiteral("fused"));
  part<SearchPanel>(*window).start();
  window->navigate(*Ref::parse("blob"));
  // The views of the old file go while they work.
  window->document().open(sample("sample-cuda-a.so"));
  QVERIFY(isSettled(*window));
  QCOMPARE(window->document().path(), sample("sample-cuda-a.so"));
  QCOMPARE(part<SearchPanel>(*window).model().hitCount(), 0);
  QTRY_VERIFY_WITH_TIMEOUT(!progressOf(*window).isBusy(), kWaitMs);
}

BLOBSCOPE_TEST(TestClosing);

#include "test_closing.moc"
