#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QFile>

namespace blobscope::test {

/// Standard output that ends early, is full, or is closed. Reading the whole file takes minutes, so a run that
/// continues without a reader does not end within the limit.
class TestPipesAndDevices : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    if (!writeEndlessFile(m_folder->filePath(QStringLiteral("endless.so"))))
      QSKIP("no sparse files of 64 GiB in the temporary folder");
  }

  void closedReaderEndsQuietly_data() {
    QTest::addColumn<QString>("script");
    QTest::newRow("strings") << QStringLiteral("\"$0\" strings endless.so");
    QTest::newRow("strings --json") << QStringLiteral("\"$0\" strings endless.so --json");
    QTest::newRow("find") << QStringLiteral("\"$0\" find endless.so line");
    QTest::newRow("find --regex") << QStringLiteral("\"$0\" find endless.so '[a-z]+' --regex");
    QTest::newRow("show, hex") << QStringLiteral("\"$0\" show endless.so --page Hex");
    QTest::newRow("extract") << QStringLiteral("\"$0\" extract endless.so @0 -o -");
  }
  void closedReaderEndsQuietly() {
    QFETCH(QString, script);
    const Outcome outcome = runShell(m_folder->path(), script + QStringLiteral(" | head -n 1"));
    QVERIFY2(outcome.finished && outcome.exit == 0, outcome.text());
    QCOMPARE(outcome.err, QByteArray());
    QCOMPARE(outcome.out.count('\n'), 1);
  }

  /// Where SIGPIPE is ignored, as in some services, the failed write has to end the work.
  void closedReaderWithoutSignalIsReported_data() {
    QTest::addColumn<QString>("script");
    QTest::newRow("strings") << QStringLiteral("\"$0\" strings endless.so");
    QTest::newRow("strings --json") << QStringLiteral("\"$0\" strings endless.so --json");
    QTest::newRow("find") << QStringLiteral("\"$0\" find endless.so line");
    QTest::newRow("show, hex") << QStringLiteral("\"$0\" show endless.so --page Hex");
    QTest::newRow("extract") << QStringLiteral("\"$0\" extract endless.so @0 -o -");
  }
  void closedReaderWithoutSignalIsReported() {
    QFETCH(QString, script);
    const Outcome outcome = runShell(m_folder->path(), QStringLiteral("trap '' PIPE; { ") + script +
                                                           QStringLiteral("; echo $? >&2; } | head -n 1"));
    QVERIFY2(outcome.finished, "it goes on although nobody reads");
    QCOMPARE(outcome.out.count('\n'), 1);
    QCOMPARE(outcome.err, QByteArray("blobscope-cli: standard output cannot be written\n2\n"));
  }

  void fullDeviceIsReported_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const QStringList& arguments) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')))) << arguments;
    };
    row({"tree", "b1.so"});
    row({"tree", "b1.so", "--json"});
    row({"tree", "many.so", "--all"});
    row({"show", "b1.so", "m1"});
    row({"show", "b1.so", "--page", "Hex"});
    row({"show", "b1.so", "--page", "Hex", "--json"});
    row({"symbols", "b1.so"});
    row({"symbols", "b1.so", "--json"});
    row({"strings", "b1.so"});
    row({"strings", "endless.so"});
    row({"find", "b1.so", "kernel"});
    row({"find", "endless.so", "line", "--json"});
    row({"verify", "b1.so"});
    row({"verify", "damaged.so"});
    row({"verify", "damaged.so", "--json"});
    row({"extract", "b1.so", "m1", "-o", "-"});
    row({"extract", "endless.so", "@0", "-o", "-"});
    row({"extract", "b1.so", "m1", "-o", "out.bin"});
    row({"schema", "tree"});
  }
  void fullDeviceIsReported() {
    QFETCH(QStringList, arguments);
    if (!QFile::exists(QStringLiteral("/dev/full"))) QSKIP("no device /dev/full");
    for (const QString& target : {QStringLiteral("/dev/full"), QStringLiteral("&-")}) {
      const Outcome outcome = runShell(m_folder->path(), QStringLiteral("\"$0\" ") + arguments.join(QLatin1Char(' ')) +
                                                             QStringLiteral(" >") + target);
      QVERIFY2(outcome.finished, "it goes on although nothing can be written");
      QVERIFY2(outcome.ending() == "exit 2", target.toLocal8Bit() + ": " + outcome.text());
      QCOMPARE(outcome.err, QByteArray("blobscope-cli: standard output cannot be written\n"));
    }
  }

  /// With standard output closed, a file that is opened later must not get its descriptor and be overwritten.
  void closedOutputDamagesNoFile() {
    const Outcome outcome =
        runShell(m_folder->path(), QStringLiteral("cp b1.so copy.so; \"$0\" tree copy.so >&- 2>&-; cmp copy.so b1.so"));
    QVERIFY2(outcome.exit == 0, outcome.text());
    const Outcome extracted =
        runShell(m_folder->path(), QStringLiteral("\"$0\" extract b1.so m1 -o out.bin >&- 2>&-; [ ! -e out.bin ] || "
                                                  "\"$0\" extract b1.so m1 -o - | cmp out.bin -"));
    QVERIFY2(extracted.exit == 0, extracted.text());
  }

  /// The input may be any path that can be mapped; others are refused with their kind.
  void pipesAndDevicesAreReadOrRefused_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("redirected file") << QStringLiteral("\"$0\" verify /dev/stdin <b1.so") << 0 << QByteArray();
    QTest::newRow("pipe") << QStringLiteral("cat b1.so | \"$0\" verify /dev/stdin") << 2
                          << QByteArray("named pipe, not a file");
    QTest::newRow("named pipe without a writer") << QStringLiteral("mkfifo -m 600 fifo; \"$0\" verify fifo") << 2
                                                 << QByteArray("fifo: it is a named pipe, not a file");
    QTest::newRow("device") << QStringLiteral("\"$0\" verify /dev/zero") << 2
                            << QByteArray("/dev/zero: it is a device");
  }
  void pipesAndDevicesAreReadOrRefused() {
    QFETCH(QString, script);
    QFETCH(int, exit);
    QFETCH(QByteArray, message);
    const Outcome outcome = runShell(m_folder->path(), script);
    QVERIFY2(outcome.ending() == "exit " + QByteArray::number(exit), outcome.text());
    QVERIFY2(outcome.err.contains(message), outcome.err);
  }

private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestPipesAndDevices);

} // namespace blobscope::test

#include "test_pipe.moc"
