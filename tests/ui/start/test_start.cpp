#include "tests/support/test_main.h"
#include "tests/support/wait.h"

#include <QProcess>
#include <QStringList>

namespace {

struct Ended {
  bool normally = false;
  int code = 0;
  QString out, error;
};

/// Runs the program to its end, without a display except as `environment` says ("NAME=value").
Ended run(const QStringList& arguments, const QStringList& environment = {}) {
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_LOGGING_RULES"})
    variables.remove(QLatin1String(name));
  for (const QString& one : environment)
    variables.insert(one.section(QLatin1Char('='), 0, 0), one.section(QLatin1Char('='), 1));
  QProcess process;
  process.setProcessEnvironment(variables);
  process.start(QStringLiteral(BLOBSCOPE_GUI_BUILT), arguments);
  if (!process.waitForFinished(blobscope::test::kWaitMs)) qFatal("the program does not end");
  return {process.exitStatus() == QProcess::NormalExit, process.exitCode(),
          QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}

} // namespace

/// The program without a display.
class TestStart : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void helpAndVersionNeedNoDisplay_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("start");
    const QString usage = QStringLiteral("Usage: "), version = QStringLiteral("Blobscope ");
    for (const char* const word : {"--help", "-h", "--help-all"})
      QTest::newRow(word) << QStringList(QLatin1String(word)) << usage;
    for (const char* const word : {"--version", "-v"})
      QTest::newRow(word) << QStringList(QLatin1String(word)) << version;
    QTest::newRow("after other arguments") << QStringList{QStringLiteral("file.so"), QStringLiteral("--at"),
                                                          QStringLiteral("m1"), QStringLiteral("--help")}
                                           << usage;
  }
  void helpAndVersionNeedNoDisplay() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, start);
    const Ended ended = run(arguments);
    QVERIFY2(ended.normally && ended.code == 0, qPrintable(ended.error));
    QVERIFY2(ended.out.startsWith(start), qPrintable(ended.out));
    QCOMPARE(ended.out.contains(QStringLiteral("--memory <SIZE>")), start == QLatin1String("Usage: "));
    QCOMPARE(ended.error, QString());
  }

  void startWithoutDisplayIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("environment");
    QTest::newRow("no display") << QStringList() << QStringList();
    QTest::newRow("display that does not exist")
        << QStringList() << QStringList{QStringLiteral("DISPLAY=:987"), QStringLiteral("QT_QPA_PLATFORM=xcb")};
    QTest::newRow("unknown window system") << QStringList() << QStringList{QStringLiteral("QT_QPA_PLATFORM=none")};
    QTest::newRow("--help as the value of an option")
        << QStringList{QStringLiteral("--at"), QStringLiteral("--help")} << QStringList();
    QTest::newRow("--help as a file") << QStringList{QStringLiteral("--"), QStringLiteral("--help")} << QStringList();
  }
  void startWithoutDisplayIsRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, environment);
    const Ended ended = run(arguments, environment);
    QVERIFY2(ended.normally, qPrintable(ended.error));
    QCOMPARE(ended.code, 2);
    QCOMPARE(ended.out, QString());
    QVERIFY2(ended.error.endsWith(QStringLiteral("blobscope: no window can be opened, because there is no usable "
                                                 "display; set DISPLAY or WAYLAND_DISPLAY, or use blobscope-cli\n")),
             qPrintable(ended.error));
  }

  void uselessMemoryLimitIsRefused_data() {
    QTest::addColumn<QString>("limit");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char* limit, const char* problem) {
      QTest::newRow(limit) << QString::fromLatin1(limit) << QString::fromLatin1(problem);
    };
    row("0", "'0' is too small; the smallest limit is 64.0 KiB (65,536 bytes)");
    row("65535", "'65535' is too small; the smallest limit is 64.0 KiB (65,536 bytes)");
    row("much", "'much' is not a size such as 4G");
  }
  void uselessMemoryLimitIsRefused() {
    QFETCH(QString, limit);
    QFETCH(QString, problem);
    const Ended ended =
        run({QStringLiteral("--memory"), limit}, QStringList(QStringLiteral("QT_QPA_PLATFORM=offscreen")));
    QVERIFY2(ended.normally, qPrintable(ended.error));
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.error.endsWith(QStringLiteral("blobscope: --memory: %1\n").arg(problem)), qPrintable(ended.error));
  }
};

BLOBSCOPE_TEST(TestStart);
#include "test_start.moc"
