#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/session/saved_session.h"
#include "ui/window/comparing.h"
#include "ui/window/preferences.h"
#include "ui/window/session_keeper.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

MainWindow* makeWindow() {
  auto* const window = new MainWindow;
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->show();
  return window;
}

void closeAll() {
  for (MainWindow* const window : MainWindow::all()) window->close();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QCoreApplication::processEvents();
}

void preferReopening(bool reopen = true) {
  Preferences preferences;
  preferences.reopenFiles = reopen;
  preferences.store();
}

} // namespace

/// The files of the last session.
class TestSession : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() {
    WindowApplication::reset();
    m_keeper = std::make_unique<SessionKeeper>(qApp);
  }
  void cleanup() {
    closeAll();
    m_keeper.reset();
  }
  void filesAndTabsAreReopened();
  void comparisonsAreReopened_data();
  void comparisonsAreReopened();
  void nothingIsStoredByDefault();
  void onlyTheLastWindowIsASession();
  void missingFilesAreNamed();
  void interruptedStartOnlyOffers();
  void finishedStartIsNotInterrupted();
  void storedNonsenseIsIgnored();

private:
  WindowApplication m_application;
  Files m_files;
  std::unique_ptr<SessionKeeper> m_keeper;
};

void TestSession::filesAndTabsAreReopened() {
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary()), b = sample("sample-cuda-b.so");
  MainWindow* const first = makeWindow();
  QVERIFY(open(*first, a));
  first->setGeometry(40, 50, 700, 600);
  QVERIFY(go(*first, "m1", QStringLiteral("Functions"), TabKind::Kept));
  QVERIFY(go(*first, "m2", QStringLiteral("Hex"), TabKind::Kept));
  QVERIFY(go(*first, "m1/kernel:mul_kernel"));
  const auto tabsBefore = first->savedState()->tabs;
  QCOMPARE(tabsBefore.size(), 3);
  MainWindow* const second = makeWindow();
  QVERIFY(open(*second, b));
  action(*first, ActionId::Quit)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(MainWindow::all().isEmpty(), kWaitMs);
  QCOMPARE(saved::load().size(), 2);

  MainWindow* const again = makeWindow();
  m_keeper->start(*again);
  QVERIFY(saved::wasInterrupted()); // until all files are open
  QTRY_COMPARE_WITH_TIMEOUT(MainWindow::all().size(), 2, kWaitMs);
  QVERIFY(isSettled(*again));
  QCOMPARE(again->document().path(), a);
  QCOMPARE(again->geometry(), QRect(40, 50, 700, 600));
  QTRY_VERIFY_WITH_TIMEOUT(again->savedState()->tabs == tabsBefore, kWaitMs);
  QCOMPARE(currentView(*again)->ref(), Ref::moduleAt({}, 1));
  QTRY_COMPARE_WITH_TIMEOUT(currentView(*again)->currentPage(), QStringLiteral("Source"), kWaitMs);
  QCOMPARE(again->savedState()->place, QStringLiteral("m1/kernel:mul_kernel"));
  QVERIFY(!action(*again, ActionId::Back)->isEnabled());
  MainWindow* const other = MainWindow::all().last();
  QVERIFY(isSettled(*other));
  QCOMPARE(other->document().path(), b);
  QVERIFY(!saved::wasInterrupted());
}

void TestSession::comparisonsAreReopened_data() {
  QTest::addColumn<bool>("inFront");
  QTest::newRow("in front") << true;
  QTest::newRow("behind") << false;
}

void TestSession::comparisonsAreReopened() {
  QFETCH(bool, inFront);
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary()),
                gone = m_files.write(QStringLiteral("gone.so"), someLibrary()), b = sample("sample-cuda-b.so"),
                c = sample("sample-cuda-a.so");
  MainWindow* const window = makeWindow();
  QVERIFY(open(*window, a));
  const auto count = [](const MainWindow& one) { return one.findChildren<CompareView*>().size(); };
  int expected = 0;
  for (const QString& other : {gone, c, b}) {
    window->comparing().compareWith(other);
    ++expected;
    QTRY_COMPARE_WITH_TIMEOUT(count(*window), expected, kWaitMs);
  }
  window->comparing().compareWithDisk(); // not with another file
  QTRY_COMPARE_WITH_TIMEOUT(count(*window), 4, kWaitMs);
  window->comparing().compareWith(b); // a second one with the same file
  QTRY_COMPARE_WITH_TIMEOUT(count(*window), 5, kWaitMs);
  if (!inFront) window->navigate(Ref::moduleAt({}, 1));
  const auto before = window->savedState();
  QCOMPARE(before->comparedWith, (QStringList{gone, c, b, b}));
  QCOMPARE(before->comparisonInFront, inFront ? b : QString());
  QVERIFY(QFile::remove(gone));
  action(*window, ActionId::Quit)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(MainWindow::all().isEmpty(), kWaitMs);

  MainWindow* const again = makeWindow();
  m_keeper->start(*again);
  // The missing file is reported, the others are opened.
  QTRY_COMPARE_WITH_TIMEOUT(again->comparing().otherFiles(), (QStringList{c, b, b}), kWaitMs);
  QCOMPARE(again->comparing().otherFileInFront(), inFront ? b : QString());
  if (!inFront) QCOMPARE(currentView(*again)->ref(), Ref::moduleAt({}, 1));
}

void TestSession::nothingIsStoredByDefault() {
  MainWindow* const window = makeWindow();
  QVERIFY(open(*window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  window->close();
  QVERIFY(saved::load().isEmpty());
  // What an earlier preference stored is removed, not opened.
  saved::store({{m_files.path(QStringLiteral("a.so")), {}, {}, 0, {}}});
  MainWindow* const again = makeWindow();
  m_keeper->start(*again);
  QVERIFY(!again->document().isOpening());
  QVERIFY(saved::load().isEmpty());
}

/// Windows that the user closes one after the other are not reopened, except the last one.
void TestSession::onlyTheLastWindowIsASession() {
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary()), b = sample("sample-cuda-b.so");
  MainWindow *const first = makeWindow(), *const second = makeWindow();
  QVERIFY(open(*first, a) && open(*second, b));
  QCOMPARE(saved::load().size(), 2); // in case the program ends unexpectedly
  first->close();
  QTRY_COMPARE_WITH_TIMEOUT(saved::load().size(), 1, kWaitMs);
  second->close();
  QCoreApplication::processEvents();
  QCOMPARE(saved::load().size(), 1);
  QCOMPARE(saved::load().first().path, b);
}

void TestSession::missingFilesAreNamed() {
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary());
  const SavedWindow gone = {m_files.path(QStringLiteral("<b>gone.so")), {}, {}, 0, {}};
  saved::store({{a, {}, {}, 0, {}}, gone, {m_files.path(QStringLiteral("lost.so")), {}, {}, 0, {}}});
  MainWindow* const window = makeWindow();
  m_keeper->start(*window);
  QVERIFY(isSettled(*window));
  QVERIFY(window->banner().isVisible());
  QCOMPARE(window->banner().text(), QStringLiteral("2 files of the last session were not found. <b>gone.so, lost.so"));
  QCOMPARE(MainWindow::all().size(), 1);
  closeAll();
  // Nothing is left: the start page, with the sentence.
  saved::store({gone});
  MainWindow* const start = makeWindow();
  m_keeper->start(*start);
  QVERIFY(part<StartPage>(*start).isVisible() && start->banner().isVisible());
  QCOMPARE(start->banner().text(), QStringLiteral("1 file of the last session was not found. <b>gone.so"));
  QVERIFY(!saved::wasInterrupted() && !QApplication::activeModalWidget());
}

/// A file that ends the program while it is being opened is not opened again without a question.
void TestSession::interruptedStartOnlyOffers() {
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary());
  saved::store({{a, {}, {}, 0, {}}});
  saved::begin(); // as a start that ended while it opened the file left it
  MainWindow* const window = makeWindow();
  m_keeper->start(*window);
  QVERIFY(!window->document().isOpening() && !window->document().state());
  QVERIFY(window->banner().isVisible());
  QVERIFY(window->banner().text().contains(QStringLiteral("a.so")));
  button(window->banner(), QStringLiteral("Open them"))->click();
  QVERIFY(isSettled(*window));
  QCOMPARE(window->document().path(), a);
  QVERIFY(!saved::wasInterrupted());
}

void TestSession::finishedStartIsNotInterrupted() {
  preferReopening();
  // A file that cannot be opened does not count as an interruption either.
  const QString bad = m_files.write(QStringLiteral("bad.so"), std::string(40, '\x7f'));
  saved::store({{bad, {}, {}, 0, {}}});
  MainWindow* const window = makeWindow();
  m_keeper->start(*window);
  QTRY_VERIFY_WITH_TIMEOUT(!window->document().isOpening(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!saved::wasInterrupted(), kWaitMs);
  // Nor does a program that is closed meanwhile.
  saved::store({{m_files.write(QStringLiteral("a.so"), someLibrary()), {}, {}, 0, {}}});
  MainWindow* const other = makeWindow();
  const BusyWorkers busy(other->document().jobs());
  m_keeper->start(*other);
  QVERIFY(saved::wasInterrupted());
  m_keeper.reset();
  QVERIFY(!saved::wasInterrupted());
}

void TestSession::storedNonsenseIsIgnored() {
  const QString key = QStringLiteral("session/windows");
  for (const char* const text :
       {"", "[", "{}", "[1,2]", "[{}]", R"([{"path":"relative.so"}])", R"([{"path":7,"tabs":"x"}])"}) {
    QSettings().setValue(key, QByteArray(text));
    QVERIFY2(saved::load().isEmpty(), text);
  }
  QSettings().setValue(key, QByteArray(R"([{"path":"/a.so","tabs":[1,{"ref":"m1"}],"current":99,"geometry":"%%"}])"));
  QCOMPARE(saved::load().size(), 1);
  QCOMPARE(saved::load().first().current, 1);
  QVector<SavedWindow> many(100, {QStringLiteral("/a.so"), {}, QVector<SavedTab>(100), 0, {}});
  saved::store(many);
  QCOMPARE(saved::load().size(), saved::kWindows);
  QCOMPARE(saved::load().first().tabs.size(), saved::kTabs);
  // Invalid refs are skipped.
  preferReopening();
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary());
  saved::store({{a,
                 QByteArray("x"),
                 {{QStringLiteral("///"), {}, false}, {QStringLiteral("m77"), {}, false}},
                 1,
                 QStringLiteral("///")}});
  MainWindow* const window = makeWindow();
  m_keeper->start(*window);
  QVERIFY(isSettled(*window));
  QCOMPARE(window->document().path(), a);
}

BLOBSCOPE_TEST(TestSession);

#include "test_session.moc"
