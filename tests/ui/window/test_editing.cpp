#include "core/library/node.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/text_pair_view.h"
#include "ui/models/fields_model.h"
#include "ui/pages/edit_bar.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/table_page.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/banner.h"
#include "ui/window/checking.h"
#include "ui/window/dialogs/edit_dialogs.h"
#include "ui/window/dialogs/repack_dialog.h"
#include "ui/window/editing.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/changes_panel.h"
#include "ui/window/running.h"
#include "ui/window/saving.h"

#include <QComboBox>
#include <QDir>
#include <QInputDialog>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// Editing the opened file: by keyboard, by dialogs, undone, and saved.
class TestEditing : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void fieldIsEditedByKeyboard();
  void listIsEditedAsText();
  void refusedValueStaysInTheEditor();
  void kernelIsRenamedInTheTree();
  void editHidesOnlyOutdatedBanners();
  void selectionFollowsARename();
  void renameOfACalledKernelAsks();
  void tabsFollowEdits();
  void removalFollowsTheKeyboard();
  void removalCanIncludeImports();
  void textIsEdited();
  void typedTextIsAppliedWhenThePageIsLeft();
  void typingGoesOnWhileTextIsApplied();
  void commandsWaitForTypedText();
  void typingIsUndoneFirst();
  void typedTextSurvivesOtherChanges();
  void typedTextIsComparedWithTheFile();
  void refusedTextStaysInTheEditor();
  void textEditorOpensAtTheKernel();
  void binaryDataIsNotEditedAsText();
  void listingsAreReadOnly();
  void closingAppliesTheTypedText();
  void importsAreEdited();
  void moduleIsAdded();
  void moduleIsMovedToAnotherImporter();
  void changesPanelListsEdits();
  void changedRowsAreMarked();
  void titleShowsUnsavedChanges();
  void disabledActionsGiveReasons();
  void contextMenuListsEditActions();
  void listsOfPartsAreNotEdited();
  void editsAreUndoneByKeyboard();
  void reloadKeepsEdits();
  void reloadThatBreaksEditsIsRefused();
  void bannersEndWithTheirState();
  void editsAreRestoredAfterACrash();
  void closingAsksAboutUnsavedEdits_data();
  void closingAsksAboutUnsavedEdits();
  void saveWritesTheFile();
  void saveCanLeaveOutEdits();

private:
  QString write(const char* name = "made.so", const std::string& bytes = someLibrary()) {
    return m_files.write(QLatin1String(name), bytes);
  }
  /// Waits until all requested changes are applied.
  static bool settle(MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.document().isEditing() && !window.document().isOpening(); }, kWaitMs) &&
           QTest::qWaitFor([&] { return currentView(window) && currentView(window)->isReady(); }, kWaitMs);
  }
  static std::size_t edits(MainWindow& window) { return window.document().state()->edits.size(); }
  static QString format(MainWindow& window, std::size_t module = 1) {
    const auto name = window.document().state()->package->blobs[0]->modules[module]->body->format();
    return name ? QString::fromStdString(std::string(name->view())) : QString();
  }
  template <class T> static T* dialog(MainWindow& window) {
    T* found = nullptr;
    const bool there = QTest::qWaitFor(
        [&] {
          for (T* one : window.findChildren<T*>())
            if (one->isVisible()) found = one;
          return found != nullptr;
        },
        kWaitMs);
    return there ? found : nullptr;
  }
  /// Returns the page in front when its text is being edited.
  static ui::TextPage* editedText(MainWindow& window) {
    const bool there = QTest::qWaitFor(
        [&] {
          auto* const page = pageOf<ui::TextPage>(window);
          return page && page->isEditable() && page->view().isEditing() && page->view().hasFocus();
        },
        kWaitMs);
    return there ? pageOf<ui::TextPage>(window) : nullptr;
  }
  /// Shows the row of a field.
  static FieldsPage* field(MainWindow& window, const char* ref) {
    if (!go(window, "m1", QStringLiteral("Fields"))) return nullptr;
    window.navigate(*Ref::parse(ref));
    auto* const page = pageOf<FieldsPage>(window);
    if (page) page->view().setFocus();
    return page;
  }

  WindowApplication m_application;
  Files m_files;
};

void TestEditing::init() {
  WindowApplication::reset();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).removeRecursively();
}

void TestEditing::fieldIsEditedByKeyboard() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  for (const Qt::Key key : {Qt::Key_F2, Qt::Key_Return}) {
    auto* page = field(window, "m1/field:fmt");
    QVERIFY(page);
    QVERIFY(page->view().hasFocus());
    QTest::keyClick(&page->view(), key);
    auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(edit);
    QCOMPARE(edit->text(), key == Qt::Key_F2 ? QStringLiteral("ptx") : QStringLiteral("cubin"));
    edit->selectAll();
    QTest::keyClicks(edit, key == Qt::Key_F2 ? QStringLiteral("cubin") : QStringLiteral("fatbin"));
    const auto before = window.document().state();
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
    QVERIFY(settle(window));
    // The page is a new one, at the same row and with the keyboard focus.
    QTRY_VERIFY_WITH_TIMEOUT(pageOf<FieldsPage>(window) && pageOf<FieldsPage>(window) != page, kWaitMs);
    page = pageOf<FieldsPage>(window);
    QTRY_VERIFY_WITH_TIMEOUT(page->selectedPart() && page->selectedPart()->name == "fmt", kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(page->view().hasFocus(), kWaitMs);
  }
  QCOMPARE(format(window), QStringLiteral("fatbin"));
  QCOMPARE(edits(window), std::size_t{1});
  // Escape changes nothing, and neither does the same value.
  auto* const page = field(window, "m1/field:fmt");
  QTest::keyClick(&page->view(), Qt::Key_F2);
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("zzz"));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  QTest::keyClick(&page->view(), Qt::Key_F2);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  QVERIFY(!window.document().isEditing());
  QCOMPARE(format(window), QStringLiteral("fatbin"));
}

void TestEditing::listIsEditedAsText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  auto* const page = field(window, "m1/field:fmap[0].info.arg_types");
  QVERIFY(page);
  QTest::keyClick(&page->view(), Qt::Key_F2);
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QVERIFY2(edit->text().contains(QStringLiteral(", ")), qPrintable(edit->text()));
  edit->setText(QStringLiteral("handle, float32, int8"));
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  const auto tree = library::treeOf(*window.document().state()->package->blobs[0]->modules[1]);
  QCOMPARE(QString::fromStdString(tree->value(*tree->find("fmap[0].info.arg_types"))), QStringLiteral("3 items"));
  QCOMPARE(QString::fromStdString(tree->value(*tree->find("fmap[0].info.arg_types[1]"))), QStringLiteral("float32"));
}

void TestEditing::refusedValueStaysInTheEditor() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  auto* const page = field(window, "m1/field:fmap[0].info.arg_types[0]");
  QVERIFY(page);
  QTest::keyClick(&page->view(), Qt::Key_F2);
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  edit->setText(QStringLiteral("no type"));
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
  QVERIFY2(window.banner().text().contains(QStringLiteral("arg_types[0]")), qPrintable(window.banner().text()));
  QCOMPARE(edits(window), std::size_t{0});
  // The next change removes the message.
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(!window.banner().isVisible());
  // A structure has no line.
  QVERIFY(field(window, "m1/field:fmap[0]"));
  QTest::keyClick(&pageOf<FieldsPage>(window)->view(), Qt::Key_F2);
  QVERIFY(window.banner().isVisible());
  QVERIFY(!qobject_cast<QLineEdit*>(QApplication::focusWidget()));
}

/// The result of a check is outdated after an edit; a message about something else stays.
void TestEditing::editHidesOnlyOutdatedBanners() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  action(window, ActionId::Check)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  part<Editing>(window).rename(*Ref::parse("m2/kernel:add_kernel"), QStringLiteral("sum_kernel"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(!window.banner().isVisible());
  window.banner().showMessage(Banner::Kind::Note, QStringLiteral("Saved."), {});
  action(window, ActionId::Undo)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  QVERIFY(window.banner().isVisible());
}

void TestEditing::kernelIsRenamedInTheTree() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  window.navigate(*Ref::parse("m1/kernel:add_kernel"));
  QVERIFY(settle(window));
  contentsTree(window).setFocus();
  QTest::keyClick(&contentsTree(window), Qt::Key_F2);
  auto* const box = dialog<QInputDialog>(window);
  QVERIFY(box);
  QCOMPARE(box->textValue(), QStringLiteral("add_kernel"));
  box->setTextValue(QStringLiteral("sum"));
  box->accept();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("sum")).isValid());
  // The other module has a kernel with the same name.
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("add_kernel")).isValid());
  // Its row is still the current one.
  QCOMPARE(contentsTree(window).currentIndex().data().toString(), QStringLiteral("sum"));
  QCOMPARE(chosen(window), Ref::moduleAt({}, 1).part(PartKind::Kernel, "sum"));
}

/// After an edit the table, the tree and Details show the same node, under its new name.
void TestEditing::selectionFollowsARename() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1", QStringLiteral("Functions")));
  QPointer<ui::TablePage> page = pageOf<ui::TablePage>(window);
  QVERIFY(page);
  QVERIFY(page->showPart({PartKind::Kernel, "add_kernel"}));
  QCOMPARE(chosen(window), Ref::moduleAt({}, 1).part(PartKind::Kernel, "add_kernel"));
  part<Editing>(window).rename(chosen(window), QStringLiteral("sum"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  QTRY_VERIFY_WITH_TIMEOUT(!page && pageOf<ui::TablePage>(window), kWaitMs);
  page = pageOf<ui::TablePage>(window);
  QTRY_VERIFY_WITH_TIMEOUT(page->selectedPart() && page->selectedPart()->name == "sum", kWaitMs);
  QCOMPARE(chosen(window), Ref::moduleAt({}, 1).part(PartKind::Kernel, "sum"));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("sum")), kWaitMs);
  // The bytes of the edited module have no file offset, and their places say so.
  QVERIFY(field(window, "m1/field:fmt"));
  auto* const fields = pageOf<FieldsPage>(window);
  QCOMPARE(fields->view().model()->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Offset in data"));
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("Offset in data")), kWaitMs);
}

void TestEditing::renameOfACalledKernelAsks() {
  const Record cuda = {"cuda", code3("ptx", {{"add_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)};
  const std::string file = someHost()
                               .function("__tvm_ffi_add")
                               .data("texts", std::string("\0add_kernel\0", 12))
                               .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda}, {{1}, {}}))
                               .build();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write("called.so", file)));
  const Ref kernel = *Ref::parse("m1/kernel:add_kernel");
  for (const bool anyway : {false, true}) {
    part<Editing>(window).rename(kernel, QStringLiteral("sum"));
    auto* const box = dialog<QMessageBox>(window);
    QVERIFY(box);
    // The box breaks lines to fit.
    QVERIFY2(box->informativeText().simplified().contains(
                 QStringLiteral("host function 'add' launches the kernel 'add_kernel'")),
             qPrintable(box->informativeText()));
    QCOMPARE(box->defaultButton()->text(), QStringLiteral("&Keep the old name"));
    button(*box, anyway ? QStringLiteral("&Rename anyway") : QStringLiteral("&Keep the old name"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<QMessageBox*>(QStringLiteral("renameCalls")), kWaitMs);
    QVERIFY(settle(window));
    QCOMPARE(edits(window), anyway ? std::size_t{1} : std::size_t{0});
  }
  // The page shows it as well.
  const auto& found = window.document().state()->package->diagnostics;
  QVERIFY(
      std::any_of(found.begin(), found.end(), [](const Diagnostic& one) { return one.id == DiagnosticId::BlobCall; }));
}

void TestEditing::tabsFollowEdits() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  for (const char* ref : {"m1", "m2"}) QVERIFY(go(window, ref, QStringLiteral("Hex"), TabKind::Kept));
  QCOMPARE(tabs(window).count(), 3);
  contentsTree(window).expand(rowNamed(contentsTree(window), QStringLiteral("opencl")));
  part<Editing>(window).remove(Ref::moduleAt({}, 1));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  // The tab of the removed module closes; that of the module after it keeps showing the same module.
  QCOMPARE(tabs(window).count(), 2);
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
  QTRY_COMPARE_WITH_TIMEOUT(currentView(window)->currentPage(), QStringLiteral("Hex"), kWaitMs);
  QCOMPARE(tabs(window).tabText(tabs(window).currentIndex()), QStringLiteral("opencl"));
  QVERIFY(!rowNamed(contentsTree(window), QStringLiteral("cuda")).isValid());
  QVERIFY(contentsTree(window).isExpanded(rowNamed(contentsTree(window), QStringLiteral("opencl"))));
  action(window, ActionId::Undo)->trigger();
  QVERIFY(settle(window));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("cuda")).isValid());
  action(window, ActionId::Back)->trigger();
  QVERIFY(settle(window));
}

void TestEditing::removalFollowsTheKeyboard() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1/kernel:add_kernel"));
  contentsTree(window).setFocus();
  QCOMPARE(contentsTree(window).currentIndex().data().toString(), QStringLiteral("add_kernel"));
  QTest::keyClick(&contentsTree(window), Qt::Key_Delete);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  // The key does not continue with the module.
  QCOMPARE(contentsTree(window).currentIndex().data().toString(), QStringLiteral("Kernels"));
  QVERIFY(contentsTree(window).hasFocus());
  QTest::keyClick(&contentsTree(window), Qt::Key_Delete);
  finishJobs(window.document().jobs());
  QVERIFY(settle(window));
  QCOMPARE(edits(window), std::size_t{1});
  // Elsewhere the key deletes nothing.
  QVERIFY(go(window, "m1", QStringLiteral("Hex")));
  currentView(window)->current()->setFocus();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Delete);
  finishJobs(window.document().jobs());
  QVERIFY(settle(window));
  QCOMPARE(edits(window), std::size_t{1});
}

void TestEditing::removalCanIncludeImports() {
  const Record cuda = {"cuda", code3("ptx", {{"a"}}, ptxText({{"a"}}), Info::Four)};
  const Record opencl = {"opencl", code3("cl", {{"b"}}, openclText({{"b"}}), Info::Four)};
  const std::string bytes =
      someHost().data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda, opencl}, {{1}, {2}, {}})).build();
  for (const bool keep : {false, true}) {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, write("chain.so", bytes)));
    part<Editing>(window).remove(Ref::moduleAt({}, 1));
    auto* const box = dialog<QMessageBox>(window);
    QVERIFY(box);
    QVERIFY2(box->informativeText().contains(QStringLiteral("opencl, m2")), qPrintable(box->informativeText()));
    button(*box, keep ? QStringLiteral("Keep them") : QStringLiteral("Remove all"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
    const auto& modules = window.document().state()->package->blobs[0]->modules;
    QCOMPARE(modules.size(), keep ? std::size_t{2} : std::size_t{1});
    QCOMPARE(modules[0]->imports.size(), keep ? std::size_t{1} : std::size_t{0});
    window.document().discard();
  }
}

void TestEditing::textIsEdited() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  ui::TextPage* page = editedText(window);
  QVERIFY(page);
  const auto node = [&] {
    const auto tree = library::treeOf(*window.document().state()->package->blobs[0]->modules[1]);
    return std::string(tree->content(*tree->find("data")).view());
  };
  const std::string before = node();
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), QStringLiteral("// edited"));
  QTest::keyClick(&page->view(), Qt::Key_Return);
  QCOMPARE(edits(window), std::size_t{0});
  QVERIFY(window.isWindowModified());
  const int tab = tabs(window).currentIndex();
  QVERIFY(tabs(window).tabText(tab).endsWith(u"●"_s));
  QVERIFY(tabs(window).tabToolTip(tab).contains(u"not applied"_s));
  QTest::keyClick(&page->view(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QCOMPARE(node(), "// edited\n" + before);
  // The page is a new one, with the cursor and the keyboard focus where they were.
  QTRY_VERIFY_WITH_TIMEOUT(editedText(window) && !editedText(window)->isTyping(), kWaitMs);
  page = editedText(window);
  QCOMPARE(page->view().currentLine(), quint64{2});
  QTRY_VERIFY_WITH_TIMEOUT(!tabs(window).tabText(tab).endsWith(u"●"_s), kWaitMs);
  // Again: the same edit, and only the typed part differs.
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  for (int i = 0; i < 10; ++i) QTest::keyClick(&page->view(), Qt::Key_Delete);
  page->applyTyping();
  QTRY_COMPARE_WITH_TIMEOUT(node(), before, kWaitMs);
  QCOMPARE(edits(window), std::size_t{1});
  // Undo is that of the document as soon as the page shows what was applied.
  QVERIFY(settle(window));
  QTRY_VERIFY_WITH_TIMEOUT(editedText(window) && !editedText(window)->isTyping(), kWaitMs);
  action(window, ActionId::Undo)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(node().starts_with("// edited\n"), kWaitMs);
  QVERIFY(settle(window));
  action(window, ActionId::Undo)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(node(), before, kWaitMs);
  QCOMPARE(edits(window), std::size_t{0});
}

/// Typing begins the editing; leaving the page applies what was typed.
void TestEditing::typedTextIsAppliedWhenThePageIsLeft() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  const auto type = [&](const char* ref) {
    if (!go(window, ref, QStringLiteral("Source"), TabKind::Kept)) return false;
    ui::TextPage* page = nullptr; // the one after an undo may still replace the present one
    const auto isEditable = [&] {
      page = pageOf<ui::TextPage>(window);
      return page && page->isEditable();
    };
    if (!settle(window) || !QTest::qWaitFor(isEditable, kWaitMs)) return false;
    page->view().setFocus();
    page->view().goToLine(1);
    QTest::keyClicks(&page->view(), u"//"_s);
    return page->isTyping();
  };
  const auto applied = [&](std::size_t count) {
    return QTest::qWaitFor([&] { return edits(window) == count; }, kWaitMs) && settle(window);
  };
  QVERIFY(type("m1"));
  contentsTree(window).setFocus(); // another part of the window
  QVERIFY(applied(1));
  window.document().undo();
  QVERIFY(applied(0));
  QVERIFY(type("m1"));
  currentView(window)->showPage(u"Hex"_s); // another page
  QVERIFY(applied(1));
  window.document().undo();
  QVERIFY(applied(0));
  QVERIFY(type("m1"));
  QVERIFY(go(window, "m2")); // another tab
  QVERIFY(applied(1));
  window.document().undo();
  QVERIFY(applied(0));
  QVERIFY(type("m1"));
  part<NodeTabs>(window).closeCurrent();
  QVERIFY(applied(1));
  window.document().undo();
  QVERIFY(applied(0));
  // The dialog shows the plan with the typed text.
  QVERIFY(type("m1"));
  QVERIFY(action(window, ActionId::Repack)->isEnabled());
  action(window, ActionId::Repack)->trigger();
  auto* const repack = dialog<RepackDialog>(window);
  QVERIFY(repack);
  QCOMPARE(edits(window), std::size_t{1});
  repack->reject();
  window.document().discard();
}

/// Undo and Redo first step through what was typed.
/// The page is made again when its text was applied; keys in that moment are not lost.
void TestEditing::typingGoesOnWhileTextIsApplied() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  const QPointer<ui::TextPage> first = editedText(window);
  QVERIFY(first);
  QTest::keyClick(&first->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&first->view(), u"// one"_s);
  QTest::keyClick(&first->view(), Qt::Key_Return, Qt::ControlModifier);
  ui::TextPage* second = nullptr;
  const auto type = [&] {
    second = pageOf<ui::TextPage>(window);
    if (!second || second == first) return false;
    QTest::keyClicks(&second->view(), u" two"_s);
    second->applyTyping();
    return true;
  };
  QVERIFY(QTest::qWaitFor(type, kWaitMs));
  const auto text = [&] {
    const auto tree = library::treeOf(*window.document().state()->package->blobs[0]->modules[1]);
    return std::string(tree->content(*tree->find("data")).view().substr(0, 10));
  };
  QTRY_COMPARE_WITH_TIMEOUT(text(), std::string("// one two"), kWaitMs);
  window.document().discard();
}

void TestEditing::commandsWaitForTypedText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  const auto type = [&] {
    if (!go(window, "m1")) return false;
    action(window, ActionId::EditText)->trigger();
    ui::TextPage* const page = editedText(window);
    if (!page) return false;
    QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClicks(&page->view(), u"// typed "_s);
    return page->isTyping();
  };
  QVERIFY(type());
  QSignalSpy checked(&part<Checking>(window), &Checking::checked);
  action(window, ActionId::Check)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(checked.size(), qsizetype{1}, kWaitMs);
  QCOMPARE(edits(window), std::size_t{1});
  QVERIFY(settle(window));
  QVERIFY(type());
  const QString saved = m_files.path(u"saved.bin"_s);
  pageOf<ui::TextPage>(window)->applyTyping();
  part<Saving>(window).saveBytes(*Ref::parse("m1/field:data"), saved);
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(saved), kWaitMs);
  QFile file(saved);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QVERIFY(file.readAll().startsWith("// typed // typed "));
  QVERIFY(settle(window));
  QVERIFY(type());
  action(window, ActionId::Run)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(part<Running>(window).dialog(), kWaitMs);
  QVERIFY(!pageOf<ui::TextPage>(window)->isTyping());
  part<Running>(window).dialog()->reject();
  window.document().discard();
}

void TestEditing::typingIsUndoneFirst() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(go(window, "m2/kernel:add_kernel"));
  action(window, ActionId::EditText)->trigger();
  ui::TextPage* const page = editedText(window);
  QVERIFY(page);
  const Bytes before = page->view().text();
  QTest::keyClicks(&page->view(), u"x"_s);
  QVERIFY2(action(window, ActionId::Undo)->toolTip().contains(u"Typing"_s),
           qPrintable(action(window, ActionId::Undo)->toolTip()));
  action(window, ActionId::Undo)->trigger();
  QVERIFY(page->view().text() == before);
  QVERIFY(!page->isTyping() && !window.document().isEditing());
  QCOMPARE(edits(window), std::size_t{1});
  action(window, ActionId::Redo)->trigger();
  QVERIFY(page->isTyping());
  for (QToolButton* const button : page->editBar().findChildren<QToolButton*>())
    if (button->accessibleName() == u"Revert"_s) button->click();
  QVERIFY(page->view().text() == before);
  // The next step is the change of the document.
  page->view().undo();
  page->view().undo();
  QVERIFY(!page->view().canUndo());
  action(window, ActionId::Undo)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
}

/// An edit of another part makes all pages again.
void TestEditing::typedTextSurvivesOtherChanges() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  QPointer<ui::TextPage> page = editedText(window);
  QVERIFY(page);
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), u"// typed"_s);
  part<Editing>(window).rename(*Ref::parse("m2/kernel:add_kernel"), u"sum"_s);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!page, kWaitMs);
  page = editedText(window);
  QVERIFY(page);
  QVERIFY(page->isTyping());
  QVERIFY(page->view().text().view().starts_with("// typed"));
  QCOMPARE(page->view().currentColumn(), quint64{9});
  page->view().undo();
  QTest::keyClicks(&page->view(), u"y"_s);
  QTest::keyClick(&page->view(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  window.document().discard();
}

void TestEditing::typedTextIsComparedWithTheFile() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  ui::TextPage* page = editedText(window);
  QVERIFY(page);
  // The page may be made again meanwhile; it continues with the differences.
  const auto diff = [&]() -> TextPairView* {
    TextPairView* view = nullptr;
    const bool shown = QTest::qWaitFor(
        [&] {
          auto* const now = pageOf<ui::TextPage>(window);
          view = now ? now->findChild<TextPairView*>() : nullptr;
          return view && view->changeCount() > 0;
        },
        kWaitMs);
    return shown ? view : nullptr;
  };
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), u"// one "_s);
  page->editBar().setShowsDifferences(true);
  TextPairView* view = diff();
  QVERIFY(view);
  QCOMPARE(view->changeCount(), 1);
  QVERIFY(view->hasFocus());
  QVERIFY2(view->describeRow(0).contains(u"// one"_s), qPrintable(view->describeRow(0)));
  page->editBar().setShowsDifferences(false);
  QVERIFY(!page->findChild<TextPairView*>());
  QVERIFY(page->view().hasFocus());
  QTest::keyClick(&page->view(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  // Applied, it still differs from the file.
  QTRY_VERIFY_WITH_TIMEOUT(editedText(window) && !editedText(window)->isTyping(), kWaitMs);
  editedText(window)->editBar().setShowsDifferences(true);
  view = diff();
  QVERIFY(view);
  QCOMPARE(view->changeCount(), 1);
  window.document().discard();
}

/// A value that the document refuses stays in the editor.
void TestEditing::refusedTextStaysInTheEditor() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  ui::TextPage* const page = editedText(window);
  QVERIFY(page);
  QTest::keyClicks(&page->view(), u"x"_s);
  // Another change fails while this one waits.
  Q_EMIT window.document().editFailed(u"no"_s);
  QVERIFY(page->isTyping());
  QVERIFY(window.banner().isVisible());
  QTest::keyClick(&page->view(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  window.document().discard();
}

void TestEditing::textEditorOpensAtTheKernel() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  // All kernels of PTX share one text: it opens at the kernel.
  Q_EMIT part<Editing>(window).textRequested(Ref::moduleAt({}, 1).part(PartKind::Kernel, "mul_kernel"));
  ui::TextPage* page = editedText(window);
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(page->view().lineText(page->view().currentLine()).contains(u"mul_kernel"_s), kWaitMs);
  // In OpenCL C each kernel has its own text.
  Q_EMIT part<Editing>(window).textRequested(Ref::moduleAt({}, 2).part(PartKind::Kernel, "mul_kernel"));
  QTRY_VERIFY_WITH_TIMEOUT(pageOf<ui::TextPage>(window) != page, kWaitMs);
  page = editedText(window);
  QVERIFY(page);
  const std::string_view text = page->view().text().view();
  QVERIFY(text.find("mul_kernel") != text.npos && text.find("add_kernel") == text.npos);
  QTest::keyClick(&page->view(), Qt::Key_End, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), u"// more"_s);
  page->applyTyping();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QCOMPARE(QString::fromStdString(window.document().state()->changes[0].target),
           QStringLiteral("m2/kernel:mul_kernel"));
  window.document().discard();
}

void TestEditing::binaryDataIsNotEditedAsText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write("code.so", libraryWithCode(100))));
  QVERIFY(go(window, "m1"));
  Q_EMIT part<Editing>(window).textRequested(Ref::moduleAt({}, 1).part(PartKind::Field, "data"));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QVERIFY2(window.banner().text().contains(QStringLiteral("Replace with file")), qPrintable(window.banner().text()));
}

/// A computed text cannot be edited.
void TestEditing::listingsAreReadOnly() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m0", QStringLiteral("Bytecode")));
  ui::TextPage* page = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT((page = pageOf<ui::TextPage>(window)), kWaitMs);
  finishJobs(window.document().jobs());
  QVERIFY(!page->isEditable() && !page->editBar().isVisible());
  const Bytes before = page->view().text();
  page->view().setFocus();
  QTest::keyClicks(&page->view(), u"x"_s);
  QVERIFY(page->view().text() == before);
  QVERIFY(!page->isTyping());
}

/// Closing the window applies what was typed and asks as for other changes.
void TestEditing::closingAppliesTheTypedText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1"));
  action(window, ActionId::EditText)->trigger();
  ui::TextPage* const page = editedText(window);
  QVERIFY(page);
  QTest::keyClicks(&page->view(), u"x"_s);
  QString asked;
  QTimer answer;
  connect(&answer, &QTimer::timeout, this, [&] {
    auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (!box) return;
    asked = box->informativeText();
    box->button(QMessageBox::Cancel)->click();
  });
  answer.start(20);
  QVERIFY(!window.close());
  QCOMPARE(asked, u"There is 1 unsaved change."_s);
  QCOMPARE(edits(window), std::size_t{1});
  window.document().discard();
}

void TestEditing::importsAreEdited() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m0"));
  action(window, ActionId::Imports)->trigger();
  auto* const box = dialog<ImportsDialog>(window);
  QVERIFY(box);
  QCOMPARE(box->imports(), QVector<int>({1, 2}));
  button(*box, QStringLiteral("Move down"))->click();
  QCOMPARE(box->imports(), QVector<int>({2, 1}));
  box->accept();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  const auto& modules = window.document().state()->package->blobs[0]->modules;
  QCOMPARE(modules[0]->imports, (std::vector<uint32_t>{2, 1}));
  // A module without importer is not allowed.
  part<Editing>(window).setImports(Ref::moduleAt({}, 0), {Ref::moduleAt({}, 1)});
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(edits(window), std::size_t{1});
}

void TestEditing::moduleIsAdded() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  const QString payload =
      m_files.write(QStringLiteral("payload.bin"), code3("ptx", {{"fresh"}}, ptxText({{"fresh"}}), Info::Four));
  QVERIFY(go(window, "m2"));
  action(window, ActionId::AddModule)->trigger();
  auto* const box = dialog<AddModuleDialog>(window);
  QVERIFY(box);
  QCOMPARE(box->parentIndex(), 2);
  auto* const add = qobject_cast<QPushButton*>(button(*box, QStringLiteral("Add module")));
  QVERIFY(add && !add->isEnabled());
  for (auto* const combo : box->findChildren<QComboBox*>())
    if (combo->isEditable()) combo->setEditText(QStringLiteral("cuda"));
  for (auto* const edit : box->findChildren<QLineEdit*>())
    if (edit->accessibleName() == QLatin1String("Payload")) edit->setText(payload);
  QVERIFY(add->isEnabled());
  add->click();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("fresh")).isValid());
  QCOMPARE(window.document().placeOf(0), Ref::moduleAt({}, 3));
  // Two have different ids; removing one undoes its edit.
  part<Editing>(window).addModule(Ref::moduleAt({}, 0), QStringLiteral("cuda"), payload);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  part<Editing>(window).remove(Ref::moduleAt({}, 4));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
}

void TestEditing::moduleIsMovedToAnotherImporter() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  part<Editing>(window).reparent(Ref::moduleAt({}, 2), Ref::moduleAt({}, 1), Ref::moduleAt({}, 0));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  QCOMPARE(window.document().state()->package->blobs[0]->modules[0]->imports, std::vector<uint32_t>{1});
  QCOMPARE(window.document().state()->package->blobs[0]->modules[1]->imports, std::vector<uint32_t>{2});
  // The same by mouse.
  window.document().undo();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  QAbstractItemModel& model = *contentsTree(window).model();
  QModelIndex cuda = rowNamed(contentsTree(window), QStringLiteral("cuda")),
              opencl = rowNamed(contentsTree(window), QStringLiteral("opencl"));
  const std::unique_ptr<QMimeData> dragged(model.mimeData({opencl}));
  QVERIFY(dragged);
  QVERIFY(model.canDropMimeData(dragged.get(), Qt::MoveAction, -1, -1, cuda));
  QVERIFY(!model.canDropMimeData(dragged.get(), Qt::MoveAction, -1, -1, opencl));
  QVERIFY(!model.canDropMimeData(dragged.get(), Qt::MoveAction, -1, -1,
                                 rowNamed(contentsTree(window), QStringLiteral("Blob"))));
  QVERIFY(!(model.flags(rowNamed(contentsTree(window), QStringLiteral("_lib"))) & Qt::ItemIsDragEnabled));
  model.dropMimeData(dragged.get(), Qt::CopyAction, -1, -1, cuda);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs); // it keeps its position
  window.document().undo();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  cuda = rowNamed(contentsTree(window), QStringLiteral("cuda"));
  model.dropMimeData(dragged.get(), Qt::MoveAction, -1, -1, cuda);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  // A cycle is refused.
  part<Editing>(window).reparent(Ref::moduleAt({}, 1), Ref::moduleAt({}, 2), Ref::moduleAt({}, 0));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(edits(window), std::size_t{2});
}

void TestEditing::changesPanelListsEdits() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  part<BottomPanel>(window).openPanel(&part<ChangesPanel>(window));
  QVERIFY(part<ChangesPanel>(window).isVisible());
  QVERIFY(!part<ChangesPanel>(window).view().isVisible());
  QVERIFY(!button(part<ChangesPanel>(window), QStringLiteral("Repack…"))->isEnabled());
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  part<Editing>(window).rename(*Ref::parse("m2/kernel:add_kernel"), QStringLiteral("sum"));
  QTRY_COMPARE_WITH_TIMEOUT(part<ChangesPanel>(window).model().rowCount(), 2, kWaitMs);
  QVERIFY(part<ChangesPanel>(window).view().isVisible());
  // To its place, under its current name.
  part<ChangesPanel>(window).view().setFocus();
  part<ChangesPanel>(window).view().selectRow(1);
  QTest::keyClick(&part<ChangesPanel>(window).view(), Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(chosen(window), Ref::moduleAt({}, 2).part(PartKind::Kernel, "sum"), kWaitMs);
  part<ChangesPanel>(window).view().setFocus();
  part<ChangesPanel>(window).view().selectRow(0);
  QTest::keyClick(&part<ChangesPanel>(window).view(), Qt::Key_Delete);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QCOMPARE(format(window), QStringLiteral("ptx"));
  QTRY_COMPARE_WITH_TIMEOUT(part<ChangesPanel>(window).model().rowCount(), 1, kWaitMs);
  part<ChangesPanel>(window).view().selectRow(0);
  button(part<ChangesPanel>(window), QStringLiteral("Revert"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  QVERIFY(!part<ChangesPanel>(window).view().isVisible());
  window.document().discard();
}

/// In Contents and on the Fields page, until the change is undone.
void TestEditing::changedRowsAreMarked() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QTreeView& tree = contentsTree(window);
  const auto marked = [&] {
    tree.expandAll();
    QStringList names;
    for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
      if (!row.data(ChangedRole).toBool()) continue;
      names << row.data().toString();
      if (!row.data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral("changed"))) names << u"silent"_s;
    }
    return names;
  };
  QCOMPARE(marked(), QStringList());
  const auto markedFields = [&](const char* ref) {
    auto* const page = field(window, ref);
    const QModelIndex value = page ? page->view().currentIndex().siblingAtColumn(1) : QModelIndex();
    return value.data(FieldChangedRole).toBool() &&
           value.data(Qt::AccessibleTextRole).toString().endsWith(u", changed"_s);
  };
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  QCOMPARE(marked(), QStringList{QStringLiteral("cuda")});
  QVERIFY(markedFields("m1/field:fmt"));
  QVERIFY(!markedFields("m1/field:fmap"));
  part<Editing>(window).rename(*Ref::parse("m2/kernel:add_kernel"), QStringLiteral("sum_kernel"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  QVERIFY(settle(window));
  QCOMPARE(marked(), QStringList({QStringLiteral("cuda"), QStringLiteral("sum_kernel")}));
  action(window, ActionId::RevertAll)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  QVERIFY(settle(window));
  QCOMPARE(marked(), QStringList());
  QTRY_VERIFY_WITH_TIMEOUT(!markedFields("m1/field:fmt"), kWaitMs);
}

void TestEditing::titleShowsUnsavedChanges() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(!window.isWindowModified());
  QVERIFY(!action(window, ActionId::Save)->isEnabled());
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_VERIFY_WITH_TIMEOUT(window.isWindowModified(), kWaitMs);
  QVERIFY(action(window, ActionId::Save)->isEnabled());
  QVERIFY(action(window, ActionId::RevertAll)->isEnabled());
  action(window, ActionId::Undo)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(!window.isWindowModified(), kWaitMs);
  action(window, ActionId::Redo)->trigger();
  QVERIFY(window.isWindowModified());
  action(window, ActionId::RevertAll)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
}

void TestEditing::disabledActionsGiveReasons() {
  MainWindow window;
  QVERIFY(!action(window, ActionId::Rename)->isEnabled());
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  using enum ActionId;
  const auto enabled = [&](ActionId id) { return action(window, id)->isEnabled(); };
  QVERIFY(!enabled(Rename) && !enabled(Remove) && !enabled(Undo) && !enabled(ReplaceFile));
  QVERIFY2(action(window, Rename)->toolTip().contains(QStringLiteral("Select a module")),
           qPrintable(action(window, Rename)->toolTip()));
  QVERIFY(go(window, "m0"));
  QVERIFY(!enabled(Rename) && !enabled(Remove) && enabled(Imports));
  QVERIFY(go(window, "m1"));
  QVERIFY(enabled(Rename) && enabled(Remove) && enabled(Imports) && enabled(EditText) && enabled(ReplaceFile) &&
          enabled(AddModule));
  QVERIFY(go(window, "m1/kernel:add_kernel"));
  QVERIFY(enabled(Rename) && enabled(Remove) && !enabled(Imports) && enabled(EditText));
  QVERIFY(go(window, "host:add"));
  QVERIFY(!enabled(Rename) && !enabled(Remove) && !enabled(ReplaceFile));
  QVERIFY(go(window, "blob"));
  QVERIFY(enabled(ReplaceFile) && enabled(AddModule) && !enabled(Rename));
}

void TestEditing::contextMenuListsEditActions() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  const QModelIndex cuda = rowNamed(contentsTree(window), QStringLiteral("cuda"));
  contentsTree(window).scrollTo(cuda);
  askMenu(contentsTree(window), cuda);
  QMenu* menu = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT((menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr, kWaitMs);
  for (const ActionId id : {ActionId::EditText, ActionId::ReplaceFile, ActionId::Rename, ActionId::Imports,
                            ActionId::AddModule, ActionId::Remove, ActionId::SaveBytes})
    QVERIFY2(menu->actions().contains(action(window, id)) && action(window, id)->isEnabled(),
             qPrintable(action(window, id)->text()));
  QCOMPARE(chosen(window), Ref::moduleAt({}, 1));
  menu->close();
  const QModelIndex lib = rowNamed(contentsTree(window), QStringLiteral("_lib"));
  askMenu(contentsTree(window), lib);
  QTRY_VERIFY_WITH_TIMEOUT((menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr, kWaitMs);
  QVERIFY(!menu->actions().contains(action(window, ActionId::Rename)));
  QVERIFY(menu->actions().contains(action(window, ActionId::Imports)));
  menu->close();
}

/// A row such as "Kernels" shows the parts of a module. What removes or renames the module does not apply to it.
void TestEditing::listsOfPartsAreNotEdited() {
  using enum ActionId;
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QTreeView& tree = contentsTree(window);
  tree.expandAll();
  int lists = 0;
  for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
    if (row.data(PageRole).toString().isEmpty()) continue;
    ++lists;
    const QString name = row.data().toString();
    tree.scrollTo(row);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(row).center());
    QCOMPARE(tree.currentIndex().data().toString(), name);
    for (const ActionId id : {Remove, Rename, AddModule, Imports, ReplaceFile, EditText})
      QVERIFY2(!action(window, id)->isEnabled(), qPrintable(name + action(window, id)->text()));
    QVERIFY2(action(window, Remove)->toolTip().contains(QStringLiteral("list of parts")), qPrintable(name));
    askMenu(tree, row);
    QCOMPARE(takeMenu(),
             QStringList({QStringLiteral("Open"), QStringLiteral("Open in new tab"), QStringLiteral("Copy name")}));
  }
  QVERIFY(lists >= 4); // kernels of two modules, host functions, symbols, sections

  // The key follows the row, also when the menu of a tab was about the module, and with the keyboard alone.
  const QModelIndex kernels = rowNamed(tree, QStringLiteral("Kernels"));
  tree.scrollTo(kernels);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(kernels).center());
  QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->isReady(), kWaitMs);
  const Ref module = currentView(window)->ref();
  QCOMPARE(module.kind, Ref::Kind::Module);
  Q_EMIT part<NodeTabs>(window).menuRequested(module, {}, QPoint(10, 10));
  QVERIFY(takeMenu().contains(QStringLiteral("Remove")));
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  tree.setFocus();
  QTRY_VERIFY_WITH_TIMEOUT(tree.hasFocus(), kWaitMs);
  QTest::keyClick(&tree, Qt::Key_Delete);
  QTest::keyClick(&tree, Qt::Key_F2);
  finishJobs(window.document().jobs());
  QVERIFY(settle(window));
  QCOMPARE(edits(window), std::size_t{0});
  QVERIFY(!QApplication::activeModalWidget());
  QVERIFY(tree.hasFocus());
  QTest::keyClick(&tree, Qt::Key_Down);
  QVERIFY2(action(window, Remove)->isEnabled(), qPrintable(tree.currentIndex().data().toString()));
  QTest::keyClick(&tree, Qt::Key_Up);
  QVERIFY(!action(window, Remove)->isEnabled());
  QTest::keyClick(&tree, Qt::Key_Delete);
  finishJobs(window.document().jobs());
  QCOMPARE(edits(window), std::size_t{0});

  // A module stays removable, also while its page lists the kernels.
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                    tree.visualRect(rowNamed(tree, QStringLiteral("cuda"))).center());
  QVERIFY(go(window, "m1", QStringLiteral("Functions")));
  QCOMPARE(tree.currentIndex().data().toString(), QStringLiteral("cuda"));
  QVERIFY(action(window, Remove)->isEnabled());
}

void TestEditing::editsAreUndoneByKeyboard() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(format(window), QStringLiteral("ptx"), kWaitMs);
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QTRY_COMPARE_WITH_TIMEOUT(format(window), QStringLiteral("cubin"), kWaitMs);
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(format(window), QStringLiteral("cubin"), kWaitMs);
  window.document().discard();
}

void TestEditing::reloadKeepsEdits() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = write();
  QVERIFY(open(window, path));
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  write("made.so", someLibrary({{"add_kernel"}, {"mul_kernel"}, {"third_kernel"}}));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  const auto before = window.document().state();
  button(window.banner(), QStringLiteral("Reload"))->click();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QVERIFY(settle(window));
  QCOMPARE(edits(window), std::size_t{1});
  QCOMPARE(format(window), QStringLiteral("cubin"));
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("third_kernel")).isValid());
  QVERIFY(window.isWindowModified());
  QCOMPARE(part<ChangesPanel>(window).model().rowCount(), 1);
}

void TestEditing::reloadThatBreaksEditsIsRefused() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = write();
  QVERIFY(open(window, path));
  part<Editing>(window).rename(*Ref::parse("m1/kernel:mul_kernel"), QStringLiteral("product"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  write("made.so", someLibrary({{"add_kernel"}}));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  const auto before = window.document().state();
  action(window, ActionId::Reload)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
  QVERIFY2(window.banner().text().contains(QStringLiteral("mul_kernel")), qPrintable(window.banner().text()));
  QCOMPARE(window.document().state(), before);
  button(window.banner(), QStringLiteral("Reload without them"))->click();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QCOMPARE(edits(window), std::size_t{0});
  QVERIFY(!window.isWindowModified());
}

/// A banner ends when its statement is no longer true.
void TestEditing::bannersEndWithTheirState() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  const Banner& banner = window.banner();
  // The result of a check: ended by an edit.
  action(window, ActionId::Check)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(banner.isVisible(), kWaitMs);
  part<Editing>(window).rename(*Ref::parse("m1/kernel:mul_kernel"), QStringLiteral("product"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(!banner.isVisible());
  // A refused change: ended by another node.
  part<Editing>(window).setField(*Ref::parse("m1/field:fmap[0].info.arg_types[0]"), {std::string("no type")});
  QTRY_VERIFY_WITH_TIMEOUT(banner.isVisible(), kWaitMs);
  QVERIFY(go(window, "m0"));
  QVERIFY(!banner.isVisible());
  // A file on disk that the changes do not fit: it can be read without them.
  write("made.so", someLibrary({{"add_kernel"}}));
  QTRY_VERIFY_WITH_TIMEOUT(banner.isVisible(), kWaitMs);
  action(window, ActionId::Reload)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(banner.kind(), Banner::Kind::Error, kWaitMs);
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{0}, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(banner.isVisible() && banner.kind() == Banner::Kind::Warning, kWaitMs);
  QVERIFY2(banner.text().contains(QStringLiteral("changed on disk")), qPrintable(banner.text()));
  button(window.banner(), QStringLiteral("Reload"))->click();
  QTRY_VERIFY_WITH_TIMEOUT(!banner.isVisible(), kWaitMs);
}

void TestEditing::editsAreRestoredAfterACrash() {
  const QString path = write();
  {
    MainWindow window;
    QVERIFY(open(window, path));
    part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
    QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(
        QFile::exists(Journal::pathOf(path)) && !window.document().jobs().isRunning(Journal::tag()), kWaitMs);
  }
  for (const bool restore : {true, false}) {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, path));
    QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
    QVERIFY2(window.banner().text().startsWith(QStringLiteral("1 unsaved change to this file was found.")),
             qPrintable(window.banner().text()));
    button(window.banner(), restore ? QStringLiteral("Restore") : QStringLiteral("Discard"))->click();
    if (restore) {
      QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
      QCOMPARE(format(window), QStringLiteral("cubin"));
      QVERIFY(window.isWindowModified());
      QTRY_VERIFY_WITH_TIMEOUT(!window.document().jobs().isRunning(Journal::tag()), kWaitMs);
    } else {
      QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(Journal::pathOf(path)), kWaitMs);
      QCOMPARE(edits(window), std::size_t{0});
    }
  }
}

void TestEditing::closingAsksAboutUnsavedEdits_data() {
  QTest::addColumn<int>("answer");
  QTest::addRow("cancel") << static_cast<int>(QMessageBox::Cancel);
  QTest::addRow("discard") << static_cast<int>(QMessageBox::Discard);
}

void TestEditing::closingAsksAboutUnsavedEdits() {
  QFETCH(int, answer);
  const QString path = write();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("cubin")});
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(Journal::pathOf(path)), kWaitMs);
  bool asked = false;
  QTimer::singleShot(0, &window, [&] {
    auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    asked = box != nullptr;
    if (box) box->button(static_cast<QMessageBox::StandardButton>(answer))->click();
  });
  window.close();
  QVERIFY(asked);
  QCOMPARE(window.isVisible(), answer == QMessageBox::Cancel);
  if (answer == QMessageBox::Discard)
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(Journal::pathOf(path)), kWaitMs);
  else
    QVERIFY(QFile::exists(Journal::pathOf(path)));
}

void TestEditing::saveWritesTheFile() {
  const QString path = write();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  part<Editing>(window).setField(*Ref::parse("m1/field:fmt"), {std::string("sel")}); // of the same length
  part<Editing>(window).rename(*Ref::parse("m2/kernel:add_kernel"), QStringLiteral("sum_kernel"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  bool repacked = false;
  QTimer::singleShot(0, &window, [&] {
    auto* const box = qobject_cast<RepackDialog*>(QApplication::activeModalWidget());
    QVERIFY(box);
    QCOMPARE(box->target(), path);
    connect(box, &RepackDialog::repacked, &window, [&] { repacked = true; });
    QAbstractButton* const verb = button(*box, QStringLiteral("Repack"));
    QVERIFY(verb);
    const bool ready = QTest::qWaitFor([&] { return verb->isEnabled(); }, kWaitMs);
    if (ready) verb->click();
    if (ready) (void)QTest::qWaitFor([&] { return repacked; }, kWaitMs);
    box->done(0);
  });
  const auto before = window.document().state();
  QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
  QTRY_VERIFY_WITH_TIMEOUT(repacked, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QVERIFY(settle(window));
  QCOMPARE(edits(window), std::size_t{0});
  QVERIFY(!window.isWindowModified());
  QCOMPARE(format(window), QStringLiteral("sel"));
  QCOMPARE(part<ChangesPanel>(window).model().rowCount(), 0);
  QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(Journal::pathOf(path)), kWaitMs);
  // The content that another program finds there.
  MainWindow other;
  QVERIFY(open(other, path));
  QCOMPARE(format(other), QStringLiteral("sel"));
  // A write by the window itself is not an external change.
  window.document().checkDisk();
  finishJobs(window.document().jobs());
  QVERIFY(!window.banner().isVisible());
  // The step before still exists.
  action(window, ActionId::Undo)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  QVERIFY(window.isWindowModified());
}

void TestEditing::saveCanLeaveOutEdits() {
  const QString path = write();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  part<Editing>(window).remove(Ref::moduleAt({}, 1));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{1}, kWaitMs);
  part<Editing>(window).rename(Ref::moduleAt({}, 1).part(PartKind::Kernel, "add_kernel"), QStringLiteral("sum_kernel"));
  QTRY_COMPARE_WITH_TIMEOUT(edits(window), std::size_t{2}, kWaitMs);
  QCOMPARE(QString::fromStdString(window.document().state()->changes[1].target),
           QStringLiteral("m2/kernel:add_kernel"));
  // As if the first edit were written and the second omitted.
  m_files.write(QStringLiteral("made.so"),
                someHost()
                    .data("__tvm_ffi__library_bin",
                          ffiBlob({{"_lib", ""},
                                   {"opencl", code3("cl", {{"add_kernel"}, {"mul_kernel"}},
                                                    openclText({{"add_kernel"}, {"mul_kernel"}}), Info::Four)}},
                                  {{1}, {}}))
                    .build());
  const auto before = window.document().state();
  window.document().markSaved(path, {before->edits[1]});
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QCOMPARE(edits(window), std::size_t{1});
  QCOMPARE(QString::fromStdString(window.document().state()->changes[0].target),
           QStringLiteral("m1/kernel:add_kernel"));
  QVERIFY(window.document().isModified());
}

BLOBSCOPE_TEST(TestEditing);

#include "test_editing.moc"
