#include "core/library/open.h"

#include "core/container/elf/elf.h"
#include "tests/core/library/blob_text.h"
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>

#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;

namespace {

QString corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
         QStringLiteral("/libraries");
}

bool isElf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && container::looksLikeElf(file.read(16).toStdString());
}

/// All ELF files below a folder, with paths relative to it.
QStringList elfFiles(const QString& folder) {
  QStringList files;
  for (QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories); it.hasNext();)
    if (const QString path = it.next(); isElf(path)) files << QDir(folder).relativeFilePath(path);
  files.sort();
  return files;
}

library::PackagePtr openFile(const QString& path) {
  NullMonitor monitor;
  const auto package = library::open(std::filesystem::path(path.toStdString()), monitor);
  if (package) return *package;
  qWarning("%s", package.error().message().c_str());
  return nullptr;
}

} // namespace

/// Real files: those of others, when they are available, and the samples of this repository.
class TestLibraryCorpus : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void corpusLibrariesOpenWithoutErrors_data();
  void corpusLibrariesOpenWithoutErrors();
  void samplesOpenWithKnownFindings_data();
  void samplesOpenWithKnownFindings();
};

void TestLibraryCorpus::corpusLibrariesOpenWithoutErrors_data() {
  QTest::addColumn<QString>("file");
  for (const QString& file : elfFiles(corpusFolder())) QTest::newRow(qPrintable(file)) << file;
  QTest::newRow("at least one") << QString(); // a test without rows would pass silently
}

void TestLibraryCorpus::corpusLibrariesOpenWithoutErrors() {
  QFETCH(QString, file);
  if (file.isEmpty()) {
    if (elfFiles(corpusFolder()).isEmpty()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + corpusFolder()));
    return;
  }
  const library::PackagePtr package = openFile(corpusFolder() + QLatin1Char('/') + file);
  QVERIFY(package);
  QVERIFY(package->host.abi || !package->blobs.empty());
  for (const auto& blob : package->blobs) {
    qInfo("%s", textOf(*blob).c_str());
    QCOMPARE(whyUnsound(*blob), QString());
    QVERIFY2(blob->cut.complete, findingsOf(blob->diagnostics).c_str());
    for (const library::ModulePtr& module : blob->modules)
      QVERIFY2(module->undecoded == library::Undecoded::No || module->undecoded == library::Undecoded::UnknownKind,
               textOf(*blob).c_str());
  }
  QVERIFY2(package->worst() != Severity::Error, findingsOf(package->diagnostics).c_str());
}

void TestLibraryCorpus::samplesOpenWithKnownFindings_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("findings"); ///< in addition to the kinds without a codec
  QTest::newRow("cuda a") << "sample-cuda-a.so"
                          << "C1: relax.VMExecutable? > 1 | _lib > 2 | cuda"
                          << "";
  QTest::newRow("cuda b") << "sample-cuda-b.so"
                          << "C1: relax.VMExecutable? > 1 | _lib > 2 | cuda"
                          << "";
  QTest::newRow("opencl") << "sample-opencl.so"
                          << "C1: relax.VMExecutable? > 1 | _lib > 2 | opencl"
                          << "";
  QTest::newRow("cpu") << "sample-cpu.so"
                       << "C1: relax.VMExecutable? > 1 | _lib"
                       << "";
  QTest::newRow("damaged")
      << "sample-damaged.so"
      << "C1: relax.VMExecutable? > 1 | _lib > 2 | cuda!"
      << "BLOB-MODULE m2@0x5653: module 2 'cuda' is damaged: fmap[1].key length 195,887,127 at 0x5653 exceeds "
         "the 36,604 bytes left";
}

void TestLibraryCorpus::samplesOpenWithKnownFindings() {
  QFETCH(QString, file);
  QFETCH(QString, text);
  QFETCH(QString, findings);
  const library::PackagePtr package = openFile(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/") + file);
  QVERIFY(package);
  QCOMPARE(package->blobs.size(), std::size_t{1});
  const library::Blob& blob = *package->blobs[0];
  // Kinds get codecs as the program grows; damage stays.
  QString state = QString::fromStdString(textOf(blob)).remove(QLatin1Char('?'));
  QCOMPARE(state, text.remove(QLatin1Char('?')));
  QCOMPARE(whyUnsound(blob), QString());
  QStringList lines = QString::fromStdString(findingsOf(package->diagnostics)).split(QLatin1Char('\n'));
  lines.removeIf(
      [](const QString& line) { return line.isEmpty() || line.startsWith(QLatin1String("BLOB-UNKNOWN-KIND ")); });
  QCOMPARE(lines.join(QLatin1Char('\n')), findings);
}

BLOBSCOPE_TEST(TestLibraryCorpus);
#include "test_corpus.moc"
