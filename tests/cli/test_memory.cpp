#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

#include <sys/resource.h>
#include <unistd.h>

namespace blobscope::test {
namespace {

/// The memory limit of the program: several times what it needs for an ordinary file.
constexpr uint64_t kLimit = uint64_t{320} << 20;

/// A zstd file of blocks that repeat one byte each. Source: RFC 8878, 3.1.1.
std::string zstdOf(uint64_t size) {
  constexpr uint64_t kBlock = 128 << 10;
  ByteBuilder out;
  out.raw("\x28\xb5\x2f\xfd").u8(0).u8(0x38); // no checksum, no size, a window of 128 KiB
  for (uint64_t at = 0; at < size; at += kBlock) {
    const uint64_t header = (at + kBlock >= size ? 1 : 0) | 1 << 1 | kBlock << 3;
    out.u8(static_cast<uint8_t>(header))
        .u8(static_cast<uint8_t>(header >> 8))
        .u8(static_cast<uint8_t>(header >> 16))
        .u8('A');
  }
  return out.take();
}

Outcome runLimited(const QString& folder, const QStringList& arguments) {
  QProcess process;
  prepare(process, folder, arguments);
  process.setChildProcessModifier([] {
    setpgid(0, 0);
    const rlimit limit{kLimit, kLimit};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(99);
  });
  process.start();
  process.closeWriteChannel();
  return finish(process);
}

} // namespace

/// Files that need more memory than the limit of the program.
class TestMemoryLimit : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    QVERIFY(writeFile(m_folder.filePath(QStringLiteral("bomb.zst")), zstdOf(2 * kLimit)));
    QVERIFY(writeFile(m_folder.filePath(QStringLiteral("small.zst")), zstdOf(1 << 20)));
    // Larger than the address space limit, without using disk space.
    QFile sparse(m_folder.filePath(QStringLiteral("sparse.so")));
    QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(2 * kLimit));
  }

  void exhaustedMemoryIsReported_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("json");
    for (const char* const file : {"bomb.zst", "sparse.so"})
      for (const bool json : {false, true})
        QTest::addRow("%s%s", file, json ? " --json" : "") << QString::fromLatin1(file) << json;
  }
  void exhaustedMemoryIsReported() {
    QFETCH(QString, file);
    QFETCH(bool, json);
    const Outcome outcome =
        runLimited(m_folder.path(), QStringList{"tree", file} + (json ? QStringList{"--json"} : QStringList()));
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.startsWith("blobscope-cli: " + file.toUtf8() + ": ") && whyNotMessages(outcome.err).isEmpty(),
             outcome.text());
    QVERIFY2(outcome.err.contains("320 MiB (335,544,320 bytes) for this process"), outcome.text());
    if (!json) {
      QVERIFY2(outcome.out.isEmpty(), outcome.text());
      return;
    }
    const auto error = parseJson(outcome.out);
    QVERIFY2(error, outcome.text());
    QCOMPARE(stringAt(*error, {"schema"}), std::string("blobscope.error/1"));
    QCOMPARE(stringAt(*error, {"code"}), std::string("FILE-LIMIT"));
    QCOMPARE(
        stringAt(*error, {"message"}),
        std::string("too much memory is needed, more than the limit of 320 MiB (335,544,320 bytes) for this process"));
  }

  /// A file that fits is not affected.
  void fileThatFitsIsRead() {
    const Outcome outcome = runLimited(m_folder.path(), {"tree", "small.zst"});
    QVERIFY2(outcome.exit == 0, outcome.text());
  }

private:
  QTemporaryDir m_folder;
};

BLOBSCOPE_TEST(TestMemoryLimit);

} // namespace blobscope::test

#include "test_memory.moc"
