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

  /// The archive is compiled and its graph runs; a copy with another weight differs.
  void modelsRun() {
    const Outcome outcome = runCli(m_folder->path(), {"run", "model.tar", "--model", "--yes", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    QCOMPARE(stringAt(*document, {"functions", "0", "status"}), std::string("ok"));
    QVERIFY2(!listAt(*document, {"functions", "0", "outputs"}).empty(), outcome.text());
    const Outcome same =
        runCli(m_folder->path(), {"run", "model.tar", "--model", "--compare", "model.tar", "--yes", "--json"});
    QVERIFY2(same.exit == 0, same.text());
    const Outcome asked = runCli(m_folder->path(), {"run", "model.tar", "--model"});
    QVERIFY2(asked.exit == 2 && asked.err.contains("--yes"), asked.text());
  }

  /// A model of the AOT executor: y = 2 x, and in the other archive y = 3 x.
  void aotModelsRun() {
    const auto archive = [](const char* factor) {
      Mlf mlf = cleanMlf(7, MlfStyle::Aot);
      std::erase_if(mlf.members, [](const MlfMember& member) { return member.path.starts_with("./runtime/"); });
      bool isFirst = true;
      for (MlfMember& member : mlf.members) {
        if (member.path.ends_with(".h"))
          member.content =
              "#include <stdint.h>\n#define TVMGEN_DEFAULT_X_SIZE 16\n#define TVMGEN_DEFAULT_OUTPUT_SIZE 16\n"
              "struct tvmgen_default_inputs { void* x; };\n"
              "struct tvmgen_default_outputs { void* output; };\n"
              "int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs, "
              "struct tvmgen_default_outputs* outputs);\n";
        if (!member.path.ends_with(".c")) continue;
        member.content = isFirst ? "#include <tvmgen_default.h>\n"
                                   "int32_t tvmgen_default_run(struct tvmgen_default_inputs* in, "
                                   "struct tvmgen_default_outputs* out) {\n"
                                   "  for (int i = 0; i < 4; ++i) ((float*)out->output)[i] = ((float*)in->x)[i] * " +
                                       std::string(factor) + ";\n  return 0;\n}\n"
                                 : std::string("int unused;\n");
        isFirst = false;
      }
      return mlf.tar();
    };
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("two.tar")), archive("2")));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("three.tar")), archive("3")));
    const Outcome outcome =
        runCli(m_folder->path(), {"run", "two.tar", "--model", "--input", "x=ramp", "--output-dir", "out", "--yes"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const Outcome differs = runCli(m_folder->path(), {"run", "two.tar", "--model", "--input", "x=ones", "--compare",
                                                      "three.tar", "--yes", "--json"});
    QVERIFY2(differs.exit == 1, differs.text());
    const auto document = parseJson(differs.out);
    QVERIFY(document);
    QCOMPARE(stringAt(*document, {"functions", "0", "status"}), std::string("differs"));
    const Outcome other = runCli(m_folder->path(), {"run", "two.tar", "--model", "--entry", "net", "--yes"});
    QVERIFY2(other.exit == 2 && other.err.contains("no module 'net'"), other.text());
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
