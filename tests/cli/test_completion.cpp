#include "tests/cli/cli.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace blobscope::test {
namespace {

QStringList allMatches(const QByteArray& text, const QRegularExpression& pattern) {
  QStringList found;
  for (auto matches = pattern.globalMatch(QString::fromUtf8(text)); matches.hasNext();)
    found << matches.next().captured(1);
  return found;
}

} // namespace

/// The completion scripts and the manual page: complete, valid, and useful in a real shell.
class TestCompletion : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    const Outcome help = runCli(m_folder.path(), {"--help"});
    const QByteArray commands = help.out.mid(help.out.indexOf("ommands:\n"));
    m_commands =
        allMatches(commands, QRegularExpression(QStringLiteral("^  ([a-z]+) "), QRegularExpression::MultilineOption));
    QVERIFY2(m_commands.contains("tree") && m_commands.contains("manual"), help.text());
    const QRegularExpression option(QStringLiteral("^  (?:-[a-zA-Z], ?)?(--[a-z-]+)"),
                                    QRegularExpression::MultilineOption);
    for (const QString& command : std::as_const(m_commands))
      m_options << allMatches(runCli(m_folder.path(), {command, QStringLiteral("--help")}).out, option);
    for (const QStringList& options : std::as_const(m_options)) QVERIFY(options.contains("--help"));
    for (const auto& [name, arguments] : {std::pair<QString, QStringList>{"bash", {"completion", "bash"}},
                                          {"zsh", {"completion", "zsh"}},
                                          {"fish", {"completion", "fish"}},
                                          {"manual", {"manual"}}}) {
      const Outcome outcome = runCli(m_folder.path(), arguments);
      QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty() && outcome.out.endsWith('\n'), outcome.text());
      QFile file(m_folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write(outcome.out) == outcome.out.size());
      m_texts[name] = outcome.out;
    }
  }

  void everyCommandAndOptionIsListed_data() {
    QTest::addColumn<QString>("text");
    for (const QString& name : m_texts.keys()) QTest::newRow(qPrintable(name)) << name;
  }
  void everyCommandAndOptionIsListed() {
    QFETCH(QString, text);
    const QByteArray all = m_texts[text];
    for (qsizetype i = 0; i < m_commands.size(); ++i) {
      const QByteArray command = m_commands[i].toUtf8();
      // Where the lines of a command begin and end.
      QByteArray part = all;
      if (text == "zsh") {
        const qsizetype begin = all.indexOf("\n    " + command + ")\n");
        part = all.mid(begin, all.indexOf(";;", begin) - begin);
      } else if (text == "manual") {
        const qsizetype begin = all.indexOf("\n.SS \\fB" + command + "\\fR");
        part = all.mid(begin, all.indexOf("\n.S", begin + 1) - begin);
      }
      QVERIFY2(part.contains(command), command);
      for (const QString& option : std::as_const(m_options[i])) {
        const QByteArray name = option.toUtf8();
        bool listed = false;
        if (text == "bash") listed = part.contains("\n  " + command + ':' + name + ") ");
        if (text == "zsh") listed = part.contains(name + '[') || part.contains(name + "=[");
        if (text == "manual") listed = part.contains("\\fB" + QByteArray(name).replace('-', "\\-") + "\\fR");
        if (text == "fish") {
          const QByteArray where = "-n '__blobscope_cli_is " + command + "'", what = " -l '" + name.mid(2) + "' ";
          for (const QByteArray& line : part.split('\n'))
            listed = listed || (line.contains(where) && line.contains(what));
        }
        QVERIFY2(listed, command + ' ' + name);
      }
    }
  }

  void shellsAcceptTheirScript_data() {
    QTest::addColumn<QString>("shell");
    for (const char* shell : {"bash", "zsh", "fish"}) QTest::newRow(shell) << QString::fromLatin1(shell);
  }
  void shellsAcceptTheirScript() {
    QFETCH(QString, shell);
    if (QStandardPaths::findExecutable(shell).isEmpty()) QSKIP(qPrintable(shell + " is not installed"));
    const Outcome outcome = runShell(m_folder.path(), shell + " -n " + shell);
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
  }

  void bashCompletes_data() {
    QTest::addColumn<QString>("words"); // as Bash splits them, separated by |
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* words, const char* line, const char* expected) {
      QTest::newRow(name) << QString::fromLatin1(words) << QString::fromLatin1(line) << QString::fromLatin1(expected);
    };
    const char *const files = "", *const nothing = "compopt +o default";
    row("a command", "re", "re", "compopt +o default,repack");
    row("options of the program", "--v", "--v", "compopt +o default,--version");
    row("the file", "tree|", "tree ", files);
    row("the file after an option with a value", "check|--level|error|", "check --level error ", files);
    row("the file after a flag", "check|--json|mo", "check --json mo", files);
    row("a reference", "show|m.so|", "show m.so ", nothing);
    row("a folder", "export|m.so|", "export m.so ", "compopt +o default,compopt -o dirnames");
    row("the second file", "diff|a.so|", "diff a.so ", files);
    row("a word", "check|m.tar|--level|w", "check m.tar --level w", "compopt +o default,warning");
    row("a word after =", "check|m.tar|--level|=|", "check m.tar --level=", "compopt +o default,error,warning,note");
    row("a word that is an argument", "schema|tr", "schema tr", "compopt +o default,tree");
    row("no such word", "schema|x", "schema x", nothing);
    row("an option", "repack|m.so|--re", "repack m.so --re", "compopt +o default,--replace,--remove,--rename");
    row("a short option", "extract|-o", "extract -o", "compopt +o default,-o");
    row("a file of an option", "diff|a|b|--html|r", "diff a b --html r", files);
    row("a number", "strings|a|--min|", "strings a --min ", nothing);
    row("a reference before a file", "repack|m.so|--replace|m2/field|:|da", "repack m.so --replace m2/field:da",
        nothing);
    row("a file after a reference", "repack|m.so|--replace|m2/field|:|data|=|co",
        "repack m.so --replace m2/field:data=co", files);
    row("an argument after a reference with a colon", "extract|m.so|m1/kernel|:|a|-", "extract m.so m1/kernel:a -",
        "compopt +o default,-h,--help,--json,--memory,-o,--output,--npy");
    row("a name with spaces", "check|my\\ model.tar|--level|e", "check my\\ model.tar --level e",
        "compopt +o default,error");
  }
  void bashCompletes() {
    QFETCH(QString, words);
    QFETCH(QString, line);
    QFETCH(QString, expected);
    if (QStandardPaths::findExecutable("bash").isEmpty()) QSKIP("bash is not installed");
    const QString script = QStringLiteral("source ./bash\n"
                                          "compopt() { echo \"compopt $*\"; }\n" // works only while Bash completes
                                          "IFS='|' read -r -a COMP_WORDS <<<\"blobscope-cli|$1|end\"\n"
                                          "unset 'COMP_WORDS[-1]'\n"
                                          "COMP_LINE=\"blobscope-cli $2\" COMP_POINT=${#COMP_LINE}\n"
                                          "COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                                          "_blobscope_cli\n"
                                          "[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    QProcess process;
    prepare(process, m_folder.path(), {"--norc", "-c", script, "bash", words, line});
    process.setProgram(QStringLiteral("bash"));
    process.start();
    process.closeWriteChannel();
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QCOMPARE(QString::fromUtf8(outcome.out).split(QLatin1Char('\n'), Qt::SkipEmptyParts).join(QLatin1Char(',')),
             expected);
  }

  void fishCompletes_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a command") << QStringLiteral("re") << QStringLiteral("repack");
    QTest::newRow("a word") << QStringLiteral("check m.tar --level w") << QStringLiteral("warning");
    QTest::newRow("an option") << QStringLiteral("repack m.so --re") << QStringLiteral("--remove,--rename,--replace");
    QTest::newRow("a word that is an argument") << QStringLiteral("completion z") << QStringLiteral("zsh");
    QTest::newRow("a file") << QStringLiteral("tree man") << QStringLiteral("manual");
    QTest::newRow("a file of an option") << QStringLiteral("check --sarif man") << QStringLiteral("manual");
    QTest::newRow("a file after a reference")
        << QStringLiteral("repack m.so --replace m1=man") << QStringLiteral("m1=manual");
  }
  void fishCompletes() {
    QFETCH(QString, line);
    QFETCH(QString, expected);
    if (QStandardPaths::findExecutable("fish").isEmpty()) QSKIP("fish is not installed");
    const Outcome outcome = runShell(
        m_folder.path(), "HOME=$PWD fish --no-config -c 'source ./fish; complete -C \"blobscope-cli " + line + "\"'");
    QVERIFY2(outcome.exit == 0, outcome.text());
    QStringList words;
    for (const QString& one : QString::fromUtf8(outcome.out).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
      words << one.section(QLatin1Char('\t'), 0, 0);
    words.sort();
    QCOMPARE(words.join(QLatin1Char(',')), expected);
  }

  void manualHasNoWarnings_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("command");
    QTest::newRow("man") << QStringLiteral("man") << QStringLiteral("MANWIDTH=80 LC_ALL=C man --warnings -l ./manual");
    QTest::newRow("groff") << QStringLiteral("groff") << QStringLiteral("groff -man -ww -z ./manual");
  }
  void manualHasNoWarnings() {
    QFETCH(QString, program);
    QFETCH(QString, command);
    if (QStandardPaths::findExecutable(program).isEmpty()) QSKIP(qPrintable(program + " is not installed"));
    const Outcome outcome = runShell(m_folder.path(), command);
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    if (program == "man") QVERIFY2(outcome.out.contains("--with-orphans"), outcome.text());
  }

  /// The page is the same on all machines, although the help of some commands describes this machine.
  void manualDescribesNoMachine() { QVERIFY(!m_texts["manual"].contains("Test runs are")); }

private:
  QTemporaryDir m_folder;
  QStringList m_commands;
  QList<QStringList> m_options;
  QMap<QString, QByteArray> m_texts;
};

BLOBSCOPE_TEST(TestCompletion);

} // namespace blobscope::test

#include "test_completion.moc"
