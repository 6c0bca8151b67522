#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <utility>

namespace blobscope::test {
namespace {

struct Verb {
  const char* name;
  QStringList arguments, options;
};

/// The options of each verb: the contract of the command line. The help lists nothing else.
const std::vector<Verb>& verbs() {
  static const std::vector<Verb> kAll = {
      {"tree", {"FILE"}, {"--json", "--memory", "--all"}},
      {"show",
       {"FILE", "REF"},
       {"--json", "--memory", "--page", "--svg", "--gpu", "--board", "--csv", "--set", "--html", "--slice", "--exact"}},
      {"extract", {"FILE", "REF"}, {"--json", "--memory", "--output", "--npy"}},
      {"export", {"FILE", "DIR"}, {"--json", "--memory"}},
      {"import",
       {"DIR"},
       {"--json", "--memory", "--into", "--output", "--dry-run", "--verify", "--scrub", "--backup", "--signature",
        "--force"}},
      {"repack", {"FILE"}, {"--json",    "--memory",       "--edits",  "--replace", "--overwrite", "--add",
                            "--remove",  "--with-orphans", "--rename", "--set",     "--images",    "--fix",
                            "--upgrade", "--canonical",    "--output", "--dry-run", "--verify",    "--scrub",
                            "--backup",  "--signature",    "--force"}},
      {"strings", {"FILE"}, {"--json", "--memory", "--min", "--limit"}},
      {"symbols", {"FILE"}, {"--json", "--memory", "--host"}},
      {"find", {"FILE", "PATTERN"}, {"--json", "--memory", "--hex", "--regex", "--ignore-case", "--in", "--limit"}},
      {"verify", {"FILE"}, {"--json", "--memory"}},
      {"check",
       {"FILE"},
       {"--json", "--memory", "--rule", "--ignore", "--baseline", "--level", "--with", "--compile", "--compiler",
        "--flag", "--any-flag", "--sarif"}},
      {"safety",
       {"FILE"},
       {"--json", "--memory", "--ignore", "--baseline", "--level", "--sarif", "--html", "--cyclonedx"}},
      {"diff",
       {"A", "B"},
       {"--json", "--memory", "--full", "--only", "--ignore", "--raw-numbers", "--sizes", "--html", "--markdown"}},
      {"run", {"FILE", "FUNCTION"}, {"--json",       "--memory",
                                     "--all",        "--dry",
                                     "--device",     "--runtime",
                                     "--entry",      "--driver",
                                     "--seed",       "--set",
                                     "--input",      "--output-dir",
                                     "--repeat",     "--compare",
                                     "--kernel",     "--metadata",
                                     "--grid",       "--block",
                                     "--shared",     "--argument",
                                     "--widen-half", "--continue-unknown",
                                     "--model",      "--graph",
                                     "--params",     "--tap",
                                     "--profile",    "--tolerance",
                                     "--yes"}},
      {"devices", {}, {"--json", "--check"}},
      {"schema", {"COMMAND"}, {}},
      {"completion", {"SHELL"}, {}},
      {"manual", {}, {}},
  };
  return kAll;
}

QStringList longOptionsIn(const QByteArray& help) {
  static const QRegularExpression kOption(QStringLiteral("^  (?:-[a-zA-Z], ?)?(--[a-z-]+)"),
                                          QRegularExpression::MultilineOption);
  QStringList found;
  for (auto matches = kOption.globalMatch(QString::fromUtf8(help)); matches.hasNext();)
    found << matches.next().captured(1);
  return found;
}

} // namespace

class TestCommandHelp : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
  }

  void helpListsVerbsAndOptions_data() {
    QTest::addColumn<QString>("option");
    QTest::newRow("--help") << QStringLiteral("--help");
    QTest::newRow("-h") << QStringLiteral("-h");
  }
  void helpListsVerbsAndOptions() {
    QFETCH(QString, option);
    const Outcome outcome = runCli(m_folder->path(), {option});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QVERIFY(outcome.out.endsWith('\n'));
    for (const Verb& verb : verbs()) QVERIFY2(outcome.out.contains(QByteArray("\n  ") + verb.name + ' '), verb.name);
    for (const char* code : {"0 success", "1 findings", "2 failure"}) QVERIFY2(outcome.out.contains(code), code);
    QStringList options = longOptionsIn(outcome.out);
    options.sort();
    QCOMPARE(options, QStringList({"--help", "--version"}));
  }

  void helpOfAVerbListsItsOptions_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("options");
    for (const Verb& verb : verbs())
      QTest::newRow(verb.name) << QString::fromLatin1(verb.name) << verb.arguments << verb.options;
  }
  void helpOfAVerbListsItsOptions() {
    QFETCH(QString, name);
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, options);
    const Outcome outcome = runCli(m_folder->path(), {name, QStringLiteral("--help")});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QVERIFY(outcome.out.endsWith('\n'));
    QVERIFY2(outcome.out.contains("Usage: blobscope-cli " + name.toLatin1() + ' '), outcome.out);
    QStringList found = longOptionsIn(outcome.out), expected = options + QStringList{QStringLiteral("--help")};
    found.sort();
    expected.sort();
    QCOMPARE(found, expected);
    for (const QString& argument : arguments)
      QVERIFY2(outcome.out.contains("\n  " + argument.toLatin1() + ' '), outcome.out);
    const bool judges = QStringList{"verify", "check", "safety", "diff", "repack", "run", "devices"}.contains(name);
    QVERIFY2(outcome.out.contains(judges ? "Exit codes: 0 success, 1 " : "Exit codes: 0 success, 2 failure"),
             outcome.out);
    if (name == QLatin1String("extract")) QVERIFY2(outcome.out.contains("-o,--output"), outcome.out);
  }

  /// The example of each command works, in the order of the commands, with files of the names that it uses.
  void everyExampleWorks() {
    QTemporaryDir folder;
    QVERIFY(folder.isValid());
    const QString samples = QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/");
    const std::vector<std::pair<const char*, const char*>> files = {{"sample-cuda-a.so", "model.so"},
                                                                    {"sample-cuda-a.so", "old.so"},
                                                                    {"sample-cuda-b.so", "new.so"},
                                                                    {"sample-mlf.tar", "model.tar"}};
    for (const auto& [from, to] : files)
      QVERIFY(QFile::copy(samples + QLatin1String(from), folder.filePath(QLatin1String(to))));
    static const QRegularExpression kExample(QStringLiteral("^Example: blobscope-cli (.+)$"),
                                             QRegularExpression::MultilineOption);
    for (const Verb& verb : verbs()) {
      const QString name = QString::fromLatin1(verb.name);
      const Outcome help = runCli(folder.path(), {name, QStringLiteral("--help")});
      const QRegularExpressionMatch match = kExample.match(QString::fromUtf8(help.out));
      QVERIFY2(match.hasMatch(), verb.name);
      const QStringList arguments = match.captured(1).split(QLatin1Char(' '));
      QCOMPARE(arguments.front(), name);
      if (name == QLatin1String("compile")) { // with a compiler that refuses everything
        writeFile(in(folder, "kernel.ptx"), ".version 8.0\n.target sm_90\n");
        writeScript(in(folder, "ptxas"), "echo no >&2; exit 1");
        qputenv("BLOBSCOPE_CUDA_TOOLS", folder.path().toUtf8());
      }
      const Outcome outcome = runCli(folder.path(), arguments);
      QVERIFY2(outcome.exit == 0 || outcome.exit == 1, outcome.text());
    }
  }

  /// A placeholder names the value, never its C++ type.
  void placeholdersNameTheValue() {
    static const QRegularExpression kType(QStringLiteral("\\b(TEXT|UINT|INT|FLOAT|VERB)\\b"));
    for (const Verb& verb : verbs()) {
      const Outcome outcome = runCli(m_folder->path(), {QString::fromLatin1(verb.name), QStringLiteral("--help")});
      QVERIFY2(!QString::fromUtf8(outcome.out).contains(kType), outcome.out);
    }
  }

  /// Help is printed without reading anything else.
  void helpNeedsNoFile() {
    const Outcome outcome = runCli(m_folder->path(), {"show", "missing.so", "--help"});
    QCOMPARE(outcome.ending(), QByteArray("exit 0"));
    QVERIFY(outcome.out.contains("--page"));
  }

  void versionIsPrinted() {
    const Outcome outcome = runCli(m_folder->path(), {"--version"});
    QCOMPARE(outcome.ending(), QByteArray("exit 0"));
    static const QRegularExpression kForm(QStringLiteral("^blobscope-cli [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
    QVERIFY2(kForm.match(QString::fromUtf8(outcome.out)).hasMatch(), outcome.out);
  }

  void exitCodesFollowTheRules_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exit");
    const auto row = [](int exit, const QStringList& arguments) {
      const QString name = arguments.join(QLatin1Char(' '));
      QTest::newRow(name.isEmpty() ? "(nothing)" : qPrintable(name)) << arguments << exit;
    };
    // Reading verbs report damage without judging it. `verify` and `check` judge.
    // With sanitizers, which start slowly, a third of the inputs.
    std::size_t number = 0;
    for (const Input& one : inputs()) {
      if (cliIsSanitized() && ++number % 3 != 0) continue;
      const bool opens = one.state != Input::State::Unreadable;
      for (const char* verb : {"tree", "show", "strings", "symbols"}) row(opens ? 0 : 2, {verb, one.name});
      row(opens ? 0 : 2, {"find", one.name, "a"});
      row(opens ? 0 : 2, {"diff", one.name, one.name});
      for (const char* verb : {"verify", "check"})
        row(!opens ? 2 : one.state == Input::State::Damaged ? 1 : 0, {verb, one.name});
    }
    row(0, {"find", "b1.so", "nothing_of_that_kind"});
    row(0, {"extract", "damaged.so", "m1", "-o", "damaged.bin"});
    row(0, {"schema", "tree"});
    row(1, {"diff", "b1.so", "c1.so"});
    row(1, {"diff", "b1.so", "damaged-classic.so"});
    row(0, {"diff", "b1.so", "c1.so", "--only", "tensor"});
    row(2, {"diff", "b1.so"});
    row(2, {"run", "b1.so", "--all"}); // without consent
    row(2, {"run", "missing.so", "--all", "--yes"});
    row(2, {"run", "mips32.so", "--all", "--dry", "--yes"});
    row(2, {"run", "b1.so", "--all", "--yes", "--device", "abacus"});
    row(2, {"run", "b1.so", "--all", "--yes", "--set", "n"});
    row(2, {"run", "b1.so", "--all", "--yes", "--input", "x="});
    row(2, {"run", "b1.so", "nothing", "--all", "--yes"});
    row(2, {"run", "b1.so", "--all", "--dry", "--yes", "--compare", "c1.so"});
    row(2, {"diff", "b1.so", "missing.so"});
    row(2, {"diff", "missing.so", "b1.so"});
    row(2, {"diff", "b1.so", "c1.so", "--only", "nonsense"});
    row(2, {"diff", "b1.so", "c1.so", "--ignore", "nonsense"});
    row(2, {"diff", "b1.so", "c1.so", "--html", "c1.so"});
    row(2, {"diff", "b1.so", "c1.so", "--markdown", "b1.so"});
    row(2, {"diff", "b1.so", "c1.so", "--html", "missing/report.html"});
    row(2, {});
    row(2, {"frobnicate"});
    row(2, {"tree"});
    row(2, {"tree", "b1.so", "c1.so"});
    row(2, {"tree", "b1.so", "--frobnicate"});
    row(2, {"--frobnicate"});
    row(2, {"schema"});
    row(2, {"schema", "frobnicate"});
    row(2, {"show", "b1.so", "m9"});
    row(2, {"strings", "b1.so", "--min", "many"});
    row(2, {"strings", "b1.so", "--min", "0"});
    row(2, {"find", "b1.so"});
    row(0, {"export", "b1.so", "b1-parts"});
    row(2, {"export", "b1.so", "b1.so"});
    row(2, {"export", "b1.so"});
    row(2, {"extract", "b1.so", "m1"});
    row(2, {"extract", "b1.so", "m1", "-o", "m1.npy", "--npy"});
  }
  void exitCodesFollowTheRules() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exit);
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QVERIFY2(outcome.ending() == "exit " + QByteArray::number(exit), outcome.text());
    QVERIFY2(whyNotMessages(outcome.err).isEmpty(), whyNotMessages(outcome.err));
    // Failures are reported on standard error and nowhere else; other runs write nothing there.
    QCOMPARE(outcome.err.isEmpty(), exit != 2);
    if (exit == 2) QVERIFY2(outcome.out.isEmpty(), outcome.text());
  }

  /// A refusal repeats what was typed, so that the mistake is visible.
  void refusalNamesTheMistake_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("unknown verb") << QStringList{"frobnicate"} << QByteArray("frobnicate");
    QTest::newRow("unknown verb with arguments") << QStringList{"frobnicate", "b1.so"} << QByteArray("frobnicate");
    QTest::newRow("unknown option") << QStringList{"tree", "b1.so", "--frobnicate"} << QByteArray("--frobnicate");
    QTest::newRow("unknown option before the verb")
        << QStringList{"--frobnicate", "tree", "b1.so"} << QByteArray("--frobnicate");
    QTest::newRow("one argument too many") << QStringList{"tree", "b1.so", "c1.so"} << QByteArray("c1.so");
    QTest::newRow("no file") << QStringList{"tree"} << QByteArray("FILE");
    QTest::newRow("no pattern") << QStringList{"find", "b1.so"} << QByteArray("PATTERN");
    QTest::newRow("empty pattern") << QStringList{"find", "b1.so", ""} << QByteArray("empty");
    QTest::newRow("no output") << QStringList{"extract", "b1.so", "m1"} << QByteArray("--output");
    QTest::newRow("number") << QStringList{"strings", "b1.so", "--min", "many"} << QByteArray("many");
    QTest::newRow("negative limit") << QStringList{"find", "b1.so", "a", "--limit", "-1"} << QByteArray("'-1' is not");
    QTest::newRow("arguments too many, in their order")
        << QStringList{"tree", "b1.so", "c1.so", "next.so"} << QByteArray("'c1.so', 'next.so'");
    QTest::newRow("whose help") << QStringList{"tree", "--frobnicate", "b1.so"}
                                << QByteArray("'blobscope-cli tree --help'");
    QTest::newRow("edit list") << QStringList{"repack", "b1.so", "--edits", "not-a-library.txt", "-o", "out.so"}
                               << QByteArray("'not-a-library.txt': ");
    QTest::newRow("missing file") << QStringList{"tree", "no\nsuch.so"} << QByteArray("no\\nsuch.so");
    QTest::newRow("bad ref") << QStringList{"show", "b1.so", "m1//"} << QByteArray("'m1//'");
    QTest::newRow("unknown page") << QStringList{"show", "b1.so", "--page", "Nonsense"} << QByteArray("'Nonsense'");
    QTest::newRow("unknown schema") << QStringList{"schema", "frobnicate"} << QByteArray("frobnicate");
  }
  void refusalNamesTheMistake() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, word);
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.startsWith("blobscope-cli: "), outcome.err);
    QVERIFY2(outcome.err.contains(word), outcome.err);
    QVERIFY2(!outcome.err.contains("terminate"), outcome.err);
  }

private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestCommandHelp);

} // namespace blobscope::test

#include "test_help.moc"
