#include "core/compile/c_code.h"
#include "core/compile/c_headers.h"
#include "core/process/confine.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wait.h"

#include <QProcess>
#include <QTemporaryDir>

#include <set>

using namespace blobscope;
using namespace blobscope::compile;
using namespace blobscope::test;

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
    QCOMPARE(parseCLog("archive/src/../include/./own.h:3:1: error: x\n", "archive/").at(0).path,
             std::string("include/own.h"));
    QVERIFY(parseCLog("archive/../../etc/own.h:3:1: error: x\n", "archive/").at(0).path.empty());
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

  /// A text would be a script for the linker, and other code its input.
  void onlyObjectsOfThisMachineAreLinked() {
    if (!hasCc()) QSKIP("no C compiler");
    NullMonitor monitor;
    const QTemporaryDir folder;
    const auto objectOf = [&](const QStringList& flags) {
      const std::filesystem::path source = in(folder, "made.c"), made = in(folder, "made.o");
      writeFile(source, "int made(void) { return 7; }\n");
      QProcess compiler;
      compiler.start("cc", QStringList{"-c", "-o", QString::fromStdString(made.string())}
                               << flags << QString::fromStdString(source.string()));
      return compiler.waitForFinished(kWaitMs) && compiler.exitCode() == 0 ? Bytes::copyOf(readFile(made)) : Bytes();
    };
    const Bytes object = objectOf({"-fPIC"});
    QVERIFY(!object.empty());
    QCOMPARE(whyNotLinkable(object, monitor), std::string());
    std::string other(object.view());
    other[18] = static_cast<char>(hostArch() == "x86_64" ? 183 : 62); // e_machine
    QVERIFY(whyNotLinkable(Bytes::copyOf(other), monitor).find("this machine is") != std::string::npos);
    for (const std::string_view text : {"INPUT(/etc/passwd)\n", "", "!<arch>\n", "BC\xc0\xde"})
      QCOMPARE(whyNotLinkable(Bytes::copyOf(text), monitor), std::string("it is not an object file of ELF"));
    if (const Bytes later = objectOf({"-flto", "-ffat-lto-objects"}); !later.empty())
      QVERIFY(whyNotLinkable(later, monitor).ends_with("is an instruction to the linker"));
    CRequest request{.sources = {file("a.c", "int made(void); int used(void) { return made(); }\n")},
                     .headers = {},
                     .folders = {},
                     .objects = {{"lib/made.o", object}},
                     .link = true};
    const auto linked = compileC(request, monitor);
    QVERIFY2(linked && linked->library, linked ? "" : linked.error().message().c_str());
    request.objects = {file("lib/made.o", "INPUT(/etc/passwd)\n")};
    const auto refused = compileC(request, monitor);
    QVERIFY(!refused && refused.error().id() == DiagnosticId::CompOption);
    QCOMPARE(refused.error().message(),
             std::string("the linker does not get the member 'lib/made.o': it is not an object file of ELF"));
  }

  /// The compiler sees its own files, those of the archive and nothing else, and no file that never ends.
  void otherFilesAreNotRead() {
    if (!hasCc()) QSKIP("no C compiler");
    if (!process::supportedLayers().has(process::Layers::Files)) QSKIP("this kernel has no Landlock");
    NullMonitor monitor;
    const QTemporaryDir folder;
    writeFile(in(folder, "secret.h"), "secret words here\n");
    std::filesystem::create_directory(in(folder, "bin"));
    std::filesystem::create_symlink(*process::findTool("cc", process::ToolSearch::fromEnvironment()).path,
                                    in(folder, "bin/linked-cc"));
    std::string all = "#include \"" + in(folder, "secret.h").string() + "\"\n";
    const CRequest request{.sources = {file("a.c", all), file("b.c", "#include \"/dev/zero\"\n"),
                                       file("c.c", "__asm__(\".incbin \\\"/dev/urandom\\\"\");\n"),
                                       file("d.c", "#include \"/etc/passwd\"\n")},
                           .headers = {},
                           .folders = {},
                           .compiler = in(folder, "bin/linked-cc").string(),
                           .timeoutMs = 60'000};
    const auto result = compileC(request, monitor);
    QVERIFY2(result, result ? "" : result.error().message().c_str());
    for (const CUnit& unit : result->units) QVERIFY2(!unit.ok, unit.path.c_str());
    for (const CMessage& message : result->messages)
      QVERIFY2(message.text.find("words") == std::string::npos && message.text.find("root") == std::string::npos,
               message.text.c_str());
  }

  /// One limit for all sources; each file is written once, and no folder is searched for the files before.
  void timeIsLimitedAsAWhole() {
    NullMonitor monitor;
    const QTemporaryDir folder;
    std::filesystem::create_directory(in(folder, "bin"));
    writeScript(in(folder, "bin/slow-cc"), "[ \"$1\" = --version ] || sleep 0.2");
    CRequest request{.sources = {}, .headers = {}, .folders = {}, .compiler = in(folder, "bin/slow-cc").string()};
    for (int i = 0; i < 50; ++i) request.sources.push_back(file("s" + std::to_string(i) + ".c", "int x;\n"));
    request.timeoutMs = 700;
    const auto result = compileC(request, monitor);
    QVERIFY(!result && result.error().id() == DiagnosticId::ToolFailed);
    QVERIFY2(result.error().message().find("did not end within 700 ms and was stopped; ") != std::string::npos,
             result.error().message().c_str());
    QVERIFY2(result.error().message().ends_with(" of 50 sources had been begun"), result.error().message().c_str());
  }

  /// An error outside of the archive's files is one of the source that was compiled.
  void errorsElsewhereNameTheSource() {
    if (!hasCc()) QSKIP("no C compiler");
    NullMonitor monitor;
    const CRequest request{.sources = {file("src/a.c", "#line 7 \"elsewhere.c\"\nint f(void) { return x; }\n"),
                                       file("src/b.c", "#include \"../include/own.h\"\n")},
                           .headers = {file("include/own.h", "int g(void) { return y; }\n")},
                           .folders = {}};
    const auto result = compileC(request, monitor);
    QVERIFY2(result, result ? "" : result.error().message().c_str());
    std::vector<std::string> paths;
    for (const CMessage& message : result->messages)
      if (message.severity == Severity::Error) paths.push_back(message.path);
    QCOMPARE(paths, (std::vector<std::string>{"src/a.c", "include/own.h"}));
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
