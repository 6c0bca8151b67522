#include "ui/window/files_view.h"

#include "tests/core/preflight/report_example.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/size_page.h"
#include "ui/widgets/charts/fit_bars.h"
#include "ui/widgets/charts/treemap_view.h"
#include "ui/window/dialogs/targets_dialog.h"
#include "ui/window/files_cells.h"
#include "ui/window/files_checking.h"

#include <QAccessible>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

FilesCheckPtr someCheck() {
  auto check = std::make_shared<FilesCheck>();
  check->report = filesExample();
  check->choice.releases = {u"v0.18.0"_s, u"v0.19.0"_s};
  check->choice.runtimes = {u"/opt/MLCChat.apk"_s};
  check->releases = {{"v0.18.0", "0.18"}, {"v0.19.0", "0.19"}};
  check->devices = {"sm_80", "sm_90"};
  check->common = "No version fits all; 0.19 fits 2 of 3.";
  return check;
}

struct ShownFiles {
  explicit ShownFiles(int width = 1'300) : view(jobs, {u"/data/models"_s}) {
    view.resize(width, 600);
    view.show();
    view.showCheck(someCheck());
    QCoreApplication::processEvents();
  }
  QTableView& table() { return view.table(); }
  QString current() { return table().currentIndex().data(Qt::AccessibleTextRole).toString(); }
  QString details() { return view.findChild<DetailsPanel*>()->text(); }
  QToolButton& button(const QString& name) {
    for (QToolButton* const one : view.findChildren<QToolButton*>())
      if (one->accessibleName() == name) return *one;
    qFatal("no button %s", qPrintable(name));
  }

  Jobs jobs;
  FilesView view;
};

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// The table of files and targets.
class TestFilesView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void headStatesWhatFits();
  void arrowsMoveAndEnterOpens();
  void detailsFollowTheCell();
  void detailsLeadIntoTheFile();
  void filterLimitsTableAndExport();
  void headerClickSortsWorstFirst();
  void exportDoesNotOverwriteALibrary();
  void targetsAreChosen();
  void narrowViewKeepsTheTable();
  void barsAndFooterAreReadAloud();
  void sizesOfAFolderAreShown();
  void folderHasATabWithoutAFile();
  void folderKeepsItsTab();
  void failureIsShown();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestFilesView::headStatesWhatFits() {
  ShownFiles shown;
  QCOMPARE(shown.view.title(), u"models: will they load?"_s);
  QStringList texts;
  for (const QLabel* const label : shown.view.findChildren<QLabel*>()) texts << label->text();
  QVERIFY(texts.contains(u"models"_s));
  QVERIFY2(texts.contains(u"/data/models · 3 libraries · 3 targets"_s), qPrintable(texts.join(u'\n')));
  QVERIFY(texts.contains(u"No version fits all; 0.19 fits 2 of 3."_s));
}

void TestFilesView::arrowsMoveAndEnterOpens() {
  ShownFiles shown;
  QVERIFY(focus(shown.table()));
  QSignalSpy requested(&shown.view, &FilesView::fileRequested);
  shown.table().setCurrentIndex(shown.table().model()->index(0, 0));
  QCOMPARE(shown.current(), u"=cut.so"_s);
  QTest::keyClick(&shown.table(), Qt::Key_Down);
  for (int i = 0; i < 3; ++i) QTest::keyClick(&shown.table(), Qt::Key_Right);
  QCOMPARE(shown.current(), u"gemma.so on v0.18.0: loads, fails later at step 8"_s);
  QTest::keyClick(&shown.table(), Qt::Key_Right);
  QCOMPARE(shown.current(), u"gemma.so on v0.19.0: loads"_s);
  QTest::keyClick(&shown.table(), Qt::Key_Return);
  QCOMPARE(requested.size(), 1);
  QCOMPARE(requested[0][1].value<Ref>(), Ref::file());
  // The folder does not exist, so the path is that of the results.
  QVERIFY(requested[0][0].toString().endsWith(u"gemma.so"_s));
}

void TestFilesView::detailsFollowTheCell() {
  ShownFiles shown;
  const auto select = [&](int column) {
    const QModelIndex row = shown.view.model().index(0, column); // gemma.so
    shown.table().setCurrentIndex(static_cast<const PreflightFilter*>(shown.table().model())->mapFromSource(row));
  };
  select(PreflightModel::FirstTarget);
  const QString missing = shown.details();
  QVERIFY2(missing.contains(u"Check failed: (args.size() == 19), \"why\""_s), qPrintable(missing));
  QVERIFY(missing.contains(u"PRE-ARGS"_s) && missing.contains(u"8, Calls"_s) && missing.contains(u"create_cache"_s));
  select(PreflightModel::FirstTarget + 1);
  QVERIFY(!shown.details().contains(u"PRE-"_s));
  QVERIFY(shown.details().contains(u"Loads in v0.19.0"_s));
}

void TestFilesView::detailsLeadIntoTheFile() {
  ShownFiles shown;
  QSignalSpy requested(&shown.view, &FilesView::fileRequested);
  auto& panel = *shown.view.findChild<DetailsPanel*>();
  const QModelIndex row = shown.view.model().index(0, PreflightModel::FirstTarget);
  shown.table().setCurrentIndex(static_cast<const PreflightFilter*>(shown.table().model())->mapFromSource(row));
  Q_EMIT panel.linked(Ref::moduleAt("", 0));
  QCOMPARE(requested.size(), 1);
  QVERIFY(requested[0][0].toString().endsWith(u"gemma.so"_s));
  QCOMPARE(requested[0][1].value<Ref>(), Ref::moduleAt("", 0));
}

void TestFilesView::filterLimitsTableAndExport() {
  ShownFiles shown;
  shown.view.filter().setText(u"phi"_s);
  QCOMPARE(shown.table().model()->rowCount(), 1);
  QSignalSpy exported(&shown.view, &FilesView::exported);
  const QString csv = m_files.path(u"out.csv"_s), sarif = m_files.path(u"out.sarif"_s);
  shown.view.exportTo(csv);
  QVERIFY(exported.wait(kWaitMs));
  QCOMPARE(contentOf(csv).count("\r\n"), qsizetype(4)); // titles and three targets
  QVERIFY(contentOf(csv).contains("sub/phi.so,250000,B1,v0.18.0,,loads,,,\r\n"));
  shown.view.filter().clear();
  shown.view.exportTo(sarif);
  QVERIFY(exported.wait(kWaitMs));
  QVERIFY(contentOf(sarif).contains("\"2.1.0\"") && contentOf(sarif).contains("PRE-SLOT"));
}

void TestFilesView::headerClickSortsWorstFirst() {
  ShownFiles shown;
  QHeaderView& header = *shown.table().horizontalHeader();
  const int column = PreflightModel::FirstTarget + 1;
  QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                    QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) / 2, 10));
  QCOMPARE(shown.table().model()->index(0, 0).data().toString(), u"old.wasm"_s);
  QCOMPARE(header.sortIndicatorSection(), column);
}

void TestFilesView::exportDoesNotOverwriteALibrary() {
  const QString library = m_files.write(u"a.so"_s, "library");
  FilesCheck check = *someCheck();
  check.report.files.resize(1);
  check.report.files[0].path = library.toStdString();
  ShownFiles shown;
  shown.view.showCheck(std::make_shared<const FilesCheck>(check));
  shown.view.exportTo(library);
  finishJobs(shown.jobs);
  QCOMPARE(contentOf(library), QByteArray("library"));
  QCOMPARE(shown.view.findChild<Banner*>()->kind(), Banner::Kind::Error);
}

void TestFilesView::targetsAreChosen() {
  ShownFiles shown;
  shown.button(u"Targets…"_s).click();
  auto* const dialog = shown.view.findChild<TargetsDialog*>();
  QVERIFY(dialog && dialog->isVisible());
  QCOMPARE(dialog->choice(), someCheck()->choice);
  auto* const releases = dialog->findChild<QListWidget*>();
  QCOMPARE(releases->item(0)->text(), u"v0.19.0"_s); // newest first
  const auto apply = [&] {
    return dialog->findChild<QDialogButtonBox*>()->buttons().at(0)->isEnabled() &&
           dialog->findChild<QDialogButtonBox*>()->buttons().at(1)->isEnabled();
  };
  for (int row = 0; row < 2; ++row) releases->item(row)->setCheckState(Qt::Unchecked);
  QVERIFY(apply());                          // the runtime on disk is left
  dialog->addRuntime(u"/opt/MLCChat.apk"_s); // a second time
  QCOMPARE(dialog->choice().runtimes.size(), 1);
  releases->item(0)->setCheckState(Qt::Checked);
  dialog->findChild<QComboBox*>()->setEditText(u" sm_90 "_s);
  QCOMPARE(dialog->choice(), (TargetChoice{{u"v0.19.0"_s}, {u"/opt/MLCChat.apk"_s}, u"sm_90"_s}));
  dialog->choice().store();
  QCOMPARE(TargetChoice::stored(), dialog->choice());
  dialog->reject();
}

void TestFilesView::narrowViewKeepsTheTable() {
  ShownFiles shown;
  QVERIFY(shown.view.findChild<DetailsPanel*>()->isVisible() && shown.view.findChild<FitBars*>()->isVisible());
  QVERIFY2(shown.view.minimumSizeHint().width() <= 640,
           qPrintable(QString::number(shown.view.minimumSizeHint().width())));
  shown.view.resize(640, 420);
  QCoreApplication::processEvents();
  QVERIFY(!shown.view.findChild<DetailsPanel*>()->isVisible() && !shown.view.findChild<FitBars*>()->isVisible());
  QVERIFY(shown.table().isVisible());
}

void TestFilesView::barsAndFooterAreReadAloud() {
  ShownFiles shown;
  QAccessibleInterface* const bars = QAccessible::queryAccessibleInterface(shown.view.findChild<FitBars*>());
  QCOMPARE(bars->childCount(), 2);
  QCOMPARE(bars->child(1)->text(QAccessible::Name), u"0.19: 2 of 3"_s);
  const QString footer = shown.view.findChild<ColumnFooter*>()->accessibleName();
  QVERIFY2(footer.startsWith(u"5 files · 3.10 MiB in libraries · nothing was executed, 1 of 3, 2 of 3"_s),
           qPrintable(footer));
}

/// A folder can be checked before a file is open; opening a file leaves its tab.
void TestFilesView::folderHasATabWithoutAFile() {
  MainWindow window;
  QVERIFY(showActive(window));
  FilesView* const view = window.filesChecking().check({m_files.path(u""_s)});
  finishJobs(window.document().jobs());
  QVERIFY(view->isVisible());
  QVERIFY(!part<StartPage>(window).isVisible());
  auto& tabs = part<NodeTabs>(window);
  QCOMPARE(tabs.count(), 1);
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QCOMPARE(tabs.count(), 2);
  QVERIFY(currentView(window));
  QVERIFY(window.findChild<QDockWidget*>(u"contents"_s)->isVisible());
  QVERIFY(tabs.pages().contains(view));
}

void TestFilesView::folderKeepsItsTab() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  FilesView* const view = window.filesChecking().check({m_files.path(u""_s)});
  finishJobs(window.document().jobs());
  auto& tabs = part<NodeTabs>(window);
  QCOMPARE(tabs.count(), 2);
  QCOMPARE(tabs.otherPage(), view);
  QCOMPARE(window.filesChecking().check({m_files.path(u""_s)}), view); // not a second tab
  finishJobs(window.document().jobs());
  QCOMPARE(tabs.count(), 2);
  tabs.closeCurrent();
  QCOMPARE(tabs.count(), 1);
  QVERIFY(currentView(window));
}

/// Without an opened file, the start page comes back when the last tab is closed.
void TestFilesView::failureIsShown() {
  MainWindow window;
  QVERIFY(showActive(window));
  FilesView* const view = window.filesChecking().check({u"/no/such/folder"_s});
  finishJobs(window.document().jobs());
  QTRY_VERIFY_WITH_TIMEOUT(view->findChild<Banner*>()->isVisible(), kWaitMs);
  QCOMPARE(view->findChild<Banner*>()->kind(), Banner::Kind::Error);
  part<NodeTabs>(window).closeCurrent();
  QCoreApplication::processEvents();
  QVERIFY(part<StartPage>(window).isVisible());
}

void TestFilesView::sizesOfAFolderAreShown() {
  const QTemporaryDir folder;
  QVERIFY(QDir(folder.path()).mkdir(u"in"_s));
  const QString library = folder.filePath(u"in/one.so"_s);
  QVERIFY(QFile::copy(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cuda-a.so"), library));
  QFile other(folder.filePath(u"notes.txt"_s));
  QVERIFY(other.open(QIODevice::WriteOnly) && other.write("12345") == 5);
  other.close();
  Jobs jobs;
  FilesView view(jobs, {folder.path()});
  view.resize(1'300, 600);
  view.show();
  QVERIFY(!view.sizes());
  view.showSizes(true);
  QTRY_VERIFY(view.sizes());
  const view::TreemapPage& page = view.sizes()->map().page();
  QCOMPARE(page.total(), static_cast<uint64_t>(QFileInfo(library).size()) + 5);
  QTRY_VERIFY(view.sizes()->isVisible() && !view.table().isVisible());
  QSignalSpy opened(&view, &FilesView::fileRequested);
  QTableView& table = view.sizes()->table();
  Q_EMIT table.activated(table.model()->index(0, 0)); // the largest kernel
  QCOMPARE(opened.last()[0].toString(), library);
  QCOMPARE(opened.last()[1].value<Ref>().toString(), std::string("m2/kernel:fused_conv2d_relu_kernel"));
  view.showSizes(false);
  QVERIFY(!view.sizes()->isVisible() && view.table().isVisibleTo(&view));
}

BLOBSCOPE_TEST(TestFilesView);

#include "test_files_view.moc"
