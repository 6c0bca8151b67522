#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/window/instance.h"

#include <QMenuBar>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// The menu with that title, filled as when it opens.
QMenu* menuOf(const MainWindow& window, const QString& title) {
  for (QMenu* const menu : window.findChildren<QMenu*>())
    if (menu->title().remove(QLatin1Char('&')) == title ||
        (menu->menuAction() && menu->menuAction()->text().remove(QLatin1Char('&')) == title)) {
      Q_EMIT menu->aboutToShow();
      return menu;
    }
  return nullptr;
}

QMenu* recentMenu(const MainWindow& window) {
  QMenu* const menu = action(window, ActionId::OpenRecent)->menu();
  Q_EMIT menu->aboutToShow();
  return menu;
}

QStringList textsOf(const QMenu& menu) {
  QStringList out;
  for (const QAction* const action : menu.actions())
    if (!action->isSeparator()) out << action->text();
  return out;
}

} // namespace

/// The menus that list files and windows, and what moves between windows.
class TestWindows : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void recentFilesAreInTheMenu();
  void recentNamesAreData();
  void recentFilesWithOneNameShowTheirFolder();
  void recentListIsCleared();
  void windowsAreListed();
  void windowsAreSteppedThrough();
  void windowIsMinimizedAndFullScreen();
  void menusOpenByKeyboard();
  void requestOpensInTheFreeWindow();
  void requestOfAnOpenFileShowsItsWindow();
  void requestComparesTwoFiles();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestWindows::recentFilesAreInTheMenu() {
  const QString path = m_files.write(QStringLiteral("made.so"), someLibrary());
  recent::add({m_files.path(QStringLiteral("gone.so")), {}, {}});
  recent::add({path, {}, {}});
  MainWindow window;
  QVERIFY(showActive(window));
  const QMenu* const menu = recentMenu(window);
  QCOMPARE(textsOf(*menu), QStringList({QStringLiteral("&1  made.so"), QStringLiteral("&2  gone.so (not found)"),
                                        QStringLiteral("&Clear list")}));
  QVERIFY(!menu->actions()[1]->isEnabled());
  menu->actions()[0]->trigger();
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), path);
}

/// A name from a file system is shown as it is, whatever it contains.
void TestWindows::recentNamesAreData() {
  const QString name = QStringLiteral("<b>&x\u202e\n%1.so");
  m_files.write(name, someLibrary());
  recent::add({m_files.path(name), {}, {}});
  MainWindow window;
  const QMenu* const menu = recentMenu(window);
  QCOMPARE(textsOf(*menu).first(), QStringLiteral("&1  <b>&&x\\u202e\\n%1.so"));
  const QString tip = menu->actions().first()->toolTip();
  QVERIFY2(!tip.contains(QStringLiteral("<b>")) && !tip.contains(QLatin1Char('\n')), qPrintable(tip));
}

void TestWindows::recentFilesWithOneNameShowTheirFolder() {
  for (const char* const folder : {"old", "new"}) {
    QVERIFY(QDir().mkpath(m_files.path(QLatin1String(folder))));
    recent::add({m_files.write(QLatin1String(folder) + QStringLiteral("/lib.so"), someLibrary()), {}, {}});
  }
  MainWindow window;
  const QStringList texts = textsOf(*recentMenu(window));
  QVERIFY2(texts[0].startsWith(QStringLiteral("&1  lib.so in ")) && texts[0].endsWith(QStringLiteral("new")),
           qPrintable(texts[0]));
  QVERIFY2(texts[1].endsWith(QStringLiteral("old")), qPrintable(texts[1]));
}

void TestWindows::recentListIsCleared() {
  recent::add({m_files.path(QStringLiteral("gone.so")), {}, {}});
  MainWindow window, other;
  for (MainWindow* const one : {&window, &other}) one->show();
  QVERIFY(button(part<StartPage>(other), QStringLiteral("gone.so")));
  recentMenu(window)->actions().last()->trigger();
  QVERIFY(recent::load().isEmpty());
  QVERIFY(!button(part<StartPage>(window), QStringLiteral("gone.so")));
  QVERIFY(!button(part<StartPage>(other), QStringLiteral("gone.so"))); // in every window
  const QMenu* const menu = recentMenu(window);
  QCOMPARE(menu->actions().size(), 1);
  QVERIFY(!menu->actions().first()->isEnabled());
}

void TestWindows::windowsAreListed() {
  MainWindow first, second;
  first.show();
  second.show();
  QVERIFY(open(second, m_files.write(QStringLiteral("a&b.so"), someLibrary())));
  const QMenu* const menu = menuOf(first, QStringLiteral("Window"));
  QVERIFY(menu);
  const QStringList texts = textsOf(*menu);
  QCOMPARE(texts.mid(texts.size() - 2), QStringList({QStringLiteral("&1  Start page"), QStringLiteral("&2  a&&b.so")}));
  const QList<QAction*> entries = menu->actions();
  QVERIFY(entries[entries.size() - 2]->isChecked() && !entries.last()->isChecked());
  entries.last()->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), &second, kWaitMs);
  // A closed window is not listed.
  second.close();
  QVERIFY(!textsOf(*menuOf(first, QStringLiteral("Window"))).contains(QStringLiteral("&2  a&&b.so")));
}

void TestWindows::windowsAreSteppedThrough() {
  MainWindow first, second, third;
  for (MainWindow* const one : {&first, &second, &third}) one->show();
  QVERIFY(showActive(first));
  const auto isActive = [](const MainWindow& window) {
    return QTest::qWaitFor([&] { return QApplication::activeWindow() == &window; }, kWaitMs);
  };
  QTest::keyClick(&first, Qt::Key_F6, Qt::ControlModifier);
  QVERIFY(isActive(second));
  QTest::keyClick(&second, Qt::Key_F6, Qt::ControlModifier);
  QVERIFY(isActive(third));
  QTest::keyClick(&third, Qt::Key_F6, Qt::ControlModifier);
  QVERIFY(isActive(first));
  QTest::keyClick(&first, Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(isActive(third));
  // A minimized window comes back.
  second.showMinimized();
  action(third, ActionId::PreviousWindow)->trigger();
  QVERIFY(isActive(second) && !second.isMinimized());
}

void TestWindows::windowIsMinimizedAndFullScreen() {
  MainWindow window;
  QVERIFY(showActive(window));
  QTest::keyClick(&window, Qt::Key_F11);
  QVERIFY(window.isFullScreen() && action(window, ActionId::FullScreen)->isChecked());
  QVERIFY(window.menuBar()->isVisible());
  QTest::keyClick(&window, Qt::Key_F11);
  QVERIFY(!window.isFullScreen() && !action(window, ActionId::FullScreen)->isChecked());
  window.showMaximized();
  QTest::keyClick(&window, Qt::Key_F11);
  QTest::keyClick(&window, Qt::Key_F11);
  QVERIFY(window.isMaximized() && !window.isFullScreen());
  QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
  QVERIFY(window.isMinimized());
}

void TestWindows::menusOpenByKeyboard() {
  const QString path = m_files.write(QStringLiteral("made.so"), someLibrary());
  recent::add({path, {}, {}});
  MainWindow window;
  QVERIFY(showActive(window));
  QTest::keyClick(&window, Qt::Key_F, Qt::AltModifier);
  QTRY_VERIFY_WITH_TIMEOUT(QApplication::activePopupWidget(), kWaitMs);
  QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_T); // Open recent
  QTRY_COMPARE_WITH_TIMEOUT(QApplication::activePopupWidget(),
                            static_cast<QWidget*>(action(window, ActionId::OpenRecent)->menu()), kWaitMs);
  QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_1);
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), path);
}

void TestWindows::requestOpensInTheFreeWindow() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary()), b = sample("sample-cuda-b.so");
  MainWindow::handle({{a}, QStringLiteral("m1")});
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), a);
  QTRY_COMPARE_WITH_TIMEOUT(currentView(window)->ref(), Ref::moduleAt({}, 1), kWaitMs);
  MainWindow::handle({{b}, {}});
  QCOMPARE(MainWindow::all().size(), 2);
  MainWindow& other = *MainWindow::all().last();
  QVERIFY(isSettled(other));
  QCOMPARE(other.document().path(), b);
  other.close();
}

void TestWindows::requestOfAnOpenFileShowsItsWindow() {
  MainWindow first, second;
  first.show();
  QVERIFY(showActive(second));
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary());
  QVERIFY(open(first, a));
  MainWindow::handle({{a}, QStringLiteral("m2")});
  QTRY_COMPARE_WITH_TIMEOUT(QApplication::activeWindow(), &first, kWaitMs);
  QVERIFY(!second.document().isOpening() && !second.document().state());
  QTRY_COMPARE_WITH_TIMEOUT(currentView(first)->ref(), Ref::moduleAt({}, 2), kWaitMs);
  // Without files, the last active window comes to the front.
  MainWindow::handle({{}, {}});
  QCOMPARE(MainWindow::all().size(), 2);
}

void TestWindows::requestComparesTwoFiles() {
  MainWindow window;
  QVERIFY(showActive(window));
  MainWindow::handle({{sample("sample-cuda-a.so"), sample("sample-cuda-b.so")}, {}});
  const QSignalSpy shown(&window.comparing(), &Comparing::shown);
  QTRY_VERIFY_WITH_TIMEOUT(shown.size() == 1, kWaitMs);
}

BLOBSCOPE_TEST(TestWindows);

#include "test_windows.moc"
