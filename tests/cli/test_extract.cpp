#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace blobscope::test {
namespace {

QByteArray sha256(const std::string& bytes) {
  return QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256).toHex();
}

} // namespace

/// Each test has a separate folder, so that every file that `extract` leaves there is seen.
class TestExtractCommand : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    m_before = entries();
  }

  /// A ref of a kernel has the same meaning for every verb, however its blob is named. CUDA code as a Vulkan kernel is
  /// refused only after the kernel was found.
  void kernelRefsWorkInEveryCommand_data() {
    QTest::addColumn<QString>("ref");
    for (const char* ref : {"m1/kernel:mul_kernel", "own_:m1/kernel:mul_kernel"}) QTest::newRow(ref) << ref;
  }
  void kernelRefsWorkInEveryCommand() {
    QFETCH(QString, ref);
    const QString file = QStringLiteral("prefix-only.so");
    const Outcome shown = runCli(m_folder->path(), {"show", file, ref});
    QVERIFY2(shown.exit == 0 && shown.err.isEmpty(), shown.text());
    const Outcome run = runCli(m_folder->path(), {"run", file, "--yes", "--kernel", ref, "--device", "vulkan"});
    QVERIFY2(run.err.contains("'mul_kernel' contains no code for vulkan: it contains"), run.text());
    const Outcome repacked =
        runCli(m_folder->path(), {"repack", file, "--dry-run", "--rename", ref + QStringLiteral("=new_kernel")});
    QVERIFY2(repacked.exit == 0, repacked.text());
  }

  void bytesOfEveryNodeAreExtracted_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("ref");
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* file, const QString& ref, const std::string& bytes) {
      QTest::addRow("%s %s", file, qPrintable(ref))
          << QString::fromLatin1(file) << ref << QByteArray::fromStdString(bytes);
    };
    const std::string& b1 = input(QStringLiteral("b1.so")).bytes;
    const std::string payload = cudaPayload(), blob = b1Blob();
    const uint64_t at = b1BlobOffset();
    const std::vector<Function> two = {{"add_kernel"}, {"mul_kernel"}};

    row("b1.so", "m1", payload);
    row("b1.so", "blob", blob);
    row("b1.so", "imports", blob.substr(blob.size() - 48));
    row("b1.so", "m1/field:data", ptxText(two));
    row("b1.so", "m1/field:fmt", "ptx");
    row("b1.so", "m1/field:fmap[1].key", "mul_kernel");
    row("b1.so", "symbol:__tvm_dev_mblob", blob);
    row("b1.so", "symbol:behind", std::string(24, '\x55'));
    row("b1.so", "host:mul", "\x31\xc0\xc3\x90");
    row("b1.so", "section:.text", "\x31\xc0\xc3\x90\x31\xc0\xc3\x90");
    row("mips32.so", "m1", payload);
    row("no-sections.so", "m1", payload);
    row("object.o", "m1", payload);
    row("era-a.so", "m0", payload);
    row("vendor.so", "m0", "sixteen bytes ok");
    row("vendor-classic.so", "m0", "sixteen bytes ok");
    row("two-blobs.so", "right_:m1", "sixteen bytes ok");
    row("opencl-vulkan.so", "m1/field:data", openclText(two));
    row("opencl-vulkan.so", "m2/kernel:add_kernel", shader(1, 5).substr(12));
    row("opencl-vulkan.so", "m2/kernel:mul_kernel", shader(1, 6).substr(12));
    row("odd-names.so", "host:%FE%FF", "\x31\xc0\xc3\x90");

    row("b1.so", "@0", b1);
    row("b1.so", "@0x0", b1);
    row("b1.so", "@1+3", "ELF");
    row("b1.so", QStringLiteral("@%1+%2").arg(at).arg(blob.size()), blob);
    row("b1.so", QStringLiteral("@0x%1+0x8").arg(at, 0, 16), blob.substr(0, 8));
    row("b1.so", QStringLiteral("@%1").arg(b1.size() - 5), b1.substr(b1.size() - 5));
    row("b1.so", QStringLiteral("@%1+1").arg(b1.size() - 1), b1.substr(b1.size() - 1));
    // Offsets count from the start of the file, not of the node at the start of the ref.
    row("b1.so", QStringLiteral("m1@%1+8").arg(at), blob.substr(0, 8));
  }
  void bytesOfEveryNodeAreExtracted() {
    QFETCH(QString, file);
    QFETCH(QString, ref);
    QFETCH(QByteArray, bytes);
    const Outcome outcome = runCli(m_folder->path(), {"extract", file, ref, "-o", "out.bin", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const std::string written = readFile(m_folder->filePath(QStringLiteral("out.bin")));
    QCOMPARE(QByteArray::fromStdString(written), bytes);
    const auto document = parseJson(outcome.out);
    QVERIFY2(document, outcome.text());
    QCOMPARE(numberAt(*document, {"size"}), bytes.size());
    QCOMPARE(QByteArray::fromStdString(stringAt(*document, {"sha256"})), sha256(bytes.toStdString()));
    QCOMPARE(stringAt(*document, {"output"}), std::string("out.bin"));
    QCOMPARE(entries(), withOutput());

    const Outcome text = runCli(m_folder->path(), {"extract", file, ref, "--output=out.bin"});
    QVERIFY2(text.exit == 0 && text.err.isEmpty(), text.text());
    QVERIFY2(text.out.contains(sha256(bytes.toStdString())), text.out);

    const Outcome streamed = runCli(m_folder->path(), {"extract", file, ref, "-o", "-"});
    QVERIFY2(streamed.exit == 0 && streamed.err.isEmpty(), streamed.text());
    QCOMPARE(streamed.out, bytes);
  }

  /// The offset and size of a payload in `tree` are those of the bytes that `extract` writes, for every input.
  void offsetsAgreeWithTheExtractedPayloads_data() {
    QTest::addColumn<QString>("file");
    for (const Input& one : inputs())
      if (one.state != Input::State::Unreadable) QTest::newRow(qPrintable(one.name)) << one.name;
  }
  void offsetsAgreeWithTheExtractedPayloads() {
    QFETCH(QString, file);
    const std::string& whole = input(file).bytes;
    const auto tree = parseJson(runCli(m_folder->path(), {"tree", file, "--json"}).out);
    QVERIFY(tree);
    for (const json::Value& blob : listAt(*tree, {"blobs"})) {
      for (const json::Value& module : listAt(blob, {"modules"})) {
        const QString ref = QString::fromStdString(stringAt(module, {"ref"}));
        const Outcome outcome = runCli(m_folder->path(), {"extract", file, ref, "-o", "-"});
        if (stringAt(module, {"key"}) == "_lib") {
          QCOMPARE(outcome.ending(), QByteArray("exit 2"));
          continue;
        }
        QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
        const auto offset = static_cast<std::size_t>(numberAt(module, {"offset"}));
        const auto size = static_cast<std::size_t>(numberAt(module, {"size"}));
        QCOMPARE(outcome.out.toStdString(), whole.substr(offset, size));
        QCOMPARE(numberAt(module, {"offset"}) - numberAt(blob, {"offset"}), numberAt(module, {"offsetInBlob"}));
      }
    }
  }

  void refusedExtractWritesNothing_data() {
    QTest::addColumn<QString>("ref");
    QTest::addColumn<QString>("output");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const char* ref, const char* output, const char* reason) {
      QTest::newRow(name) << QString::fromLatin1(ref) << QString::fromLatin1(output) << QByteArray(reason);
    };
    row("_lib", "m0", "out.bin", "it represents the library");
    row("undefined symbol", "symbol:TVMBackendGetFuncFromEnv", "out.bin", "it is undefined here");
    row("kernel in a shared image", "m1/kernel:add_kernel", "out.bin", "share its field");
    row("no module", "m7", "out.bin", "2 modules");
    row("no symbol", "symbol:nothing", "out.bin", "no symbol has that name");
    row("no section", "section:.nothing", "out.bin", "no section has that name");
    row("range after the end", "@0xffffff+1", "out.bin", "the file ends at 0x");
    row("range over the end", "@0x10+0xffffffffffffffff", "out.bin", "the file ends at 0x");
    row("range over the end by one", "@1+1860", "out.bin", "the file ends at 0x");
    row("no reference", "m1/", "out.bin", "invalid reference");
    row("folder that does not exist", "m1", "nowhere/out.bin", "'nowhere/out.bin' cannot be written");
    row("file in place of a folder", "m1", "c1.so/out.bin", "'c1.so/out.bin' cannot be written");
    row("folder as the file", "m1", "folder", "it is a folder");
    row("folder with a slash", "m1", "folder/", "it is a folder");
    row("folder that nobody may write to", "m1", "/proc/out.bin", "'/proc/out.bin' cannot be written");
    row("device", "m1", "/dev/null", "it is a device or pipe");
    row("the input", "m1", "b1.so", "is also an input");
    row("the input by another path", "m1", "./folder/../b1.so", "is also an input");
    row("the input by a link", "m1", "link.so", "is also an input");
    row("the input by a hard link", "m1", "hard.so", "is also an input");
  }
  void refusedExtractWritesNothing() {
    QFETCH(QString, ref);
    QFETCH(QString, output);
    QFETCH(QByteArray, reason);
    QVERIFY(QFile::link(QStringLiteral("b1.so"), m_folder->filePath(QStringLiteral("link.so"))));
    QCOMPARE(runShell(m_folder->path(), QStringLiteral("ln b1.so hard.so")).exit, 0);
    m_before = entries();
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", ref, "-o", output});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.out.isEmpty(), outcome.text());
    QVERIFY2(outcome.err.startsWith("blobscope-cli: b1.so: ") && outcome.err.contains(reason), outcome.err);
    QCOMPARE(entries(), m_before);
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("b1.so"))), input(QStringLiteral("b1.so")).bytes);
  }

  void existingFileIsReplaced() {
    const QString path = m_folder->filePath(QStringLiteral("out.bin"));
    QVERIFY(writeFile(path, std::string(100'000, 'x')));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    const auto permissions = QFileInfo(path).permissions();
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "out.bin"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(readFile(path), cudaPayload());
    QCOMPARE(QFileInfo(path).permissions(), permissions);
    QCOMPARE(entries(), withOutput());
  }

  /// The target of a link is replaced, not the link.
  void linkIsFollowed() {
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("folder/real.bin")), "old"));
    QVERIFY(QFile::link(QStringLiteral("folder/real.bin"), m_folder->filePath(QStringLiteral("out.bin"))));
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "out.bin"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QVERIFY(QFileInfo(m_folder->filePath(QStringLiteral("out.bin"))).isSymLink());
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("folder/real.bin"))), cudaPayload());
  }

  /// New files get the permissions of any new file.
  void newFileGetsTheUsualPermissions() {
    const Outcome outcome =
        runShell(m_folder->path(), QStringLiteral("umask 027; \"$0\" extract b1.so m1 -o out.bin && : > plain"));
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(QFileInfo(m_folder->filePath(QStringLiteral("out.bin"))).permissions(),
             QFileInfo(m_folder->filePath(QStringLiteral("plain"))).permissions());
  }

  /// A file size limit simulates a full disk: the write ends early, and an existing file keeps its content.
  void fullDiskLeavesTheOldFile() {
    const QString path = m_folder->filePath(QStringLiteral("out.bin"));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("big.so")),
                      input(QStringLiteral("b1.so")).bytes + std::string(200'000, '.')));
    QVERIFY(writeFile(path, "old"));
    m_before = entries();
    const Outcome outcome = runShell(
        m_folder->path(), QStringLiteral("trap '' XFSZ; ulimit -f 20; exec \"$0\" extract big.so @0 -o out.bin"));
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.startsWith("blobscope-cli: big.so: 'out.bin' cannot be written: "), outcome.err);
    QCOMPARE(entries(), m_before);
    QCOMPARE(readFile(path), std::string("old"));
  }

  void standardOutputAndJsonExcludeEachOther() {
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "-", "--json"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    const auto document = parseJson(outcome.out);
    QVERIFY2(document, outcome.text());
    QCOMPARE(stringAt(*document, {"code"}), std::string("USAGE"));
    QCOMPARE(entries(), m_before);
  }

  /// A file that is called "-" is reached by a path.
  void fileNamedDashIsWrittenByItsPath() {
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "./-"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("-"))), cudaPayload());
  }

private:
  QStringList entries() const {
    QStringList names =
        QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot, QDir::Name);
    names.sort();
    return names;
  }

  QStringList withOutput() const {
    QStringList names = m_before + QStringList{QStringLiteral("out.bin")};
    names.sort();
    return names;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QStringList m_before;
};

BLOBSCOPE_TEST(TestExtractCommand);

} // namespace blobscope::test

#include "test_extract.moc"
