#include "core/base/limits.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/progress_strip.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/saving.h"
#include "ui/window/start_page.h"
#include "ui/window/status_line.h"

#include <QDir>
#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>

#include <QScopeGuard>

#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Opening a file in the window: start page, failures, cancelling, changes on disk.
class TestOpening : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void warningsAreNotGreen();
  void nextStepsAreShownIfThereAreSome();
  void init() { WindowApplication::reset(); }
  void startPageIsReplacedByTheFile();
  void recentFilesAreListed();
  void fileOpens();
  void everyPageOfEverySampleIsDrawn_data();
  void everyPageOfEverySampleIsDrawn();
  void unusableFilesAreRefused_data();
  void unusableFilesAreRefused();
  void fileWithoutReadPermissionIsRefused();
  void openingCanBeCancelled();
  void openingTheFirstFileCanBeCancelled();
  void laterOpeningWins();
  void refIsOpenedWithTheFile();
  void fileReplacesASample();
  void secondFileOpensAWindow();
  void droppedFileOpens();
  void droppedTextIsIgnored();
  void changeOnDiskIsReported();
  void overwrittenFileIsShownAsOpened_data();
  void overwrittenFileIsShownAsOpened();
  void replacedFileIsReloaded();
  void failedReloadKeepsTheState();
  void reloadMarksMissingNodes();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestOpening::startPageIsReplacedByTheFile() {
  MainWindow window;
  window.show();
  QVERIFY(part<StartPage>(window).isVisible());
  QCOMPARE(window.windowTitle(), QStringLiteral("Blobscope"));
  QVERIFY(window.findChild<StatusLine*>());
  QVERIFY(part<StartPage>(window).findChildren<QAbstractButton*>().size() >= 6);
  for (const char* name : {"sample-cuda-a.so", "sample-cuda-b.so", "sample-opencl.so", "sample-cpu.so",
                           "sample-mlf.tar", "sample-damaged.so"})
    QVERIFY2(QFile::exists(sample(name)), name);
  const QSignalSpy chosen(&part<StartPage>(window), &StartPage::fileChosen);
  QAbstractButton* const first = button(part<StartPage>(window), QStringLiteral("A small model for CUDA"));
  QVERIFY(first);
  first->click();
  QCOMPARE(chosen.size(), 1);
  QVERIFY(isSettled(window));
  QVERIFY(!part<StartPage>(window).isVisible());
  QCOMPARE(window.windowTitle(), QStringLiteral("sample-cuda-a.so[*] – Blobscope"));
}

void TestOpening::recentFilesAreListed() {
  const QString path = m_files.write(QStringLiteral("recent.so"), someLibrary());
  const QString gone = m_files.path(QStringLiteral("gone.so"));
  recent::add({gone, {}, {}});
  {
    MainWindow window;
    QVERIFY(open(window, path));
  }
  QCOMPARE(recent::load().size(), 2);
  QCOMPARE(recent::load()[0].path, path);
  QCOMPARE(recent::load()[0].moduleKey, QStringLiteral("cuda"));
  QVERIFY2(recent::load()[0].detail.contains(QStringLiteral("x86_64")), qPrintable(recent::load()[0].detail));

  MainWindow window;
  window.show();
  QAbstractButton* const row = button(part<StartPage>(window), QStringLiteral("recent.so"));
  QVERIFY(row);
  QVERIFY(button(part<StartPage>(window), QStringLiteral("gone.so")));
  QAbstractButton* const clear = button(part<StartPage>(window), QStringLiteral("Clear list"));
  QVERIFY(clear && clear->isVisible());
  row->click();
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), path);

  MainWindow other;
  other.show();
  button(part<StartPage>(other), QStringLiteral("Clear list"))->click();
  QVERIFY(recent::load().isEmpty());
  QVERIFY(!button(part<StartPage>(other), QStringLiteral("recent.so")));
  QVERIFY(!button(part<StartPage>(other), QStringLiteral("Clear list"))->isVisible());
  // The list holds twelve.
  for (int i = 0; i < 20; ++i) recent::add({m_files.path(QStringLiteral("%1.so").arg(i)), {}, {}});
  QCOMPARE(recent::load().size(), 12);
  QVERIFY(recent::load()[0].path.endsWith(QStringLiteral("/19.so")));
}

void TestOpening::fileOpens() {
  const QString path = m_files.write(QStringLiteral("made.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QCOMPARE(window.windowTitle(), QStringLiteral("made.so[*] – Blobscope"));
  QCOMPARE(tabs(window).count(), 1);
  QCOMPARE(currentView(window)->ref(), Ref::file());
  QCOMPARE(currentView(window)->currentPage(), QStringLiteral("Overview"));
  QVERIFY(!currentView(window)->pageNames().contains(QStringLiteral("Problems")));
  for (const char* name : {"_lib", "cuda", "opencl", "add_kernel"})
    QVERIFY2(rowNamed(contentsTree(window), QLatin1String(name)).isValid(), name);
  QVERIFY(contentsTree(window).isExpanded(rowNamed(contentsTree(window), QStringLiteral("_lib"))));
  QVERIFY(contentsTree(window).hasFocus());
  QTRY_VERIFY_WITH_TIMEOUT(!detailsOf(window).details().empty(), kWaitMs);
  const QString details = detailsOf(window).text();
  QVERIFY2(details.contains(QStringLiteral("Name: made.so")) && details.contains(QStringLiteral("SHA-256")),
           qPrintable(details));
  QString status;
  for (const auto* label : window.findChild<StatusLine*>()->findChildren<QLabel*>())
    status += label->text() + QLatin1Char(' ');
  QVERIFY2(status.contains(QStringLiteral("x86_64")) && status.contains(QStringLiteral("ELF")) &&
               status.contains(QStringLiteral("C1")),
           qPrintable(status));
  QVERIFY(!window.banner().isVisible());
  QVERIFY(!progressOf(window).isBusy());
  QVERIFY(action(window, ActionId::Reload)->isEnabled());
  QVERIFY(!action(window, ActionId::CloseTab)->isEnabled());
}

void TestOpening::everyPageOfEverySampleIsDrawn_data() {
  QTest::addColumn<QString>("path");
  for (const QString& name : QDir(sample("")).entryList({QStringLiteral("*.so")}, QDir::Files))
    if (name != QLatin1String("sample-cuda-b.so"))
      QTest::newRow(qPrintable(name)) << sample(qPrintable(name)); // a's twin
}

/// Every page of every node of the tree is drawn.
void TestOpening::everyPageOfEverySampleIsDrawn() {
  QFETCH(QString, path);
  MainWindow window;
  QVERIFY(showActive(window, {1200, 800}));
  QVERIFY(open(window, path));
  for (const library::ContentsRow& row : std::vector(window.document().state()->contents)) {
    window.navigate(row.ref, QString::fromStdString(row.page));
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
    if (tabs(window).count() > 3) action(window, ActionId::CloseTab)->trigger();
    const auto count = currentView(window)->pageNames().size();
    for (int page = 0; page < count; ++page) {
      currentView(window)->choosePage(page);
      drawn(window, 1);
    }
  }
}

void TestOpening::unusableFilesAreRefused_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("missing") << "missing.so" << QByteArray() << "does not exist";
  QTest::newRow("folder") << "folder" << QByteArray() << "is a folder without an unpacked archive in it, not a file";
  QTest::newRow("empty") << "empty.so" << QByteArray("") << "is empty";
  QTest::newRow("text") << "text.txt" << QByteArray("This is a text.\n") << "the file looks like text";
  QTest::newRow("header only") << "cut.so" << QByteArray::fromStdString(someLibrary()).left(40) << "cut";
}

void TestOpening::unusableFilesAreRefused() {
  QFETCH(QString, name);
  QFETCH(QByteArray, bytes);
  QFETCH(QString, sentence);
  const QString path = m_files.path(name);
  if (name == QLatin1String("folder"))
    QDir().mkpath(path);
  else if (!bytes.isNull())
    m_files.write(name, bytes.toStdString());

  // Before a file is open, the start page stays.
  MainWindow window;
  QVERIFY(showActive(window));
  window.openFile(path);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
  QVERIFY2(window.banner().text().startsWith(name + QStringLiteral(" cannot be opened.")),
           qPrintable(window.banner().text()));
  if (name != QLatin1String("cut.so"))
    QVERIFY2(window.banner().text().contains(sentence), qPrintable(window.banner().text()));
  QVERIFY(part<StartPage>(window).isVisible());
  QVERIFY(!progressOf(window).isBusy());
  button(window.banner(), QStringLiteral("Close"))->click();
  QVERIFY(!window.banner().isVisible());
  // The open file stays open.
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const auto state = window.document().state();
  window.openFile(path);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(window.document().state(), state);
  QCOMPARE(window.windowTitle(), QStringLiteral("sample-cuda-a.so[*] – Blobscope"));
  QVERIFY(!part<StartPage>(window).isVisible());
  QCOMPARE(recent::load().size(), 1);
}

void TestOpening::fileWithoutReadPermissionIsRefused() {
  const QString path = m_files.write(QStringLiteral("locked.so"), someLibrary());
  QFile::setPermissions(path, QFile::WriteOwner);
  // Root may read any file, so the test becomes another user meanwhile.
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  if (root) QCOMPARE(seteuid(kNobody), 0);
  const auto back = qScopeGuard([root] {
    if (root && seteuid(0) != 0) qFatal("cannot be root again");
  });
  MainWindow window;
  window.show();
  window.openFile(path);
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
}

void TestOpening::openingCanBeCancelled() {
  const QString path = m_files.write(QStringLiteral("big.so"), libraryWithCode(1 << 20));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const auto state = window.document().state();
  {
    const BusyWorkers busy(window.document().jobs());
    window.openFile(path);
    QVERIFY(window.document().isOpening());
    QTRY_VERIFY_WITH_TIMEOUT(progressOf(window).isVisible(), kWaitMs);
    QVERIFY2(progressOf(window).accessibleName().contains(QStringLiteral("Opening big.so")),
             qPrintable(progressOf(window).accessibleName()));
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!window.document().isOpening());
    QVERIFY(!progressOf(window).isVisible());
    QVERIFY(window.banner().isVisible());
    QCOMPARE(window.banner().kind(), Banner::Kind::Note);
    QVERIFY2(window.banner().text().contains(QStringLiteral("big.so was not opened")),
             qPrintable(window.banner().text()));
  }
  // The cancelled file does not arrive later.
  finishJobs(window.document().jobs());
  QCOMPARE(window.document().state(), state);
  QCOMPARE(window.windowTitle(), QStringLiteral("sample-cuda-a.so[*] – Blobscope"));
  button(window.banner(), QStringLiteral("Try again"))->click();
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), path);
  QVERIFY(!window.banner().isVisible());
}

void TestOpening::openingTheFirstFileCanBeCancelled() {
  const QString path = m_files.write(QStringLiteral("first.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  {
    const BusyWorkers busy(window.document().jobs());
    window.openFile(path);
    QTRY_VERIFY_WITH_TIMEOUT(progressOf(window).isVisible(), kWaitMs);
    button(progressOf(window), QStringLiteral("Cancel"))->click();
  }
  QVERIFY(part<StartPage>(window).isVisible());
  QVERIFY(window.banner().isVisible());
  QVERIFY(!window.document().state());
  QVERIFY(open(window, path));
}

void TestOpening::laterOpeningWins() {
  const QString first = m_files.write(QStringLiteral("first.so"), libraryWithCode(1 << 20));
  MainWindow window;
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const QSignalSpy opened(&window.document(), &Document::opened);
  window.openFile(first);
  window.openFile(sample("sample-cpu.so"));
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), sample("sample-cpu.so"));
  QCOMPARE(opened.size(), 1);
  QVERIFY(!progressOf(window).isBusy());
}

void TestOpening::refIsOpenedWithTheFile() {
  MainWindow window;
  QVERIFY(showActive(window));
  window.openAt(*Ref::parse("m2/kernel:mean_kernel"));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 2));
  QCOMPARE(tabs(window).count(), 2);
  // Keys go to the place, not to Contents.
  QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->current() &&
                               currentView(window)->current()->isAncestorOf(QApplication::focusWidget()),
                           kWaitMs);
  // Only for the first file.
  QVERIFY(QTest::qWaitFor([&] { return !detailsOf(window).details().empty(); }, kWaitMs));
  window.document().open(sample("sample-cpu.so"));
  QVERIFY(isSettled(window));
  QCOMPARE(currentView(window)->ref(), Ref::file());
}

void TestOpening::fileReplacesASample() {
  const QString path = m_files.write(QStringLiteral("own.so"), someLibrary());
  MainWindow window;
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(open(window, path));
  QCOMPARE(tabs(window).count(), 1);
}

void TestOpening::secondFileOpensAWindow() {
  const QString path = m_files.write(QStringLiteral("own.so"), someLibrary());
  MainWindow window;
  QVERIFY(open(window, path));
  window.openFile(sample("sample-cpu.so"));
  QCOMPARE(window.document().path(), path);
  MainWindow* other = nullptr;
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (auto* const candidate = qobject_cast<MainWindow*>(widget); candidate && candidate != &window) other = candidate;
  QVERIFY(other);
  QVERIFY(isSettled(*other));
  QCOMPARE(other->document().path(), sample("sample-cpu.so"));
  const QPointer<MainWindow> guard(other);
  other->close();
  QTRY_VERIFY_WITH_TIMEOUT(guard.isNull(), kWaitMs);
}

void TestOpening::droppedFileOpens() {
  const QString path = m_files.write(QStringLiteral("dropped file.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  QVERIFY(isSettled(window));
  QCOMPARE(window.document().path(), path);
}

void TestOpening::droppedTextIsIgnored() {
  MainWindow window;
  QVERIFY(showActive(window));
  QMimeData data;
  data.setText(QStringLiteral("made.so"));
  data.setUrls({QUrl(QStringLiteral("https://example.org/made.so"))});
  QDragEnterEvent enter({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  enter.ignore();
  QApplication::sendEvent(&window, &enter);
  QVERIFY(!enter.isAccepted());
  QDropEvent drop({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  QVERIFY(!window.document().isOpening());
}

void TestOpening::changeOnDiskIsReported() {
  const QString path = m_files.write(QStringLiteral("changing.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  const auto before = window.document().state();
  QFile file(path);
  QVERIFY(file.open(QIODevice::Append));
  file.write("more");
  file.close();
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QCOMPARE(window.banner().kind(), Banner::Kind::Warning);
  QVERIFY2(window.banner().text().contains(QStringLiteral("changing.so changed on disk")),
           qPrintable(window.banner().text()));
  QCOMPARE(window.document().state(), before);
  button(window.banner(), QStringLiteral("Ignore"))->click();
  QVERIFY(!window.banner().isVisible());
  QCOMPARE(window.document().state(), before);
}

void TestOpening::overwrittenFileIsShownAsOpened_data() {
  QTest::addColumn<bool>("large");
  QTest::newRow("held in memory") << false;
  QTest::newRow("too large for that") << true;
}

/// The window shows the bytes as opened, or reports that they may have changed and shows nothing new.
void TestOpening::overwrittenFileIsShownAsOpened() {
  QFETCH(bool, large);
  const QString path = m_files.write(QStringLiteral("overwritten.so"), someLibrary());
  const qint64 size = large ? static_cast<qint64>(limits::kPrivateBytes) + 1 : QFileInfo(path).size();
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadWrite) && file.resize(size)); // a hole at its end
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QVERIFY(file.seek(0) && file.write("other") == 5 && file.flush());
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  const QString text = window.banner().text();
  QVERIFY2(text.contains(QStringLiteral("overwritten.so changed on disk.")), qPrintable(text));
  QVERIFY2(
      text.contains(large ? QStringLiteral("may show new bytes")
                          : QStringLiteral(
                                "The window still shows the file as it was opened. Reload it to see the new content.")),
      qPrintable(text));
  QCOMPARE(button(window.banner(), QStringLiteral("Compare")) != nullptr, !large);

  // A page that was not made yet.
  QVERIFY(go(window, "m1"));
  const auto notice = [&] {
    for (const QLabel* const label : currentView(window)->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QStringLiteral("overwritten in place"))) return true;
    return false;
  };
  QTRY_COMPARE_WITH_TIMEOUT(notice(), large, kWaitMs);
  QCOMPARE(currentView(window)->pageNames().isEmpty(), large);
  QVERIFY(button(window.banner(), QStringLiteral("Reload")));

  // Neither bytes nor folders are written from possibly changed content.
  const QString bytes = m_files.path(large ? QStringLiteral("large.bin") : QStringLiteral("small.bin"));
  const QString folder = m_files.path(large ? QStringLiteral("large") : QStringLiteral("small"));
  const auto ended = [&] {
    return window.banner().kind() == Banner::Kind::Ok || window.banner().kind() == Banner::Kind::Error;
  };
  part<Saving>(window).saveBytes(Ref::moduleAt({}, 1), bytes);
  QTRY_VERIFY_WITH_TIMEOUT(ended(), kWaitMs);
  QCOMPARE(QFile::exists(bytes), !large);
  QCOMPARE(window.banner().kind() == Banner::Kind::Error, large);
  window.banner().showMessage(Banner::Kind::Note, {}, {});
  part<Saving>(window).saveFolder(folder);
  QTRY_VERIFY_WITH_TIMEOUT(ended(), kWaitMs);
  QCOMPARE(QFile::exists(folder), !large);
  QCOMPARE(window.banner().kind() == Banner::Kind::Error, large);
}

void TestOpening::replacedFileIsReloaded() {
  const QString path = m_files.write(QStringLiteral("replaced.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QVERIFY(go(window, "m1", QStringLiteral("Hex")));
  contentsTree(window).collapse(rowNamed(contentsTree(window), QStringLiteral("opencl")));
  contentsTree(window).expand(rowNamed(contentsTree(window), QStringLiteral("cuda")));
  for (int round = 0; round < 3; ++round) {
    // As a build does: another file gets the name.
    const std::vector<Function> kernels = {{"add_kernel"}, {"mul_kernel"}, {"third_kernel_" + std::to_string(round)}};
    const QString next = m_files.write(QStringLiteral("next.so"), someLibrary(kernels));
    QVERIFY(QFile::remove(path) && QFile::rename(next, path));
    QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
    const auto before = window.document().state();
    button(window.banner(), QStringLiteral("Reload"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
    QVERIFY(isSettled(window));
    QVERIFY(!window.banner().isVisible());
    QCOMPARE(tabs(window).count(), 2);
    QCOMPARE(currentView(window)->ref(), Ref::moduleAt({}, 1));
    QTRY_COMPARE_WITH_TIMEOUT(currentView(window)->currentPage(), QStringLiteral("Hex"), kWaitMs);
    QVERIFY(rowNamed(contentsTree(window), QString::fromStdString(kernels[2].key)).isValid());
    QVERIFY(contentsTree(window).isExpanded(rowNamed(contentsTree(window), QStringLiteral("cuda"))));
    QVERIFY(!contentsTree(window).isExpanded(rowNamed(contentsTree(window), QStringLiteral("opencl"))));
  }
}

void TestOpening::failedReloadKeepsTheState() {
  const QString path = m_files.write(QStringLiteral("vanishing.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  const auto before = window.document().state();
  QVERIFY(QFile::remove(path));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  button(window.banner(), QStringLiteral("Reload"))->click();
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
  QCOMPARE(window.document().state(), before);
  QVERIFY(go(window, "m1", QStringLiteral("Hex")));
  QVERIFY(!drawn(window, 1).isNull());
}

void TestOpening::reloadMarksMissingNodes() {
  const QString path = m_files.write(QStringLiteral("shrinking.so"), someLibrary());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  QVERIFY(go(window, "m2"));
  const QString next = m_files.write(QStringLiteral("next.so"), libraryWithCode(100));
  QVERIFY(QFile::remove(path) && QFile::rename(next, path));
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  const auto before = window.document().state();
  action(window, ActionId::Reload)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  // The tab says that its node is missing; the others keep working.
  QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->isReady() && currentView(window)->pageNames().isEmpty(), kWaitMs);
  QVERIFY(!currentView(window)->current());
  drawn(window, 1);
  QTest::keyClick(&window, Qt::Key_F6);
  QVERIFY(go(window, "m1"));
  QVERIFY(currentView(window)->current());
}

void TestOpening::nextStepsAreShownIfThereAreSome() {
  for (const bool empty : {true, false}) {
    MainWindow window;
    QVERIFY(showActive(window));
    const std::string plain = ElfBuilder().data("numbers", std::string(8, '\x01')).build();
    QVERIFY(open(window, m_files.write(empty ? QStringLiteral("plain.so") : QStringLiteral("next.so"),
                                       empty ? plain : someLibrary())));
    const auto* const next = currentView(window)->findChild<QWidget*>(QStringLiteral("next"));
    QVERIFY(next);
    QCOMPARE(next->isVisible(), !empty);
  }
}

/// Green is only for files without errors and warnings, on the Overview page and after a check.
void TestOpening::warningsAreNotGreen() {
  const Record cuda = {"cuda", code3("ptx", {{"add_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)};
  for (const bool imported : {true, false}) {
    MainWindow window;
    QVERIFY(showActive(window));
    const std::string bytes =
        someHost()
            .data("__tvm_ffi__library_bin",
                  ffiBlob({{"_lib", ""}, cuda}, imported ? std::vector<std::vector<uint64_t>>{{1}, {}}
                                                         : std::vector<std::vector<uint64_t>>{{}, {}}))
            .build();
    QVERIFY(open(window, m_files.write(QStringLiteral("warned.so"), bytes)));
    QCOMPARE(part<ProblemsPanel>(window).model().count(Severity::Warning), imported ? 0 : 1);
    const Banner::Kind wanted = imported ? Banner::Kind::Ok : Banner::Kind::Warning;
    const auto* const overview = currentView(window)->current()->findChild<Banner*>();
    QVERIFY(overview);
    QCOMPARE(overview->kind(), wanted);
    QCOMPARE(button(*overview, QStringLiteral("Show the findings")) != nullptr, !imported);
    action(window, ActionId::Check)->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
    QCOMPARE(window.banner().kind(), wanted);
  }
}

BLOBSCOPE_TEST(TestOpening);

#include "test_opening.moc"
