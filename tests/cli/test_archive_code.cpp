#include "core/process/tools.h"
#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"

namespace blobscope::test {

/// `check --compile`: the C code of archives with the C compiler of this machine.
class TestArchiveCode : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    if (!process::findTool("cc", process::ToolSearch::fromEnvironment()).path) QSKIP("no C compiler");
    m_folder = inputFolder();
    QVERIFY(m_folder);
  }

  void sizesAreReported() {
    const Outcome outcome = run({"model.tar", "--compile", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    const auto& units = listAt(*document, {"compiled", "units"});
    QVERIFY(!units.empty());
    for (const json::Value& unit : units) QVERIFY2(stringAt(unit, {"member"}).ends_with(".c"), outcome.text());
    QVERIFY2(run({"model.tar", "--compile"}).out.contains("bytes of code"), outcome.text());
  }

  void errorsHaveTheirLine() {
    Mlf mlf = cleanMlf(7, MlfStyle::Aot);
    // The headers of made archives have no content.
    std::erase_if(mlf.members, [](const MlfMember& member) { return member.path.starts_with("./runtime/"); });
    std::string path;
    for (MlfMember& member : mlf.members)
      if (member.path.ends_with(".c")) {
        member.content += "\nint broken(void) { return not_declared; }\n";
        path = member.path;
        break;
      }
    QVERIFY(!path.empty());
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("broken.tar")), mlf.tar()));
    const Outcome outcome = run({"broken.tar", "--compile", "--json", "--rule", "COMP-CODE"});
    QVERIFY2(outcome.exit == 1, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    const auto& findings = listAt(*document, {"findings"});
    QVERIFY(!findings.empty());
    QCOMPARE(stringAt(findings.front(), {"rule"}), std::string("COMP-CODE"));
    bool found = false;
    for (const json::Value& finding : findings)
      found = found || (path.ends_with(stringAt(finding, {"place", "member"})) &&
                        stringAt(finding, {"message"}).find("not_declared") != std::string::npos);
    QVERIFY2(found, outcome.text());
  }

  void otherFilesAreRefused() {
    const Outcome library = run({"b1.so", "--compile"});
    QVERIFY2(library.exit == 2 && library.err.contains("no C code"), library.text());
    QVERIFY2(run({"model.tar", "--compiler", "cc"}).exit == 2, "needs --compile");
    const Outcome missing = run({"model.tar", "--compile", "--compiler", "no-such-compiler"});
    QVERIFY2(missing.exit == 2 && missing.err.contains("no-such-compiler"), missing.text());
    QCOMPARE(run({"model.tar", "--compile", "--flag=-o"}).exit, 2);
  }

private:
  Outcome run(QStringList arguments) const {
    arguments.prepend(QStringLiteral("check"));
    return runCli(m_folder->path(), arguments);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestArchiveCode);

} // namespace blobscope::test

#include "test_archive_code.moc"
