#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QFile>

namespace blobscope::test {

/// A library is read, never loaded: its constructor would write a file.
class TestLibraryIsNeverLoaded : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    QVERIFY(QFile::copy(QStringLiteral(BLOBSCOPE_CANARY_LIBRARY), m_folder->filePath(QStringLiteral("canary.so"))));
    qputenv("BLOBSCOPE_CANARY", QFile::encodeName(canaryFile()));
  }
  void cleanup() { qunsetenv("BLOBSCOPE_CANARY"); }

  /// Positive control: a program that loads the library makes it write the file.
  void loadingTheCanaryWritesTheFile() {
    QVERIFY(!QFile::exists(canaryFile()));
    QProcess process;
    process.start(QStringLiteral(BLOBSCOPE_CANARY_LOADER), {m_folder->filePath(QStringLiteral("canary.so"))});
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.exit == 0 && !outcome.crashed, outcome.text());
    QVERIFY(QFile::exists(canaryFile()));
  }

  /// The library has a blob, so the verbs have something to read.
  void canaryContainsABlob() {
    const Outcome outcome = runCli(m_folder->path(), {"tree", "canary.so", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto tree = parseJson(outcome.out);
    QVERIFY2(tree, outcome.text());
    QCOMPARE(stringAt(*tree, {"blobs", "0", "carrier"}), std::string("__tvm_dev_mblob"));
    QCOMPARE(stringAt(*tree, {"blobs", "0", "modules", "0", "key"}), std::string("_lib"));
    QCOMPARE(numberAt(*tree, {"blobs", "0", "modules", "0", "imports", "0"}), 1);
    QCOMPARE(stringAt(*tree, {"blobs", "0", "modules", "1", "key"}), std::string("canary"));
    QCOMPARE(numberAt(*tree, {"blobs", "0", "modules", "1", "size"}), 7);
    for (const json::Value& diagnostic : listAt(*tree, {"diagnostics"}))
      QCOMPARE(stringAt(diagnostic, {"severity"}), std::string("note"));
  }

  void noVerbLoadsTheCanary_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const QStringList& arguments) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')))) << arguments;
    };
    for (const char* verb : {"tree", "show", "strings", "symbols", "verify", "check", "preflight", "safety"}) {
      row({verb, "canary.so"});
      row({verb, "canary.so", "--json"});
    }
    row({"show", "canary.so", "m1"});
    row({"show", "canary.so", "host:canary_run"});
    row({"show", "canary.so", "--page", "Symbols"});
    row({"find", "canary.so", "canary"});
    row({"find", "canary.so", "can[a-r]+y", "--regex"});
    row({"find", "canary.so", "63616e", "--hex"});
    row({"extract", "canary.so", "m1", "-o", "out.bin"});
    row({"extract", "canary.so", "m1", "-o", "-"});
    row({"diff", "canary.so", "canary.so", "--full"});
    row({"diff", "canary.so", "canary.so", "--html", "report.html"});
    row({"export", "canary.so", "parts"});
    row({"import", "parts", "-o", "imported.so"});
    row({"repack", "canary.so", "-o", "repacked.so"});
    row({"check", "canary.so", "--sarif", "findings.sarif"});
    row({"safety", "canary.so", "--html", "safety.html", "--cyclonedx", "parts.json"});
    row({"preflight", "canary.so", "--runtime", "canary.so"});
    row({"preflight", ".", "--all-releases"});
    row({"extract", "canary.so", "m1", "-o", "canary.so"});
    // Without consent.
    row({"run", "canary.so"});
    row({"run", "--all", "--dry", "canary.so"});
  }
  void noVerbLoadsTheCanary() {
    QFETCH(QStringList, arguments);
    if (arguments.first() == QLatin1String("import")) runCli(m_folder->path(), {"export", "canary.so", "parts"});
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QVERIFY2(outcome.finished && !outcome.crashed, outcome.text());
    const bool refused = arguments.first() == QLatin1String("run") ||
                         (arguments.last() == QLatin1String("canary.so") && arguments.size() > 2);
    // The canary lacks what a release of TVM needs and acts when it is loaded; some verbs answer that with 1.
    const bool finds = arguments.first() == QLatin1String("preflight") || arguments.first() == QLatin1String("safety");
    QCOMPARE(outcome.exit, refused ? 2 : finds ? 1 : 0);
    QVERIFY2(!QFile::exists(canaryFile()), "the library was loaded");
  }

  /// The rows above include every verb that takes a file.
  void everyVerbIsTested() {
    const QByteArray help = runCli(m_folder->path(), {"--help"}).out;
    const qsizetype begin = help.indexOf("\nCommands:\n");
    QVERIFY(begin >= 0);
    QStringList verbs;
    for (const QByteArray& line : help.mid(begin + 1).split('\n').mid(1)) {
      if (!line.startsWith("  ")) break;
      verbs << QString::fromUtf8(line).section(QLatin1Char(' '), 0, 0, QString::SectionSkipEmpty);
    }
    verbs.sort();
    // Those without a file: completion, devices, manual and schema.
    QCOMPARE(verbs, QStringList({"check",  "compile", "completion", "devices",   "diff",   "export", "extract",
                                 "find",   "import",  "manual",     "preflight", "repack", "run",    "safety",
                                 "schema", "show",    "strings",    "symbols",   "tree",   "verify"}));
  }

private:
  QString canaryFile() const { return m_folder->filePath(QStringLiteral("sung")); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestLibraryIsNeverLoaded);

} // namespace blobscope::test

#include "test_canary.moc"
