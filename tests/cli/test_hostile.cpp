#include "tests/cli/cli.h"
#include "tests/cli/in_process.h"
#include "tests/cli/inputs.h"
#include "tests/support/hostile_fixtures.h"
#include "tests/support/json_schema.h"
#include "tests/support/test_main.h"

#include "core/base/diagnostic.h"

#include <QDir>
#include <QTemporaryDir>

#include <algorithm>
#include <csignal>
#include <map>

namespace blobscope::test {
namespace {

const QString kHarmless = QStringLiteral("harmless.blob");
/// The folder for the outputs of verbs.
const QString kOut = QStringLiteral("out");

/// Every verb that reads a file; FILE is replaced by the file.
const std::vector<QStringList>& verbs() {
  static const std::vector<QStringList> kAll = {
      {"tree", "FILE"},
      {"tree", "FILE", "--all"},
      {"show", "FILE"},
      {"show", "FILE", "m1"},
      {"show", "FILE", "m1", "--page", "Calls"},
      {"show", "FILE", "m1", "--page", "Memory plan"},
      {"show", "FILE", "imports"},
      {"extract", "FILE", "m1", "-o", "out/extracted"},
      {"extract", "FILE", "@4+12", "-o", "out/extracted"},
      {"export", "FILE", "out/folder"},
      {"import", "out/folder", "-o", "out/imported"},
      {"repack", "FILE", "--dry-run"},
      {"repack", "FILE", "--rename", "m1=other", "-o", "out/repacked"},
      {"repack", "FILE", "--remove", "m1", "--dry-run"},
      {"symbols", "FILE"},
      {"strings", "FILE", "--limit", "20"},
      {"find", "FILE", "mblob", "--limit", "20"},
      {"find", "FILE", "--hex", "5f6c6962", "--limit", "20"},
      {"find", "FILE", "--regex", "_[a-z]+", "--limit", "20"},
      {"verify", "FILE"},
      {"check", "FILE", "--sarif", "out/report.sarif"},
      {"diff", "FILE", "harmless.blob", "--html", "out/report.html"},
      {"diff", "harmless.blob", "FILE", "--markdown", "out/report.md"},
      {"diff", "FILE", "FILE", "--full"},
      {"run", "FILE", "--all"},
      {"run", "harmless.blob", "--compare", "FILE"},
  };
  return kAll;
}

QStringList naming(QStringList arguments, const QString& file) {
  for (QString& argument : arguments)
    if (argument == QLatin1String("FILE")) argument = file;
  return arguments;
}

/// All entries below a folder.
QStringList entriesOf(const QString& folder) {
  QStringList all;
  for (const QFileInfo& entry :
       QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot, QDir::Name)) {
    all << entry.fileName();
    if (entry.isDir() && !entry.isSymLink()) all << entriesOf(entry.filePath());
  }
  return all;
}

bool isKnownId(const std::string& id) {
  const auto rows = diagnosticRows();
  return std::any_of(rows.begin(), rows.end(), [&](const DiagnosticRow& row) { return row.id == id; });
}

} // namespace

/// The command line with files that make a careless reader use excessive time or memory.
class TestHostileFilesCommand : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    for (const HostileFixture& fixture : hostileFixtures())
      QVERIFY(writeFile(m_folder.filePath(QString::fromLatin1(fixture.name)), fixture.make(1).bytes));
    QVERIFY(writeFile(m_folder.filePath(kHarmless), harmlessBlob()));
    const QDir schemas(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/schemas"));
    for (const QString& name : schemas.entryList({QStringLiteral("*.json")})) {
      const auto schema = parseJson(QByteArray::fromStdString(readFile(schemas.filePath(name))));
      QVERIFY(schema);
      m_schemas[name.chopped(5).toStdString()] = *schema;
    }
  }

  void everyVerbHandlesHostileFiles_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("harmless") << kHarmless;
    for (const HostileFixture& fixture : hostileFixtures())
      QTest::newRow(fixture.name) << QString::fromLatin1(fixture.name);
  }
  /// Exactly one of the three exit codes, documents that follow their schemas, messages on standard error exactly when
  /// the exit code is 2, and then no output file.
  void everyVerbHandlesHostileFiles() {
    QFETCH(QString, file);
    const QString out = m_folder.filePath(kOut);
    QVERIFY(QDir(out).removeRecursively());
    QVERIFY(QDir(m_folder.path()).mkdir(kOut));
    int done = 0;
    bool opens = false;
    for (const QStringList& verb : verbs()) {
      const QStringList arguments = naming(verb, file);
      const QStringList before = entriesOf(out);
      const Spent spent = runInProcess(m_folder.path(), arguments + QStringList{"--json"});
      const QByteArray why = whyWrong(arguments.first().toStdString(), spent.outcome);
      QVERIFY2(why.isEmpty(), arguments.join(QLatin1Char(' ')).toUtf8() + ": " + why);
      if (spent.outcome.exit == 2)
        QVERIFY2(entriesOf(out) == before,
                 qPrintable(arguments.join(QLatin1Char(' ')) + QStringLiteral(" leaves a file")));
      else
        ++done;
      opens |= verb.first() == QLatin1String("tree") && spent.outcome.exit != 2;
    }
    // A file that opens is read as far as possible.
    QVERIFY2(!opens || done >= 10, qPrintable(QStringLiteral("%1 of the verbs were done").arg(done)));
  }

  /// Without --json the exit codes are the same.
  void textAndJsonHaveTheSameResult_data() { everyVerbHandlesHostileFiles_data(); }
  void textAndJsonHaveTheSameResult() {
    QFETCH(QString, file);
    for (const char* const verb : {"tree", "verify", "check"}) {
      const Outcome text = runInProcess(m_folder.path(), {QLatin1String(verb), file}).outcome;
      const Outcome json = runInProcess(m_folder.path(), {QLatin1String(verb), file, QStringLiteral("--json")}).outcome;
      QVERIFY2(!text.crashed, text.text());
      QCOMPARE(text.exit, json.exit);
      QCOMPARE(text.err, json.err);
    }
  }

  /// The real program, which gets the signal while it works or has already ended.
  void hostileFileCanBeInterrupted_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("verb");
    const auto row = [](const char* file, const QStringList& verb) {
      QTest::addRow("%s %s", qPrintable(verb.first()), file) << QString::fromLatin1(file) << verb;
    };
    row("filters.zst", {"tree", "FILE"});
    row("cuda-dag.blob", {"tree", "FILE"});
    row("sections.o", {"strings", "FILE"});
    row("relax-chain.blob", {"show", "FILE", "m1", "--page", "Calls"});
    row("relax-calls.blob", {"run", "FILE", "--model"});
    row("mlf-models.tar", {"repack", "FILE", "--fix", "all", "--dry-run"});
  }
  void hostileFileCanBeInterrupted() {
    QFETCH(QString, file);
    QFETCH(QStringList, verb);
    const QString large = QStringLiteral("large-") + file;
    QVERIFY(writeFile(m_folder.filePath(large), hostileFixture(file.toStdString()).make(16).bytes));
    QProcess process;
    prepare(process, m_folder.path(), naming(verb, large));
    process.start();
    process.closeWriteChannel();
    QVERIFY(QTest::qWaitFor([&] { return listensTo(process, SIGINT); }, kWaitMs));
    sendSignal(process, SIGINT);
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.finished && !outcome.crashed && outcome.exit >= 0 && outcome.exit <= 2, outcome.ending());
    if (outcome.exit == 2) QVERIFY2(whyNotMessages(outcome.err).isEmpty(), outcome.text());
    QVERIFY(QFile::remove(m_folder.filePath(large)));
  }

private:
  /// Says why the run did not end in an allowed way; empty when it did.
  QByteArray whyWrong(const std::string& verb, const Outcome& outcome) {
    if (outcome.crashed || outcome.exit < 0 || outcome.exit > 2) return outcome.text();
    if (!whyNotMessages(outcome.err).isEmpty()) return whyNotMessages(outcome.err);
    if (outcome.err.isEmpty() == (outcome.exit == 2)) return "exit code and standard error disagree: " + outcome.text();
    const auto document = parseJson(outcome.out);
    if (!document) return "not JSON: " + outcome.text();
    const std::string schema = outcome.exit == 2 ? "error" : verb;
    if (stringAt(*document, {"schema"}) != "blobscope." + schema + "/1") return "another schema: " + outcome.text();
    if (outcome.exit == 2 && !isKnownId(stringAt(*document, {"code"})))
      return "not in the table of diagnostics: " + outcome.text();
    // Many equal rows need only one check against the schema.
    if (outcome.out.size() > 200'000) return {};
    const std::string why = whyInvalid(*document, m_schemas[schema]);
    return why.empty() ? QByteArray() : "does not follow its schema: " + QByteArray::fromStdString(why);
  }

  /// Waits for the handler of the program itself, not one that the child has before the program begins; also true once
  /// the process has ended.
  static bool listensTo(const QProcess& process, int number) {
    QFile file(QStringLiteral("/proc/%1/status").arg(process.processId()));
    if (process.processId() == 0 || !file.open(QIODevice::ReadOnly)) return true;
    const QString running = QFile::symLinkTarget(QStringLiteral("/proc/%1/exe").arg(process.processId()));
    if (running != QFileInfo(cliProgram()).canonicalFilePath()) return false;
    for (const QByteArray& line : file.readAll().split('\n'))
      if (line.startsWith("SigCgt:")) return line.mid(7).trimmed().toULongLong(nullptr, 16) >> (number - 1) & 1;
    return false;
  }

  QTemporaryDir m_folder;
  std::map<std::string, json::Value> m_schemas;
};

BLOBSCOPE_TEST(TestHostileFilesCommand);

} // namespace blobscope::test

#include "test_hostile.moc"
