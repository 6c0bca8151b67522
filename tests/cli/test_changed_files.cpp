#include "tests/cli/cli.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

namespace blobscope::test {
namespace {

constexpr const char* kRunner = "BLOBSCOPE_RUNNER";

} // namespace

/// Other programs write to files while ours uses them. Only the files that --yes agreed to are run; a wrapper around
/// the runner makes the changes that another program could make during a run.
class TestChangedFiles : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
#if !defined(__linux__) || !defined(__x86_64__)
    QSKIP("the samples are for x86-64 Linux");
#endif
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    const std::string sample = readFile(std::filesystem::path(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"));
    for (const char* const name : {"a.so", "b.so"}) {
      writeFile(in(*m_folder, name), sample);
      QVERIFY(touch(name));
    }
  }
  void cleanup() { qunsetenv(kRunner); }

  /// Positive control: nothing is changed, and both files run.
  void unchangedFilesRun() {
    useRunner({});
    const Outcome outcome = compare();
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(started(), 4);
  }

  void overwrittenFileIsNotRun_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("starts");
    // The reference runs first, then the library, then both again.
    QTest::newRow("the library") << QStringLiteral("a.so") << 1;
    QTest::newRow("the reference") << QStringLiteral("b.so") << 2;
  }
  /// After the first runner has started, the file is overwritten in place: its code is not run any more.
  void overwrittenFileIsNotRun() {
    QFETCH(QString, name);
    QFETCH(int, starts);
    useRunner("printf changed | dd of='" + in(*m_folder, name.toStdString()).native() + "' conv=notrunc 2>/dev/null");
    const Outcome outcome = compare();
    QVERIFY2(outcome.exit == 2, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY2(document, outcome.text());
    QCOMPARE(stringAt(*document, {"code"}), std::string("FILE-CHANGED"));
    QVERIFY2(outcome.err.contains(name.toUtf8() + "': the file changed at "), outcome.text());
    QCOMPARE(started(), starts);
  }

  /// Another file gets the name: the agreed bytes are still available, and they are run.
  void replacedFileRunsAsOpened() {
    const std::string target = in(*m_folder, "b.so").native();
    useRunner("printf 'no library' > '" + target + ".new' && mv '" + target + ".new' '" + target + "'");
    const Outcome outcome = compare();
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(started(), 4);
    QCOMPARE(readFile(target), std::string("no library"));
  }

  /// A reading verb ends with a check: its output may come from two states of the file.
  void fileOverwrittenWhilePrintingIsReported_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("code");
    const QString overwrite = QStringLiteral("printf changed | dd of=a.so conv=notrunc 2>/dev/null");
    QTest::newRow("no") << QStringLiteral("true") << QByteArray("0\n");
    QTest::newRow("yes") << overwrite << QByteArray("2\n");
    QTest::newRow("and the time set back")
        << overwrite + QStringLiteral("; touch -d @1000000000 a.so") << QByteArray("2\n");
    QTest::newRow("another file took the name") << QStringLiteral("echo new > b.so; mv b.so a.so") << QByteArray("0\n");
  }
  void fileOverwrittenWhilePrintingIsReported() {
    QFETCH(QString, command);
    QFETCH(QByteArray, code);
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += "string " + std::to_string(i) + std::string(1, '\0');
    writeFile(in(*m_folder, "a.so"), readFile(in(*m_folder, "a.so")) + text);
    QVERIFY(touch("a.so"));
    // The first output byte shows that the file is open; the whole output exceeds a pipe, so the verb waits meanwhile.
    const Outcome outcome = runShell(
        m_folder->path(),
        QStringLiteral("{ \"$0\" strings a.so; echo $? > code; } | { dd bs=1 count=1 of=/dev/null 2>/dev/null; ") +
            command + QStringLiteral("; cat > /dev/null; }"));
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(QByteArray::fromStdString(readFile(in(*m_folder, "code"))), code);
    QCOMPARE(outcome.err.contains("while it was open"), code == "2\n");
  }

  /// The message names every file whose code would be executed.
  void refusalNamesEveryFileThatWouldRun() {
    useRunner({});
    const Outcome outcome = runCli(m_folder->path(), {"run", "a.so", "add", "--compare", "b.so", "--runtime", "tvm"});
    QVERIFY2(outcome.exit == 2, outcome.text());
    QVERIFY2(outcome.err.contains("running 'a.so' and 'b.so' and 'tvm' executes"), outcome.text());
    QCOMPARE(started(), 0);
  }

private:
  /// Sets the time of the file to the past, so that any later write changes it.
  bool touch(const char* name) {
    const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    return utimensat(AT_FDCWD, in(*m_folder, name).c_str(), past, 0) == 0;
  }

  Outcome compare() { return runCli(m_folder->path(), {"run", "a.so", "add", "--compare", "b.so", "--yes", "--json"}); }

  /// A runner that first executes the given command and counts its starts.
  void useRunner(const std::string& command) {
    const QString real = QStringLiteral(BLOBSCOPE_TEST_RUNNER);
    writeFile(in(*m_folder, "runner"), "#!/bin/sh\necho x >> '" + in(*m_folder, "starts").native() + "'\n" + command +
                                           "\nexec '" + real.toStdString() + "' \"$@\"\n");
    QCOMPARE(chmod(in(*m_folder, "runner").c_str(), 0700), 0);
    qputenv(kRunner, QByteArray::fromStdString(in(*m_folder, "runner").native()));
  }
  int started() { return static_cast<int>(readFile(in(*m_folder, "starts")).size() / 2); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestChangedFiles);

} // namespace blobscope::test

#include "test_changed_files.moc"
