#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/search_panel.h"

#include <QClipboard>
#include <QPointer>
#include <QSet>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Everything by keyboard.
class TestKeyboardOperation : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keyboardMovesBetweenFilterAndRows();
  void arrowsSelectModulesOfARow();
  void escapeClosesTheBottomPanel();
  void init() { WindowApplication::reset(); }
  void keyboardMovesBetweenPanels();
  void numbersSelectPages();
  void offsetsAreReachedByKeyboard();
  void findWorksOnEveryPage();
  void escapeReturnsToThePage();
  void keyboardOpensTheBottomPanel();
  void keyboardTogglesTheDocks();
  void tabReachesEveryPart();
  void tabReachesEveryControlOfADialog_data();
  void tabReachesEveryControlOfADialog();
  void copyWorksOnEveryPage();
  void shortcutsAreUnique();

private:
  WindowApplication m_application;
};

/// Escape clears a filter and then leaves it; Down and Enter move on to the rows.
void TestKeyboardOperation::keyboardMovesBetweenFilterAndRows() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QLineEdit& filter = part<ContentsPanel>(window).filter();
  filter.setFocus();
  QTest::keyClicks(&filter, QStringLiteral("soft"));
  QTest::keyClick(&filter, Qt::Key_Escape);
  QCOMPARE(filter.text(), QString());
  QVERIFY(filter.hasFocus());
  QTest::keyClick(&filter, Qt::Key_Escape);
  QVERIFY(!filter.hasFocus());
  filter.setFocus();
  QTest::keyClick(&filter, Qt::Key_Down);
  QVERIFY(contentsTree(window).hasFocus());
  filter.setFocus();
  QTest::keyClicks(&filter, QStringLiteral("SOFTMAX_k"));
  QTest::keyClick(&filter, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(chosen(window), *Ref::parse("m2/kernel:softmax_kernel"), kWaitMs);
  filter.setFocus();
  filter.setText(QStringLiteral("nothing has this name"));
  QTest::keyClick(&filter, Qt::Key_Return);
  QVERIFY(filter.hasFocus());
}

/// Ctrl and an arrow select among the modules of one row; Enter opens the selected one.
void TestKeyboardOperation::arrowsSelectModulesOfARow() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTreeView& tree = contentsTree(window);
  tree.setFocus();
  tree.setCurrentIndex(rowNamed(tree, QStringLiteral("cuda")));
  const auto isShown = [&](const char* kind) {
    return QTest::qWaitFor([&] { return detailsOf(window).text().contains(QLatin1String(kind)); }, kWaitMs);
  };
  QVERIFY(isShown("relax.VMExecutable"));
  for (const char* kind : {"_lib", "cuda", "cuda"}) {
    QTest::keyClick(&tree, Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(isShown(kind));
  }
  QTest::keyClick(&tree, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(chosen(window), Ref::moduleAt({}, 2), kWaitMs);
  QTest::keyClick(&tree, Qt::Key_Left, Qt::ControlModifier);
  QTest::keyClick(&tree, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(chosen(window), Ref::moduleAt({}, 1), kWaitMs);
  // Going to a place selects its module.
  QVERIFY(go(window, "m2"));
  QCOMPARE(tree.currentIndex().data(PartRole).toInt(), 2);
}

void TestKeyboardOperation::escapeClosesTheBottomPanel() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  action(window, ActionId::FindEverywhere)->trigger();
  auto& panel = part<SearchPanel>(window);
  QVERIFY(part<BottomPanel>(window).isOpen() && panel.edit().hasFocus());
  QTest::keyClicks(&panel.edit(), QStringLiteral("abc"));
  QTest::keyClick(&panel.edit(), Qt::Key_Escape);
  QVERIFY(part<BottomPanel>(window).isOpen() && panel.edit().text().isEmpty());
  QTest::keyClick(&panel.edit(), Qt::Key_Escape);
  QVERIFY(!part<BottomPanel>(window).isOpen());
  QVERIFY(currentView(window)->isAncestorOf(QApplication::focusWidget()));
}

void TestKeyboardOperation::keyboardMovesBetweenPanels() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
  QVERIFY(part<BottomPanel>(window).isOpen());
  contentsTree(window).setFocus();
  const auto place = [&] {
    const QWidget* const focus = QApplication::focusWidget();
    if (!focus) return QStringLiteral("nowhere");
    const auto inside = [&](const QWidget* panel) { return panel == focus || panel->isAncestorOf(focus); };
    if (inside(&contentsTree(window))) return QStringLiteral("contents");
    if (inside(currentView(window))) return QStringLiteral("page");
    if (inside(&detailsOf(window))) return QStringLiteral("details");
    if (inside(&part<BottomPanel>(window))) return QStringLiteral("bottom");
    return QString::fromLatin1(focus->metaObject()->className());
  };
  for (const char* page : {"Overview", "Sections", "Symbols", "Hex"}) {
    currentView(window)->showPage(QLatin1String(page));
    contentsTree(window).setFocus();
    QTRY_VERIFY_WITH_TIMEOUT(!detailsOf(window).details().empty(), kWaitMs);
    QStringList forward = {place()}, backward = {place()};
    for (int i = 0; i < 4; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
      forward << place();
    }
    for (int i = 0; i < 4; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
      backward << place();
    }
    QCOMPARE(forward.join(QLatin1Char(' ')), QStringLiteral("contents page details bottom contents"));
    QCOMPARE(backward.join(QLatin1Char(' ')), QStringLiteral("contents bottom details page contents"));
  }
}

void TestKeyboardOperation::numbersSelectPages() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2"));
  const QStringList names = currentView(window)->pageNames();
  QVERIFY(names.size() >= 4);
  for (int i = 0; i < 8; ++i) {
    const QString before = currentView(window)->currentPage();
    QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
    QCOMPARE(currentView(window)->currentPage(), i < names.size() ? names[i] : before);
  }
}

void TestKeyboardOperation::offsetsAreReachedByKeyboard() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Hex")));
  auto* const page = pageOf<HexPage>(window);
  QVERIFY(page);
  QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QTest::keyClicks(edit, QStringLiteral("0x5654"));
  QTest::keyClick(edit, Qt::Key_Return);
  QCOMPARE(page->view().fileOffset(page->view().selection().offset), quint64{0x5654});
  QVERIFY(page->view().hasFocus());
  for (const char* wrong : {"0x10", "63232", "99999999999999999999", "nonsense", "-1", "0x"}) {
    window.banner().hide();
    QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
    edit->clear();
    QTest::keyClicks(edit, QLatin1String(wrong));
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY2(window.banner().isVisible(), wrong);
    QVERIFY2(window.banner().text().contains(QStringLiteral("Invalid offset ") + QLatin1String(wrong) +
                                             QStringLiteral(". Enter an offset from 0x")),
             qPrintable(window.banner().text()));
    QCOMPARE(page->view().fileOffset(page->view().selection().offset), quint64{0x5654});
  }
  // A valid offset removes the message, and so does another page.
  QVERIFY(window.banner().isVisible());
  edit->clear();
  QTest::keyClicks(edit, QStringLiteral("0x5654"));
  QTest::keyClick(edit, Qt::Key_Return);
  QVERIFY(!window.banner().isVisible());
  QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
  edit->clear();
  QTest::keyClicks(edit, QStringLiteral("nonsense"));
  QTest::keyClick(edit, Qt::Key_Return);
  QTest::keyClick(edit, Qt::Key_Escape);
  QVERIFY(page->view().hasFocus());
  QVERIFY(window.banner().isVisible());
  QVERIFY(go(window, "m1"));
  QVERIFY(!window.banner().isVisible());
}

void TestKeyboardOperation::findWorksOnEveryPage() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2"));
  for (const QString& name : currentView(window)->pageNames()) {
    currentView(window)->showPage(name);
    QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->current(), kWaitMs);
    currentView(window)->current()->setFocus();
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    if (name == QLatin1String("Overview") || name == QLatin1String("Fields") || name == QLatin1String("PTX"))
      continue; // facts
    QVERIFY2(qobject_cast<QLineEdit*>(QApplication::focusWidget()), qPrintable(name));
  }
  currentView(window)->showPage(QStringLiteral("Hex"));
  auto* const page = pageOf<HexPage>(window);
  page->view().goTo(0);
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
  auto* const bar = page->findChild<FindBar*>();
  QVERIFY(bar->isVisible());
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("mean_kernel"));
  QTRY_VERIFY_WITH_TIMEOUT(page->view().selection().size == 11, kWaitMs);
  const quint64 first = page->view().selection().offset;
  // While the search still runs, the first match may be the only one.
  const auto pressed = [&](Qt::KeyboardModifiers modifiers, bool there) {
    return QTest::qWaitFor(
        [&] {
          QTest::keyClick(&window, Qt::Key_F3, modifiers);
          return (page->view().selection().offset == first) == there;
        },
        kWaitMs);
  };
  QVERIFY(pressed({}, false));
  QVERIFY(pressed(Qt::ShiftModifier, true));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  QVERIFY(!bar->isVisible());
}

void TestKeyboardOperation::escapeReturnsToThePage() {
  MainWindow window;
  QVERIFY(showActive(window));
  QTest::keyClick(&window, Qt::Key_Escape); // nothing is open
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Hex")));
  contentsTree(window).setFocus();
  QTest::keyClick(&contentsTree(window), Qt::Key_Escape);
  QVERIFY(pageOf<HexPage>(window)->view().hasFocus());
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(part<SearchPanel>(window).edit().hasFocus());
  QTest::keyClick(&part<SearchPanel>(window).edit(), Qt::Key_Escape);
  QVERIFY(pageOf<HexPage>(window)->view().hasFocus());
}

void TestKeyboardOperation::keyboardOpensTheBottomPanel() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!part<BottomPanel>(window).isOpen());
  const int closed = part<BottomPanel>(window).height();
  QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
  QTRY_VERIFY_WITH_TIMEOUT(part<BottomPanel>(window).height() >= 140, kWaitMs);
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(part<SearchPanel>(window).isVisible());
  QVERIFY(!part<ProblemsPanel>(window).isVisible());
  QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
  QVERIFY(!part<BottomPanel>(window).isOpen());
  QTRY_COMPARE_WITH_TIMEOUT(part<BottomPanel>(window).height(), closed, kWaitMs);
  // By its own buttons.
  for (auto* const tab : part<BottomPanel>(window).findChildren<QAbstractButton*>())
    if (tab->text() == QLatin1String("Problems")) {
      tab->setFocus();
      QTest::keyClick(tab, Qt::Key_Space);
      QVERIFY(part<ProblemsPanel>(window).isVisible());
      QTest::keyClick(tab, Qt::Key_Space);
      QVERIFY(!part<BottomPanel>(window).isOpen());
    }
}

void TestKeyboardOperation::keyboardTogglesTheDocks() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(contentsTree(window).isVisible() && detailsOf(window).isVisible());
  QTest::keyClick(&window, Qt::Key_F9);
  QVERIFY(!contentsTree(window).isVisible());
  QTest::keyClick(&window, Qt::Key_F9, Qt::ShiftModifier);
  QVERIFY(!detailsOf(window).isVisible());
  QTest::keyClick(&window, Qt::Key_F6);
  QVERIFY(QApplication::focusWidget());
  QTest::keyClick(&window, Qt::Key_F9);
  QTest::keyClick(&window, Qt::Key_9, Qt::ControlModifier);
  QVERIFY(contentsTree(window).isVisible() && detailsOf(window).isVisible());
  QVERIFY(action(window, ActionId::ShowContents)->isChecked());
}

/// Tab goes through the whole window and wraps around: no part keeps the keyboard focus.
void TestKeyboardOperation::tabReachesEveryPart() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-damaged.so")));
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  QVERIFY(go(window, "m2"));
  for (const QString& page : currentView(window)->pageNames()) {
    currentView(window)->showPage(page);
    contentsTree(window).setFocus();
    QSet<QWidget*> met;
    bool round = false;
    for (int i = 0; i < 200 && !round; ++i) {
      const QPointer<QWidget> focus = QApplication::focusWidget(); // deleted with its content
      QVERIFY2(focus, qPrintable(page));
      met.insert(focus);
      const auto picture = [&] { return window.grab({focus->mapTo(&window, QPoint()), focus->size()}).toImage(); };
      const QImage focused = picture();
      QTest::keyClick(focus, Qt::Key_Tab);
      // The keyboard focus is visible.
      if (focus && focus->isVisible() && QApplication::focusWidget() != focus)
        QVERIFY2(picture() != focused,
                 qPrintable(page + QStringLiteral(": ") + QLatin1String(focus->metaObject()->className()) +
                            QLatin1Char(' ') + focus->accessibleName()));
      round = QApplication::focusWidget() == &contentsTree(window);
      if (focus && QApplication::focusWidget() == focus && !round) {
        const QString stuck =
            QStringLiteral("Tab stays at %1 on %2").arg(QLatin1String(focus->metaObject()->className()), page);
        QFAIL(qPrintable(stuck));
      }
    }
    QVERIFY2(round, qPrintable(page));
    QVERIFY2(met.size() > 5, qPrintable(page));
  }
}

void TestKeyboardOperation::tabReachesEveryControlOfADialog_data() {
  QTest::addColumn<int>("action");
  QTest::addColumn<QString>("ref");
  QTest::addColumn<int>("controls"); ///< that take the keyboard focus, at least
  const auto row = [](const char* name, ActionId action, const char* ref, int controls) {
    QTest::newRow(name) << int(action) << QString::fromLatin1(ref) << controls;
  };
  row("repack", ActionId::Repack, "m2", 5);
  row("rename", ActionId::Rename, "m2/kernel:softmax_kernel", 3);
  row("imports", ActionId::Imports, "m0", 3);
  row("run", ActionId::Run, "m2", 5);
  row("devices", ActionId::Devices, "m2", 2);
  row("preferences", ActionId::OpenPreferences, "m2", 12);
}

/// In a dialog Tab goes through every control and back, each shows the keyboard focus, and Escape closes it.
void TestKeyboardOperation::tabReachesEveryControlOfADialog() {
  QFETCH(int, action);
  QFETCH(QString, ref);
  QFETCH(int, controls);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(openDialog(window, static_cast<ActionId>(action), ref));
  const QPointer<QWidget> dialog = QApplication::activeModalWidget();
  QTRY_VERIFY_WITH_TIMEOUT(QApplication::focusWidget() && dialog->isAncestorOf(QApplication::focusWidget()), kWaitMs);
  // The table of the plan shows the focus in a row.
  if (static_cast<ActionId>(action) == ActionId::Repack)
    QTRY_VERIFY_WITH_TIMEOUT(button(*dialog, QStringLiteral("Repack"))->isEnabled(), kWaitMs);
  // The first control with the focus shows it as soon as the keyboard is used.
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  QSet<QWidget*> met;
  while (met.size() < 100) {
    QWidget* const focus = QApplication::focusWidget();
    QVERIFY(focus && dialog->isAncestorOf(focus));
    if (met.contains(focus)) break;
    met.insert(focus);
    const auto picture = [&] { return dialog->grab({focus->mapTo(dialog.data(), QPoint()), focus->size()}).toImage(); };
    const QImage focused = picture();
    const QString name = QLatin1String(focus->metaObject()->className()) + QLatin1Char(' ') + focus->accessibleName();
    // A text that accepts Tab as a character is left by Ctrl+Tab.
    QTest::keyClick(focus, Qt::Key_Tab);
    if (QApplication::focusWidget() == focus) QTest::keyClick(focus, Qt::Key_Tab, Qt::ControlModifier);
    QVERIFY2(QApplication::focusWidget() != focus || met.size() == 1, qPrintable(name));
    if (QApplication::focusWidget() != focus) QVERIFY2(picture() != focused, qPrintable(name));
  }
  QVERIFY2(met.size() >= controls, qPrintable(QString::number(met.size())));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!dialog || !dialog->isVisible(), kWaitMs);
}

void TestKeyboardOperation::copyWorksOnEveryPage() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QGuiApplication::clipboard()->setText(QStringLiteral("before"));
  QVERIFY(go(window, "m2"));
  for (const QString& name : currentView(window)->pageNames()) {
    currentView(window)->showPage(name);
    QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->current(), kWaitMs);
    PageWidget* const page = currentView(window)->current();
    page->setFocus();
    QWidget* const focus = QApplication::focusWidget();
    QVERIFY(focus);
    QGuiApplication::clipboard()->setText(QStringLiteral("before"));
    QTest::keyClick(focus, Qt::Key_Home);
    QTest::keyClick(focus, Qt::Key_Down);
    if (name == QLatin1String("Source") || name == QLatin1String("Text"))
      QTest::keyClick(focus, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(focus, Qt::Key_C, Qt::ControlModifier);
    if (name == QLatin1String("Overview") || name == QLatin1String("PTX")) continue; // facts are not selected
    QVERIFY2(QGuiApplication::clipboard()->text() != QLatin1String("before"), qPrintable(name));
    QGuiApplication::clipboard()->setText(QStringLiteral("before"));
    action(window, ActionId::Copy)->trigger();
    QVERIFY2(QGuiApplication::clipboard()->text() != QLatin1String("before"), qPrintable(name));
  }
}

void TestKeyboardOperation::shortcutsAreUnique() {
  MainWindow window;
  QMap<QString, QString> known;
  for (QAction* action : window.findChildren<QAction*>())
    for (const QKeySequence& keys : action->shortcuts()) {
      const QString text = keys.toString(QKeySequence::PortableText);
      QVERIFY2(!known.contains(text),
               qPrintable(text + QStringLiteral(": ") + action->text() + QStringLiteral(", ") + known.value(text)));
      known.insert(text, action->text());
    }
  for (int id = 0; id < static_cast<int>(ActionId::Count); ++id) {
    const QAction* const action = test::action(window, static_cast<ActionId>(id));
    QVERIFY(!action->text().isEmpty() && !action->statusTip().isEmpty());
  }
}

BLOBSCOPE_TEST(TestKeyboardOperation);

#include "test_keyboard.moc"
