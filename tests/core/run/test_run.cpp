#include "core/base/digest.h"
#include "core/describe/run_json.h"
#include "core/describe/run_report.h"
#include "core/edit/apply.h"
#include "core/library/open.h"
#include "core/process/process.h"
#include "core/run/agreed.h"
#include "core/run/archive.h"
#include "core/run/devices.h"
#include "core/run/execute.h"
#include "core/run/probe.h"
#include "core/run/stubs.h"
#include "core/write/repack.h"
#include "tests/core/base/files.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>

using namespace blobscope;
using namespace blobscope::test;
using run::FunctionResult;
using run::RunOptions;
using run::RunReport;
using run::Status;
using namespace std::string_literals;

namespace {

library::PackagePtr sample(const std::string& name) {
  NullMonitor monitor;
  auto package = library::open(std::filesystem::path(BLOBSCOPE_SOURCE_DIR "/resources/sample") / name, monitor);
  if (!package) qFatal("a sample cannot be opened: %s", package.error().message().c_str());
  return *package;
}

RunOptions options(bool dry) {
  RunOptions out;
  out.all = true;
  out.dry = dry;
  out.runner = BLOBSCOPE_TEST_RUNNER;
  return out;
}

/// The consent of a user who agrees to run the package as it is.
run::Agreed agreedTo(const library::PackagePtr& package) {
  NullMonitor monitor;
  return {*computeSha256(package->bytes, monitor), package->path};
}

Result<RunReport> runOf(const library::PackagePtr& package, RunOptions options) {
  NullMonitor monitor;
  options.agreed = agreedTo(package);
  BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
  return run::runLibrary(package, functions, options, monitor);
}

/// In place, from the start on.
void overwrite(const std::filesystem::path& path, std::string_view bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

QString idOf(const Result<RunReport>& report) {
  return report ? QStringLiteral("it ran") : QString::fromStdString(std::string(report.error().diagnostic().idText()));
}

const FunctionResult* find(const RunReport& report, const std::string& name) {
  for (const FunctionResult& one : report.functions)
    if (one.function == name) return &one;
  return nullptr;
}

bool isNative() {
#if defined(__linux__) && defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

std::string jsonOf(const RunReport& report) {
  std::string out;
  {
    json::Writer writer([&](std::string_view piece) { out += piece; });
    writer.beginObject();
    describe::writeReport(writer, report);
    writer.endObject();
    writer.finish();
  }
  return out;
}

/// Says why there is no device of that kind; empty when there is one.
std::string whyNoDevice(const std::string& kind) {
  NullMonitor monitor;
  const auto list = run::computeDevices(BLOBSCOPE_TEST_RUNNER, monitor);
  if (!list) return list.error().message();
  for (const protocol::DeviceFound& device : list->devices)
    if (device.kind == kind) return {};
  return "no " + kind + " device";
}

} // namespace

/// Whole test runs of the samples, through the runner.
class TestLibraryRun : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// The undefined symbols that belong to a runtime that no test run has.
  void symbolsOfMissingRuntimesAreRecognised() {
    library::Package package;
    for (const char* const name :
         {"cudaMalloc", "cuLaunchKernel", "__cudaRegisterFatBinary", "cublasLtMatmul", "hipMalloc",
          "__hipPushCallConfiguration", "_ZN3tvm7runtime4oopsEi", "_ZTVN3tvm4DataE", "cuda_wrapper", "hippo_scan",
          "curl_easy_init", "hip", "cublas_", "malloc"}) {
      container::Symbol symbol;
      symbol.name = name;
      symbol.dynamic = true;
      symbol.binding = container::Binding::Global;
      package.image.symbols.push_back(symbol);
    }
    const run::ForeignImports found = run::foreignImports(package);
    QCOMPARE(found.functions,
             (std::vector<std::string>{"cudaMalloc", "cuLaunchKernel", "__cudaRegisterFatBinary", "cublasLtMatmul",
                                       "hipMalloc", "__hipPushCallConfiguration", "_ZN3tvm7runtime4oopsEi"}));
    QCOMPARE(found.data, (std::vector<std::string>{"_ZTVN3tvm4DataE"}));
  }

  /// A dry run of a library that links nvcc's objects and TVM's C++: a call of a missing function stops the run there.
  void dryRunStopsAtAMissingFunction() {
    if (!isNative()) QSKIP("the library is made for x86-64 Linux");
    const QString compiler = QStandardPaths::findExecutable("cc");
    if (compiler.isEmpty()) QSKIP("no C compiler (cc) is installed");
    QTemporaryDir folder;
    const auto compile = [&](const QString& name, const QByteArray& source, QStringList more) {
      const QString path = folder.filePath(name + ".c");
      QFile file(path);
      if (!file.open(QFile::WriteOnly) || file.write(source) != source.size()) return false;
      file.close();
      more = QStringList{"-shared", "-fPIC", "-o", folder.filePath(name), path} + more;
      return QProcess::execute(compiler, more) == 0;
    };
    // A required library with versioned symbols, like libcudart, which is missing when the library runs.
    QFile map(folder.filePath("versions"));
    QVERIFY(map.open(QFile::WriteOnly) && map.write("libcudart.so.99 { *; };") > 0);
    map.close();
    QVERIFY(compile("libcudart.so.99",
                    "int cudaLaunchKernel(void) { return 0; } void* __cudaRegisterFatBinary(void* p) { return p; }",
                    {"-Wl,-soname,libcudart.so.99", "-Wl,--version-script=" + map.fileName()}));
    const QByteArray source = R"c(
extern int cudaLaunchKernel(void);
extern void* __cudaRegisterFatBinary(void*);
extern void _ZN3tvm7runtime4oopsEi(int);
void* __tvm_ffi__library_ctx;
static void* handle;
__attribute__((constructor)) static void start(void) { handle = __cudaRegisterFatBinary(0); }
const char* texts[] = {"good(A: Tensor([4], float32))", "bad(A: Tensor([4], float32))",
                       "worse(A: Tensor([4], float32))"};
int __tvm_ffi_good(void* s, void* a, int n, void* r) { return handle ? 0 : -1; }
int __tvm_ffi_bad(void* s, void* a, int n, void* r) { return cudaLaunchKernel(); }
int __tvm_ffi_worse(void* s, void* a, int n, void* r) { _ZN3tvm7runtime4oopsEi(n); return 0; }
)c";
    const QStringList links = {"-L" + folder.path(), "-l:libcudart.so.99"};
    QVERIFY(compile("lib.so", source, links));
    NullMonitor monitor;
    const auto package = library::open(folder.filePath("lib.so").toStdString(), monitor);
    QVERIFY(package);
    const auto report = runOf(*package, options(true));
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY2(find(*report, "good") && find(*report, "good")->status == Status::Ok, jsonOf(*report).c_str());
    for (const auto& [function, name] : {std::pair{"bad", "cudaLaunchKernel"}, {"worse", "_ZN3tvm7runtime4oopsEi"}}) {
      const FunctionResult* const one = find(*report, function);
      QVERIFY(one && one->status == Status::Failed);
      QCOMPARE(one->code, "RUN-IMPORTS"s);
      QVERIFY2(one->message.find(name) != std::string::npos, one->message.c_str());
    }
    QCOMPARE(idOf(runOf(*package, options(false))), QStringLiteral("RUN-IMPORTS"));

    // Missing data cannot be replaced: nothing is loaded.
    QVERIFY(compile("data.so", source + "extern void* _ZTVN3tvm4DataE; void* use(void) { return _ZTVN3tvm4DataE; }",
                    links));
    const auto withData = library::open(folder.filePath("data.so").toStdString(), monitor);
    QVERIFY(withData);
    const auto refused = runOf(*withData, options(true));
    QCOMPARE(idOf(refused), QStringLiteral("RUN-IMPORTS"));
    QVERIFY(refused.error().message().find("_ZTVN3tvm4DataE") != std::string::npos);
  }

  void dryRunListsLaunches() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    const auto report = runOf(sample("sample-cuda-a.so"), options(true));
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QCOMPARE(report->functions.size(), std::size_t{4});
    QVERIFY2(report->allOk(), jsonOf(*report).c_str());
    const FunctionResult* const matmul = find(*report, "fused_matmul_add");
    QVERIFY(matmul);
    QCOMPARE(matmul->launches.size(), std::size_t{1});
    const protocol::LaunchEvent& launch = matmul->launches[0];
    QCOMPARE(QString::fromStdString(launch.kernel), QStringLiteral("fused_matmul_add_kernel"));
    QVERIFY(launch.extents.grid == (std::array<uint64_t, 3>{1, 1, 1}));
    QVERIFY(launch.extents.block == (std::array<uint64_t, 3>{5, 16, 1})); // threadIdx.y is first in its table
    QCOMPARE(QString::fromStdString(describe::argumentText(launch.arguments[0])), QStringLiteral("T_add_intermediate"));
    QVERIFY(matmul->outputs.empty());
    QVERIFY(jsonOf(*report).find("\"shared\": 0") != std::string::npos);
  }

  /// Host functions without a device compute results; here they are compared with a plain reference.
  void hostFunctionsAreComputed() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    RunOptions asked = options(false);
    asked.all = false;
    asked.functions = {"add"};
    asked.inputs = {{"lv4", "ramp"}, {"B", "ones"}};
    const auto folder = process::TemporaryFolder::create();
    QVERIFY(folder);
    asked.outputs = folder->path() / "outputs";
    asked.repeat = 4;
    const auto report = runOf(sample("sample-cpu.so"), asked);
    QVERIFY2(report && report->allOk(), report ? jsonOf(*report).c_str() : report.error().message().c_str());
    const FunctionResult& add = report->functions[0];
    QCOMPARE(add.outputs.size(), std::size_t{1});
    QVERIFY(add.outputs[0].statistics);
    QCOMPARE(add.outputs[0].statistics->values.minimum, 1.0); // 0 + 1
    QCOMPARE(add.outputs[0].statistics->values.maximum, 5.0); // 4 + 1
    QCOMPARE(add.outputs[0].statistics->sum, 15.0);
    QCOMPARE(add.callTimes.size(), std::size_t{4});
    QVERIFY(std::filesystem::exists(asked.outputs / "add.T_add.npy"));
    QCOMPARE(std::filesystem::file_size(asked.outputs / "add.T_add.npy"), uintmax_t{128 + 5 * 4});
    // The next run reads the output of this one, which it would write again.
    asked.inputs["lv4"] = (asked.outputs / "add.T_add.npy").native();
    const auto onto = runOf(sample("sample-cpu.so"), asked);
    QVERIFY(!onto);
    QCOMPARE(onto.error().id(), DiagnosticId::FileSame);
    asked.outputs = folder->path() / "more";
    const auto more = runOf(sample("sample-cpu.so"), asked);
    QVERIFY2(more && more->allOk(), more ? jsonOf(*more).c_str() : more.error().message().c_str());
    QCOMPARE(more->functions[0].outputs[0].statistics->sum, 20.0);
  }

  void wrongRequestsAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("id");
    for (const auto& [what, id] :
         {std::pair("function", "RUN-NO-ENTRY"), std::pair("input", "RUN-INPUT"), std::pair("fill", "RUN-INPUT"),
          std::pair("size", "RUN-INPUT"), std::pair("device", "RUN-IMAGE"), std::pair("memory", "RUN-MEMORY"),
          std::pair("none", "USAGE"), std::pair("damaged", "RUN-DAMAGED"), std::pair("runner", "RUN-RUNNER")})
      QTest::newRow(what) << QString::fromUtf8(what) << QString::fromUtf8(id);
  }
  void wrongRequestsAreRefused() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    QFETCH(QString, what);
    QFETCH(QString, id);
    RunOptions asked = options(false);
    std::string file = "sample-cpu.so";
    asked.all = false;
    asked.functions = {"add"};
    if (what == QStringLiteral("function")) asked.functions = {"nothing"};
    if (what == QStringLiteral("input")) asked.inputs = {{"nobody", "ones"}};
    if (what == QStringLiteral("fill")) asked.inputs = {{"B", "grass"}};
    if (what == QStringLiteral("size")) asked.variables = {{"n", 5}};
    if (what == QStringLiteral("device"))
      asked.device = "vulkan", file = "sample-opencl.so", asked.functions = {"mean"};
    if (what == QStringLiteral("memory")) asked.limits.memoryBytes = 8;
    if (what == QStringLiteral("none")) asked.functions = {};
    if (what == QStringLiteral("damaged")) file = "sample-damaged.so", asked.functions = {"mean"};
    if (what == QStringLiteral("runner")) asked.runner = "/nowhere/runner";
    const auto report = runOf(sample(file), asked);
    const std::string found = !report                     ? std::string(report.error().diagnostic().idText())
                              : report->functions.empty() ? std::string()
                                                          : report->functions[0].code;
    QCOMPARE(QString::fromStdString(found), id);
    if (report) QVERIFY(!report->functions[0].message.empty() && report->functions[0].status != Status::Ok);
  }

  /// A dry run checks the inputs too, although it does not write them.
  void wrongInputsOfDryRunsAreRefused_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("message");
    QTest::newRow("words") << "grass" << "invalid input 'lv4': 'grass' is not a value for an input; ";
    QTest::newRow("missing file") << "/nowhere/x.npy" << "'/nowhere/x.npy' does not exist";
    QTest::newRow("right") << "uniform:0:1" << "";
  }
  void wrongInputsOfDryRunsAreRefused() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    QFETCH(QString, input);
    QFETCH(QString, message);
    RunOptions asked = options(true);
    asked.all = false;
    asked.functions = {"add"};
    asked.inputs = {{"lv4", input.toStdString()}};
    const auto report = runOf(sample("sample-cpu.so"), asked);
    const std::string found = report ? report->functions.at(0).message : report.error().message();
    QVERIFY2(message.isEmpty() ? report && report->allOk() : QString::fromStdString(found).startsWith(message),
             found.c_str());
  }

  void kernelsRunWithOpenCl() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    if (const std::string why = whyNoDevice("opencl"); !why.empty()) QSKIP(why.c_str());
    const auto report = runOf(sample("sample-opencl.so"), options(false));
    QVERIFY2(report && report->allOk(), report ? jsonOf(*report).c_str() : report.error().message().c_str());
    const FunctionResult* const softmax = find(*report, "softmax");
    QVERIFY(softmax && softmax->outputs.size() == 1);
    QVERIFY(std::abs(softmax->outputs[0].statistics->sum - 1) < 1e-5);
  }

  /// A kernel with one changed sign is found, and nothing else.
  void changedKernelDiffers() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    if (const std::string why = whyNoDevice("opencl"); !why.empty()) QSKIP(why.c_str());
    NullMonitor monitor;
    const library::PackagePtr right = sample("sample-opencl.so");
    std::string payload(right->blobs[0]->modules[2]->payload.view());
    const std::size_t at = payload.find("+ param_1_ptr[");
    QVERIFY(at != std::string::npos);
    payload[at] = '-';
    const std::vector<edit::Edit> edits = {edit::Replace{{*Ref::parse("m2"), {}}, {{}, Bytes::copyOf(payload)}}};
    const auto repack = write::planRepack(right, edits, {}, {}, monitor);
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    const auto folder = process::TemporaryFolder::create();
    QVERIFY(folder);
    QVERIFY(write::writeRepack(*repack, folder->path() / "wrong.so", {}, monitor));
    const auto wrong = library::open(folder->path() / "wrong.so", monitor);
    QVERIFY(wrong);
    RunOptions asked = options(false);
    asked.repeat = 3;
    asked.agreed = agreedTo(*wrong);
    asked.agreedReference = agreedTo(right);
    const auto report = run::compareRuns(*wrong, right, asked, monitor);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    for (const FunctionResult& result : report->functions) {
      QVERIFY(result.comparison);
      QVERIFY(result.comparison->deterministic && result.comparison->times);
      const bool changed = result.function == "fused_matmul_add";
      QCOMPARE(result.status, changed ? Status::Differs : Status::Ok);
      QCOMPARE(result.comparison->outputs[0].result.mismatches > 0, changed);
    }
    QCOMPARE(find(*report, "fused_matmul_add")->code, "RUN-DIFFERS"s);
  }

  /// A kernel alone, with arguments from a dry run of its host function, computes the same as the host function.
  void kernelAloneEqualsItsHostFunction() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    if (const std::string why = whyNoDevice("opencl"); !why.empty()) QSKIP(why.c_str());
    const library::PackagePtr package = sample("sample-opencl.so");
    RunOptions alone = options(false), whole = options(false);
    alone.all = whole.all = false;
    whole.functions = {"fused_matmul_add"};
    alone.kernel = run::KernelRun{*Ref::parse("m2/kernel:fused_matmul_add_kernel"), {}, {}, {}, {}};
    const auto expected = runOf(package, whole), report = runOf(package, alone);
    QVERIFY(expected && expected->allOk());
    QVERIFY2(report && report->allOk(), report ? jsonOf(*report).c_str() : report.error().message().c_str());
    const FunctionResult &one = report->functions[0], &other = expected->functions[0];
    QVERIFY(one.launches.size() == 1 && one.launches[0].extents == other.launches[0].extents);
    QCOMPARE(one.outputs.size(), std::size_t{1});
    QCOMPARE(one.outputs[0].name, other.outputs[0].name);
    QCOMPARE(one.outputs[0].statistics->sum, other.outputs[0].statistics->sum);
  }

  /// All arguments given by hand, as when the host code is for another system; its softmax of five zeros is a fifth
  /// each.
  void kernelRunsWithGivenArguments() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    if (const std::string why = whyNoDevice("opencl"); !why.empty()) QSKIP(why.c_str());
    RunOptions asked = options(false);
    asked.all = false;
    asked.kernel = run::KernelRun{*Ref::parse("m2/kernel:softmax_kernel"),
                                  {{1, 1, 1}},
                                  {{256, 1, 1}},
                                  {},
                                  {{0, "float32[1,5]"}, {1, "float32[1,5]"}}};
    asked.inputs = {{"arg1", "zeros"}};
    const auto report = runOf(sample("sample-opencl.so"), asked);
    QVERIFY2(report && report->allOk(), report ? jsonOf(*report).c_str() : report.error().message().c_str());
    const auto& outputs = report->functions[0].outputs;
    QCOMPARE(outputs.size(), std::size_t{2}); // a tensor given by hand may be written to
    QVERIFY(std::abs(outputs[0].statistics->values.minimum - 0.2) < 1e-6 &&
            std::abs(outputs[0].statistics->values.maximum - 0.2) < 1e-6);
  }

  void unusableKernelRequestsAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* what, const char* message) {
      QTest::newRow(what) << QString::fromUtf8(what) << QString::fromUtf8(message);
    };
    row("no kernel", "USAGE: 'm2' is not a kernel; example: m1/kernel:NAME");
    row("unknown",
        "REF-NOT-FOUND: 'm2/kernel:nothing' does not exist in this file: the module has no kernel with that name");
    row("dry", "USAGE: a dry run works for host functions only; a single kernel needs a device");
    row("shape", "USAGE: argument 0 is a buffer, written like float32[7,128]; 'float32[5' has no shape");
    row("type", "USAGE: argument 0 is a buffer, written like float32[7,128]; 'cow[5]' does not begin with a type");
    row("extent", "USAGE: argument 0 is a buffer, written like float32[7,128]; 'float32[5,-1]' has an invalid shape");
    row("too many", "USAGE: kernel 'softmax_kernel' has 2 arguments, numbered from 0; there is no argument 2");
    row("grid", "USAGE: an extent of the grid or block is 0 or too large");
    row("input", "RUN-INPUT: invalid input 'cow': the kernel has no buffer with that name");
    row("device",
        "RUN-IMAGE: 'softmax_kernel' contains no code for vulkan: it contains code for opencl; compile it for vulkan");
    row("memory", "RUN-MEMORY: the tensors need 8,000,000,000,000 B, but the limit is 4 GiB; choose smaller sizes");
    row("sizes", "RUN-INPUT: invalid input 'n': no function of this run has a size with that name");
  }
  void unusableKernelRequestsAreRefused() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    QFETCH(QString, what);
    QFETCH(QString, message);
    RunOptions asked = options(false);
    asked.all = false;
    run::KernelRun& kernel = asked.kernel.emplace();
    kernel.kernel = *Ref::parse(what == QStringLiteral("no kernel") ? "m2"
                                : what == QStringLiteral("unknown") ? "m2/kernel:nothing"
                                                                    : "m2/kernel:softmax_kernel");
    if (what == QStringLiteral("dry")) asked.dry = true;
    if (what == QStringLiteral("shape")) kernel.arguments[0] = "float32[5";
    if (what == QStringLiteral("type")) kernel.arguments[0] = "cow[5]";
    if (what == QStringLiteral("extent")) kernel.arguments[0] = "float32[5,-1]";
    if (what == QStringLiteral("too many")) kernel.arguments[2] = "1";
    if (what == QStringLiteral("grid")) kernel.grid = {0, 1, 1};
    if (what == QStringLiteral("input")) asked.inputs["cow"] = "ones";
    if (what == QStringLiteral("device")) asked.device = "vulkan";
    if (what == QStringLiteral("memory")) kernel.arguments[0] = "float32[1000000,1000000,2]";
    if (what == QStringLiteral("sizes")) asked.variables["n"] = 5;
    const auto report = runOf(sample("sample-opencl.so"), asked);
    QVERIFY(!report);
    QString found =
        QString::fromStdString(std::string(report.error().diagnostic().idText()) + ": " + report.error().message());
    if (what == QStringLiteral("memory"))
      QVERIFY(found.startsWith(QStringLiteral("RUN-MEMORY")));
    else
      QCOMPARE(found, message);
  }

  /// Nothing shows the arguments of a kernel in a module without host code.
  void missingKernelArgumentsAreListed() {
    const auto report = [] {
      RunOptions asked = options(false);
      asked.all = false;
      asked.kernel = run::KernelRun{*Ref::parse("m2/kernel:softmax_kernel"), {}, {}, {}, {}};
      NullMonitor monitor;
      asked.agreed = agreedTo(sample("sample-opencl.so"));
      return run::runLibrary(sample("sample-opencl.so"), {}, asked, monitor);
    }();
    QVERIFY(!report);
    QCOMPARE(
        QString::fromStdString(report.error().message()),
        QStringLiteral(
            "the arguments of 'softmax_kernel' are unknown: no host function is known to launch it, so these are "
            "unknown: the grid, the block, argument 0 (handle), argument 1 (handle); specify their shapes and types"));
  }

  void runCanBeCancelled() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    const library::PackagePtr package = sample("sample-cpu.so");
    NullMonitor quiet;
    const auto functions = xref::computeFunctions(package, quiet);
    QVERIFY(functions);
    RunOptions asked = options(false);
    asked.agreed = agreedTo(package);
    for (const int looks : {0, 1, 5, 20}) {
      StopAfter monitor(looks);
      const auto report = run::runLibrary(package, *functions, asked, monitor);
      if (!report) QVERIFY2(report.error().code() == ErrorCode::Cancelled, report.error().message().c_str());
    }
    StopAfter monitor(0);
    QVERIFY(!run::runLibrary(package, *functions, asked, monitor));
  }

  // --- consent: there is no runner here, so that any start shows as RUN-RUNNER ---

  void runNeedsConsent_data() {
    QTest::addColumn<QString>("what");
    for (const char* const what :
         {"all", "dry", "kernel", "model", "probe", "file of a comparison", "reference of a comparison"})
      QTest::newRow(what) << QString::fromUtf8(what);
  }
  void runNeedsConsent() {
    QFETCH(QString, what);
    RunOptions asked = options(what == QStringLiteral("dry"));
    asked.runner = "/nowhere/runner";
    const library::PackagePtr package = sample("sample-opencl.so");
    if (what == QStringLiteral("kernel"))
      asked.kernel = run::KernelRun{*Ref::parse("m2/kernel:softmax_kernel"), {}, {}, {}, {}};
    if (what == QStringLiteral("model")) asked.runtime = "/nowhere";
    if (what.contains(QStringLiteral("reference"))) asked.agreed = agreedTo(package);
    if (what.contains(QStringLiteral("file of"))) asked.agreedReference = agreedTo(package);
    NullMonitor monitor;
    if (what == QStringLiteral("probe")) {
      xref::Functions functions = *xref::computeFunctions(package, monitor);
      for (xref::HostFunction& function : functions.hosts) function.signature.source = host::Signature::Source::None;
      const auto done = run::probeSignatures(package, asked, functions, monitor);
      QVERIFY(!done && done.error().id() == DiagnosticId::RunConsent);
      return;
    }
    QCOMPARE(idOf(what.contains(QStringLiteral("comparison")) ? run::compareRuns(package, package, asked, monitor)
                                                              : run::runLibrary(package, {}, asked, monitor)),
             QStringLiteral("RUN-CONSENT"));
  }

  /// The library that is built from an archive has the consent of the archive, not of whatever its file contains later.
  void consentOfAnArchiveIsForItsContent() {
    if (QStandardPaths::findExecutable("cc").isEmpty()) QSKIP("no C compiler: cc");
    Mlf mlf = cleanMlf(7, MlfStyle::Graph);
    std::erase_if(mlf.members, [](const MlfMember& member) { return member.path.starts_with("./runtime/"); });
    const QTemporaryDir folder;
    const std::filesystem::path path = in(folder, "model.tar");
    writeFile(path, mlf.tar());
    NullMonitor monitor;
    const auto package = library::open(path, monitor);
    QVERIFY(package);
    const auto idOfBuild = [&](const run::Agreed& agreed) {
      const auto built = run::buildArchive(*package, agreed, {}, monitor);
      return built ? QString() : QString::fromUtf8(built.error().diagnostic().idText().data());
    };
    const run::Agreed agreed = agreedTo(*package);
    QCOMPARE(idOfBuild({}), QStringLiteral("RUN-CONSENT"));
    QCOMPARE(idOfBuild({std::string(64, '0'), agreed.path}), QStringLiteral("RUN-CHANGED"));
    QCOMPARE(idOfBuild(agreed), QString());
    // One byte of a text, in place.
    std::string changed = mlf.tar();
    changed[changed.find("int32_t")] = 'j';
    {
      std::ofstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.write(changed.data(), static_cast<std::streamsize>(changed.size()));
    }
    QCOMPARE(idOfBuild(agreed), QStringLiteral("FILE-CHANGED"));
  }

  void fileChangedAfterConsentIsRefused_data() {
    QTest::addColumn<bool>("inMemory");
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("id");
    for (const bool inMemory : {true, false}) {
      const auto row = [&](const char* how, const char* id) {
        QTest::addRow("%s, %s", how, inMemory ? "in memory" : "mapped")
            << inMemory << QString::fromUtf8(how) << QString::fromUtf8(id);
      };
      row("not at all", "RUN-RUNNER");
      row("overwritten in place", "FILE-CHANGED");
      row("cut off", "FILE-CHANGED");
      row("replaced by another file", "RUN-RUNNER"); // the agreed bytes are still the opened ones
      row("another digest was agreed to", "RUN-CHANGED");
    }
  }
  /// The library that is run, and the library that it is compared with.
  void fileChangedAfterConsentIsRefused() {
    if (!isNative()) QSKIP("the samples are for x86-64 Linux");
    QFETCH(bool, inMemory);
    QFETCH(QString, how);
    QFETCH(QString, id);
    const QTemporaryDir folder;
    const auto path = in(folder, "changing.so");
    const std::string content = readFile(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so");
    writeFile(path, content);
    const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}}; // any later change has another time
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), past, 0), 0);
    NullMonitor monitor;
    const auto package = inMemory ? library::openPrivate(path, monitor) : library::open(path, monitor);
    QVERIFY(package);
    run::Agreed agreed = agreedTo(*package);
    if (how == QStringLiteral("overwritten in place")) overwrite(path, "other bytes");
    if (how == QStringLiteral("cut off")) std::filesystem::resize_file(path, content.size() - 1);
    if (how == QStringLiteral("replaced by another file")) {
      writeFile(in(folder, "new"), "no library");
      std::filesystem::rename(in(folder, "new"), path);
    }
    if (how == QStringLiteral("another digest was agreed to"))
      agreed.sha256.back() = agreed.sha256.back() == '0' ? '1' : '0';

    RunOptions asked = options(false);
    asked.all = false;
    asked.functions = {"add"};
    asked.runner = "/nowhere/runner";
    asked.agreed = agreed;
    const auto functions = xref::computeFunctions(sample("sample-cpu.so"), monitor);
    QVERIFY(functions);
    const auto alone = run::runLibrary(*package, *functions, asked, monitor);
    QCOMPARE(idOf(alone), id);
    QVERIFY2(id == QStringLiteral("RUN-RUNNER") || alone.error().message().find("changing.so'") != std::string::npos,
             alone.error().message().c_str());
    asked.agreed = agreedTo(sample("sample-cpu.so"));
    asked.agreedReference = agreed;
    QCOMPARE(idOf(run::compareRuns(sample("sample-cpu.so"), *package, asked, monitor)), id);
  }

  /// The digest is that of the copy that the runner loads, whatever was hashed before.
  void changedCopyIsRefused() {
    const QTemporaryDir folder;
    const library::PackagePtr package = sample("sample-cpu.so");
    run::PlannedRun planned;
    planned.calls.emplace_back().call = 0;
    planned.job.calls.emplace_back();
    planned.job.library = "library.so";
    RunOptions asked = options(false);
    asked.runner = "/nowhere/runner";
    asked.agreed = agreedTo(package);
    NullMonitor monitor;
    writeFile(in(folder, "library.so"), package->bytes.view());
    QCOMPARE(idOf(run::executeRun(planned, asked, in(folder, "."), monitor)), QStringLiteral("RUN-RUNNER"));
    writeFile(in(folder, "library.so"), std::string(package->bytes.view()) + "x");
    const auto refused = run::executeRun(planned, asked, in(folder, "."), monitor);
    QCOMPARE(idOf(refused), QStringLiteral("RUN-CHANGED"));
    QVERIFY2(refused.error().message().find(asked.agreed.sha256) != std::string::npos,
             refused.error().message().c_str());
  }

  /// A mapped file is planned from a private copy: later writes to the file are not read.
  void plannedFileIsAPrivateCopy() {
    const QTemporaryDir folder;
    const std::string content = readFile(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-opencl.so");
    writeFile(in(folder, "a.so"), content);
    NullMonitor monitor;
    const auto opened = library::open(in(folder, "a.so"), monitor);
    QVERIFY(opened);
    const auto library = run::AgreedLibrary::take(*opened, agreedTo(*opened), monitor);
    QVERIFY(library);
    QVERIFY(library->package() != *opened && library->package()->path == (*opened)->path);
    QVERIFY(library->checkDisk());
    writeFile(in(folder, "a.so"), std::string(content.size(), 'x'));
    QVERIFY(library->package()->bytes.view() == content);
    QVERIFY(!library->checkDisk());
  }
};

BLOBSCOPE_TEST(TestLibraryRun);
#include "test_run.moc"
