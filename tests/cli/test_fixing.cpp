#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"

#include <QFile>

#include <algorithm>

namespace blobscope::test {

/// `repack` with --fix, --upgrade and --canonical, and what `check` says about quick fixes.
class TestFixingCommand : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    QVERIFY(write("broken.tar", cleanMlf(5, MlfStyle::Graph)
                                    .insertBefore("style", R"("extra": 1)")
                                    .set("constants_size_bytes", "20")
                                    .add("./samples/x.h")));
    QVERIFY(write("clean.tar", cleanMlf(7, MlfStyle::Graph)));
  }

  void checkNamesQuickFixes() {
    const Outcome text = run({"check", "broken.tar"});
    QVERIFY2(text.out.contains("quick fix: Remove the key 'extra' from the root\n"), text.text());
    QVERIFY2(text.out.contains("2 findings have a quick fix; repack --fix all applies all of them\n"), text.text());
    QVERIFY2(text.out.contains("extra top-level entry 'samples'; fix: nothing has to be done"), text.text());
    const auto document = parseJson(run({"check", "broken.tar", "--json"}).out);
    QVERIFY(document);
    QCOMPARE(stringAt(*document, {"findings", "0", "rule"}), std::string("MLF-109"));
    QCOMPARE(stringAt(*document, {"findings", "0", "quick_fix"}), std::string("Remove the key 'extra' from the root"));
  }

  void allFindingsAreMended() {
    const Outcome outcome = run({"repack", "broken.tar", "-o", "fixed.tar", "--fix", "all", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    QCOMPARE(listAt(*document, {"fixed"}).size(), std::size_t{2});
    QCOMPARE(listAt(*document, {"findings"}).size(), std::size_t{1});
    const Outcome checked = run({"check", "fixed.tar", "--level", "warning"});
    QVERIFY2(checked.exit == 0, checked.text());
  }

  void oneRuleIsMended() {
    const Outcome outcome = run({"repack", "broken.tar", "-o", "fixed.tar", "--fix", "MLF-210"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QVERIFY2(outcome.out.contains("fixed MLF-210: Set memory.functions.main[0].constants_size_bytes to 16"),
             outcome.text());
    const Outcome checked = run({"check", "fixed.tar", "--level", "warning"});
    QVERIFY2(checked.exit == 1 && checked.out.contains("MLF-109") && !checked.out.contains("MLF-210"), checked.text());
    QVERIFY2(run({"repack", "broken.tar", "-o", "both.tar", "--fix", "MLF-210", "--fix", "MLF-109"}).exit == 0, "");
    QVERIFY(run({"check", "both.tar", "--level", "warning"}).exit == 0);
  }

  void nothingIsWrittenByADryRun() {
    const Outcome outcome = run({"repack", "broken.tar", "--dry-run", "--fix", "all"});
    QVERIFY2(outcome.exit == 0 && outcome.out.contains("nothing was written"), outcome.text());
  }

  void wrongRulesAreRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown") << QStringList{"--fix", "MLF-999"} << "--fix: unknown rule 'MLF-999'";
    QTest::newRow("version") << QStringList{"--upgrade", "8"} << "--upgrade: '8' is not one of 1, 2, 3, 4, 5, 6 or 7";
  }
  void wrongRulesAreRefused() {
    QFETCH(QStringList, options);
    QFETCH(QString, message);
    const Outcome outcome = run(QStringList{"repack", "broken.tar", "-o", "fixed.tar"} + options);
    QCOMPARE(outcome.exit, 2);
    QVERIFY2(outcome.err.contains(message.toUtf8()), outcome.text());
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("fixed.tar"))));
  }

  /// The command was understood, and nothing can be done.
  void rulesWithoutAFixAreFindings() {
    const Outcome outcome = run({"repack", "broken.tar", "-o", "fixed.tar", "--fix", "MLF-101"});
    QCOMPARE(outcome.exit, 1);
    QVERIFY2(outcome.err.contains("'MLF-101' has no quick fix; correct the text by hand, or export the model again"),
             outcome.text());
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("fixed.tar"))));
    const Outcome json = run({"repack", "broken.tar", "-o", "fixed.tar", "--fix", "MLF-101", "--json"});
    QCOMPARE(json.exit, 1);
    QVERIFY2(json.out.contains("\"code\": \"REP-NO-FIX\""), json.text());
  }

  void otherFilesAreRefused() {
    const Outcome outcome = run({"repack", "b1.so", "-o", "fixed.so", "--fix", "all"});
    QVERIFY2(outcome.exit == 2 &&
                 outcome.err.contains("quick fixes and versions are for Model Library Format archives"),
             outcome.text());
  }

  void versionIsConverted() {
    const Outcome outcome = run({"repack", "clean.tar", "-o", "six.tar", "--upgrade", "6", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    QCOMPARE(stringAt(*document, {"consequences", "0", "id"}), std::string("REP-VERSION-LOSS"));
    QVERIFY(run({"check", "six.tar"}).out.startsWith("Model Library Format version 6: no findings"));
    const Outcome back = run({"repack", "six.tar", "-o", "never.tar", "--upgrade", "1"});
    QVERIFY2(back.exit == 0, back.text());
    const Outcome refused = run({"repack", "never.tar", "-o", "two.tar", "--upgrade", "2"});
    QVERIFY2(refused.exit == 2 && refused.err.contains("the sizes of workspaces are not in an archive of version 1"),
             refused.text());
  }

  /// The same content gives the same bytes, however it was packed.
  void canonicalArchivesAreReproducible() {
    Mlf other = cleanMlf(7, MlfStyle::Graph);
    std::reverse(other.members.begin(), other.members.end());
    for (MlfMember& member : other.members) member.uid = 1'000, member.owner = "me", member.changed += 7;
    QVERIFY(write("other.tar", other));
    QVERIFY(run({"repack", "clean.tar", "-o", "a.tar", "--canonical"}).exit == 0);
    QVERIFY(run({"repack", "other.tar", "-o", "b.tar", "--canonical"}).exit == 0);
    const std::string a = readFile(m_folder->filePath(QStringLiteral("a.tar")));
    QVERIFY(!a.empty() && a == readFile(m_folder->filePath(QStringLiteral("b.tar"))));
    QVERIFY(run({"check", "a.tar", "--level", "note"}).exit == 0);
  }

private:
  bool write(const char* name, const Mlf& archive) const {
    return writeFile(m_folder->filePath(QString::fromLatin1(name)), archive.tar());
  }
  Outcome run(const QStringList& arguments) const { return runCli(m_folder->path(), arguments); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestFixingCommand);

} // namespace blobscope::test

#include "test_fixing.moc"
