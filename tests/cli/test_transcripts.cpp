#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

namespace blobscope::test {
namespace {

QString transcriptFolder() { return QStringLiteral(BLOBSCOPE_SOURCE_DIR "/tests/cli/transcripts"); }

/// Words of a command line; double quotes keep spaces.
QStringList wordsOf(const QString& line) { return QProcess::splitCommand(line); }

/// A block of output as it is written in a transcript; a missing newline at the end is noted.
QByteArray block(const QByteArray& text) {
  return text.isEmpty() || text.endsWith('\n') ? text : text + "\n\\ no newline at the end\n";
}

/// The version is the only part of the output that changes without a change of behaviour.
QByteArray withoutVersion(QByteArray text) {
  if (!text.startsWith("blobscope-cli ")) return text;
  static const QRegularExpression kVersion(QStringLiteral("^blobscope-cli [0-9]+\\.[0-9]+\\.[0-9]+"));
  return QString::fromUtf8(text).replace(kVersion, QStringLiteral("blobscope-cli VERSION")).toUtf8();
}

/// The first line that differs, from both sides.
QByteArray difference(const QByteArray& expected, const QByteArray& actual) {
  const QList<QByteArray> a = expected.split('\n'), b = actual.split('\n');
  for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
    const QByteArray left = i < a.size() ? a[i] : QByteArray("(end)"),
                     right = i < b.size() ? b[i] : QByteArray("(end)");
    if (left != right)
      return "line " + QByteArray::number(i + 1) + "\n  expected: " + left + "\n  actual:   " + right +
             "\n(BLOBSCOPE_UPDATE_GOLDENS=1 writes it anew)";
  }
  return {};
}

} // namespace

/// Whole outputs as people see them, one file per case under transcripts/. Line 1 is the command, line 2 the exit code,
/// then standard output and standard error. To add a case, create a file with the first line only and run the test with
/// BLOBSCOPE_UPDATE_GOLDENS=1.
class TestTranscripts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
  }

  void outputEqualsTheTranscript_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(transcriptFolder());
    for (const QString& name : folder.entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name))
      QTest::newRow(qPrintable(name.chopped(4))) << folder.filePath(name);
  }
  void outputEqualsTheTranscript() {
    QFETCH(QString, path);
    const QByteArray golden = QByteArray::fromStdString(readFile(path));
    const QByteArray command = golden.left(golden.indexOf('\n'));
    QVERIFY2(command.startsWith("$ blobscope-cli"), "the first line is no command");

    const Outcome outcome = runCli(m_folder->path(), wordsOf(QString::fromUtf8(command)).mid(2));
    QVERIFY2(outcome.finished && !outcome.crashed, outcome.text());
    const QByteArray actual = command + "\nexit " + QByteArray::number(outcome.exit) + "\n--- stdout\n" +
                              block(withoutVersion(outcome.out)) + "--- stderr\n" + block(outcome.err);
    if (qEnvironmentVariableIsSet("BLOBSCOPE_UPDATE_GOLDENS")) {
      QVERIFY(actual == golden || writeFile(path, actual.toStdString()));
      return;
    }
    const QByteArray why = difference(golden, actual);
    QVERIFY2(why.isEmpty(), why);
  }

  /// Every verb has a text transcript and one with --json, and every input has a transcript of `tree`.
  void everyVerbHasATranscript_data() {
    QTest::addColumn<QString>("start");
    QTest::addColumn<bool>("json");
    for (const char* verb :
         {"tree", "show", "extract", "import", "repack", "strings", "symbols", "find", "verify", "check"})
      for (const bool json : {false, true})
        QTest::addRow("%s%s", verb, json ? " --json" : "")
            << QStringLiteral("$ blobscope-cli %1 ").arg(QLatin1String(verb)) << json;
    QTest::newRow("schema") << QStringLiteral("$ blobscope-cli schema ") << false;
    for (const Input& one : inputs())
      QTest::addRow("tree %s", qPrintable(one.name))
          << QStringLiteral("$ blobscope-cli tree %1").arg(one.name) << false;
  }
  void everyVerbHasATranscript() {
    QFETCH(QString, start);
    QFETCH(bool, json);
    const QDir folder(transcriptFolder());
    for (const QString& name : folder.entryList({QStringLiteral("*.txt")}, QDir::Files)) {
      const QString text = QString::fromStdString(readFile(folder.filePath(name)));
      const QString command = text.section(QLatin1Char('\n'), 0, 0);
      if (command.startsWith(start) && command.contains(QStringLiteral(" --json")) == json) return;
    }
    QFAIL("no transcript of it");
  }

private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestTranscripts);

} // namespace blobscope::test

#include "test_transcripts.moc"
