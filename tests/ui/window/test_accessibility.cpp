#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/widgets/charts/bar_chart.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/window/dialogs/command_palette.h"
#include "ui/window/dialogs/repack_dialog.h"

#include <QAccessible>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Everything that assistive technology sees of a window.
class Walk {
public:
  QStringList faults;
  int controls = 0, cells = 0, actions = 0;

  void window(QWidget& widget) {
    QAccessibleInterface* const top = QAccessible::queryAccessibleInterface(&widget);
    if (!top)
      faults << QStringLiteral("no interface for %1").arg(QLatin1String(widget.metaObject()->className()));
    else
      visit(*top, 0);
  }

private:
  /// Children of one view that are looked at; the others are like them.
  static constexpr int kChildren = 40;

  void visit(QAccessibleInterface& one, int depth) {
    if (!one.isValid() || depth > 30) return;
    const QAccessible::State state = one.state();
    if (state.invisible && !isListed(one.role())) return;
    check(one, state);
    for (int i = 0; i < std::min(one.childCount(), kChildren); ++i) {
      QAccessibleInterface* const child = one.child(i);
      if (!child) continue;
      // The way back, which screen readers use.
      if (QAccessibleInterface* const parent = child->parent(); !parent || !parent->isValid())
        fault(*child, "has no parent");
      visit(*child, depth + 1);
    }
    if (QAccessibleTableInterface* const table = one.tableInterface()) visitTable(one, *table);
  }

  static bool isListed(QAccessible::Role role) {
    return role == QAccessible::MenuItem || role == QAccessible::PopupMenu || role == QAccessible::ListItem;
  }

  void visitTable(QAccessibleInterface& view, QAccessibleTableInterface& table) {
    for (int row = 0; row < std::min(table.rowCount(), 3); ++row)
      for (int column = 0; column < std::min(table.columnCount(), 8); ++column) {
        QAccessibleInterface* const cell = table.cellAt(row, column);
        if (!cell) {
          fault(view, "has a cell without an interface");
          continue;
        }
        ++cells;
        // Cells before the first byte and after the last one show nothing.
        if (cell->isValid() && cell->role() == QAccessible::NoRole) fault(*cell, "is a cell without a role");
      }
  }

  void check(QAccessibleInterface& one, const QAccessible::State& state) {
    if (one.role() == QAccessible::NoRole) fault(one, "has no role");
    if (one.role() == QAccessible::MenuItem) ++actions;
    if (!state.focusable || state.disabled) return;
    ++controls;
    if (one.text(QAccessible::Name).trimmed().isEmpty() && !namedByContent(one)) fault(one, "has no name");
    // Something that takes the keyboard focus says what it is.
    if (one.role() == QAccessible::Client || one.role() == QAccessible::Border || one.role() == QAccessible::Pane)
      if (!one.object() || !qobject_cast<QAbstractScrollArea*>(one.object()))
        fault(one, "takes the focus without a role");
  }

  /// An item is read as its text; an empty cell has none.
  static bool namedByContent(const QAccessibleInterface& one) {
    switch (one.role()) {
    case QAccessible::Cell:
    case QAccessible::TreeItem:
    case QAccessible::ListItem:
    case QAccessible::ColumnHeader:
    case QAccessible::RowHeader:
    case QAccessible::Separator: return true;
    default:
      return one.object() && qobject_cast<const QWidget*>(one.object()) &&
             qobject_cast<const QWidget*>(one.object())->isWindow();
    }
  }

  void fault(QAccessibleInterface& one, const char* what) {
    const QObject* const object = one.object();
    QString where;
    for (const QObject* above = object; above; above = above->parent())
      where.prepend(QLatin1Char('/') + QLatin1String(above->metaObject()->className()));
    faults << QStringLiteral("%1 (%2, role %3, '%4') %5")
                  .arg(object ? object->objectName() : QStringLiteral("item"), where)
                  .arg(static_cast<int>(one.role()))
                  .arg(one.text(QAccessible::Name).left(40), QLatin1String(what));
    faults.removeDuplicates();
  }
};

/// All top-level windows that are shown.
Walk walkAll() {
  Walk walk;
  for (QWidget* const widget : QApplication::topLevelWidgets())
    if (widget->isVisible()) walk.window(*widget);
  return walk;
}

#define VERIFY_WALK(LEAST)                                                                                             \
  do {                                                                                                                 \
    const Walk walk = walkAll();                                                                                       \
    QVERIFY2(walk.faults.isEmpty(), qPrintable(walk.faults.join(QLatin1Char('\n'))));                                  \
    QVERIFY2(walk.controls >= (LEAST), qPrintable(QString::number(walk.controls)));                                    \
  } while (false)

} // namespace

/// What assistive technology sees: every control has a name and a role, and views can be read.
class TestAccessibility : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void walkFindsFaults();
  void startPage();
  void everyPage_data();
  void everyPage();
  void bottomPanels();
  void everyDialog_data();
  void everyDialog();
  void comparison();
  void helpAndPalette();
  void messageBox();
  void barsAreLists();

private:
  WindowApplication m_application;
  Files m_files;
};

/// The walk detects what it is made for.
void TestAccessibility::walkFindsFaults() {
  QWidget window;
  auto* const nameless = new QPushButton(&window);
  auto* const plain = new QWidget(&window);
  plain->setFocusPolicy(Qt::StrongFocus);
  plain->setAccessibleName(QStringLiteral("Plain"));
  plain->setGeometry(0, 40, 20, 20);
  window.show();
  Walk walk;
  walk.window(window);
  QCOMPARE(walk.faults.size(), 2);
  nameless->setText(QStringLiteral("Named"));
  plain->setFocusPolicy(Qt::NoFocus);
  Walk again;
  again.window(window);
  QCOMPARE(again.faults, QStringList());
  QCOMPARE(again.controls, 1);
}

void TestAccessibility::startPage() {
  recent::add({m_files.write(QStringLiteral("a.so"), someLibrary()), {}, {}});
  MainWindow window;
  QVERIFY(showActive(window));
  VERIFY_WALK(10);
  Walk menus;
  menus.window(*window.menuBar());
  QVERIFY(menus.actions > 5);
}

void TestAccessibility::everyPage_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("ref");
  const auto row = [](const char* name, const char* file, const char* ref) {
    QTest::newRow(name) << sample(file) << QString::fromLatin1(ref);
  };
  row("library", "sample-cuda-a.so", "file");
  row("VM executable", "sample-cuda-a.so", "m0");
  row("device module", "sample-cuda-a.so", "m2");
  row("kernel", "sample-cuda-a.so", "m2/kernel:softmax_kernel");
  row("constant", "sample-cpu.so", "m0/const:12");
  row("host function", "sample-cpu.so", "host:softmax");
  row("archive", "sample-mlf.tar", "file");
  row("damaged module", "sample-damaged.so", "m2");
}

void TestAccessibility::everyPage() {
  QFETCH(QString, file);
  QFETCH(QString, ref);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, file));
  if (ref != QLatin1String("file")) QVERIFY(go(window, ref.toLatin1()));
  for (const QString& page : currentView(window)->pageNames()) {
    currentView(window)->showPage(page);
    QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->current(), kWaitMs);
    finishJobs(window.document().jobs());
    VERIFY_WALK(20);
  }
}

void TestAccessibility::bottomPanels() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-damaged.so")));
  action(window, ActionId::NextProblem)->trigger();
  VERIFY_WALK(20);
  action(window, ActionId::ShowChanges)->trigger();
  VERIFY_WALK(20);
  action(window, ActionId::FindEverywhere)->trigger();
  QTest::keyClicks(&part<SearchPanel>(window).edit(), QStringLiteral("kernel"));
  QTest::keyClick(&part<SearchPanel>(window).edit(), Qt::Key_Return);
  finishJobs(window.document().jobs());
  VERIFY_WALK(20);
  for (QAbstractButton* const tab : part<BottomPanel>(window).findChildren<QAbstractButton*>())
    if (tab->text() == QLatin1String("Run")) tab->click();
  VERIFY_WALK(20);
  QVERIFY(go(window, "m1", QStringLiteral("Hex")));
  action(window, ActionId::FindHere)->trigger();
  VERIFY_WALK(20);
}

void TestAccessibility::everyDialog_data() {
  QTest::addColumn<int>("action");
  QTest::addColumn<QString>("ref");
  const auto row = [](const char* name, ActionId action, const char* ref) {
    QTest::newRow(name) << int(action) << QString::fromLatin1(ref);
  };
  row("preferences", ActionId::OpenPreferences, "m2");
  row("repack", ActionId::Repack, "m2");
  row("rename", ActionId::Rename, "m2/kernel:softmax_kernel");
  row("imports", ActionId::Imports, "m0");
  row("add module", ActionId::AddModule, "m0");
  row("thin", ActionId::Thin, "m1");
  row("run", ActionId::Run, "m2");
  row("devices", ActionId::Devices, "m2");
}

void TestAccessibility::everyDialog() {
  QFETCH(int, action);
  QFETCH(QString, ref);
  MainWindow window;
  QVERIFY(showActive(window));
  const bool thins = action == static_cast<int>(ActionId::Thin); // needs a fat binary
  const std::string code =
      code3("fatbin", {{"add"}}, cuda::fatbin({{.payload = "code"}, {.payload = "code"}}), Info::Four);
  const std::string fat =
      someHost().data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", code}}, {{1}, {}})).build();
  QVERIFY(open(window, thins ? m_files.write(QStringLiteral("fat.so"), fat) : sample("sample-cuda-a.so")));
  QVERIFY(openDialog(window, static_cast<ActionId>(action), ref));
  finishJobs(window.document().jobs());
  Walk walk;
  walk.window(*QApplication::activeModalWidget());
  QVERIFY2(walk.faults.isEmpty(), qPrintable(walk.faults.join(QLatin1Char('\n'))));
  QVERIFY(walk.controls >= 2);
  QVERIFY(!QApplication::activeModalWidget()->windowTitle().isEmpty());
}

void TestAccessibility::comparison() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  window.comparing().compareWith(sample("sample-cuda-b.so"));
  QTRY_VERIFY_WITH_TIMEOUT(window.findChild<CompareView*>(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CompareView*>()->isRunning(), kWaitMs);
  for (int change = 0; change < 12; ++change) {
    finishJobs(window.document().jobs());
    VERIFY_WALK(10);
    QTest::keyClick(window.findChild<CompareView*>(), Qt::Key_F7);
  }
}

void TestAccessibility::helpAndPalette() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  action(window, ActionId::HelpIndex)->trigger();
  VERIFY_WALK(20);
  helpOf(window)->close();
  action(window, ActionId::Palette)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.findChild<CommandPalette*>(), kWaitMs);
  VERIFY_WALK(20);
}

void TestAccessibility::messageBox() {
  const std::string library =
      someHost()
          .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"one", "bytes"}, {"two", "more"}}, {{1}, {2}, {}}))
          .build();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("remove.so"), library)));
  window.navigate(Ref::moduleAt({}, 1), {});
  QTRY_VERIFY_WITH_TIMEOUT(action(window, ActionId::Remove)->isEnabled(), kWaitMs);
  action(window, ActionId::Remove)->trigger();
  auto* const box = window.findChild<QMessageBox*>();
  QVERIFY(box);
  Walk walk;
  walk.window(*box);
  QVERIFY2(walk.faults.isEmpty(), qPrintable(walk.faults.join(QLatin1Char('\n'))));
  QVERIFY(walk.controls >= 2);
  box->reject();
}

/// The bars of a picture can be read one by one, with their places.
void TestAccessibility::barsAreLists() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Hex")));
  auto* bar = currentView(window)->findChild<CoverageBar*>();
  if (!bar || bar->spans().empty()) {
    QVERIFY(go(window, "blob", QStringLiteral("Hex")));
    bar = currentView(window)->findChild<CoverageBar*>();
  }
  QVERIFY(bar && !bar->spans().empty());
  QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(bar);
  QVERIFY(list);
  QCOMPARE(list->role(), QAccessible::List);
  QCOMPARE(list->childCount(), static_cast<int>(bar->spans().size()));
  QAccessibleInterface* const first = list->child(0);
  QVERIFY(first && first->role() == QAccessible::ListItem && first->parent() == list);
  QCOMPARE(list->indexOfChild(first), 0);
  QVERIFY2(first->text(QAccessible::Name).contains(QStringLiteral("byte")), qPrintable(first->text(QAccessible::Name)));
  QVERIFY(bar->rect().translated(bar->mapToGlobal(QPoint())).contains(first->rect()));
  QCOMPARE(list->childAt(first->rect().center().x(), first->rect().center().y()), first);
  QVERIFY(!list->child(list->childCount()));
}

BLOBSCOPE_TEST(TestAccessibility);

#include "test_accessibility.moc"
