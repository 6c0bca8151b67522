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

/// The moment at which the window is closed.
enum class Moment { AtOnce, NextEvents, FirstProgress, ThirdProgress, FirstResult };

/// Watches the jobs of a window from its construction on.
class Moments {
public:
  explicit Moments(Jobs& jobs) : m_progressed(&jobs, &Jobs::progressed), m_finished(&jobs, &Jobs::finished) {}

  /// Waits for the moment; a job without such a moment has ended instead. False when neither happens.
  bool wait(Moment moment) {
    if (moment == Moment::AtOnce) return true;
    QCoreApplication::processEvents();
    if (moment == Moment::NextEvents) return true;
    const int wanted = moment == Moment::FirstProgress ? 1 : 3;
    return QTest::qWaitFor(
        [&] { return !m_finished.isEmpty() || (moment != Moment::FirstResult && m_progressed.count() >= wanted); },
        kWaitMs);
  }

private:
  QSignalSpy m_progressed, m_finished;
};

} // namespace

/// The window is closed while it works. A mistake shows only under the address sanitizer.
class TestClosingWhileBusy : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init() { WindowApplication::reset(); }
  void windowClosesWhileOpening_data() { moments(); }
  void windowClosesWhileOpening();
  void windowClosesWhileReopening_data() { moments(); }
  void windowClosesWhileReopening();
  void windowClosesWhilePagesAreDescribed_data() { moments(); }
  void windowClosesWhilePagesAreDescribed();
  void tabsCloseWhilePagesAreDescribed();
  void windowClosesWhileSearching_data() { moments(); }
  void windowClosesWhileSearching();
  void windowClosesWhileSorting_data() { moments(); }
  void windowClosesWhileSorting();
  void fileIsReplacedWhileSorting();

private:
  static void moments() {
    QTest::addColumn<Moment>("moment");
    QTest::newRow("at once") << Moment::AtOnce;
    QTest::newRow("after the next events") << Moment::NextEvents;
    QTest::newRow("at the first progress") << Moment::FirstProgress;
    QTest::newRow("at the third progress") << Moment::ThirdProgress;
    QTest::newRow("after the first result") << Moment::FirstResult;
  }

  WindowApplication m_application;
  Files m_files;
  QString m_code, m_symbols;
};

void TestClosingWhileBusy::initTestCase() {
  m_code = m_files.write(QStringLiteral("code.so"), libraryWithCode(16 << 20));
  m_symbols = m_files.write(QStringLiteral("symbols.so"), libraryWithSymbols(100'000));
}

void TestClosingWhileBusy::windowClosesWhileOpening() {
  QFETCH(Moment, moment);
  for (const QString& path : {m_code, m_symbols}) {
    auto window = std::make_unique<MainWindow>();
    window->show();
    Moments moments(window->document().jobs());
    window->openFile(path);
    QVERIFY(moments.wait(moment));
    window->close();
    window.reset();
  }
}

void TestClosingWhileBusy::windowClosesWhileReopening() {
  QFETCH(Moment, moment);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_code));
  Moments moments(window->document().jobs());
  window->document().reload();
  QVERIFY(moments.wait(moment));
}

void TestClosingWhileBusy::windowClosesWhilePagesAreDescribed() {
  QFETCH(Moment, moment);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_code));
  Moments moments(window->document().jobs());
  for (const char* ref : {"m1", "blob", "m0", "symbol:__tvm_ffi_add"}) window->navigate(*Ref::parse(ref));
  QVERIFY(moments.wait(moment));
}

void TestClosingWhileBusy::tabsCloseWhilePagesAreDescribed() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_code));
  for (int round = 0; round < 5; ++round) {
    for (const char* ref : {"m1", "blob", "m0"}) window.navigate(*Ref::parse(ref));
    while (tabs(window).count() > 1) action(window, ActionId::CloseTab)->trigger();
    for (int turn = 0; turn < round; ++turn) QCoreApplication::processEvents();
  }
  QTRY_VERIFY_WITH_TIMEOUT(!progressOf(window).isBusy(), kWaitMs);
  QVERIFY(go(window, "m1"));
}

void TestClosingWhileBusy::windowClosesWhileSearching() {
  QFETCH(Moment, moment);
  auto window = std::make_unique<MainWindow>();
  window->show();
  QVERIFY(open(*window, m_symbols));
  part<SearchPanel>(*window).edit().setText(QStringLiteral("fused"));
  Moments moments(window->document().jobs());
  part<SearchPanel>(*window).start();
  QVERIFY(moments.wait(moment));
}

void TestClosingWhileBusy::windowClosesWhileSorting() {
  QFETCH(Moment, moment);
  auto window = std::make_unique<MainWindow>();
  QVERIFY(showActive(*window));
  QVERIFY(open(*window, m_symbols));
  QVERIFY(go(*window, "", QStringLiteral("Symbols")));
  auto* const table = pageOf<TablePage>(*window);
  QVERIFY(table);
  QVERIFY(table->model().rowCount() > 100'000);
  const QSignalSpy ordered(table, &TablePage::ordered);
  Moments sorting(window->document().jobs());
  Q_EMIT table->view().horizontalHeader()->sectionClicked(0);
  QVERIFY(sorting.wait(moment));
  Moments filtering(window->document().jobs());
  table->filter().setText(QStringLiteral("operator_1"));
  QVERIFY(filtering.wait(moment));
}

void TestClosingWhileBusy::fileIsReplacedWhileSorting() {
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
  // The views of the old file are deleted while they work.
  window->document().open(sample("sample-cuda-a.so"));
  QVERIFY(isSettled(*window));
  QCOMPARE(window->document().path(), sample("sample-cuda-a.so"));
  QCOMPARE(part<SearchPanel>(*window).model().hitCount(), 0);
  QTRY_VERIFY_WITH_TIMEOUT(!progressOf(*window).isBusy(), kWaitMs);
}

BLOBSCOPE_TEST(TestClosingWhileBusy);

#include "test_closing.moc"
