#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/json_schema.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope::test {

/// Ctrl+C during work that would otherwise take minutes.
class TestCancellation : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    if (!writeEndlessFile(m_folder->filePath(QStringLiteral("endless.so"))))
      QSKIP("no sparse files of 64 GiB in the temporary folder");
  }

  void signalStopsTheOutput_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("number");
    const auto row = [](const char* signal, int number, const QStringList& arguments) {
      QTest::addRow("%s %s", qPrintable(arguments.join(QLatin1Char(' '))), signal) << arguments << number;
    };
    row("SIGINT", SIGINT, {"strings", "endless.so"});
    row("SIGTERM", SIGTERM, {"strings", "endless.so"});
    row("SIGHUP", SIGHUP, {"strings", "endless.so"});
    row("SIGINT", SIGINT, {"strings", "endless.so", "--json"});
    row("SIGINT", SIGINT, {"find", "endless.so", "line"});
    row("SIGINT", SIGINT, {"find", "endless.so", "[a-z]+ of", "--regex"});
    row("SIGINT", SIGINT, {"find", "endless.so", "6c696e65", "--hex"});
    row("SIGINT", SIGINT, {"show", "endless.so", "--page", "Hex"});
    row("SIGINT", SIGINT, {"show", "endless.so", "--page", "Hex", "--json"});
  }
  /// Output before the signal shows that the work has begun and the signal handler is installed.
  void signalStopsTheOutput() {
    QFETCH(QStringList, arguments);
    QFETCH(int, number);
    QProcess process;
    prepare(process, m_folder->path(), arguments);
    process.start();
    process.closeWriteChannel();
    QVERIFY(process.waitForReadyRead(kWaitMs));
    QVERIFY(sendSignal(process, number));
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.ending() == "exit 2", outcome.ending());
    QCOMPARE(outcome.err, QByteArray("blobscope-cli: endless.so: cancelled\n"));
  }

  /// When no output was written before the signal, standard output gets an error document.
  void signalBeforeAnyOutputGivesAnErrorDocument() {
    QProcess process;
    prepare(process, m_folder->path(), {"find", "endless.so", "nothing_of_that_kind", "--json"});
    process.start();
    process.closeWriteChannel();
    // Nothing is printed, so the state of the process shows that its handler is installed.
    QVERIFY(QTest::qWaitFor([&] { return listensTo(process.processId(), SIGINT); }, kWaitMs));
    QVERIFY(sendSignal(process, SIGINT));
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.ending() == "exit 2", outcome.text());
    QCOMPARE(outcome.err, QByteArray("blobscope-cli: endless.so: cancelled\n"));
    const auto document = parseJson(outcome.out);
    QVERIFY2(document, outcome.text());
    QCOMPARE(stringAt(*document, {"code"}), std::string("CANCELLED"));
    const auto schema = parseJson(runCli(m_folder->path(), {"schema", "error"}).out);
    QVERIFY(schema);
    QVERIFY2(whyInvalid(*document, *schema).empty(), whyInvalid(*document, *schema).c_str());
  }

  /// Neither the output file nor its temporary file remains, and an existing file keeps its content. The two files have
  /// gigabytes of equal content.
  void signalStopsADiff() {
    QVERIFY(writeEndlessFile(m_folder->filePath(QStringLiteral("endless2.so"))));
    QProcess process;
    prepare(process, m_folder->path(), {"diff", "endless.so", "endless2.so", "--html", "folder/report.html"});
    process.start();
    process.closeWriteChannel();
    QVERIFY(QTest::qWaitFor([&] { return listensTo(process.processId(), SIGINT); }, kWaitMs));
    QVERIFY(sendSignal(process, SIGINT));
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.ending() == "exit 2", outcome.text());
    QVERIFY2(outcome.err.startsWith("blobscope-cli: endless") && outcome.err.endsWith(".so: cancelled\n"),
             outcome.text());
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("folder/report.html"))));
    QFile::remove(m_folder->filePath(QStringLiteral("endless2.so")));
  }

  void cancelledExtractLeavesNoFile_data() {
    QTest::addColumn<bool>("exists");
    QTest::newRow("new file") << false;
    QTest::newRow("existing file") << true;
  }
  void cancelledExtractLeavesNoFile() {
    QFETCH(bool, exists);
    const QString out = m_folder->filePath(QStringLiteral("folder/out.bin"));
    if (exists) QVERIFY(writeFile(out, "old"));
    const QDir folder(m_folder->filePath(QStringLiteral("folder")));
    const auto entries = [&] {
      return folder.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    };
    const QStringList before = entries();
    QProcess process;
    // 8 GiB, ended long before they are written.
    prepare(process, m_folder->path(), {"extract", "endless.so", "@0+0x200000000", "-o", "folder/out.bin"});
    process.start();
    process.closeWriteChannel();
    QVERIFY(QTest::qWaitFor([&] { return entries() != before; }, kWaitMs));
    QVERIFY(sendSignal(process, SIGINT));
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.ending() == "exit 2", outcome.text());
    QCOMPARE(outcome.err, QByteArray("blobscope-cli: endless.so: cancelled\n"));
    QCOMPARE(entries(), before);
    if (exists) QCOMPARE(readFile(out), std::string("old"));
    QFile::remove(out);
  }

  /// A pager that stops reading blocks the program in a write; Ctrl+C ends it there, too.
  void signalStopsAWaitingWrite_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("strings") << QStringList{"strings", "endless.so"};
    QTest::newRow("strings --json") << QStringList{"strings", "endless.so", "--json"};
    QTest::newRow("show, hex") << QStringList{"show", "endless.so", "--page", "Hex"};
    QTest::newRow("extract") << QStringList{"extract", "endless.so", "@0", "-o", "-"};
  }
  void signalStopsAWaitingWrite() {
    QFETCH(QStringList, arguments);
    const QString path = m_folder->filePath(QStringLiteral("fifo"));
    const QByteArray name = QFile::encodeName(path);
    QCOMPARE(mkfifo(name.constData(), 0600), 0);
    // Both ends are opened, so that opening does not block.
    const int fifo = open(name.constData(), O_RDWR | O_CLOEXEC);
    QVERIFY(fifo >= 0);
    QProcess process;
    prepare(process, m_folder->path(), arguments);
    process.setStandardOutputFile(path, QIODevice::Append);
    process.start();
    process.closeWriteChannel();
    // The pipe is full when the number of waiting bytes is large and no longer grows while the process sleeps.
    int waiting = 0;
    const bool full = QTest::qWaitFor(
        [&] {
          const int before = waiting;
          return ioctl(fifo, FIONREAD, &waiting) == 0 && waiting >= 32 * 1024 && waiting == before &&
                 isAsleep(process.processId());
        },
        kWaitMs);
    const bool sent = sendSignal(process, SIGINT);
    const Outcome outcome = finish(process);
    close(fifo);
    QFile::remove(path);
    QVERIFY(full && sent);
    QVERIFY2(outcome.ending() == "exit 2", outcome.ending());
    QCOMPARE(outcome.err, QByteArray("blobscope-cli: endless.so: cancelled\n"));
  }

private:
  /// A line of /proc/PID/status.
  static QByteArray statusOf(qint64 process, const QByteArray& key) {
    QFile file(QStringLiteral("/proc/%1/status").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return {};
    for (const QByteArray& line : file.readAll().split('\n'))
      if (line.startsWith(key)) return line.mid(key.size()).trimmed();
    return {};
  }
  /// Waits for the handler of the program itself, not one that a child inherits before the program begins.
  static bool listensTo(qint64 process, int number) {
    const QString running = QFile::symLinkTarget(QStringLiteral("/proc/%1/exe").arg(process));
    return running == QFileInfo(cliProgram()).canonicalFilePath() &&
           statusOf(process, "SigCgt:").toULongLong(nullptr, 16) >> (number - 1) & 1;
  }
  static bool isAsleep(qint64 process) { return statusOf(process, "State:").startsWith('S'); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestCancellation);

} // namespace blobscope::test

#include "test_cancel.moc"
