#include "core/library/node.h"
#include "core/library/open.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/session/part_file.h"
#include "ui/text/plain_text.h"
#include "ui/window/part_files.h"

#include <QFileInfo>
#include <QMimeData>
#include <QThread>
#include <QUrl>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Selects the row as a press of the mouse does, and returns what a drag of it carries.
std::unique_ptr<QMimeData> dragged(MainWindow& window, const QModelIndex& index) {
  contentsTree(window).setCurrentIndex(index);
  return part<ContentsPanel>(window).makeDragData();
}

std::string writtenText(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

QModelIndexList allRows(const QAbstractItemModel& model, const QModelIndex& below = {}) {
  QModelIndexList out;
  for (int row = 0; row < model.rowCount(below); ++row) {
    const QModelIndex index = model.index(row, 0, below);
    out << index << allRows(model, index);
  }
  return out;
}

} // namespace

/// Parts that are dragged out of Contents as files.
class TestPartFiles : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void everyPartIsAFile_data();
  void everyPartIsAFile();
  void moduleKeepsItsReference();
  void rowsWithoutBytesAreNotDragged();
  void largePartIsWrittenFirst();
  void writingCanBeCancelled();
  void damagedPartIsReported();
  void fileIsWrittenOnce();
  void editedPartIsWrittenAgain();
  void filesAreRemovedAtTheEnd();
  void namesAreSafe_data();
  void namesAreSafe();

private:
  /// Opens a library and selects a module that is too large to be written at once.
  bool openLargePart(MainWindow& window) const;

  std::unique_ptr<WindowApplication> m_application = std::make_unique<WindowApplication>();
  Files m_files;
};

void TestPartFiles::everyPartIsAFile_data() {
  QTest::addColumn<QString>("path");
  for (const char* const name : {"sample-cuda-a.so", "sample-cpu.so", "sample-mlf.tar"})
    QTest::newRow(name) << sample(name);
}

/// The file contains what `extract` writes, or the banner says why there is none.
void TestPartFiles::everyPartIsAFile() {
  QFETCH(QString, path);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, path));
  int files = 0;
  QSet<QString> paths;
  for (const QModelIndex& index : allRows(*contentsTree(window).model())) {
    const auto data = dragged(window, index);
    if (!data || !data->hasUrls()) continue;
    const QString place = data->urls().value(0).toLocalFile();
    const auto ref = Ref::parse(fromQt(index.data(RefRole).toString()));
    QVERIFY2(ref, qPrintable(index.data(RefRole).toString()));
    Result<library::Node> node = Error(DiagnosticId::Cancelled, {});
    const std::unique_ptr<QThread> reader(
        QThread::create([&] { node = library::findNode(*window.document().state()->package, *ref); }));
    reader->start();
    reader->wait();
    if (!node || !node->bytes) {
      QCOMPARE(data->urls(), QList<QUrl>());
      continue;
    }
    ++files;
    QVERIFY2(writtenText(place) == node->bytes->view(), qPrintable(index.data(RefRole).toString()));
    QVERIFY(!paths.contains(place));
    paths.insert(place);
    constexpr auto kOthers = QFile::ReadGroup | QFile::ReadOther;
    QVERIFY(!(QFileInfo(QFileInfo(QFileInfo(place).path()).path()).permissions() & kOthers));
  }
  QVERIFY2(files > 8, qPrintable(QString::number(files)));
}

/// A module can still be dragged onto another one.
void TestPartFiles::moduleKeepsItsReference() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  const auto data = dragged(window, rowNamed(contentsTree(window), QStringLiteral("opencl")));
  QVERIFY(data && data->hasUrls() && data->hasFormat(QStringLiteral("application/x-blobscope-module")));
  QCOMPARE(data->urls().first().fileName(), QStringLiteral("m2.bin"));
  const auto kernel = dragged(window, rowNamed(contentsTree(window), QStringLiteral("_lib")));
  QVERIFY(!kernel || !kernel->hasUrls()); // the library itself has no payload
}

void TestPartFiles::rowsWithoutBytesAreNotDragged() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const QModelIndex group = rowNamed(contentsTree(window), QStringLiteral("Kernels"));
  QVERIFY(group.isValid());
  QVERIFY(!(contentsTree(window).model()->flags(group) & Qt::ItemIsDragEnabled));
  QVERIFY(!dragged(window, group));
}

bool TestPartFiles::openLargePart(MainWindow& window) const {
  if (!showActive(window) ||
      !open(window, m_files.write(QStringLiteral("large.so"), libraryWithCode(PartFiles::kAtOnce + 1))))
    return false;
  const QModelIndex cuda = rowNamed(contentsTree(window), QStringLiteral("cuda"));
  contentsTree(window).setCurrentIndex(cuda);
  return contentsTree(window).model()->setData(cuda, 1, PartRole);
}

void TestPartFiles::largePartIsWrittenFirst() {
  MainWindow window;
  QVERIFY(openLargePart(window));
  auto data = part<ContentsPanel>(window).makeDragData();
  QVERIFY(!data || !data->hasUrls());
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  QVERIFY2(window.banner().text().startsWith(QStringLiteral("m1.bin is ready.")), qPrintable(window.banner().text()));
  data = part<ContentsPanel>(window).makeDragData();
  QVERIFY(data && data->hasUrls());
  QVERIFY(QFileInfo(data->urls().first().toLocalFile()).size() > static_cast<qint64>(PartFiles::kAtOnce));
}

void TestPartFiles::writingCanBeCancelled() {
  MainWindow window;
  QVERIFY(openLargePart(window));
  finishJobs(window.document().jobs());
  {
    const BusyWorkers busy(window.document().jobs());
    (void)part<ContentsPanel>(window).makeDragData();
    QVERIFY(window.document().jobs().isRunning(PartFiles::tag()));
    QTRY_VERIFY_WITH_TIMEOUT(progressOf(window).isVisible(), kWaitMs);
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!window.document().jobs().isRunning(PartFiles::tag()));
  }
  finishJobs(window.document().jobs());
  QVERIFY2(window.banner().text().startsWith(QStringLiteral("Cancelled.")), qPrintable(window.banner().text()));
}

void TestPartFiles::damagedPartIsReported() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = m_files.write(QStringLiteral("a.so"), someLibrary());
  QVERIFY(open(window, path));
  PartFiles files(window.document(), window.banner(), nullptr);
  const auto data = files.dragOf(Ref::moduleAt({}, 77), 10); // does not exist
  QVERIFY(data && data->urls().isEmpty());
  files.showFailure(*data);
  QVERIFY(window.banner().isVisible());
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
  QVERIFY2(window.banner().text().contains(QStringLiteral("m77.bin was not written.")),
           qPrintable(window.banner().text()));
}

void TestPartFiles::fileIsWrittenOnce() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  PartFiles files(window.document(), window.banner(), nullptr);
  const auto pathOf = [&] { return files.dragOf(Ref::moduleAt({}, 1), 10)->urls().value(0).toLocalFile(); };
  const QString path = pathOf();
  QVERIFY(QFile::exists(path));
  QCOMPARE(pathOf(), path);
  // A program that moved the file away does not keep the next drag from working.
  QVERIFY(QFile::remove(path));
  QVERIFY(QFile::exists(pathOf()));
}

void TestPartFiles::editedPartIsWrittenAgain() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  PartFiles files(window.document(), window.banner(), nullptr);
  const Ref module = Ref::moduleAt({}, 1);
  const std::string before = writtenText(files.dragOf(module, 10)->urls().value(0).toLocalFile());
  const std::string bytes = code3("ptx", {{"other_kernel"}}, ptxText({{"other_kernel"}}), Info::Four);
  part<Editing>(window).replaceWithFile(module, m_files.write(QStringLiteral("new.bin"), bytes));
  QTRY_VERIFY_WITH_TIMEOUT(window.document().isModified(), kWaitMs);
  const std::string after = writtenText(files.dragOf(module, 10)->urls().value(0).toLocalFile());
  QVERIFY(!before.empty() && before != after);
  QVERIFY(after == bytes);
}

void TestPartFiles::filesAreRemovedAtTheEnd() {
  QString path;
  {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
    PartFiles files(window.document(), window.banner(), nullptr);
    path = files.dragOf(Ref::moduleAt({}, 1), 10)->urls().value(0).toLocalFile();
    QVERIFY(QFile::exists(path));
  }
  QVERIFY(QFile::exists(path)); // other programs may still read it
  m_application.reset();
  QVERIFY(!QFile::exists(path) && !QFile::exists(QFileInfo(QFileInfo(path).path()).path()));
  m_application = std::make_unique<WindowApplication>();
}

void TestPartFiles::namesAreSafe_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<QString>("name");
  const auto row = [](const char* ref, const char* name) {
    QTest::newRow(ref) << QString::fromUtf8(ref) << QString::fromUtf8(name);
  };
  row("m1", "m1.bin");
  row("blob", "blob.bin");
  row("m1/kernel:add_kernel", "m1-add_kernel.bin");
  row("section:.text", "_text.bin");
}

void TestPartFiles::namesAreSafe() {
  QFETCH(QString, ref);
  QFETCH(QString, name);
  const auto parsed = Ref::parse(fromQt(ref));
  QVERIFY(parsed);
  QCOMPARE(partFileName(*parsed), name);
  QCOMPARE(partFileName(Ref::moduleAt("", 1).part(PartKind::Kernel, "../../x")), QStringLiteral("m1-.._.._x.bin"));
  const auto member = [](const char* path) { return partFileName(Ref::named(Ref::Kind::Member, path)); };
  QCOMPARE(member("lib/devc.o"), QStringLiteral("devc.o"));
  QCOMPARE(member("lib/.."), QStringLiteral("_"));
  QCOMPARE(member("con.o"), QStringLiteral("_con.o"));
}

BLOBSCOPE_TEST(TestPartFiles);

#include "test_part_files.moc"
