#include "core/compile/compile.h"
#include "core/compile/grow.h"
#include "core/describe/compiled.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv_tools.h"
#include "core/process/confine.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using compile::Language;

namespace {

/// PTX with one kernel of one parameter.
std::string ptxOf(const char* body = "ret;") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add(\n\t.param .u64 add_param_0\n)\n{\n\t"s +
         body + "\n}\n";
}
constexpr char kCuda[] =
    "extern \"C\" __global__ void add(float* a, int n) {\n  if (threadIdx.x < n) a[threadIdx.x] += 1;\n}\n";

} // namespace

/// Compilers that are scripts show what is done with a compiler that refuses, hangs, prints without end or writes
/// nothing; those of CUDA and SPIRV-Tools are used where they are installed.
class TestCompile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase() { qputenv("BLOBSCOPE_RUNNER", BLOBSCOPE_TEST_RUNNER); }
  void init();
  void toolsGetTheirArguments();
  void checkersReturnTheSource_data();
  void checkersReturnTheSource();
  void recordedFlagsArePassed();
  void severalArchitecturesMakeAFatBinary();
  void fatBinaryGrowsFromItsPtx();
  void refusedSourceIsAResult();
  void compilerThatFailsIsReported_data();
  void compilerThatFailsIsReported();
  void hangingCompilerIsStopped();
  void timeIsLimitedAsAWhole();
  void otherFilesAreNotRead();
  void compilerCanBeCancelled();
  void wrongOptionsAreRefused_data();
  void wrongOptionsAreRefused();
  void missingCompilerIsExplained();
  void assemblyOfSpirv();
  void flagsAreSorted_data();
  void flagsAreSorted();
  void openClReadsOnlyItsOwnFiles();
  void realCompilers_data();
  void realCompilers();
  void lostKernelsAreNamed();
  void realErrorsHaveTheirPlace_data();
  void realErrorsHaveTheirPlace();

private:
  void makeTool(const char* name, std::string_view commands) { writeScript(in(*m_folder, name), commands); }
  compile::Request request(std::string_view source, Language language = Language::Ptx) const {
    compile::Request out;
    out.language = language;
    out.source = bytes(source);
    out.search = m_search;
    return out;
  }
  /// The end of a script that writes a cubin.
  std::string returnsCubin() const { return "exec cat '" + in(*m_folder, "made.cubin").string() + "' > image.out"; }
  std::string messageOf(const compile::Request& wanted) {
    const auto result = compile::compile(wanted, m_monitor);
    std::string text = result ? "fine: " + describe::resultText(*result) : result.error().message();
    const std::string folder = m_folder->path().toStdString();
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.replace(at, folder.size(), "DIR");
    return text;
  }
  static process::ToolSearch realTools() { return process::ToolSearch::fromEnvironment(); }

  std::unique_ptr<QTemporaryDir> m_folder;
  process::ToolSearch m_search;
  NullMonitor m_monitor;
};

void TestCompile::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_search = {.named = m_folder->path().toStdString(), .root = m_folder->path().toStdString() + "/root"};
  // A cubin that the scripts return.
  cuda::CubinKernel add = cuda::kernel("add");
  add.registers = 24;
  writeFile(in(*m_folder, "made.cubin"), cuda::CubinFile{.kernels = {add}}.build());
}

void TestCompile::toolsGetTheirArguments() {
  // Confined, so it starts no other programs and does not inherit our environment.
  makeTool("ptxas", "[ \"$1\" = --version ] && { echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; }\n"
                    "{ read a; read b; } < kernel.ptx\necho \"k.ptx:1: note: $* $PATH $HOME $b\" >&2\n" +
                        returnsCubin());
  compile::Request wanted = request(ptxOf());
  wanted.flags = {"-O1", "-v"};
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY2(result.hasValue(), result ? "" : result.error().message().c_str());
  QVERIFY(result->ok);
  QCOMPARE(describe::compilerText(*result), "ptxas 13.0.88 for sm_80"s);
  QCOMPARE(result->messages.size(), std::size_t{1});
  QCOMPARE(result->messages[0].text, "-arch=sm_80 -O1 -v -o image.out kernel.ptx /usr/bin:/bin  .target sm_80"s);
  QCOMPARE(result->format, "cubin"s);
  QCOMPARE(result->kernels.size(), std::size_t{1});
  QCOMPARE(describe::kernelText(result->kernels[0]),
           "add: 24 registers, 0 bytes of shared memory, 0 bytes of stack, 128 bytes of code"s);
}

/// Compilers that only check: the source is what is stored.
void TestCompile::checkersReturnTheSource_data() {
  QTest::addColumn<QString>("tool");
  QTest::addColumn<int>("language");
  QTest::addColumn<QByteArray>("arguments");
  QTest::newRow("clang") << "clang" << static_cast<int>(Language::OpenClC)
                         << QByteArray("-x cl -cl-std=CL2.0 -target spir64-unknown-unknown -Xclang "
                                       "-finclude-default-header -fsyntax-only -Wall kernel.cl");
  QTest::newRow("naga") << "naga" << static_cast<int>(Language::Wgsl) << QByteArray("-Wall kernel.wgsl");
  QTest::newRow("tint") << "tint" << static_cast<int>(Language::Wgsl) << QByteArray("--format wgsl -Wall kernel.wgsl");
}

void TestCompile::checkersReturnTheSource() {
  QFETCH(QString, tool);
  QFETCH(int, language);
  QFETCH(QByteArray, arguments);
  makeTool(tool.toUtf8().constData(), "[ \"$1\" = --version ] && exit\necho \"k:1:2: note: $*\" >&2");
  compile::Request wanted = request("source", static_cast<Language>(language));
  wanted.flags = {"-Wall"};
  wanted.anyFlag = true;
  wanted.compiler = tool.toStdString();
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY2(result.hasValue(), result ? "" : result.error().message().c_str());
  QVERIFY(result->ok && result->code);
  QCOMPARE(std::string(result->code->view()), "source"s);
  QCOMPARE(result->format, "text"s);
  QCOMPARE(QByteArray::fromStdString(result->messages.at(0).text), arguments);
  makeTool(tool.toUtf8().constData(), "[ \"$1\" = --version ] && exit\necho 'k:3:4: error: no' >&2\nexit 1");
  const auto refused = compile::compile(wanted, m_monitor);
  QVERIFY(refused && !refused->ok && !refused->code);
  QCOMPARE(describe::messageText(refused->messages.at(0)), "3:4: error: no"s);
}

/// Each compiler gets its own; flags of the user take their place.
void TestCompile::recordedFlagsArePassed() {
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\necho \"k:1: note: $*\" >&2\n" + returnsCubin());
  compile::Request wanted = request(ptxOf());
  wanted.recordedFlags = {{"nvcc", {"-Xptxas"}}, {"ptxas", {"-O2", "--options-file=x"}}};
  const auto recorded = compile::compile(wanted, m_monitor);
  QVERIFY(recorded && recorded->ok);
  QCOMPARE(recorded->messages.at(1).text, "-arch=sm_80 -O2 -o image.out kernel.ptx"s);
  QCOMPARE(
      describe::messageText(recorded->messages.at(0)),
      "note: the flag '--options-file=x', which the module records, is not passed: it is not one of those that only "
      "change the code"s);
  QCOMPARE(recorded->flags, std::vector<std::string>{"-O2"});
  wanted.flags = {"-O1"};
  const auto own = compile::compile(wanted, m_monitor);
  QVERIFY(own && own->ok);
  QCOMPARE(own->messages.at(0).text, "-arch=sm_80 -O1 -o image.out kernel.ptx"s);
}

void TestCompile::severalArchitecturesMakeAFatBinary() {
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\n" + returnsCubin());
  compile::Request wanted = request(ptxOf());
  wanted.architectures = {"sm_80", "sm_90"};
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY(result && result->ok && result->code);
  QCOMPARE(result->format, "fatbin"s);
  const payloads::Fatbin fatbin = payloads::readFatbin(*result->code);
  QVERIFY(fatbin.damage.empty());
  QCOMPARE(fatbin.entries().size(), std::size_t{2});
  QCOMPARE(fatbin.entries()[1].kindName(), "cubin"s);
}

/// The PTX with the highest target that is not above the architecture is compiled.
void TestCompile::fatBinaryGrowsFromItsPtx() {
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\nread a < kernel.ptx\n[ \"$a\" = \"// 80\" ] || "
                    "{ echo \"k:1:1: error: $a $1\" >&2; exit 1; }\n" +
                        returnsCubin());
  const auto ptx = [](uint32_t sm) {
    return cuda::Image{.kind = 1, .sm = sm, .payload = "// " + std::to_string(sm) + "\n" + ptxOf()};
  };
  const std::string code = cuda::fatbin({ptx(75), ptx(80), ptx(90)});
  auto package =
      openBytes(elfWith("__tvm_ffi__library_bin",
                        ffiBlob({{"_lib", ""}, {"cuda", code3("fatbin", {{"add"}}, code, Info::Four)}}, {{1}, {}})));
  QVERIFY(package);
  const auto binaries = edit::fatBinariesOf(*package, Ref::file(), m_monitor);
  QVERIFY(binaries && binaries->size() == 1);
  const auto grow = [&](const std::vector<std::string>& architectures) {
    return compile::growFatBinary(*package, binaries->front(), architectures, request(""), m_monitor);
  };
  const auto edits = grow({"sm_86", "sm_89"});
  QVERIFY2(edits.hasValue(), edits ? "" : edits.error().message().c_str());
  QCOMPARE(edits->size(), std::size_t{2});
  const auto& last = std::get<edit::AddFunction>(edits->back());
  QCOMPARE(last.target.toString(), "m1/entry:4"s);
  QCOMPARE(payloads::sniff(last.content->bytes), "cubin"s);
  QCOMPARE(grow({"sm_90"}).error().message(), "its PTX does not compile for sm_90: // 90 -arch=sm_90"s);
  QCOMPARE(grow({"sm_50"}).error().message(),
           "'m1' cannot be compiled: it contains no PTX that can be compiled for sm_50"s);
  QCOMPARE(grow({"sm_86", "sm_86"}).error().message(), "there already is an image for sm_86"s);
  QCOMPARE(grow({"compute_86"}).error().message(),
           "'compute_86' is not an architecture for machine code; an example is sm_90"s);
}

void TestCompile::refusedSourceIsAResult() {
  makeTool("ptxas",
           "[ \"$1\" = --version ] && exit\necho 'ptxas kernel.ptx, line 8; error   : Unknown symbol' >&2\nexit 255");
  const auto result = compile::compile(request(ptxOf()), m_monitor);
  QVERIFY(result && !result->ok && !result->code);
  QCOMPARE(describe::messageText(result->messages.at(0)), "8: error: Unknown symbol"s);
  QCOMPARE(describe::resultText(*result), "The source does not compile: 1 error."s);
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\necho 'something else' >&2\nexit 1");
  const auto other = compile::compile(request(ptxOf()), m_monitor);
  QVERIFY(other && !other->ok);
  QCOMPARE(other->messages.size(), std::size_t{1});
  QCOMPARE(other->messages[0].text, "something else\\n"s);
}

void TestCompile::compilerThatFailsIsReported_data() {
  QTest::addColumn<QByteArray>("commands");
  QTest::addColumn<QByteArray>("expected");
  QTest::newRow("crashes") << QByteArray("kill -SEGV $$") << QByteArray("'DIR/ptxas' was ended by signal 11");
  QTest::newRow("writes no code") << QByteArray("true")
                                  << QByteArray("'DIR/ptxas' ended without an error, but wrote no code");
  QTest::newRow("prints without end") << QByteArray(
                                             "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done")
                                      << QByteArray("'DIR/ptxas' ");
}

void TestCompile::compilerThatFailsIsReported() {
  QFETCH(QByteArray, commands);
  QFETCH(QByteArray, expected);
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\n" + commands.toStdString());
  const std::string message = messageOf(request(ptxOf()));
  QVERIFY2(message.starts_with(expected.toStdString()), message.c_str());
  QVERIFY(compile::compile(request(ptxOf()), m_monitor).error().id() == DiagnosticId::ToolFailed);
}

void TestCompile::hangingCompilerIsStopped() {
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\nexec sleep 600");
  compile::Request wanted = request(ptxOf());
  wanted.timeoutMs = 300;
  QCOMPARE(messageOf(wanted), "'DIR/ptxas' did not end within 300 ms and was stopped"s);
}

/// One limit for all architectures, however many there are.
void TestCompile::timeIsLimitedAsAWhole() {
  // It cannot start another program that waits.
  makeTool("ptxas",
           "[ \"$1\" = --version ] && exit\ni=0\nwhile [ $i -lt 60000 ]; do i=$((i+1)); done\n" + returnsCubin());
  compile::Request wanted = request(ptxOf());
  for (const char* const one : {"75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"})
    wanted.architectures.push_back("sm_"s + one);
  wanted.timeoutMs = 400;
  QCOMPARE(messageOf(wanted), "'DIR/ptxas' did not end within 400 ms and was stopped"s);
}

/// The installation of the compiler is all that it reads besides the system's own programs.
void TestCompile::otherFilesAreNotRead() {
  if (!process::supportedLayers().has(process::Layers::Files)) QSKIP("this kernel has no Landlock");
  const QTemporaryDir other;
  writeFile(in(other, "secret"), "secret");
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\nread a < '" + in(other, "secret").string() +
                        "' && echo \"k:1: error: $a\" >&2 || echo 'k:1: error: refused' >&2\nexit 1");
  const auto result = compile::compile(request(ptxOf()), m_monitor);
  QVERIFY(result && !result->ok);
  QCOMPARE(result->messages.back().text, "refused"s);
}

void TestCompile::compilerCanBeCancelled() {
  makeTool("ptxas", "[ \"$1\" = --version ] && exit\nexec sleep 600");
  for (const unsigned checks : {1u, 5u, 30u}) {
    StopAfter monitor(checks);
    const auto result = compile::compile(request(ptxOf()), monitor);
    QVERIFY(!result && result.error().code() == ErrorCode::Cancelled);
  }
}

void TestCompile::wrongOptionsAreRefused_data() {
  QTest::addColumn<int>("language");
  QTest::addColumn<QStringList>("architectures");
  QTest::addColumn<QStringList>("flags");
  QTest::addColumn<QString>("compiler");
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* name, Language language, QStringList architectures, QStringList flags,
                      const char* compiler, const char* expected) {
    QTest::newRow(name) << static_cast<int>(language) << architectures << flags << QString(compiler)
                        << QByteArray(expected);
  };
  row("no architecture", Language::CudaCpp, {}, {}, "", "name an architecture, such as --arch sm_90");
  row("bad architecture", Language::CudaCpp, {"hopper"}, {}, "",
      "'hopper' is not an architecture; examples are sm_90, sm_90a, compute_90");
  row("PTX of PTX", Language::Ptx, {"compute_90"}, {}, "",
      "PTX is compiled to machine code: 'compute_90' is not possible, sm_… is");
  row("twice", Language::Ptx, {"sm_90", "sm_90"}, {}, "", "'sm_90' is named twice");
  row("architecture for OpenCL", Language::OpenClC, {"sm_90"}, {}, "",
      "--arch is for CUDA; OpenCL C has no architectures");
  row("no flag", Language::Ptx, {"sm_90"}, {"O3"}, "", "'O3' is not a flag of a compiler: flags begin with -");
  row("output", Language::Ptx, {"sm_90"}, {"--output-file=/etc/x"}, "",
      "the flag '--output-file=/etc/x' is set by Blobscope, or names other files");
  row("run", Language::CudaCpp, {"sm_90"}, {"-run"}, "", "the flag '-run' is set by Blobscope, or names other files");
  row("files", Language::Ptx, {"sm_90"}, {"--maxrregcount=32", "-I/etc"}, "",
      "the flag '-I/etc' is not one of those that only change the code; it may name files or programs, and is passed "
      "only when any flag is allowed (--any-flag)");
  row("other compiler", Language::CudaCpp, {"sm_90"}, {}, "ptxas",
      "'ptxas' does not compile CUDA C++; nvrtc, nvcc can be chosen");
}

void TestCompile::wrongOptionsAreRefused() {
  QFETCH(int, language);
  QFETCH(QStringList, architectures);
  QFETCH(QStringList, flags);
  QFETCH(QString, compiler);
  QFETCH(QByteArray, expected);
  compile::Request wanted = request("text", static_cast<Language>(language));
  for (const QString& one : architectures) wanted.architectures.push_back(one.toStdString());
  for (const QString& one : flags) wanted.flags.push_back(one.toStdString());
  wanted.compiler = compiler.toStdString();
  makeTool("ptxas", "echo x > '" + in(*m_folder, "started").string() + "'");
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY(!result && result.error().id() == DiagnosticId::CompOption);
  QVERIFY(!std::filesystem::exists(in(*m_folder, "started")));
  QCOMPARE(QByteArray::fromStdString(result.error().message()), expected);
}

void TestCompile::missingCompilerIsExplained() {
  compile::Request wanted = request(ptxOf());
  wanted.compiler = "ptxas";
  const std::string message = messageOf(wanted);
  QVERIFY2(message.starts_with("no compiler for PTX: ptxas was not found; it comes with the CUDA toolkit and with the "
                               "Python package nvidia-cuda-nvcc; searched: DIR, DIR/bin"),
           message.c_str());
  QCOMPARE(messageOf(request("shader", Language::Metal)),
           "no compiler for Metal: Blobscope knows no compiler for it; the text can still be edited"s);
}

void TestCompile::assemblyOfSpirv() {
  if (!payloads::hasSpirvTools()) QSKIP("this program was built without SPIRV-Tools");
  const std::string text = "; Version: 1.3\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                           "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 64 1 1\n"
                           "%void = OpTypeVoid\n%type = OpTypeFunction %void\n%main = OpFunction %void None %type\n"
                           "%begin = OpLabel\nOpReturn\nOpFunctionEnd\n";
  const auto result = compile::compile(request(text, Language::SpirvAssembly), m_monitor);
  QVERIFY(result && result->ok && result->code);
  const payloads::SpirvModule module = payloads::readSpirv(*result->code);
  QCOMPARE(module.version, 0x00010300u);
  QCOMPARE((*module.entryPoints.at(0).localSize)[0], 64u);
  // A wrong word, and a module that is not valid.
  std::string wrong = text;
  wrong.replace(wrong.find("OpReturn"), 8, "OpReturm");
  const auto bad = compile::compile(request(wrong, Language::SpirvAssembly), m_monitor);
  QVERIFY(bad && !bad->ok && !bad->code);
  QVERIFY2(describe::messageText(bad->messages.at(0)).starts_with("10:1: error: Invalid Opcode name"),
           describe::messageText(bad->messages.at(0)).c_str());
  wrong = text;
  wrong.erase(wrong.find("OpReturn\n"), 9);
  const auto invalid = compile::compile(request(wrong, Language::SpirvAssembly), m_monitor);
  QVERIFY(invalid && !invalid->ok && invalid->messages.size() == 1 && invalid->messages[0].line == 0);
}

void TestCompile::flagsAreSorted_data() {
  QTest::addColumn<QString>("compiler");
  QTest::addColumn<QStringList>("flags");
  QTest::addColumn<QStringList>("passed");
  const auto row = [](const char* name, const char* compiler, const QStringList& flags, const QStringList& passed) {
    QTest::newRow(name) << compiler << flags << passed;
  };
  const QStringList cuda = {"-O3",       "--use_fast_math",  "-use_fast_math", "--fmad=false",
                            "-lineinfo", "-maxrregcount=64", "-std=c++17",     "--std=c++20",
                            "-DNAME",    "-DN=1.5e-3",       "-UNAME",         "-G"};
  row("code generation", "nvcc", cuda, cuda);
  row("code generation of NVRTC", "nvrtc", cuda, cuda);
  row("values in words of their own", "nvcc", {"-D", "X=2", "--maxrregcount", "32", "-Xptxas", "-v", "-std", "c++14"},
      {"-DX=2", "--maxrregcount=32", "-Xptxas=-v", "-std=c++14"});
  row("programs", "nvcc",
      {"-ccbin=/tmp/cc", "-ccbin", "/tmp/cc", "--compiler-bindir=x", "-Xcompiler", "-wrapper,/bin/sh", "-Xcompiler=-B.",
       "-Xlinker=-x", "--use-local-env", "-ldir=x", "-optf=x", "--options-file", "x", "-run", "--run-args=x", "-dc",
       "@x"},
      {});
  row("files", "nvrtc", {"-I/etc", "--include-path=x", "--pre-include=x", "-include", "x", "-D", "-o", "-time=x"}, {});
  row("definitions that are not simple", "nvcc",
      {"-DX=a b", "-DX(a)=b", "-DX=\"a\"", "-DX=/etc", "-D1=2", "-D=1", "-D"}, {});
  row("flags for ptxas", "nvcc", {"-Xptxas=-O3,-v", "-Xptxas=-v,--options-file=x", "-Xptxas=x", "-Xptxas="},
      {"-Xptxas=-O3,-v"});
  row("ptxas", "ptxas",
      {"-O2", "-v", "--maxrregcount=8", "-optf", "x", "--options-file=x", "-o", "--fmad=maybe", "-DX"},
      {"-O2", "-v", "--maxrregcount=8"});
  row("nvJitLink", "nvjitlink", {"-O2", "-ftz=1", "-fma=0", "-lto", "-optix-ir", "-variables-used=x"},
      {"-O2", "-ftz=1", "-fma=0"});
  row("OpenCL C", "opencl",
      {"-cl-std=CL2.0", "-cl-mad-enable", "-DX=1", "-I.", "-I", "-cl-x=/etc", "-x", "-save-temps=x"},
      {"-cl-std=CL2.0", "-cl-mad-enable", "-DX=1"});
  row("clang", "clang",
      {"-cl-std=CL2.0", "-Wall", "-O2", "-fplugin=x", "-include", "-Xclang", "-load", "-mllvm", "-B."},
      {"-cl-std=CL2.0", "-Wall", "-O2"});
  const QStringList c = {"-O2",
                         "-Os",
                         "-g",
                         "-g3",
                         "-std=c11",
                         "-Wall",
                         "-Wno-x",
                         "-Wstack-usage=64",
                         "-mcpu=cortex-m7",
                         "-mthumb",
                         "-mfloat-abi=hard",
                         "-m32",
                         "-fPIC",
                         "-fno-builtin",
                         "-ffunction-sections",
                         "-DX=1",
                         "-pedantic"};
  row("C", "cc", c, c);
  row("files and programs of C", "cc",
      {"-o",
       "-I/etc",
       "@file",
       "-fplugin=x",
       "-Wl,-z",
       "-Wa,-x",
       "-Wp,-x",
       "-include",
       "-fdump-tree-all",
       "-B.",
       "-specs=x",
       "-D/x",
       "-wrapper",
       "-fuse-ld=x",
       "-mllvm",
       "-flto",
       "-fprofile-use=x",
       "-fsanitize-blacklist=x",
       "-gsplit-dwarf",
       "-imacros",
       "--specs=x",
       "-mspecs=x",
       "-x",
       "-"},
      {});
  row("WGSL", "naga", {"-O2", "--validate=0"}, {});
}

void TestCompile::flagsAreSorted() {
  QFETCH(QString, compiler);
  QFETCH(QStringList, flags);
  QFETCH(QStringList, passed);
  std::vector<std::string> words;
  for (const QString& flag : flags) words.push_back(flag.toStdString());
  const compile::SortedFlags sorted = compile::sortFlags(compiler.toStdString(), words);
  QStringList got;
  for (const std::string& flag : sorted.passed) got << QString::fromStdString(flag);
  QCOMPARE(got, passed);
  if (passed.isEmpty()) QCOMPARE(sorted.leftOut.size(), words.size());
}

/// What a driver's compiler includes would be in its messages.
void TestCompile::openClReadsOnlyItsOwnFiles() {
  if (!process::supportedLayers().has(process::Layers::Files)) QSKIP("this kernel has no Landlock");
  const QTemporaryDir other;
  writeFile(in(other, "secret"), "secret words here\n");
  compile::Request wanted = request("__kernel void f(__global int* a) { a[0] = 1; }\n", Language::OpenClC);
  wanted.compiler = "opencl";
  auto result = compile::compile(wanted, m_monitor);
  if (!result) QSKIP(result.error().message().c_str());
  QVERIFY2(result->ok, describe::resultText(*result).c_str());
  wanted.source = bytes("#include \"" + in(other, "secret").string() + "\"\n");
  result = compile::compile(wanted, m_monitor);
  QVERIFY2(result, result ? "" : result.error().message().c_str());
  QVERIFY(!result->ok && !result->messages.empty());
  for (const compile::Message& message : result->messages)
    QVERIFY2(message.text.find("words") == std::string::npos, message.text.c_str());
}

void TestCompile::realCompilers_data() {
  QTest::addColumn<QString>("compiler");
  QTest::addColumn<QString>("architecture");
  QTest::addColumn<QByteArray>("format");
  QTest::newRow("ptxas") << QString() << QStringLiteral("sm_90") << QByteArray("cubin");
  for (const char* const name : {"nvjitlink", "nvrtc", "nvcc"})
    QTest::newRow(name) << QString(name) << QStringLiteral("sm_90") << QByteArray("cubin");
  QTest::newRow("nvrtc to PTX") << QStringLiteral("nvrtc") << QStringLiteral("compute_90") << QByteArray("ptx");
  QTest::newRow("nvcc to PTX") << QStringLiteral("nvcc") << QStringLiteral("compute_90") << QByteArray("ptx");
}

void TestCompile::realCompilers() {
  QFETCH(QString, compiler);
  QFETCH(QString, architecture);
  QFETCH(QByteArray, format);
  if (!process::findTool("ptxas", realTools()).path) QSKIP("no CUDA toolkit");
  const bool isPtx = compiler.isEmpty() || compiler == QLatin1String("nvjitlink");
  compile::Request wanted = request(isPtx ? ptxOf() : kCuda, isPtx ? Language::Ptx : Language::CudaCpp);
  wanted.search = realTools();
  wanted.compiler = compiler.toStdString();
  wanted.architectures = {architecture.toStdString()};
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY2(result.hasValue(), result ? "" : result.error().message().c_str());
  QVERIFY2(result->ok, describe::resultText(*result).c_str());
  QCOMPARE(QByteArray::fromStdString(result->format), format);
  if (format == "cubin") QCOMPARE(result->kernels.at(0).name, "add"s);
  QVERIFY(!result->version.empty());
}

/// nvJitLink 13.5 reports success, and its cubin lacks the kernels of an input that it left out.
void TestCompile::lostKernelsAreNamed() {
  cuda::CubinFile image;
  image.kernels = {{.name = "other"}};
  const Bytes ptx = Bytes::copyOf(ptxOf());
  QCOMPARE(compile::lostKernels(ptx, Bytes::copyOf(image.build())), (std::vector<std::string>{"add"}));
  image.kernels.push_back({.name = "add"});
  QVERIFY(compile::lostKernels(ptx, Bytes::copyOf(image.build())).empty());
  QVERIFY(compile::lostKernels(ptx, ptx).empty());
}

void TestCompile::realErrorsHaveTheirPlace_data() {
  QTest::addColumn<QString>("compiler");
  for (const char* const name : {"ptxas", "nvjitlink", "nvrtc", "nvcc"}) QTest::newRow(name) << QString(name);
}

void TestCompile::realErrorsHaveTheirPlace() {
  QFETCH(QString, compiler);
  if (!process::findTool("ptxas", realTools()).path) QSKIP("no CUDA toolkit");
  const bool isPtx = compiler == QLatin1String("ptxas") || compiler == QLatin1String("nvjitlink");
  std::string cuda = kCuda;
  cuda.replace(cuda.find("a[threadIdx"), 1, "b");
  compile::Request wanted = request(isPtx ? ptxOf("mov.u32 %r1, 0;") : cuda, isPtx ? Language::Ptx : Language::CudaCpp);
  wanted.search = realTools();
  wanted.compiler = compiler.toStdString();
  wanted.architectures = {"sm_90"};
  const auto result = compile::compile(wanted, m_monitor);
  QVERIFY2(result.hasValue(), result ? "" : result.error().message().c_str());
  QVERIFY(!result->ok);
  const compile::Message& first = result->messages.at(0);
  QCOMPARE(first.line, isPtx ? uint64_t{8} : uint64_t{2});
  QCOMPARE(first.column, isPtx ? uint64_t{0} : uint64_t{24});
}

BLOBSCOPE_TEST(TestCompile);
#include "test_compile.moc"
