#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/window/dialogs/fix_dialog.h"
#include "ui/window/dialogs/repack_dialog.h"
#include "ui/window/fixing.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Quick fixes of archives in the window.
class TestFixing : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void findingIsMendedAndUndone();
  void scopeDecidesWhatIsMended();
  void findingsWithoutFixAreLeft();
  void changesComeBeforeTheFixes();
  void archiveIsConvertedWhenItIsWritten();

private:
  WindowApplication m_application;
  Files m_files;
};

namespace {

/// Two findings of one rule, one of another, and one without a fix.
std::string mendableArchive() {
  return cleanMlf(5, MlfStyle::Graph)
      .insertBefore("style", R"("first": 1)")
      .insertBefore("style", R"("second": 2)")
      .set("constants_size_bytes", "20")
      .add("./samples/x.h")
      .tar();
}

/// Opens the dialog for a finding of the rule, and waits for its plan; null if it does not open.
FixDialog* fixDialog(MainWindow& window, const char* rule) {
  const ProblemsModel& model = part<ProblemsPanel>(window).model();
  int row = 0;
  while (row < model.rowCount() && model.issue(row).rule != rule) ++row;
  if (row == model.rowCount()) return nullptr;
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  // The details of the page that opens last replace those of a finding.
  const bool offered = QTest::qWaitFor(
      [&] {
        part<ProblemsPanel>(window).view().setCurrentIndex({});
        part<ProblemsPanel>(window).view().setCurrentIndex(model.index(row, 0));
        return std::ranges::any_of(detailsOf(window).findChildren<QPushButton*>(),
                                   [](const QPushButton* one) { return one->text() == QStringLiteral("Fix…"); });
      },
      kWaitMs);
  if (!offered) return nullptr;
  action(window, ActionId::FixFindings)->trigger();
  if (!QTest::qWaitFor([&] { return part<Fixing>(window).dialog() != nullptr; }, kWaitMs)) return nullptr;
  FixDialog* const dialog = part<Fixing>(window).dialog();
  return QTest::qWaitFor([&] { return dialog->plan() != nullptr; }, kWaitMs) ? dialog : nullptr;
}

bool appliesTo(MainWindow& window, FixDialog& dialog, std::size_t edits) {
  dialog.applyButton().click();
  return QTest::qWaitFor([&] { return window.document().state()->edits.size() == edits; }, kWaitMs);
}

} // namespace

void TestFixing::findingIsMendedAndUndone() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), mendableArchive())));
  QVERIFY(action(window, ActionId::FixFindings)->isEnabled());
  const auto before = window.document().state()->package->bytes;
  FixDialog* const dialog = fixDialog(window, "MLF-210");
  QVERIFY(dialog);
  QCOMPARE(dialog->sentences(),
           QStringList({QStringLiteral("MLF-210: Set memory.functions.main[0].constants_size_bytes to 16, the size of "
                                       "the parameters")}));
  CompareView* const preview = dialog->preview();
  QVERIFY(preview && QTest::qWaitFor([&] { return !preview->isRunning(); }, kWaitMs));
  QVERIFY(preview->sentence().contains(QStringLiteral("1 changed")));
  QVERIFY(appliesTo(window, *dialog, 1));
  const auto issues = [&] { return window.document().state()->report->issues; };
  QVERIFY(std::ranges::none_of(issues(), [](const check::Issue& one) { return one.rule == "MLF-210"; }));
  QVERIFY(QTest::qWaitFor([&] { return part<ProblemsPanel>(window).model().total() == 3; }, kWaitMs));
  action(window, ActionId::Undo)->trigger();
  QVERIFY(QTest::qWaitFor([&] { return window.document().state()->edits.empty(); }, kWaitMs));
  QVERIFY(window.document().state()->package->bytes == before);
}

void TestFixing::scopeDecidesWhatIsMended() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), mendableArchive())));
  FixDialog* const dialog = fixDialog(window, "MLF-109");
  QVERIFY(dialog);
  QCOMPARE(dialog->findChildren<QRadioButton*>().size(), 3);
  QCOMPARE(dialog->plan()->mended.size(), std::size_t{1});
  dialog->setScope(FixDialog::Scope::Rule);
  QVERIFY(!dialog->applyButton().isEnabled());
  QVERIFY(QTest::qWaitFor([&] { return dialog->plan() != nullptr; }, kWaitMs));
  QCOMPARE(dialog->plan()->mended.size(), std::size_t{2});
  dialog->setScope(FixDialog::Scope::All);
  QVERIFY(QTest::qWaitFor([&] { return dialog->plan() != nullptr; }, kWaitMs));
  QCOMPARE(dialog->plan()->mended.size(), std::size_t{3});
  QVERIFY(appliesTo(window, *dialog, 3));
  QVERIFY(QTest::qWaitFor([&] { return part<ProblemsPanel>(window).model().total() == 1; }, kWaitMs));
  QVERIFY(!action(window, ActionId::FixFindings)->isEnabled());
}

void TestFixing::findingsWithoutFixAreLeft() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window,
               m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).add("./samples/x.h").tar())));
  QVERIFY(!action(window, ActionId::FixFindings)->isEnabled());
  MainWindow other;
  QVERIFY(showActive(other));
  QVERIFY(open(other, m_files.write(QStringLiteral("a.so"), someLibrary())));
  QVERIFY(!action(other, ActionId::FixFindings)->isEnabled());
  for (const auto* const tool : part<ProblemsPanel>(other).findChildren<QToolButton*>())
    if (tool->text() == QStringLiteral("Fix…")) QVERIFY(tool->isHidden());
}

/// The plan starts from the archive as it is shown.
void TestFixing::changesComeBeforeTheFixes() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), mendableArchive())));
  FixDialog* first = fixDialog(window, "MLF-210");
  QVERIFY(first && appliesTo(window, *first, 1));
  QVERIFY(QTest::qWaitFor([&] { return !part<Fixing>(window).dialog(); }, kWaitMs));
  QVERIFY(QTest::qWaitFor([&] { return part<ProblemsPanel>(window).model().total() == 3; }, kWaitMs));
  FixDialog* const second = fixDialog(window, "MLF-109");
  QVERIFY(second);
  second->setScope(FixDialog::Scope::Rule);
  QVERIFY(QTest::qWaitFor([&] { return second->plan() != nullptr; }, kWaitMs));
  QVERIFY(appliesTo(window, *second, 3));
  QCOMPARE(window.document().state()->report->issues.size(), std::size_t{1});
}

void TestFixing::archiveIsConvertedWhenItIsWritten() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("model.tar"), cleanMlf(7, MlfStyle::Graph).tar())));
  RepackDialog dialog(window.document(), &window);
  dialog.show();
  const QString path = m_files.path(QStringLiteral("converted.tar"));
  dialog.setTarget(path);
  QComboBox* version = nullptr;
  QCheckBox* canonical = nullptr;
  for (auto* const box : dialog.findChildren<QComboBox*>())
    if (box->accessibleName() == QStringLiteral("Archive version")) version = box;
  for (auto* const box : dialog.findChildren<QCheckBox*>())
    if (box->accessibleName() == QStringLiteral("Canonical form")) canonical = box;
  QVERIFY(version && version->isVisible() && canonical);
  QCOMPARE(version->currentText(), QStringLiteral("7 (unchanged)"));
  version->setCurrentIndex(5); // version 6
  canonical->setChecked(true);
  auto* const write = button(dialog, QStringLiteral("&Repack"));
  QVERIFY(write && QTest::qWaitFor([&] { return write->isEnabled(); }, kWaitMs));
  QSignalSpy written(&dialog, &RepackDialog::repacked);
  write->click();
  QVERIFY(QTest::qWaitFor([&] { return written.size() == 1; }, kWaitMs));
  NullMonitor monitor;
  const auto report = mlf::checkFile(path.toStdString(), monitor);
  QVERIFY(report);
  QCOMPARE(report->version, std::optional(6u));
}

BLOBSCOPE_TEST(TestFixing);

#include "test_fixing.moc"
