#include "core/compile/c_code.h"
#include "core/compile/c_headers.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::compile;

namespace {

CFile file(std::string path, std::string_view text) { return {std::move(path), Bytes::copyOf(text)}; }

bool hasCc() { return process::findTool("cc", process::ToolSearch::fromEnvironment()).path.has_value(); }

} // namespace

/// The C code of archives, compiled with the C compiler of this machine.
class TestCCode : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void messagesAreParsed() {
    const auto messages = parseCLog("archive/src/a.c: In function 'f':\n"
                                    "archive/src/a.c:3:5: error: expected ';'\n"
                                    "    3 |     x\n"
                                    "archive/b:c.h:12: warning: unused 'error: '\n"
                                    "/usr/include/x.h:7:1: note: declared here\n"
                                    "cc1: fatal error: out of memory\n"
                                    "2 errors generated.\n",
                                    "archive/");
    QCOMPARE(messages.size(), std::size_t{4});
    QCOMPARE(messages[0].path, std::string("src/a.c"));
    QCOMPARE(messages[0].line, uint64_t{3});
    QCOMPARE(messages[0].column, uint64_t{5});
    QCOMPARE(messages[0].text, std::string("expected ';'"));
    QVERIFY(messages[0].severity == Severity::Error);
    QCOMPARE(messages[1].path, std::string("b:c.h"));
    QCOMPARE(messages[1].line, uint64_t{12});
    QCOMPARE(messages[1].column, uint64_t{0});
    QVERIFY(messages[1].severity == Severity::Warning);
    QVERIFY(messages[2].path.empty());
    QVERIFY(messages[2].severity == Severity::Note);
    QVERIFY(messages[3].path.empty() && messages[3].line == 0);
    QCOMPARE(messages[3].text, std::string("out of memory"));
  }

  void flagsThatNameFilesAreRefused() {
    NullMonitor monitor;
    for (const char* flag : {"-o", "-I/etc", "@file", "-fplugin=x", "-Wl,-z", "-include", "x.c", "-fdump-tree-all",
                             "-B.", "-specs=x", "-D/x"}) {
      const auto result =
          compileC({.sources = {}, .headers = {}, .folders = {}, .compiler = {}, .flags = {flag}}, monitor);
      QVERIFY2(!result && result.error().id() == DiagnosticId::CompOption, flag);
    }
  }

  void missingCompilerIsNamed() {
    NullMonitor monitor;
    const auto result =
        compileC({.sources = {}, .headers = {}, .folders = {}, .compiler = "no-such-cc", .flags = {}}, monitor);
    QVERIFY(!result && result.error().id() == DiagnosticId::CompMissing);
    QVERIFY(result.error().message().find("no-such-cc") != std::string::npos);
  }

  void sourcesAreCompiled() {
    if (!hasCc()) QSKIP("no C compiler");
    NullMonitor monitor;
    CRequest request{
        .sources = {file("src/good.c", "#include <tvm/runtime/crt/module.h>\n"
                                       "#include <own.h>\n"
                                       "int32_t table[64];\n"
                                       "int32_t count = OWN;\n"
                                       "int32_t f(TVMValue* args) { return table[args->v_int64] + count; }\n"),
                    file("src/bad.c", "#include <tvm/runtime/c_backend_api.h>\nint f(void) { return x; }\n")},
        .headers = {file("include/own.h", "#define OWN 7\n")},
        .folders = {"include"}};
    const auto result = compileC(request, monitor);
    QVERIFY2(result, result ? "" : result.error().message().c_str());
    QCOMPARE(result->units.size(), std::size_t{2});
    QVERIFY(result->units[0].ok && result->units[0].sizes);
    QVERIFY(result->units[0].sizes->code > 0);
    QCOMPARE(result->units[0].sizes->data, uint64_t{4});
    QCOMPARE(result->units[0].sizes->zeros, uint64_t{256});
    QVERIFY(!result->units[1].ok && !result->units[1].sizes);
    QVERIFY(!result->messages.empty());
    QCOMPARE(result->messages[0].path, std::string("src/bad.c"));
    QCOMPARE(result->messages[0].line, uint64_t{2});
    QVERIFY(!result->version.empty());
  }

  /// Each header alone, and all together.
  void declarationsCompile() {
    if (!hasCc()) QSKIP("no C compiler");
    NullMonitor monitor;
    CRequest request{.sources = {}, .headers = {}, .folders = {}, .flags = {"-Werror", "-Wall", "-std=c11"}};
    std::string all;
    for (const CHeader& header : cHeaders()) {
      const std::string line = "#include <" + std::string(header.path) + ">\n";
      all += line;
      request.sources.push_back(file("src/" + std::to_string(request.sources.size()) + ".c", line + "int used;\n"));
    }
    request.sources.push_back(file("src/all.c", all + "int used;\n"));
    const auto result = compileC(request, monitor);
    QVERIFY2(result, result ? "" : result.error().message().c_str());
    for (const CUnit& unit : result->units)
      QVERIFY2(unit.ok, result->messages.empty() ? unit.path.c_str() : result->messages.front().text.c_str());
  }

  void compilingIsCancelled() {
    if (!hasCc()) QSKIP("no C compiler");
    class Stopped final : public Monitor {
    public:
      bool stopRequested() const override { return true; }
      void progress(std::string_view, uint64_t, uint64_t) override {}
    } monitor;
    const auto result = compileC({.sources = {file("a.c", "int x;\n")}, .headers = {}, .folders = {}}, monitor);
    QVERIFY(!result && result.error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestCCode);
#include "test_c_code.moc"
