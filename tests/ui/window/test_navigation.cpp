#include "core/base/text.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/table_page.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/dialogs/command_palette.h"
#include "ui/window/dialogs/palette_match.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/tree_delegate.h"
#include "ui/window/start_page.h"
#include "ui/window/tab_bar.h"

#include <QClipboard>
#include <QMenu>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// Navigation in an open file: by refs, tree, tabs, back and forward, palette, problems.
class TestNavigation : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void kernelsOpenAtTheirEntry();
  void namesInBytecodeAreLinks();
  void contextMenusFitTheirRow();
  void init() { WindowApplication::reset(); }
  void everyRefOpensItsNode_data();
  void everyRefOpensItsNode();
  void refsWithoutAFileAreIgnored();
  void offsetsOpenTheirBytes_data();
  void offsetsOpenTheirBytes();
  void bytesHaveTheColourOfTheirOwner();
  void fieldOfAModuleIsShown();
  void kernelIsShownInTheText();
  void backAndForwardVisitNodes();
  void backReopensAClosedTab();
  void backAndForwardVisitPages();
  void tabsOpenAndClose();
  void previewsShareOneTab();
  void previewIsKept_data();
  void previewIsKept();
  void longTabTitlesFit();
  void middleButtonClosesTabs();
  void tabsAreListed();
  void backSkipsWhatWasNotSeen();
  void backAndForwardVisitComparisons();
  void arrowsShowDetails();
  void doubleClickKeepsTheRowExpanded();
  void kernelsLookLikeOtherParts();
  void contentsAreFiltered();
  void contentsOpenByMouseAndKey();
  void paletteFiltersAndRuns();
  void paletteListsWhatIsNotPossible();
  void paletteRanksMatches_data();
  void paletteRanksMatches();
  void paletteGoesToPlaces();
  void paletteRunsAnAction();
  void escapeClosesThePalette();
  void damagedSampleShowsItsProblems();
  void findingsAreVisitedInTurn();
  void detailsHaveLinks();
  void referenceIsCopied();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestNavigation::kernelsOpenAtTheirEntry() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", u"Functions"_s));
  // Also from the table that lists it.
  QVERIFY(go(window, "m2/kernel:mean_kernel"));
  QTRY_COMPARE_WITH_TIMEOUT(currentView(window)->currentPage(), u"Source"_s, kWaitMs);
  auto* const page = pageOf<TextPage>(window);
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(page->view().lineText(page->view().currentLine()).contains(u".entry mean_kernel"_s),
                           kWaitMs);
}

/// Each menu has the actions for its row, and nothing else.
void TestNavigation::contextMenusFitTheirRow() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", u"Functions"_s));
  QTableView& table = pageOf<ui::TablePage>(window)->view();
  askMenu(table, table.model()->index(0, 0));
  const QString kernel = table.model()->index(0, 0).data().toString();
  QStringList menu = takeMenu();
  for (const QString& words : {u"Open"_s, u"Open in new tab"_s, u"Show in Hex"_s, u"Rename…"_s, u"Run…"_s,
                               u"Copy name"_s, u"Copy reference"_s})
    QVERIFY2(menu.contains(words), qPrintable(menu.join(u", "_s)));
  QVERIFY2(!menu.contains(u"Copy value"_s), qPrintable(menu.join(u", "_s))); // it is the name
  QCOMPARE(chosen(window).parts.back().name, kernel.toStdString());
  askMenu(table, table.model()->index(0, 1));
  QVERIFY(takeMenu().contains(u"Copy value"_s));
  // The keyboard's menu is that of the current row.
  table.setCurrentIndex(table.model()->index(1, 0));
  QContextMenuEvent key(QContextMenuEvent::Keyboard, {});
  QApplication::sendEvent(&table, &key);
  QVERIFY(takeMenu().contains(u"Open"_s));
  QCOMPARE(chosen(window).parts.back().name, table.model()->index(1, 0).data().toString().toStdString());

  QVERIFY(go(window, "m2", u"Fields"_s));
  QTreeView& fields = pageOf<FieldsPage>(window)->view();
  askMenu(fields, fields.model()->index(0, 0));
  menu = takeMenu();
  QVERIFY2(menu.contains(u"Show in Hex"_s) && menu.contains(u"Copy value"_s) && !menu.contains(u"Run…"_s),
           qPrintable(menu.join(u", "_s)));
  // Contents: the file.
  QTreeView& tree = contentsTree(window);
  askMenu(tree, tree.model()->index(0, 0));
  menu = takeMenu();
  for (const QString& words : {u"Compare…"_s, u"Check"_s, u"Run…"_s})
    QVERIFY2(
        std::any_of(menu.begin(), menu.end(), [&](const QString& one) { return one.startsWith(words.chopped(1)); }),
        qPrintable(menu.join(u", "_s)));
  // A tab: actions of the tab, then of its node.
  Q_EMIT tabs(window).customContextMenuRequested(tabs(window).tabRect(1).center());
  menu = takeMenu();
  QVERIFY2(menu.contains(u"Close others"_s) || menu.contains(u"Close"_s), qPrintable(menu.join(u", "_s)));
  QVERIFY2(menu.contains(u"Copy reference"_s), qPrintable(menu.join(u", "_s)));
}

void TestNavigation::namesInBytecodeAreLinks() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m0", u"Bytecode"_s));
  auto* const page = pageOf<TextPage>(window);
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(page->view().hasLinks(), kWaitMs);
  Q_EMIT page->view().linkActivated(u"vm.builtin.null_value"_s); // not of the file
  QCOMPARE(currentView(window)->ref(), *Ref::parse("m0"));
  Q_EMIT page->view().linkActivated(u"mean"_s);
  QCOMPARE(currentView(window)->ref(), *Ref::parse("host:mean"));
}

void TestNavigation::everyRefOpensItsNode_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<QString>("node"); // whose tab is shown
  QTest::addColumn<bool>("pages");
  const auto row = [](const char* ref, const char* node, bool pages = true) {
    QTest::newRow(*ref ? ref : "file") << ref << node << pages;
  };
  row("", "");
  row("blob", "blob");
  row("imports", "imports");
  row("m0", "m0");
  row("m1", "m1");
  row("m2", "m2");
  row("m2/kernel:mean_kernel", "m2");
  row("m2/kernel:no_such_kernel", "m2");
  row("m2/field:fmap[1].key", "m2");
  row("m2/field:no.such.field", "m2");
  row("host:softmax", "host:softmax");
  row("symbol:__tvm_ffi_mean", "symbol:__tvm_ffi_mean");
  row("section:.text", "section:.text");
  row("@0x5653", "m2");
  row("@0x5653+8", "m2");
  row("@0", "");
  row("@0x0+4", "");
  row("m2@0x5653+8", "m2");
  row("@0xffffffffffffffff", "");
  row("@63231+100", "");
  row("m7", "m7", false);
  row("host:nobody", "host:nobody", false);
  row("symbol:nobody", "symbol:nobody", false);
  row("section:.nobody", "section:.nobody", false);
  row("other:blob", "other:blob", false);
  row("other:m0", "other:m0", false);
  row("member:x.so", "member:x.so", false);
}

void TestNavigation::everyRefOpensItsNode() {
  QFETCH(QString, ref);
  QFETCH(QString, node);
  QFETCH(bool, pages);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, qPrintable(ref)));
  QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()), node);
  QCOMPARE(!currentView(window)->pageNames().isEmpty(), pages);
  finishJobs(window.document().jobs());
  drawn(window, 1);
  // The second time adds no tab and no step.
  const int count = tabs(window).count();
  const bool back = action(window, ActionId::Back)->isEnabled();
  QVERIFY(go(window, qPrintable(ref)));
  QCOMPARE(tabs(window).count(), count);
  QCOMPARE(action(window, ActionId::Back)->isEnabled(), back);
  // And away again.
  const char* const away = ref == QLatin1String("m1") ? "m0" : "m1";
  QVERIFY(go(window, away));
  QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()), QLatin1String(away));
  action(window, ActionId::Back)->trigger();
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()), node);
}

void TestNavigation::refsWithoutAFileAreIgnored() {
  MainWindow window;
  window.show();
  window.navigate(*Ref::parse("m0"));
  window.navigate(*Ref::parse("@16"));
  QVERIFY(!currentView(window));
  QVERIFY(part<StartPage>(window).isVisible());
}

void TestNavigation::offsetsOpenTheirBytes_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<quint64>("offset"); // of the selection, in the file
  QTest::addColumn<quint64>("size");
  QTest::newRow("a field's place") << "@0x5653" << quint64{0x5653} << quint64{0};
  QTest::newRow("with a size") << "@0x5654+3" << quint64{0x5654} << quint64{3};
  QTest::newRow("in the file") << "@0x10+2" << quint64{0x10} << quint64{2};
  QTest::newRow("last byte") << "@63231" << quint64{63231} << quint64{1};
}

void TestNavigation::offsetsOpenTheirBytes() {
  QFETCH(QString, ref);
  QFETCH(quint64, offset);
  QFETCH(quint64, size);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, qPrintable(ref)));
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Hex"));
  auto* const page = pageOf<HexPage>(window);
  QVERIFY(page);
  QCOMPARE(page->view().fileOffset(page->view().selection().offset), offset);
  if (size > 0) QCOMPARE(page->view().selection().size, size);
  QVERIFY(page->view().visibleBytes().contains(page->view().selection().offset));
}

/// The bytes of the file have the colours of the overview, and Details shows their owner.
void TestNavigation::bytesHaveTheColourOfTheirOwner() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const auto& blob = *window.document().state()->package->blobs.front();
  const quint64 cuda = *blob.modules[2]->payload.offset();
  QVERIFY(go(window, "", QStringLiteral("Hex")));
  auto* const page = pageOf<HexPage>(window);
  QVERIFY(page);
  QVERIFY(page->goToOffset(cuda + 40, std::nullopt));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("Part of")), kWaitMs);
  QVERIFY(detailsOf(window).text().contains(QStringLiteral("cuda")));
  auto* const bar = page->findChild<CoverageBar*>();
  QVERIFY(bar);
  bool found = false;
  for (std::size_t i = 0; i < bar->spans().size(); ++i) {
    const view::Span& span = bar->spans()[i];
    const auto role = spanRole(span);
    QVERIFY2(role, span.name.c_str());
    if (span.extent.contains(cuda + 40))
      found = *role == kindLook(library::RowKind::Module, QStringLiteral("cuda")).role;
    if (span.name == ".text") QCOMPARE(*role, kindLook(library::RowKind::HostCode, {}).role);
  }
  QVERIFY(found);
}

void TestNavigation::fieldOfAModuleIsShown() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2/field:fmap[1].key"));
  QTRY_COMPARE_WITH_TIMEOUT(currentView(window)->currentPage(), QStringLiteral("Fields"), kWaitMs);
  auto* const page = pageOf<FieldsPage>(window);
  QVERIFY(page);
  QCOMPARE(page->view().currentIndex().data().toString(), QStringLiteral("key"));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("fmap[1].key")), kWaitMs);
}

void TestNavigation::kernelIsShownInTheText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Source")));
  auto* const page = pageOf<TextPage>(window);
  QVERIFY(page);
  QVERIFY(page->showPart({PartKind::Kernel, "mean_kernel"}));
  QTRY_VERIFY_WITH_TIMEOUT(page->view().currentLine() > 1, kWaitMs);
  const std::string_view text = page->view().text().view();
  std::size_t at = 0;
  for (quint64 line = 1; line < page->view().currentLine(); ++line) at = text.find('\n', at) + 1;
  const std::string line(text.substr(at, text.find('\n', at) - at));
  QVERIFY2(line.find("mean_kernel") != std::string::npos, line.c_str());
  QVERIFY(!page->showPart({PartKind::Kernel, "no_such_kernel"}));
}

void TestNavigation::backAndForwardVisitNodes() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!action(window, ActionId::Back)->isEnabled());
  const std::array refs = {"blob", "m1", "m2", "host:softmax"};
  for (const char* ref : refs) QVERIFY(go(window, ref));
  for (int i = 3; i > 0; --i) {
    QVERIFY(action(window, ActionId::Back)->isEnabled());
    action(window, ActionId::Back)->trigger();
    QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()),
             QLatin1String(refs[static_cast<std::size_t>(i) - 1]));
  }
  action(window, ActionId::Back)->trigger();
  QCOMPARE(currentView(window)->ref(), Ref::file());
  QVERIFY(!action(window, ActionId::Back)->isEnabled());
  for (const char* ref : refs) {
    QVERIFY(action(window, ActionId::Forward)->isEnabled());
    action(window, ActionId::Forward)->trigger();
    QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()), QLatin1String(ref));
  }
  QVERIFY(!action(window, ActionId::Forward)->isEnabled());
  // A new way ends the old one.
  action(window, ActionId::Back)->trigger();
  QVERIFY(go(window, "m0"));
  QVERIFY(!action(window, ActionId::Forward)->isEnabled());
  // The selection of a place is restored with it.
  QVERIFY(go(window, "@0x5653+3"));
  QVERIFY(go(window, "m0"));
  QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
  QVERIFY(QTest::qWaitFor([&] { return pageOf<HexPage>(window) != nullptr; }, kWaitMs));
  QCOMPARE(pageOf<HexPage>(window)->view().fileOffset(pageOf<HexPage>(window)->view().selection().offset),
           quint64{0x5653});
}

void TestNavigation::backReopensAClosedTab() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Fields"), TabKind::Kept));
  QVERIFY(go(window, "m1", {}, TabKind::Kept));
  tabs(window).tabCloseRequested(1);
  QCOMPARE(tabs(window).count(), 2);
  action(window, ActionId::Back)->trigger();
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Fields"));
  QCOMPARE(tabs(window).count(), 3);
}

void TestNavigation::backAndForwardVisitPages() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Fields")));
  currentView(window)->choosePage(static_cast<int>(currentView(window)->pageNames().indexOf(QStringLiteral("Hex"))));
  action(window, ActionId::Back)->trigger();
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Fields"));
  action(window, ActionId::Forward)->trigger();
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Hex"));
}

void TestNavigation::tabsOpenAndClose() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  for (const char* ref : {"m0", "m1", "m2"}) QVERIFY(go(window, ref, {}, TabKind::Kept));
  QCOMPARE(tabs(window).count(), 4);
  QVERIFY(action(window, ActionId::CloseTab)->isEnabled());
  QTest::keyClick(&window, Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(currentView(window)->ref(), Ref::file());
  QTest::keyClick(&window, Qt::Key_PageUp, Qt::ControlModifier);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  // The tab in front, that of the file, which stays, and one in the background.
  for (const int index : {3, 0, 1}) {
    tabs(window).tabCloseRequested(index);
    QCoreApplication::processEvents();
    drawn(window, 1);
  }
  QCOMPARE(tabs(window).count(), 2);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
  action(window, ActionId::CloseTab)->trigger();
  QCOMPARE(tabs(window).count(), 1);
  QCOMPARE(currentView(window)->ref(), Ref::file());
  QVERIFY(!action(window, ActionId::CloseTab)->isEnabled());
  QVERIFY(!tabs(window).tabButton(0, QTabBar::RightSide));
  // Closing the others leaves the file's tab and the one in front.
  for (const char* ref : {"m0", "m1", "m2"}) QVERIFY(go(window, ref, {}, TabKind::Kept));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::CloseOtherTabs)->trigger();
  QCOMPARE(tabs(window).count(), 2);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
  QVERIFY(!action(window, ActionId::CloseOtherTabs)->isEnabled());
  // A reload keeps existing tabs.
  const auto before = window.document().state();
  action(window, ActionId::Reload)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QVERIFY(isSettled(window));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
}

namespace {

QPoint placeOf(QTreeView& tree, const char* name) {
  const QModelIndex index = rowNamed(tree, QLatin1String(name));
  tree.scrollTo(index);
  QPoint place = tree.visualRect(index).center();
  const QStringList chain = index.data(ChainRole).toStringList();
  if (chain.isEmpty()) return place;
  QStyleOptionViewItem option;
  option.initFrom(&tree);
  option.rect = tree.visualRect(index);
  for (int x = option.rect.left(); x < option.rect.right(); ++x)
    if (TreeDelegate::partAt(option, index, {x, place.y()}) == chain.indexOf(QLatin1String(name))) place.setX(x);
  return place;
}

bool isPreview(MainWindow& window, int index) { return static_cast<TabBar&>(tabs(window)).preview() == index; }

} // namespace

void TestNavigation::previewsShareOneTab() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTreeView& tree = contentsTree(window);
  for (const char* name : {"cuda", "_lib", "relax.VMExecutable", "cuda"}) {
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, placeOf(tree, name));
    QCOMPARE(tabs(window).count(), 2);
    QCOMPARE(tabs(window).tabText(1), QLatin1String(name));
    QVERIFY(isPreview(window, 1));
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
    drawn(window, 1);
  }
  // A node that has a tab is shown there.
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, placeOf(tree, "sample-cuda-a.so"));
  QCOMPARE(tabs(window).currentIndex(), 0);
  QCOMPARE(tabs(window).count(), 2);
  // Back leads through all of them.
  for (const int module : {2, 0, 1, 2}) {
    action(window, ActionId::Back)->trigger();
    QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, module));
    QCOMPARE(tabs(window).count(), 2);
  }
  // A kept tab comes before the preview, which stays the last.
  QVERIFY(go(window, "m0", {}, TabKind::Kept));
  QCOMPARE(tabs(window).tabText(1), QStringLiteral("relax.VMExecutable"));
  QVERIFY(isPreview(window, 2));
  // Its title is in italics.
  tabs(window).setCurrentIndex(0);
  const QRect title = tabs(window).tabRect(2);
  const QImage slanted = drawn(tabs(window), 1).copy(title);
  action(window, ActionId::KeepTab)->trigger();
  QVERIFY(drawn(tabs(window), 1).copy(title) != slanted);
}

void TestNavigation::previewIsKept_data() {
  QTest::addColumn<QString>("by");
  for (const char* by :
       {"double click in Contents", "Enter in Contents", "double click on the tab", "action", "editing"})
    QTest::newRow(by) << QString::fromLatin1(by);
}

void TestNavigation::previewIsKept() {
  QFETCH(QString, by);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("kept.so"), someLibrary())));
  QTreeView& tree = contentsTree(window);
  const QPoint place = placeOf(tree, "cuda");
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, place);
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  QVERIFY(isPreview(window, 1));
  QVERIFY(action(window, ActionId::KeepTab)->isEnabled());
  if (by.startsWith(QStringLiteral("double click in"))) {
    QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, place);
  } else if (by.startsWith(QStringLiteral("Enter"))) {
    tree.setFocus();
    QTest::keyClick(&tree, Qt::Key_Return);
  } else if (by.startsWith(QStringLiteral("double click on"))) {
    QTest::mouseDClick(&tabs(window), Qt::LeftButton, {}, tabs(window).tabRect(1).center());
  } else if (by == QLatin1String("action")) {
    action(window, ActionId::KeepTab)->trigger();
  } else {
    const auto before = window.document().state();
    part<Editing>(window).remove(Ref::moduleAt({}, 2));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
    QVERIFY(isSettled(window));
  }
  QVERIFY(!isPreview(window, 1));
  QVERIFY(!action(window, ActionId::KeepTab)->isEnabled());
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, placeOf(tree, "_lib"));
  QCOMPARE(tabs(window).count(), 3);
  QVERIFY(isPreview(window, 2));
}

void TestNavigation::longTabTitlesFit() {
  MainWindow window;
  QVERIFY(showActive(window, {1024, 700}));
  std::vector<Function> kernels;
  for (int i = 0; i < 12; ++i) kernels.push_back({"fused_operator_with_a_long_name_kernel_" + std::to_string(i)});
  QVERIFY(open(window, m_files.write(QStringLiteral("a_library_with_a_long_name.so"), someLibrary(kernels))));
  for (const char* ref : {"m0", "m1", "m2", "blob", "imports", "host:add", "host:mul", "symbol:__tvm_ffi_add",
                          "symbol:__tvm_ffi_mul", "section:.text", "section:.data"})
    QVERIFY(go(window, ref, {}, TabKind::Kept));
  QTabBar& bar = tabs(window);
  const int room = bar.fontMetrics().averageCharWidth() * 12;
  for (int i = 0; i < bar.count(); ++i)
    QVERIFY2(bar.tabRect(i).width() >= qMin(room, bar.fontMetrics().horizontalAdvance(bar.tabText(i))) + 16,
             qPrintable(bar.tabText(i)));
  // The current one is visible.
  QVERIFY(bar.rect().contains(bar.tabRect(bar.currentIndex()).center()));
}

void TestNavigation::middleButtonClosesTabs() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  for (const char* ref : {"m0", "m1"}) QVERIFY(go(window, ref, {}, TabKind::Kept));
  QTest::mouseClick(&tabs(window), Qt::MiddleButton, {}, tabs(window).tabRect(1).center());
  QCOMPARE(tabs(window).count(), 2);
  QCOMPARE(tabs(window).tabText(1), QStringLiteral("_lib"));
  QTest::mouseClick(&tabs(window), Qt::MiddleButton, {}, tabs(window).tabRect(0).center());
  QCOMPARE(tabs(window).count(), 2);
}

void TestNavigation::tabsAreListed() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!action(window, ActionId::ListTabs)->isEnabled());
  for (const char* ref : {"m0", "m1"}) QVERIFY(go(window, ref, {}, TabKind::Kept));
  QVERIFY(go(window, "m2"));
  action(window, ActionId::ListTabs)->trigger();
  auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  QVERIFY(menu);
  QCOMPARE(menu->actions().size(), 4);
  QCOMPARE(menu->actions()[2]->text(), QStringLiteral("_lib"));
  QVERIFY(menu->actions()[3]->font().italic() && !menu->actions()[2]->font().italic());
  QCOMPARE(menu->activeAction(), menu->actions()[3]);
  QTest::keyClick(menu, Qt::Key_Up);
  QTest::keyClick(menu, Qt::Key_Return);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
}

/// Pages that are shown on the way to bytes, and nodes whose pages arrive late, are not steps.
void TestNavigation::backSkipsWhatWasNotSeen() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  // Not waited for: the pages of the node are not loaded yet.
  for (const char* ref : {"@0x5653+3", "m1", "m2/kernel:mean_kernel", "blob"}) window.navigate(*Ref::parse(ref));
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  const auto wentBack = [&] {
    action(window, ActionId::Back)->trigger();
    return QTest::qWaitFor([&] { return currentView(window)->isReady() && currentView(window)->current(); }, kWaitMs);
  };
  for (const char* node : {"m2", "m1", "m2", ""}) {
    QVERIFY(wentBack());
    finishJobs(window.document().jobs()); // a late page would end the way forward
    QCOMPARE(QString::fromStdString(currentView(window)->ref().toString()), QLatin1String(node));
    QVERIFY(action(window, ActionId::Forward)->isEnabled());
  }
  QVERIFY(!action(window, ActionId::Back)->isEnabled());
  action(window, ActionId::Forward)->trigger();
  QVERIFY(QTest::qWaitFor([&] { return pageOf<HexPage>(window) != nullptr; }, kWaitMs));
  QCOMPARE(pageOf<HexPage>(window)->view().fileOffset(pageOf<HexPage>(window)->view().selection().offset),
           quint64{0x5653});
}

void TestNavigation::backAndForwardVisitComparisons() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  window.comparing().compareWith(sample("sample-cuda-b.so"));
  QVERIFY(QTest::qWaitFor([&] { return part<NodeTabs>(window).otherPage() != nullptr; }, kWaitMs));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::Back)->trigger();
  QVERIFY(part<NodeTabs>(window).otherPage());
  action(window, ActionId::Back)->trigger();
  QCOMPARE(currentView(window)->ref(), Ref::file());
  action(window, ActionId::Forward)->trigger();
  QVERIFY(part<NodeTabs>(window).otherPage());
  // A closed page cannot be seen again.
  action(window, ActionId::CloseTab)->trigger();
  while (action(window, ActionId::Back)->isEnabled()) {
    action(window, ActionId::Back)->trigger();
    QVERIFY(currentView(window));
  }
  QCOMPARE(currentView(window)->ref(), Ref::file());
}

void TestNavigation::arrowsShowDetails() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTreeView& tree = contentsTree(window);
  QVERIFY(focus(tree));
  tree.setCurrentIndex(rowNamed(tree, QStringLiteral("_lib")));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("relax.VMExecutable")), kWaitMs);
  QTest::keyClick(&tree, Qt::Key_Down);
  QCOMPARE(tree.currentIndex().data().toString(), QStringLiteral("Kernels"));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("cuda")), kWaitMs);
  QCOMPARE(tabs(window).count(), 1); // nothing is opened on the way
}

void TestNavigation::doubleClickKeepsTheRowExpanded() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("double.so"), someLibrary())));
  QTreeView& tree = contentsTree(window);
  for (const bool expanded : {true, false}) {
    tree.setExpanded(rowNamed(tree, QStringLiteral("cuda")), expanded);
    const QPoint place = placeOf(tree, "cuda");
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, place);
    QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(tree.isExpanded(rowNamed(tree, QStringLiteral("cuda"))), expanded);
  }
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
  QTest::keyClick(&tree, Qt::Key_Right);
  QVERIFY(tree.isExpanded(rowNamed(tree, QStringLiteral("cuda"))));
}

/// A kernel is indented below its list, has the icon of its kind, and shows its size although its name is shortened.
void TestNavigation::kernelsLookLikeOtherParts() {
  std::vector<library::ContentsRow> rows(3);
  rows[0].kind = library::RowKind::Library;
  rows[0].name = "library.so";
  rows[1].kind = library::RowKind::Kernels;
  rows[1].name = "Kernels";
  rows[1].parent = 0;
  rows[2].kind = library::RowKind::Kernel;
  rows[2].name = "fused_nn_conv2d_transpose_add_relu_multiply_with_a_long_name_kernel";
  rows[2].parent = 1;
  rows[2].size = 17'500;
  ContentsPanel panel;
  panel.resize(300, 200);
  panel.setRows(rows);
  panel.show();
  QTreeView& tree = panel.tree();
  tree.expandAll();
  const QModelIndex row = rowNamed(tree, QString::fromStdString(rows[2].name));
  QVERIFY(row.isValid());
  tree.scrollTo(row);
  const QRect rect = tree.visualRect(row);
  QCOMPARE(rect.left(), tree.visualRect(row.parent()).left() + metrics::kIndent);
  const QImage image = drawn(*tree.viewport(), 1);
  const QColor background = image.pixelColor(rect.left() - 6, rect.center().y());
  const auto isPainted = [&](int from, int to) {
    for (int x = from; x < to; ++x)
      for (int y = rect.top() + 2; y < rect.bottom() - 2; ++y)
        if (image.pixelColor(x, y) != background) return true;
    return false;
  };
  QVERIFY(!isPainted(rect.left() - metrics::kIndent, rect.left()));
  bool icon = false;
  for (int x = rect.left(); x < rect.left() + 4 + metrics::kIcon; ++x)
    for (int y = rect.top(); y < rect.bottom(); ++y)
      icon = icon || image.pixelColor(x, y) == theme().color(Role::KindDevice);
  QVERIFY(icon);
  // Between the name and the size there is space, and the size ends at the margin.
  QVERIFY(isPainted(rect.right() - 24, rect.right() - 7));
  int space = 0, widest = 0;
  for (int x = rect.right() - 90; x < rect.right() - 8; ++x) {
    space = isPainted(x, x + 1) ? 0 : space + 1;
    widest = std::max(widest, space);
  }
  QVERIFY2(widest >= 7, qPrintable(QString::number(widest)));
}

void TestNavigation::contentsAreFiltered() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QLineEdit* filter = nullptr;
  for (auto* const edit : window.findChildren<QLineEdit*>())
    if (edit->accessibleName().startsWith(QStringLiteral("Filter contents"))) filter = edit;
  QVERIFY(filter);
  filter->setFocus();
  QTest::keyClicks(filter, QStringLiteral("MEAN_k"));
  QTRY_VERIFY_WITH_TIMEOUT(!rowNamed(contentsTree(window), QStringLiteral("softmax_kernel")).isValid(), kWaitMs);
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("mean_kernel")).isValid());
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("cuda")).isValid()); // parents stay
  QVERIFY(contentsTree(window).visualRect(rowNamed(contentsTree(window), QStringLiteral("mean_kernel"))).isValid());
  // Going elsewhere works although the row is not shown.
  QVERIFY(go(window, "host:softmax"));
  QVERIFY(go(window, "m0"));
  filter->setText(QStringLiteral("no such name ("));
  QTRY_COMPARE_WITH_TIMEOUT(contentsTree(window).model()->rowCount(), 0, kWaitMs);
  QVERIFY(go(window, "m2"));
  filter->clear();
  QTRY_VERIFY_WITH_TIMEOUT(rowNamed(contentsTree(window), QStringLiteral("softmax_kernel")).isValid(), kWaitMs);
}

void TestNavigation::contentsOpenByMouseAndKey() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTest::mouseClick(contentsTree(window).viewport(), Qt::LeftButton, {}, placeOf(contentsTree(window), "cuda"));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  const QModelIndex lib = rowNamed(contentsTree(window), QStringLiteral("_lib"));
  contentsTree(window).setCurrentIndex(lib);
  QVERIFY(contentsTree(window).model()->setData(lib, 1, PartRole));
  contentsTree(window).setFocus();
  QTest::keyClick(&contentsTree(window), Qt::Key_Return);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
  // The tree follows the navigation.
  QVERIFY(go(window, "m0"));
  QCOMPARE(contentsTree(window).currentIndex().data(PartRole).toInt(), 0);
}

void TestNavigation::paletteFiltersAndRuns() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
  const QPointer<CommandPalette> palette = window.findChild<CommandPalette*>();
  QVERIFY(palette && palette->isVisible());
  auto* const edit = palette->findChild<QLineEdit*>();
  auto* const list = palette->findChild<QListWidget*>();
  const int all = list->count();
  QTest::keyClicks(edit, QStringLiteral("m2"));
  QVERIFY(list->count() < all && list->count() > 0);
  edit->clear();
  QTest::keyClicks(edit, QStringLiteral("KERNEL mean"));
  QCOMPARE(list->count(), 1);
  edit->clear();
  QCOMPARE(list->count(), all);
  QTest::keyClick(edit, Qt::Key_Down);
  QCOMPARE(list->currentRow(), 1);
  QTest::keyClick(edit, Qt::Key_PageDown);
  QCOMPARE(list->currentRow(), 11);
  QTest::keyClick(edit, Qt::Key_Up);
  QCOMPARE(list->currentRow(), 10);
  QTest::keyClicks(edit, QStringLiteral("no such thing"));
  QCOMPARE(list->count(), 0);
  QTest::keyClick(edit, Qt::Key_Down);
  QTest::keyClick(edit, Qt::Key_Return); // nothing to run
  edit->setText(QStringLiteral("mean_kernel"));
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(palette.isNull(), kWaitMs);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
}

/// Greyed, last, with the reason; without a file, that is to open one.
void TestNavigation::paletteListsWhatIsNotPossible() {
  MainWindow window;
  QVERIFY(showActive(window));
  const auto openPalette = [&] {
    action(window, ActionId::Palette)->trigger();
    return window.findChild<CommandPalette*>();
  };
  QPointer<CommandPalette> palette = openPalette();
  QVERIFY(palette);
  auto* list = palette->findChild<QListWidget*>();
  QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("rep"));
  QListWidgetItem* item = nullptr;
  for (int row = 0; row < list->count(); ++row)
    if (list->item(row)->text() == QStringLiteral("Repack…")) item = list->item(row);
  QVERIFY(item);
  QVERIFY(!(item->flags() & Qt::ItemIsEnabled));
  QVERIFY2(item->data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral("Open a file first.")),
           qPrintable(item->data(Qt::AccessibleTextRole).toString()));
  QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
  QVERIFY(palette->isVisible() && QApplication::activeModalWidget() == palette);
  // What is possible is first.
  palette->findChild<QLineEdit*>()->setText(QStringLiteral("op"));
  QVERIFY(list->item(0)->flags() & Qt::ItemIsEnabled);
  palette->close();
  QTRY_VERIFY_WITH_TIMEOUT(palette.isNull(), kWaitMs);

  QVERIFY(open(window, sample("sample-cuda-a.so")));
  palette = openPalette();
  list = palette->findChild<QListWidget*>();
  palette->findChild<QLineEdit*>()->setText(QStringLiteral("undo"));
  QCOMPARE(list->count(), 1);
  QVERIFY2(list->item(0)->data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("nothing to undo")),
           qPrintable(list->item(0)->data(Qt::AccessibleTextRole).toString()));
}

void TestNavigation::paletteRanksMatches_data() {
  QTest::addColumn<QString>("typed");
  QTest::addColumn<QString>("name");
  QTest::addColumn<int>("match");
  const auto row = [](const char* typed, const char* name, PaletteMatch match) {
    QTest::addRow("%s in %s", typed, name)
        << QString::fromLatin1(typed) << QString::fromLatin1(name) << static_cast<int>(match);
  };
  row("mean", "mean", PaletteMatch::Exact);
  row("MEAN", "mean", PaletteMatch::Exact);
  row("m2/kernel:x", "y", PaletteMatch::Exact);
  row("mean", "mean_kernel", PaletteMatch::Prefix);
  row("kernel", "mean_kernel", PaletteMatch::Words);
  row("kernel mean", "mean_kernel", PaletteMatch::Words);
  row("ean", "mean_kernel", PaletteMatch::Inside);
  row("thing mean", "mean_kernel", PaletteMatch::Detail);
  row("other", "mean_kernel", PaletteMatch::None);
  row("", "mean_kernel", PaletteMatch::Inside);
}

void TestNavigation::paletteRanksMatches() {
  QFETCH(QString, typed);
  QFETCH(QString, name);
  QFETCH(int, match);
  QCOMPARE(static_cast<int>(PaletteQuery(typed).match(name, u"thing"_s, u"m2/kernel:x"_s)), match);
}

void TestNavigation::paletteGoesToPlaces() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const auto typed = [&](const QString& text) {
    action(window, ActionId::Palette)->trigger();
    const QPointer<CommandPalette> palette = window.findChild<CommandPalette*>();
    palette->findChild<QLineEdit*>()->setText(text);
    return palette;
  };
  const auto end = [](const QPointer<CommandPalette>& palette, Qt::Key key) {
    QTest::keyClick(palette->findChild<QLineEdit*>(), key);
    return QTest::qWaitFor([&] { return palette.isNull(); }, kWaitMs);
  };
  // The function comes before its kernel, and both before the file, whose name also contains the word.
  QPointer<CommandPalette> palette = typed(u"mean"_s);
  QVERIFY(palette);
  const auto* list = palette->findChild<QListWidget*>();
  QCOMPARE(list->item(0)->text(), u"mean"_s);
  QVERIFY(list->item(0)->data(Qt::UserRole).toString().contains(u"function"_s));
  QVERIFY(end(palette, Qt::Key_Escape));
  palette = typed(u"mean_kernel"_s);
  list = palette->findChild<QListWidget*>();
  QCOMPARE(list->item(0)->data(Qt::UserRole).toString(), u"kernel  m2"_s);
  QVERIFY(end(palette, Qt::Key_Escape));
  palette = typed(u"m2/kernel:mean_kernel"_s);
  list = palette->findChild<QListWidget*>();
  QCOMPARE(list->item(0)->text(), u"mean_kernel"_s);
  QVERIFY(end(palette, Qt::Key_Escape));
  palette = typed(u"cuda"_s);
  list = palette->findChild<QListWidget*>();
  QCOMPARE(list->item(0)->text(), u"cuda"_s);
  QVERIFY(list->item(list->count() - 1)->text().startsWith(u"sample-cuda-a"_s));
  QVERIFY(end(palette, Qt::Key_Escape));
  // Offsets and references.
  for (const QString& text : {u"@0x5000"_s, u"0x5000"_s, u"20480"_s}) {
    palette = typed(text);
    QCOMPARE(palette->findChild<QListWidget*>()->item(0)->text(), u"Go to @0x5000"_s);
    QVERIFY(end(palette, Qt::Key_Return));
    QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 0)); // which holds that byte
  }
  palette = typed(u"m2/field:fmap[0].key"_s);
  QVERIFY(end(palette, Qt::Key_Return));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  // A missing target is reported, and nothing changes.
  palette = typed(u"0xffffffff"_s);
  list = palette->findChild<QListWidget*>();
  QCOMPARE(list->count(), 1);
  QVERIFY(list->item(0)->text().contains(u"past the end"_s));
  QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
  QVERIFY(palette && palette->isVisible());
  palette->findChild<QLineEdit*>()->setText(u"no such thing"_s);
  QCOMPARE(list->count(), 0);
  QVERIFY(palette->findChild<ThemeLabel*>()->text().contains(u"no such thing"_s));
  QVERIFY(end(palette, Qt::Key_Escape));
}

void TestNavigation::paletteRunsAnAction() {
  MainWindow window;
  QVERIFY(showActive(window));
  action(window, ActionId::Palette)->trigger();
  const QPointer<CommandPalette> palette = window.findChild<CommandPalette*>();
  QVERIFY(palette);
  auto* const edit = palette->findChild<QLineEdit*>();
  edit->setText(QStringLiteral("light and dark"));
  QCOMPARE(palette->findChild<QListWidget*>()->count(), 1);
  QTest::keyClick(edit, Qt::Key_Return);
  QVERIFY(theme().isDark());
}

void TestNavigation::escapeClosesThePalette() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  action(window, ActionId::Palette)->trigger();
  const QPointer<CommandPalette> palette = window.findChild<CommandPalette*>();
  QVERIFY(palette);
  QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(palette.isNull(), kWaitMs);
  QCOMPARE(currentView(window)->ref(), Ref::file());
}

void TestNavigation::damagedSampleShowsItsProblems() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-damaged.so")));
  const ProblemsModel& problems = part<ProblemsPanel>(window).model();
  QCOMPARE(problems.count(Severity::Error), 1);
  QVERIFY(problems.index(0, ProblemsModel::Problem).data().toString().contains(QStringLiteral("exceeds")));
  QCOMPARE(problems.index(0, ProblemsModel::Byte).data().toString(), QStringLiteral("0x5653"));
  // The rest of the tree is intact.
  for (const char* name : {"relax.VMExecutable", "_lib", "cuda", "softmax", "fused_matmul_add"})
    QVERIFY2(rowNamed(contentsTree(window), QLatin1String(name)).isValid(), name);
  QVERIFY(!part<BottomPanel>(window).isOpen());
  QTest::keyClick(&window, Qt::Key_F8);
  QVERIFY(part<BottomPanel>(window).isOpen());
  QVERIFY(QTest::qWaitFor([&] { return pageOf<HexPage>(window) != nullptr; }, kWaitMs));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Hex"));
  HexView& hex = pageOf<HexPage>(window)->view();
  QCOMPARE(hex.fileOffset(hex.selection().offset), quint64{0x5653});
  QTRY_VERIFY_WITH_TIMEOUT(hex.visibleBytes().contains(hex.selection().offset), kWaitMs); // the open panel takes room
  // The tab shows it too, and leads there.
  Banner* banner = nullptr;
  for (auto* const candidate : currentView(window)->findChildren<Banner*>())
    if (candidate->isVisible()) banner = candidate;
  QVERIFY(banner);
  QCOMPARE(banner->kind(), Banner::Kind::Error);
  hex.goTo(0);
  button(*banner, QStringLiteral("Show in Hex"))->click();
  QCOMPARE(hex.fileOffset(hex.selection().offset), quint64{0x5653});
  QVERIFY(banner->isVisible());
  button(*banner, QStringLiteral("Copy report"))->click();
  QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("BLOB-MODULE: ")));
  // The only finding stays selected.
  QTest::keyClick(&window, Qt::Key_F8);
  QCOMPARE(part<ProblemsPanel>(window).view().currentIndex().row(), 0);
  for (const char* ref : {"m0", "m1", "m2", "blob", "imports", "host:softmax", ""}) {
    QVERIFY2(go(window, ref), ref);
    QVERIFY2(!currentView(window)->pageNames().isEmpty(), ref);
    drawn(window, 1);
  }
}

/// Through all findings and around, in both directions.
void TestNavigation::findingsAreVisitedInTurn() {
  MainWindow window;
  QVERIFY(showActive(window));
  const std::string blob = ffiBlob({{"_lib", ""}, {"vendor.a", "1234"}, {"vendor.b", "5678"}}, {{1, 2}, {}, {}});
  QVERIFY(
      open(window, m_files.write(QStringLiteral("two.so"), someHost().data("__tvm_ffi__library_bin", blob).build())));
  // Two of the file and, when the check of loading ends, one about the loaders of both.
  QTRY_COMPARE_WITH_TIMEOUT(part<ProblemsPanel>(window).view().model()->rowCount(), 3, kWaitMs);
  for (const int row : {0, 1, 2, 0}) {
    QTest::keyClick(&window, Qt::Key_F8);
    QCOMPARE(part<ProblemsPanel>(window).view().currentIndex().row(), row);
  }
  QTest::keyClick(&window, Qt::Key_F8, Qt::ShiftModifier);
  QCOMPARE(part<ProblemsPanel>(window).view().currentIndex().row(), 2);
}

void TestNavigation::detailsHaveLinks() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-damaged.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Hex"), TabKind::Kept));
  QTRY_VERIFY_WITH_TIMEOUT(button(detailsOf(window), QStringLiteral("0x5653")), kWaitMs);
  // The link is deleted with its details.
  QTest::mouseClick(button(detailsOf(window), QStringLiteral("0x5653")), Qt::LeftButton);
  HexView& hex = pageOf<HexPage>(window)->view();
  QCOMPARE(hex.fileOffset(hex.selection().offset), quint64{0x5653});
  QVERIFY(go(window, "m1", {}, TabKind::Kept));
  QVERIFY(go(window, "m2", QStringLiteral("Hex")));
  QTRY_VERIFY_WITH_TIMEOUT(button(detailsOf(window), QStringLiteral("0x5653")), kWaitMs);
  QTest::keyClick(button(detailsOf(window), QStringLiteral("0x5653")), Qt::Key_Return);
  QCOMPARE(hex.fileOffset(hex.selection().offset), quint64{0x5653});
  QVERIFY(go(window, ""));
  QTRY_VERIFY_WITH_TIMEOUT(button(detailsOf(window), QStringLiteral("cuda")), kWaitMs);
  QTest::mouseClick(button(detailsOf(window), QStringLiteral("cuda")), Qt::LeftButton);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
}

void TestNavigation::referenceIsCopied() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  for (const char* ref : {"m1", "m2/kernel:mean_kernel", "@0x5654+3", "host:softmax"}) {
    QVERIFY(go(window, ref));
    action(window, ActionId::CopyReference)->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QLatin1String(ref));
  }
  action(window, ActionId::CopyDetails)->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(), detailsOf(window).text());
}

BLOBSCOPE_TEST(TestNavigation);

#include "test_navigation.moc"
