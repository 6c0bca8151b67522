#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/plan_bar.h"
#include "ui/window/dialogs/repack_dialog.h"
#include "ui/window/dialogs/repack_rows.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QLocale>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTableView>

#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

edit::Target at(const char* ref) { return {Ref::parse(ref).value(), {}}; }
edit::Edit renamed(const char* ref, const char* name) { return edit::Rename{at(ref), name}; }

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

/// Names of all files of a folder, including those that are being written.
QStringList filesIn(const QString& folder) { return QDir(folder).entryList(QDir::Files | QDir::Hidden, QDir::Name); }

std::string big(uint64_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

/// A Mach-O library with a signature that is not ad hoc, and with room for another one. Source: Apple cs_blobs.h.
std::string signedLibrary() {
  const auto file = [](const std::string& signature) {
    const Record cuda = {"cuda", code3("ptx", {{"add_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)};
    MachOBuilder library;
    library.function("___tvm_ffi_add").data("___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda}, {{1}, {}}));
    library.signature = signature;
    return library.build();
  };
  const std::string name("made.dylib\0", 11);
  std::string directory = big(0x20001) + big(0) + big(44 + name.size()) + big(44) + big(0) + big(0) + big(0);
  directory += {32, 2, 0, 12};
  directory = big(0xfade0c02) + big(44 + name.size()) + directory + big(0) + name;
  std::string signature = big(0xfade0cc0) + big(20 + directory.size()) + big(1) + big(0) + big(20) + directory;
  signature.resize(8'192);
  return file(signature);
}

} // namespace

/// The plan of an edited file, and writing it.
class TestRepackDialog : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init();
  void defaultTargetIsBesideTheFile_data();
  void defaultTargetIsBesideTheFile();
  void planIsShown();
  void buttonWaitsForThePlan();
  void withoutChangesNothingIsPlanned();
  void refusalIsShown();
  void refusalCanBeForced();
  void brokenCallsAreListed();
  void signatureCanBeRemoved();
  void editsCanBeLeftOut();
  void barsShowTheBlob();
  void dialogWorksByKeyboard();
  void fileIsWritten();
  void writingCanBeCancelled();
  void escapeClosesTheDialog();
  void unusableTargetsAreExplained_data();
  void unusableTargetsAreExplained();
  void readOnlyFolderIsExplained();
  void openedFileCanBeReplaced();
  void newerFileIsNotReplaced();
  void narrowDialogFits();
  void everyControlHasAName();

private:
  /// Opens a library in a separate folder, with these edits; `impossible`: the last one cannot be applied.
  void open(Document& document, const std::vector<edit::Edit>& edits, bool impossible = false,
            const std::string& file = someLibrary());
  static QString text(const QWidget& dialog);
  /// Of the rows of the contents of the file.
  static QStringList names(const QString& path);
  static QString status(RepackDialog& dialog) {
    const auto labels = dialog.findChildren<QLabel*>();
    for (const QLabel* label : labels)
      if (label->isVisibleTo(&dialog) && label->accessibleName() == label->text() && !label->text().isEmpty())
        return label->text();
    return {};
  }
  static bool isReady(RepackDialog& dialog) {
    return QTest::qWaitFor([&] { return button(dialog, QStringLiteral("Repack"))->isEnabled(); }, kWaitMs);
  }

  WindowApplication m_application;
  std::unique_ptr<Files> m_files;
  QString m_path;
};

QStringList TestRepackDialog::names(const QString& path) {
  Document document; // library::open in a job
  document.open(path);
  if (!QTest::qWaitFor([&] { return !document.isOpening(); }, kWaitMs) || !document.state()) return {};
  QStringList names;
  for (const library::ContentsRow& row : document.state()->contents) names << toQt(row.name);
  return names;
}

void TestRepackDialog::init() {
  WindowApplication::reset();
  m_files = std::make_unique<Files>();
}

void TestRepackDialog::open(Document& document, const std::vector<edit::Edit>& edits, bool impossible,
                            const std::string& file) {
  m_path = m_files->write(QStringLiteral("model.so"), file);
  document.open(m_path);
  QVERIFY(QTest::qWaitFor([&] { return !document.isOpening(); }, kWaitMs) && document.state());
  std::vector<edit::Edit> good = edits;
  if (impossible) good.pop_back();
  if (!good.empty()) {
    document.setEdits(good, QStringLiteral("test"));
    QVERIFY(QTest::qWaitFor([&] { return !document.isEditing() && document.state()->edits.size() == good.size(); },
                            kWaitMs));
  }
  // A document refuses such an edit. The state was made by it, and nothing else uses it.
  if (impossible) const_cast<Document::State&>(*document.state()).edits.push_back(edits.back());
}

/// All visible texts.
QString TestRepackDialog::text(const QWidget& dialog) {
  QStringList words;
  const auto labels = dialog.findChildren<QLabel*>();
  for (const QLabel* label : labels)
    if (label->isVisibleTo(&dialog)) words << label->text();
  return words.join(QLatin1Char('\n'));
}

void TestRepackDialog::defaultTargetIsBesideTheFile_data() {
  QTest::addColumn<QString>("opened");
  QTest::addColumn<QString>("target");
  const auto row = [](const char* opened, const char* target) {
    QTest::newRow(opened) << QString::fromLatin1(opened) << QString::fromLatin1(target);
  };
  row("/a/model.so", "/a/model-edited.so");
  row("/a/libtvm.so.1.2", "/a/libtvm-edited.so.1.2");
  row("/a/model.tar.gz", "/a/model-edited.tar.gz");
  row("/a/model.tar", "/a/model-edited.tar");
  row("/a.b/model", "/a.b/model-edited");
  row("/a/v1.5.dll", "/a/v1.5-edited.dll");
  row("/a/.so", "/a/.so-edited");
}

void TestRepackDialog::defaultTargetIsBesideTheFile() {
  QFETCH(QString, opened);
  QFETCH(QString, target);
  QCOMPARE(RepackDialog::defaultTarget(opened), target);
}

void TestRepackDialog::planIsShown() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel"),
                  renamed("m2/kernel:mul_kernel", "product_of_two_numbers_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QCOMPARE(dialog.target(), m_files->path(QStringLiteral("model-edited.so")));
  QVERIFY(isReady(dialog));

  const auto& list = *dialog.findChild<QListView*>();
  QCOMPARE(list.model()->rowCount(), 2);
  QCOMPARE(list.model()->index(0, 0).data().toString(), QStringLiteral("Kernel 'add_kernel' renamed"));
  QCOMPARE(list.model()->index(0, 0).data(ChangesModel::ValuesRole).toString(),
           QStringLiteral("add_kernel → sum_kernel · m1/kernel:add_kernel"));
  QCOMPARE(list.model()->index(1, 0).data(ChangesModel::IconRole).toString(), QStringLiteral("kind-opencl"));
  const QString words = text(dialog);
  QVERIFY2(words.contains(QStringLiteral("2 of 2 changes included")), qPrintable(words));
  QVERIFY2(words.contains(QStringLiteral("Strategy: ")), qPrintable(words));
  QVERIFY2(status(dialog).startsWith(QStringLiteral("Ready to write a new file (")), qPrintable(status(dialog)));

  auto& steps = *dialog.findChild<QTableView*>()->model();
  const QAbstractItemModelTester tester(&steps);
  QVERIFY(steps.rowCount() > 2);
  QCOMPARE(steps.index(steps.rowCount() - 1, StepsModel::What).data().toString(),
           QStringLiteral("Read back, compare, rename"));
  const auto* const bar = dialog.findChild<PlanBar*>();
  QVERIFY(std::any_of(bar->before().begin(), bar->before().end(),
                      [](const PlanBar::Part& part) { return part.kind == PlanBar::Kind::Blob; }));
  QVERIFY(std::any_of(bar->after().begin(), bar->after().end(),
                      [](const PlanBar::Part& part) { return part.kind == PlanBar::Kind::NewBlob; }));
  QVERIFY2(bar->accessibleDescription().contains(QStringLiteral("new blob")), qPrintable(bar->accessibleDescription()));
}

void TestRepackDialog::buttonWaitsForThePlan() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
  QVERIFY(isReady(dialog));
  {
    const BusyWorkers busy(dialog.jobs());
    button(dialog, QStringLiteral("Scrub the old blob"))->click();
    QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(status(dialog), QStringLiteral("Planning…"), kWaitMs);
    // Enter does not write either.
    QTest::keyClick(&dialog, Qt::Key_Return);
  }
  QVERIFY(isReady(dialog));
  QCOMPARE(filesIn(QFileInfo(m_path).path()), QStringList(QStringLiteral("model.so")));
}

void TestRepackDialog::withoutChangesNothingIsPlanned() {
  Document document;
  open(document, {});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QVERIFY(isReady(dialog));
  QVERIFY2(text(dialog).contains(QStringLiteral("Strategy: nothing changes")), qPrintable(text(dialog)));
  QVERIFY(!dialog.findChild<QListView*>()->isVisible());
}

void TestRepackDialog::refusalIsShown() {
  Document document;
  open(document, {edit::Remove{at("m1/kernel:no_such_kernel")}}, true);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QTRY_VERIFY_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REF-NOT-FOUND")), kWaitMs);
  QVERIFY2(text(dialog).contains(QStringLiteral("no_such_kernel")), qPrintable(text(dialog)));
  QVERIFY(!dialog.findChild<QTableView*>()->isVisible());
  QVERIFY(!button(dialog, QStringLiteral("Repack anyway"))->isVisible());
  QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
  QCOMPARE(status(dialog), QStringLiteral("The file cannot be written with these changes."));
}

void TestRepackDialog::refusalCanBeForced() {
  Document document;
  open(document, {edit::Relink{at("m0"), {"m1"}}}, true);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QTRY_VERIFY_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REP-ORPHAN")), kWaitMs);
  auto* const force = button(dialog, QStringLiteral("Repack anyway"));
  QVERIFY(force->isVisible());
  force->click();
  QVERIFY(isReady(dialog));
  QVERIFY(force->isVisible());
  QVERIFY2(text(dialog).contains(QStringLiteral("REP-FORCED")), qPrintable(text(dialog)));
}

void TestRepackDialog::brokenCallsAreListed() {
  const Record cuda = {"cuda", code3("ptx", {{"add_kernel"}, {"mul_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)};
  const std::string file = ElfBuilder()
                               .function("__tvm_ffi_add")
                               .data("__tvm_ffi__library_ctx", std::string(8, '\0'))
                               .data("texts", std::string("\0add_kernel\0", 12))
                               .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda}, {{1}, {}}))
                               .build();
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum"), renamed("m1/kernel:mul_kernel", "product")}, false, file);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QTRY_VERIFY2_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REP-CALL")), qPrintable(text(dialog)), kWaitMs);
  QVERIFY2(text(dialog).contains(QStringLiteral("host function 'add' launches the kernel 'add_kernel'")),
           qPrintable(text(dialog)));
  auto* const consent = button(dialog, QStringLiteral("Repack even though calls in this file will fail"));
  auto* const keep = button(dialog, QStringLiteral("Keep the old names"));
  QVERIFY(consent->isVisible() && keep->isVisible() && !consent->isChecked());
  auto* const repack = button(dialog, QStringLiteral("Repack"));
  QVERIFY(!repack->isEnabled());
  // The sentence fits renamed and removed kernels.
  QCOMPARE(status(dialog), QStringLiteral("Calls in the file will fail. Tick the box above to repack anyway, or leave "
                                          "out the change."));
  consent->click();
  QVERIFY(isReady(dialog));
  consent->click();
  QVERIFY(!repack->isEnabled());
  // The name that host code looks up stays, the other one is changed.
  keep->click();
  QVERIFY(isReady(dialog));
  QVERIFY(!consent->isVisible() && !text(dialog).contains(QStringLiteral("REP-CALL")));
  repack->click();
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(dialog.target()), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!dialog.jobs().isRunning(QStringLiteral("repack-write")), kWaitMs);
  const QStringList rows = names(dialog.target());
  QVERIFY2(rows.contains(QStringLiteral("add_kernel")) && rows.contains(QStringLiteral("product")),
           qPrintable(rows.join(QLatin1Char(' '))));
}

void TestRepackDialog::signatureCanBeRemoved() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")}, false, signedLibrary());
  RepackDialog dialog(document, nullptr);
  dialog.show();
  auto* const choice = dialog.findChild<QComboBox*>();
  QVERIFY(!choice->isVisible());
  QTRY_VERIFY2_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REP-SIGNED")), qPrintable(text(dialog)), kWaitMs);
  QVERIFY(choice->isVisible());
  QVERIFY(!button(dialog, QStringLiteral("Repack anyway"))->isVisible());
  choice->setCurrentIndex(choice->findText(QStringLiteral("Sign ad hoc")));
  QVERIFY(isReady(dialog));
  QVERIFY2(text(dialog).contains(QStringLiteral("REP-RESIGNED")), qPrintable(text(dialog)));
  choice->setCurrentIndex(choice->findText(QStringLiteral("Keep")));
  QTRY_VERIFY_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REP-SIGNED")), kWaitMs);
  choice->setCurrentIndex(choice->findText(QStringLiteral("Remove")));
  QVERIFY(isReady(dialog));
  QVERIFY(choice->isVisible());
}

void TestRepackDialog::barsShowTheBlob() {
  PlanBar bar;
  bar.resize(600, bar.sizeHint().height());
  const auto same = drawn(bar, 1);
  QCOMPARE(countPixels(same, theme().color(Role::KindDevice)), 0);
  // The new blob is as long as all the data before it.
  using enum PlanBar::Kind;
  bar.setParts({{Other, 100}, {Blob, 300}}, {{Other, 100}, {DeadBlob, 300}, {NewBlob, 400}});
  QVERIFY2(bar.accessibleDescription().contains(QStringLiteral("After: 800 bytes; old blob (kept, no longer used), "
                                                               "300 bytes from 0x64; new blob, 400 bytes from 0x190.")),
           qPrintable(bar.accessibleDescription()));
  for (const ui::Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    const QImage picture = drawn(bar, 1), large = drawn(bar, 1.5);
    const int pixels = countPixels(picture, look.color(Role::KindDevice));
    QVERIFY(pixels > 1'000);
    QVERIFY(countPixels(large, look.color(Role::KindDevice)) > 2 * pixels);
    QVERIFY(countPixels(picture, look.color(Role::OnAccent), 60) > 10);
  }
  // However small, a part is visible.
  setTheme(Theme::light());
  bar.setParts({{Other, uint64_t{1} << 40}, {Blob, 1}}, {{Other, uint64_t{1} << 40}, {NewBlob, 1}});
  QVERIFY(countPixels(drawn(bar, 1), theme().color(Role::KindDevice)) > 40);
}

void TestRepackDialog::editsCanBeLeftOut() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel"), edit::Remove{at("m1/kernel:no_such_kernel")}}, true);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QTRY_VERIFY_WITH_TIMEOUT(text(dialog).contains(QStringLiteral("REF-NOT-FOUND")), kWaitMs);
  auto& list = *dialog.findChild<QListView*>();
  const QAbstractItemModelTester tester(list.model());
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(1, 0)).center());
  QVERIFY(isReady(dialog));
  QVERIFY2(text(dialog).contains(QStringLiteral("1 of 2 changes included")), qPrintable(text(dialog)));
  QVERIFY(dialog.findChild<QTableView*>()->isVisible());
  // Without the other edit as well, nothing is left to do.
  list.setCurrentIndex(list.model()->index(0, 0));
  QVERIFY(focus(list));
  QTest::keyClick(&list, Qt::Key_Space);
  QVERIFY(isReady(dialog));
  QVERIFY2(text(dialog).contains(QStringLiteral("0 of 2 changes included")), qPrintable(text(dialog)));
  QVERIFY2(text(dialog).contains(QStringLiteral("Strategy: nothing changes")), qPrintable(text(dialog)));
}

void TestRepackDialog::dialogWorksByKeyboard() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  dialog.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&dialog, kWaitMs));
  QVERIFY(isReady(dialog));
  QStringList order;
  for (int i = 0; i < 9; ++i) {
    order << dialog.focusWidget()->accessibleName();
    QTest::keyClick(dialog.focusWidget(), Qt::Key_Tab);
  }
  // No file with that name exists, so there is nothing to keep. The platform decides the order of the two buttons.
  const QStringList wanted = {QStringLiteral("Save as"),
                              QStringLiteral("Browse…"),
                              QStringLiteral("Changes"),
                              QStringLiteral("Steps of the plan"),
                              QStringLiteral("Scrub the old blob"),
                              QStringLiteral("Verify every byte")};
  QCOMPARE(order.first(wanted.size()), wanted);
  QVERIFY2(order.last() == wanted.first(), qPrintable(order.join(QLatin1Char(0x2c))));
  // Enter on a button presses that button.
  button(dialog, QStringLiteral("Cancel"))->setFocus();
  QTest::keyClick(dialog.focusWidget(), Qt::Key_Return);
  QVERIFY(!dialog.isVisible());
  QCOMPARE(filesIn(QFileInfo(m_path).path()), QStringList(QStringLiteral("model.so")));
}

void TestRepackDialog::fileIsWritten() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  const QByteArray before = bytesOf(m_path);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  dialog.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&dialog, kWaitMs));
  auto* const backup = button(dialog, QStringLiteral("Keep a backup"));
  QVERIFY(!backup->isEnabled());
  QVERIFY2(backup->toolTip().contains(QStringLiteral("replaces no file")), qPrintable(backup->toolTip()));
  const QString path = m_files->write(QStringLiteral("other.so"), "what was there");
  dialog.setTarget(path);
  QTRY_VERIFY_WITH_TIMEOUT(backup->isEnabled(), kWaitMs);
  QVERIFY2(backup->toolTip().contains(QStringLiteral(".bak")), qPrintable(backup->toolTip()));
  backup->click();
  QVERIFY(isReady(dialog));
  QVERIFY2(status(dialog).contains(QStringLiteral("Ready to replace the existing file")), qPrintable(status(dialog)));
  QSignalSpy repacked(&dialog, &RepackDialog::repacked), openRequested(&dialog, &RepackDialog::openRequested);
  QTest::keyClick(dialog.focusWidget(), Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(repacked.size(), 1, kWaitMs);
  QCOMPARE(repacked[0][0].toString(), path);
  QCOMPARE(status(dialog), QStringLiteral("Written and verified: %1 bytes.")
                               .arg(QLocale(QLocale::English).toString(QFileInfo(path).size())));

  QCOMPARE(bytesOf(path + QStringLiteral(".bak")), QByteArray("what was there"));
  QCOMPARE(bytesOf(m_path), before);
  QVERIFY(names(path).contains(QStringLiteral("sum_kernel")));
  QVERIFY(!button(dialog, QStringLiteral("Repack"))->isVisible());
  QVERIFY(button(dialog, QStringLiteral("Show in folder"))->isVisible());
  button(dialog, QStringLiteral("Open the new file"))->click();
  QCOMPARE(openRequested.size(), 1);
  QCOMPARE(openRequested[0][0].toString(), path);
  QVERIFY(!dialog.isVisible());
}

void TestRepackDialog::writingCanBeCancelled() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QVERIFY(isReady(dialog));
  QSignalSpy repacked(&dialog, &RepackDialog::repacked);
  {
    const BusyWorkers busy(dialog.jobs());
    button(dialog, QStringLiteral("Repack"))->click();
    QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
    QVERIFY(!button(dialog, QStringLiteral("Verify every byte"))->isEnabled());
    QTest::keyClick(&dialog, Qt::Key_Escape);
    QVERIFY(dialog.isVisible());
  }
  QTRY_COMPARE_WITH_TIMEOUT(status(dialog), QStringLiteral("Cancelled. Nothing was written."), kWaitMs);
  QCOMPARE(filesIn(QFileInfo(m_path).path()), QStringList(QStringLiteral("model.so")));
  QVERIFY(repacked.isEmpty());
  // Nothing is lost: the same again, and this time to the end.
  button(dialog, QStringLiteral("Repack"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(repacked.size(), 1, kWaitMs);
  QCOMPARE(filesIn(QFileInfo(m_path).path()),
           QStringList({QStringLiteral("model-edited.so"), QStringLiteral("model.so")}));
}

void TestRepackDialog::escapeClosesTheDialog() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QTest::keyClick(&dialog, Qt::Key_Escape);
  QVERIFY(!dialog.isVisible());
  QCOMPARE(dialog.result(), static_cast<int>(QDialog::Rejected));
}

void TestRepackDialog::unusableTargetsAreExplained_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("none") << QString() << QStringLiteral("Enter a file name.");
  QTest::newRow("no folder") << QStringLiteral("nowhere/a.so") << QStringLiteral("The folder “");
  QTest::newRow("a folder") << QStringLiteral("sub") << QStringLiteral("“sub” is a folder. Enter the name of a file.");
  QTest::newRow("below a file") << QStringLiteral("model.so/a.so") << QStringLiteral("The folder “");
}

void TestRepackDialog::unusableTargetsAreExplained() {
  QFETCH(QString, target);
  QFETCH(QString, sentence);
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  QVERIFY(QDir().mkdir(m_files->path(QStringLiteral("sub"))));
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QVERIFY(isReady(dialog));
  dialog.setTarget(target);
  QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
  QTRY_VERIFY2_WITH_TIMEOUT(status(dialog).startsWith(sentence), qPrintable(status(dialog)), kWaitMs);
  QVERIFY(!button(dialog, QStringLiteral("Repack"))->isEnabled());
  dialog.setTarget(QStringLiteral("sub/a.so"));
  QCOMPARE(dialog.target(), m_files->path(QStringLiteral("sub/a.so")));
  QVERIFY(isReady(dialog));
}

void TestRepackDialog::readOnlyFolderIsExplained() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  const QString folder = m_files->path(QStringLiteral("locked"));
  QVERIFY(QDir().mkdir(folder));
  RepackDialog dialog(document, nullptr);
  dialog.show();
  dialog.setTarget(folder + QStringLiteral("/a.so"));
  QVERIFY(isReady(dialog));
  QVERIFY(QFile::setPermissions(folder, QFile::ReadOwner | QFile::ExeOwner));
  const auto unlock =
      qScopeGuard([&] { QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner); });
  // Root may write into any folder, so the test becomes another user meanwhile.
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  if (root) QCOMPARE(seteuid(kNobody), 0);
  const auto back = qScopeGuard([root] {
    if (root && seteuid(0) != 0) qFatal("cannot be root again");
  });
  button(dialog, QStringLiteral("Repack"))->click();
  const auto* const banner = dialog.findChild<Banner*>();
  QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kWaitMs);
  QCOMPARE(banner->kind(), Banner::Kind::Error);
  QVERIFY2(banner->text().startsWith(QStringLiteral("Nothing was written. ")) &&
               banner->text().contains(QStringLiteral("cannot be written")),
           qPrintable(banner->text()));
  // The answers and the keyboard focus are unchanged, and another target works.
  QCOMPARE(dialog.focusWidget()->accessibleName(), QStringLiteral("Save as"));
  QVERIFY(button(dialog, QStringLiteral("Repack"))->isEnabled());
  dialog.setTarget(QStringLiteral("b.so"));
  QVERIFY(!banner->isVisible());
}

void TestRepackDialog::openedFileCanBeReplaced() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  const QByteArray before = bytesOf(m_path);
  RepackDialog dialog(document, nullptr);
  dialog.show();
  dialog.setTarget(m_path);
  QVERIFY(isReady(dialog));
  QVERIFY2(status(dialog).contains(QStringLiteral("Ready to overwrite the opened file")), qPrintable(status(dialog)));
  QSignalSpy repacked(&dialog, &RepackDialog::repacked);
  button(dialog, QStringLiteral("Repack"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(repacked.size(), 1, kWaitMs);
  QVERIFY(bytesOf(m_path) != before);
  QVERIFY(names(m_path).contains(QStringLiteral("sum_kernel")));
  QCOMPARE(filesIn(QFileInfo(m_path).path()), QStringList(QStringLiteral("model.so")));
}

/// A build put a new file in the place of the opened one: it stays, and the result is kept next to it.
void TestRepackDialog::newerFileIsNotReplaced() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  dialog.setTarget(m_path);
  QVERIFY(isReady(dialog));
  const QString newer = m_path + QStringLiteral(".new");
  QVERIFY(QFile::copy(m_path, newer));
  QFile file(newer);
  QVERIFY(file.open(QIODevice::Append) && file.write("x") == 1);
  file.close();
  QCOMPARE(std::rename(qPrintable(newer), qPrintable(m_path)), 0);
  const QByteArray before = bytesOf(m_path);
  button(dialog, QStringLiteral("Repack"))->click();
  const auto* const banner = dialog.findChild<Banner*>();
  QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kWaitMs);
  const QString kept = m_path + QStringLiteral(".rejected");
  QVERIFY2(banner->text().startsWith(QStringLiteral("The file was not replaced. ")) && banner->text().contains(kept),
           qPrintable(banner->text()));
  QCOMPARE(bytesOf(m_path), before);
  QVERIFY(names(kept).contains(QStringLiteral("sum_kernel")));
}

void TestRepackDialog::narrowDialogFits() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel",
                          "sum_kernel_with_a_much_longer_name_than_before_that_does_not_fit_in_the_old_place")});
  RepackDialog dialog(document, nullptr);
  QVERIFY(dialog.minimumSize().width() <= 640 && dialog.minimumSize().height() <= 420);
  QVERIFY(dialog.minimumSizeHint().width() <= 640);
  dialog.show();
  QVERIFY(isReady(dialog));
  for (const ui::Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    for (const QSize size : {QSize(560, 340), QSize(820, 648)}) {
      dialog.resize(size);
      QCOMPARE(dialog.size(), size);
      const QImage picture = drawn(dialog, 1);
      QVERIFY(countPixels(picture, look.color(Role::Accent)) > 100);
      QVERIFY(countPixels(picture, look.color(Role::KindDevice)) > 100);
      // The columns of the table fill its width.
      const auto* const table = dialog.findChild<QTableView*>();
      int width = 0;
      for (int i = 0; i < StepsModel::ColumnCount; ++i) width += table->columnWidth(i);
      QCOMPARE(width, table->viewport()->width());
    }
  }
}

void TestRepackDialog::everyControlHasAName() {
  Document document;
  open(document, {renamed("m1/kernel:add_kernel", "sum_kernel")});
  RepackDialog dialog(document, nullptr);
  dialog.show();
  QVERIFY(isReady(dialog));
  const auto widgets = dialog.findChildren<QWidget*>();
  for (const QWidget* widget : widgets) {
    if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus ||
        qstrcmp(widget->metaObject()->className(), "QHeaderView") == 0)
      continue;
    if (widget->parentWidget() && widget->parentWidget()->inherits("QAbstractScrollArea")) continue;
    QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
  }
}

BLOBSCOPE_TEST(TestRepackDialog);

#include "test_repack_dialog.moc"
