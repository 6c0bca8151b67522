#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/pair_view.h"
#include "ui/compare/size_pair_page.h"
#include "ui/models/size_changes_model.h"
#include "ui/pages/bars_page.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/fit_panel.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/table_head.h"
#include "ui/pages/table_page.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/bar_chart.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/checking.h"
#include "ui/window/comparing.h"
#include "ui/window/editing.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/saving.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Model Library Format archives in the window: pages, budget, problems, check.
class TestArchivesInWindow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void overviewOfAnArchiveIsShown();
  void memoryBudgetIsKept();
  void boardIsChosenAndKept();
  void keptBoardThatIsGoneIsForgotten();
  void memoryOfTwoArchivesIsCompared();
  void operatorLeadsToItsSource();
  void problemsLeadToTheirMember();
  void consequencesAreFolded();
  void everyFileCanBeChecked();
  void checkCanBeCancelled();
  void codeIsCompiled();
  void libraryIsBuilt();
  void findingsAreSaved();
  void unpackedFolderOpens();
  void metadataIsEditedInPlace();
  void membersAreEdited();
  void textOfAMemberIsEdited();
  void valuesOfParametersAreEdited();

private:
  /// Waits until all requested changes are applied.
  static bool settle(MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.document().isEditing() && !window.document().isOpening(); }, kWaitMs) &&
           QTest::qWaitFor([&] { return currentView(window) && currentView(window)->isReady(); }, kWaitMs);
  }
  static std::string content(MainWindow& window, const char* path) {
    const auto* const member = window.document().state()->package->findMember(path);
    return member ? std::string(member->stored->bytes.view()) : "missing";
  }
  WindowApplication m_application;
  Files m_files;
};

namespace {
bool hasLabel(const QWidget& inside, const QString& words) {
  for (const auto* label : inside.findChildren<QLabel*>())
    if (label->text().contains(words)) return true;
  return false;
}
/// Several rules are broken, with one line each.
std::string brokenArchive() {
  return cleanMlf(7, MlfStyle::Graph)
      .meta("full-model", "model")
      .meta("\"workspace_size_bytes\": 64", "\"workspace_size_bytes\": 6")
      .tar();
}
} // namespace

void TestArchivesInWindow::overviewOfAnArchiveIsShown() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Aot).tar())));
  auto* const page = pageOf<OverviewPage>(window);
  QVERIFY(page);
  QVERIFY(hasLabel(*page, QStringLiteral("for the AOT executor")));
  QVERIFY(hasLabel(*page, QStringLiteral("TVM 0.12.0")));
  QVERIFY(hasLabel(*page, QStringLiteral("No rule of the format is broken.")));
  QVERIFY(rowNamed(contentsTree(window), QStringLiteral("metadata.json")).isValid());
  // The next steps lead to the pages.
  button(*page, QStringLiteral("Show the memory use"))->click();
  QVERIFY(QTest::qWaitFor([&] { return pageOf<BarsPage>(window) != nullptr; }, kWaitMs));
}

void TestArchivesInWindow::memoryBudgetIsKept() {
  const QString path = m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar());
  {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, path));
    QVERIFY(go(window, "", QStringLiteral("Memory")));
    auto* const page = pageOf<BarsPage>(window);
    QVERIFY(page);
    QCOMPARE(page->findChildren<BarChart*>().size(), 3);
    const auto fields = page->findChildren<QLineEdit*>();
    QCOMPARE(fields.size(), 2);
    QTest::keyClicks(fields[0], QStringLiteral("50"));
    QVERIFY(hasLabel(*page, QStringLiteral("Over the budget by 46 bytes.")));
    fields[0]->clear();
    QTest::keyClicks(fields[0], QStringLiteral("1 KiB"));
    QVERIFY(hasLabel(*page, QStringLiteral("Within the budget: 928 bytes free.")));
    QTest::keyClicks(fields[1], QStringLiteral("x"));
    QVERIFY(hasLabel(*page, QStringLiteral("Enter a size such as 256 KiB.")));
    QTest::keyClick(fields[0], Qt::Key_Return);
    QVERIFY(page->findChildren<BarChart*>()[0]->accessibleDescription().contains(
        QStringLiteral("96 bytes (workspace 64 bytes, inputs and outputs 32 bytes)")));
  }
  // The budget belongs to the device, not to the file.
  MainWindow later;
  QVERIFY(showActive(later));
  QVERIFY(open(later, path));
  QVERIFY(go(later, "", QStringLiteral("Memory")));
  QCOMPARE(pageOf<BarsPage>(later)->findChildren<QLineEdit*>()[0]->text(), QStringLiteral("1 KiB"));
}

void TestArchivesInWindow::boardIsChosenAndKept() {
  const QString path = m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Aot).tar());
  {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, path));
    QVERIFY(go(window, "", QStringLiteral("Will it fit?")));
    auto* const page = pageOf<TablePage>(window);
    QVERIFY(page && page->fit());
    QVERIFY(hasLabel(*page, QStringLiteral("the archive fits 35 of 35 boards")));
    QCOMPARE(page->fit()->findChildren<BarChart*>().size(), 2);
    auto* const board = page->head()->findChild<QComboBox*>();
    QVERIFY(board && board->isEditable());
    QCOMPARE(board->currentText(), QStringLiteral("all boards"));
    const auto choose = [&](const QString& text) {
      QSignalSpy shown(page, &TablePage::choiceShown);
      board->lineEdit()->selectAll();
      QTest::keyClicks(board->lineEdit(), text);
      QTest::keyClick(board->lineEdit(), Qt::Key_Return);
      return !shown.isEmpty() || shown.wait(kWaitMs);
    };
    // Sizes, then a name; the case does not matter.
    QVERIFY(choose(QStringLiteral("64, 1 KiB")));
    QVERIFY(hasLabel(*page, QStringLiteral("The archive does not fit the chosen sizes: RAM too small")));
    QVERIFY(hasLabel(*page, QStringLiteral("32 B more than 64 B")));
    QVERIFY(choose(QStringLiteral("raspberry pi pico")));
    QVERIFY(hasLabel(*page, QStringLiteral("the archive fits Raspberry Pi Pico")));
    QCOMPARE(board->currentText(), QStringLiteral("Raspberry Pi Pico"));
    // What is no board stays out, and the message names boards.
    QSignalSpy messages(page, &PageWidget::message);
    QVERIFY(choose(QStringLiteral("nucleo")));
    QCOMPARE(board->currentText(), QStringLiteral("Raspberry Pi Pico"));
    QVERIFY(messages.last().first().toString().contains(QStringLiteral("NUCLEO-L4R5ZI")));
  }
  // The board belongs to the user, not to the file.
  MainWindow later;
  QVERIFY(showActive(later));
  QVERIFY(open(later, path));
  QVERIFY(go(later, "", QStringLiteral("Will it fit?")));
  QTRY_VERIFY_WITH_TIMEOUT(hasLabel(*pageOf<TablePage>(later), QStringLiteral("the archive fits Raspberry Pi Pico")),
                           kWaitMs);
}

void TestArchivesInWindow::keptBoardThatIsGoneIsForgotten() {
  QSettings().setValue(QStringLiteral("choice/board"), QStringLiteral("no such board"));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Aot).tar())));
  QVERIFY(go(window, "", QStringLiteral("Will it fit?")));
  QTRY_VERIFY_WITH_TIMEOUT(!QSettings().contains(QStringLiteral("choice/board")), kWaitMs);
  QVERIFY(hasLabel(*pageOf<TablePage>(window), QStringLiteral("the archive fits 35 of 35 boards")));
}

void TestArchivesInWindow::memoryOfTwoArchivesIsCompared() {
  MainWindow window;
  QVERIFY(showActive(window));
  window.comparing().compareFiles(
      m_files.write(QStringLiteral("a.tar"), cleanMlf(7, MlfStyle::Aot).tar()),
      m_files.write(QStringLiteral("b.tar"), cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "80").tar()));
  QVERIFY(QTest::qWaitFor([&] { return window.findChild<CompareView*>() != nullptr; }, kWaitMs));
  auto* const view = window.findChild<CompareView*>();
  QTRY_VERIFY_WITH_TIMEOUT(!view->isRunning(), kWaitMs);
  QVERIFY(view->showNode(Ref::file(), Ref::file()));
  QTRY_VERIFY_WITH_TIMEOUT(view->pair().pageNames().contains(QStringLiteral("Will it fit?")), kWaitMs);
  view->pair().showPage(QStringLiteral("Will it fit?"));
  QTRY_VERIFY_WITH_TIMEOUT(view->findChild<SizePairPage*>(), kWaitMs);
  const SizeChangesModel& model = view->findChild<SizePairPage*>()->model();
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.index(0, SizeChangesModel::Name).data().toString(), QStringLiteral("RAM"));
  QCOMPARE(model.index(1, SizeChangesModel::Difference).data().toString(), QStringLiteral("+16"));
}

void TestArchivesInWindow::operatorLeadsToItsSource() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar())));
  QVERIFY(go(window, "", QStringLiteral("Operators")));
  auto* const view = currentView(window)->current()->findChild<QTableView*>();
  QVERIFY(view && QTest::qWaitFor([&] { return view->model()->rowCount() == 1; }, kWaitMs));
  view->setFocus();
  view->setCurrentIndex(view->model()->index(0, 0));
  QTest::keyClick(view, Qt::Key_Return);
  QVERIFY(QTest::qWaitFor(
      [&] {
        return currentView(window)->ref().toString() == "./codegen/host/src/default_lib1.c!" &&
               currentView(window)->isReady();
      },
      kWaitMs));
  auto* const source = pageOf<TextPage>(window);
  QVERIFY(source);
  QCOMPARE(source->view().currentLine(), quint64{11});
}

void TestArchivesInWindow::problemsLeadToTheirMember() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), brokenArchive())));
  const ProblemsModel& model = part<ProblemsPanel>(window).model();
  QCOMPARE(model.count(Severity::Error), 2);
  QVERIFY(model.index(0, ProblemsModel::Where).data().toString().startsWith(QStringLiteral("metadata.json:")));
  QTest::keyClick(&window, Qt::Key_F8);
  QVERIFY(QTest::qWaitFor(
      [&] {
        return currentView(window)->ref() == Ref::named(Ref::Kind::Member, "./metadata.json") &&
               currentView(window)->isReady();
      },
      kWaitMs));
  QVERIFY(QTest::qWaitFor([&] { return detailsOf(window).text().contains(QStringLiteral("MLF-")); }, kWaitMs));
}

/// A consequence is folded under its cause: the keys and the sign open and close it.
void TestArchivesInWindow::consequencesAreFolded() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph, "my-model").tar())));
  auto& panel = part<ProblemsPanel>(window);
  part<BottomPanel>(window).openPanel(&panel);
  const ProblemsModel& model = panel.model();
  const int all = model.matching();
  QVERIFY(model.folds());
  QVERIFY(model.rowCount() < all);
  int cause = 0;
  while (!model.index(cause, 0).data(ProblemCauseRole).toBool()) QVERIFY(++cause < model.rowCount());
  QCOMPARE(model.index(cause, ProblemsModel::Rule).data().toString(), QStringLiteral("MLF-119"));
  QTableView& view = panel.view();
  view.setCurrentIndex(model.index(cause, 0));
  QTest::keyClick(&view, Qt::Key_Right);
  QCOMPARE(model.rowCount(), all);
  QTest::keyClick(&view, Qt::Key_Down);
  QCOMPARE(view.currentIndex().row(), cause + 1);
  QTest::keyClick(&view, Qt::Key_Left); // moves to the cause first
  QCOMPARE(view.currentIndex().row(), cause);
  QTest::keyClick(&view, Qt::Key_Left);
  QVERIFY(model.rowCount() < all);
  const QRect row = view.visualRect(model.index(cause, 0));
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {row.left() + 14, row.center().y()});
  QCOMPARE(model.rowCount(), all);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {row.left() + 80, row.center().y()});
  QCOMPARE(model.rowCount(), all);
}

void TestArchivesInWindow::everyFileCanBeChecked() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("library.so"), someLibrary())));
  const QSignalSpy checked(&part<Checking>(window), &Checking::checked);
  QTest::keyClick(&window, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(QTest::qWaitFor([&] { return !checked.isEmpty(); }, kWaitMs));
  QVERIFY(part<BottomPanel>(window).isOpen());
  QCOMPARE(window.banner().kind(), Banner::Kind::Ok);
  QVERIFY(window.banner().isVisible());
}

void TestArchivesInWindow::checkCanBeCancelled() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), brokenArchive())));
  const QSignalSpy checked(&part<Checking>(window), &Checking::checked);
  const auto before = part<ProblemsPanel>(window).report();
  {
    const BusyWorkers busy(window.document().jobs());
    QTest::keyClick(&window, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window.document().jobs().isRunning(Checking::tag()));
    window.document().jobs().cancel(Checking::tag());
  }
  QVERIFY(QTest::qWaitFor([&] { return !window.document().jobs().isRunning(Checking::tag()); }, kWaitMs));
  QVERIFY(checked.isEmpty());
  QCOMPARE(part<ProblemsPanel>(window).report(), before);
}

void TestArchivesInWindow::codeIsCompiled() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!action(window, ActionId::CheckCode)->isEnabled());
  Mlf mlf = cleanMlf(7, MlfStyle::Aot);
  std::erase_if(mlf.members, [](const MlfMember& member) { return member.path.starts_with("./runtime/"); });
  for (MlfMember& member : mlf.members)
    if (member.path.ends_with(".c")) member.content += "\nint broken(void) { return not_declared; }\n";
  QVERIFY(open(window, m_files.write(QStringLiteral("code.tar"), mlf.tar())));
  QVERIFY(action(window, ActionId::CheckCode)->isEnabled());
  // A compiler that is not there.
  const QSignalSpy checked(&part<Checking>(window), &Checking::checked);
  part<Checking>(window).checkCode(QStringLiteral("no-such-compiler -O1"));
  QVERIFY(QTest::qWaitFor([&] { return window.banner().isVisible() && window.banner().kind() == Banner::Kind::Error; },
                          kWaitMs));
  QVERIFY(window.banner().text().contains(QLatin1String("no-such-compiler")));
  if (QStandardPaths::findExecutable(QStringLiteral("cc")).isEmpty()) QSKIP("no C compiler");
  part<Checking>(window).checkCode(QStringLiteral("cc -O1"));
  QVERIFY(QTest::qWaitFor([&] { return !checked.isEmpty(); }, kWaitMs));
  const auto report = part<ProblemsPanel>(window).report();
  QVERIFY(std::ranges::any_of(report->issues, [](const check::Issue& issue) {
    return issue.rule == "COMP-CODE" && issue.place.line && issue.message.find("not_declared") != std::string::npos;
  }));
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
}

/// Of the bundled archive; it opens in another window and can be run there.
void TestArchivesInWindow::libraryIsBuilt() {
  if (QStandardPaths::findExecutable(QStringLiteral("cc")).isEmpty()) QSKIP("no C compiler");
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-mlf.tar")));
  QVERIFY(action(window, ActionId::BuildArchive)->isEnabled());
  const QString folder = m_files.path(QStringLiteral("built"));
  QSignalSpy built(&part<Saving>(window), &Saving::libraryBuilt);
  part<Saving>(window).buildLibrary(folder);
  QVERIFY(built.wait(kWaitMs));
  QVERIFY(QFile::exists(folder + QStringLiteral("/model.so")) && QFile::exists(folder + QStringLiteral("/model.json")));
  MainWindow* other = nullptr;
  for (MainWindow* const one : MainWindow::all())
    if (one != &window) other = one;
  QVERIFY(other);
  QTRY_VERIFY_WITH_TIMEOUT(other->document().state() != nullptr, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(action(*other, ActionId::RunModel)->isEnabled(), kWaitMs);
  QVERIFY(!action(*other, ActionId::BuildArchive)->isEnabled());
  delete other;
  // An existing folder is kept.
  part<Saving>(window).buildLibrary(folder);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
  QVERIFY(QFile::exists(folder + QStringLiteral("/model.so")));
}

void TestArchivesInWindow::findingsAreSaved() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), brokenArchive())));
  const QString path = m_files.path(QStringLiteral("found.sarif"));
  part<Checking>(window).saveFindings(path);
  QVERIFY(QTest::qWaitFor([&] { return QFile::exists(path); }, kWaitMs));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  QVERIFY(text.contains("\"version\":\"2.1.0\"") || text.contains("\"version\": \"2.1.0\""));
  QVERIFY(text.contains("MLF-208"));
  // A place without write permission.
  part<Checking>(window).saveFindings(QStringLiteral("/nowhere/at/all.sarif"));
  QVERIFY(QTest::qWaitFor([&] { return window.banner().kind() == Banner::Kind::Error && window.banner().isVisible(); },
                          kWaitMs));
}

void TestArchivesInWindow::unpackedFolderOpens() {
  const QString root = m_files.path(QStringLiteral("unpacked"));
  for (const MlfMember& member : cleanMlf(7, MlfStyle::Graph).members)
    if (member.type == '0') {
      const QString path = root + QLatin1Char('/') + QString::fromStdString(member.path);
      QVERIFY(QDir().mkpath(QFileInfo(path).path()));
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(member.content.data(), static_cast<qint64>(member.content.size()));
    }
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, root));
  QVERIFY(hasLabel(*pageOf<OverviewPage>(window), QStringLiteral("Model Library Format archive, version 7")));
  QVERIFY(!window.document().state()->package->worst() ||
          *window.document().state()->package->worst() == Severity::Note);
}

/// A value keeps its type, all other text stays, and the findings are those of the edited archive.
void TestArchivesInWindow::metadataIsEditedInPlace() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar())));
  const std::string before = content(window, "metadata.json");
  QPointer<FieldsPage> shown;
  const auto edit = [&](const char* path, const QString& typed) {
    if (!go(window, "member:./metadata.json", QStringLiteral("Fields"))) return false;
    auto* const page = pageOf<FieldsPage>(window);
    if (!page || !page->showPart({PartKind::Field, path})) return false;
    shown = page;
    page->view().setFocus();
    QTest::keyClick(&page->view(), Qt::Key_F2);
    auto* const line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    if (!line) return false;
    line->setText(typed);
    QTest::keyClick(line, Qt::Key_Return);
    return true;
  };
  QVERIFY(edit("version", QStringLiteral("6")));
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  QTRY_VERIFY_WITH_TIMEOUT(!shown && pageOf<FieldsPage>(window), kWaitMs); // the page is a new one
  std::string expected = before;
  const std::size_t version = expected.find("7", expected.find("\"version\""));
  QCOMPARE(content(window, "metadata.json"), expected.replace(version, 1, "6"));
  QVERIFY(window.document().state()->report->count(Severity::Error) > 0);
  // A text is no number.
  QVERIFY(edit("version", QStringLiteral("six")));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QVERIFY2(window.banner().text().contains(QStringLiteral("version needs a value of its type")),
           qPrintable(window.banner().text()));
  QCOMPARE(window.document().state()->edits.size(), std::size_t{1});
  QVERIFY(edit("modules.default.style", QStringLiteral("a \"new\" style")));
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{2}, kWaitMs);
  QVERIFY(settle(window));
  QVERIFY(content(window, "metadata.json").find("\"a \\\"new\\\" style\"") != std::string::npos);
  for (int i = 0; i < 2; ++i) {
    action(window, ActionId::Undo)->trigger();
    QVERIFY(settle(window));
  }
  QCOMPARE(content(window, "metadata.json"), before);
}

void TestArchivesInWindow::membersAreEdited() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar());
  const QString added = m_files.write(QStringLiteral("new.c"), "int added;");
  QVERIFY(open(window, path));
  const Ref source = *Ref::parse("./codegen/host/src/default_lib1.c!"),
            listing = *Ref::parse("member:./src/default.relay");
  for (const Ref& ref : {source, listing}) {
    window.navigate(ref);
    QVERIFY(settle(window));
    for (const ActionId id : {ActionId::ReplaceFile, ActionId::Rename, ActionId::Remove, ActionId::AddMember})
      QVERIFY2(action(window, id)->isEnabled(), qPrintable(action(window, id)->toolTip()));
  }
  auto& editing = part<Editing>(window);
  editing.addMember(Ref::file(), QStringLiteral("codegen/host/src/new.c"), added);
  QVERIFY(settle(window));
  QCOMPARE(content(window, "codegen/host/src/new.c"), std::string("int added;"));
  // An added file is renamed as what it is: one edit.
  editing.rename(*Ref::parse("member:./codegen/host/src/new.c"), QStringLiteral("src/new.c"));
  QVERIFY(settle(window));
  QCOMPARE(window.document().state()->edits.size(), std::size_t{1});
  QCOMPARE(content(window, "src/new.c"), std::string("int added;"));
  editing.rename(source, QStringLiteral("codegen/host/src/other.c"));
  QVERIFY(settle(window));
  QVERIFY(window.document().state()->package->findMember("codegen/host/src/other.c"));
  editing.replaceWithFile(*Ref::parse("./codegen/host/src/other.c!"), added);
  QVERIFY(settle(window));
  QCOMPARE(content(window, "codegen/host/src/other.c"), std::string("int added;"));
  editing.remove(listing);
  QVERIFY(settle(window));
  QVERIFY(!window.document().state()->package->findMember("src/default.relay"));
  QCOMPARE(window.document().state()->changes.size(), std::size_t{4});
  QVERIFY(!rowNamed(contentsTree(window), QStringLiteral("default.relay")).isValid());
  // A path that leads out of the archive is refused.
  editing.addMember(Ref::file(), QStringLiteral("../x"), added);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QVERIFY(window.banner().text().contains(QStringLiteral("..")));
  QCOMPARE(window.document().state()->edits.size(), std::size_t{4});
  for (int i = 0; i < 5; ++i) {
    action(window, ActionId::Undo)->trigger();
    QVERIFY(settle(window));
  }
  QVERIFY(window.document().state()->package == window.document().state()->opened);
}

void TestArchivesInWindow::textOfAMemberIsEdited() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar())));
  for (const char* const ref : {"member:./src/default.relay", "./codegen/host/src/default_lib1.c!"}) {
    QVERIFY(go(window, ref));
    action(window, ActionId::EditText)->trigger();
    QVERIFY(QTest::qWaitFor(
        [&] {
          auto* const page = pageOf<TextPage>(window);
          return page && page->isEditable() && page->view().isEditing() && page->view().hasFocus();
        },
        kWaitMs));
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("# "));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(settle(window));
  }
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{2}, kWaitMs);
  QVERIFY(content(window, "src/default.relay").starts_with("# "));
  QVERIFY(content(window, "codegen/host/src/default_lib1.c").starts_with("# "));
}

void TestArchivesInWindow::valuesOfParametersAreEdited() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar())));
  const char* const tensor = "./parameters/default.params!param:p0";
  QVERIFY(go(window, tensor, QStringLiteral("Values")));
  const std::string before = content(window, "parameters/default.params");
  part<Editing>(window).setValues({{{*Ref::parse(tensor), {}}, {0, 1}, "0.5"}});
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{1}, kWaitMs);
  QVERIFY(settle(window));
  std::string expected = before;
  expected.replace(expected.size() - 12, 4, std::string("\0\0\0\x3f", 4));
  QCOMPARE(content(window, "parameters/default.params"), expected);
  QCOMPARE(QString::fromStdString(window.document().state()->changes[0].before), QStringLiteral("0"));
}

BLOBSCOPE_TEST(TestArchivesInWindow);

#include "test_archives.moc"
