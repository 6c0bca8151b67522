#include "core/base/digest.h"
#include "core/run/job_parts.h"
#include "core/run/kernel.h"
#include "core/xref/functions.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using run::KernelRun;
using run::RunOptions;

namespace {

constexpr uint32_t kHandleCode = 0x00014003, kInt32Code = 0x00012000, kUInt64Code = 0x00014001,
                   kFloat32Code = 0x00012002, kBfloat16 = 0x00011004, kBool = 0x00010101,
                   kOldFloat4 = 0x00010408; ///< "float4_e2m1", before DLPack had types of 4 bits

/// A library without host code: one module of that kind with its code.
library::PackagePtr packageOf(const std::string& kind, const std::string& module) {
  const auto package = openBytes(classicBlob({{"_lib", ""}, {kind, module}}, {{{1}, {}}}));
  if (!package) qFatal("the made blob cannot be opened: %s", package.error().message().c_str());
  return *package;
}
library::PackagePtr cudaOf(const std::vector<uint32_t>& types, const std::string& name = "add") {
  return packageOf("cuda", code3("ptx", {{name, types}}, "code of the kernel", Info::Three));
}

std::string shaderRecord() {
  const std::string words = spirv_builder::shader();
  return ByteBuilder().u32(1).u64(words.size() / 4).raw(words).take();
}
/// Kernels with SPIR-V whose blocks have 64×2×1 threads.
library::PackagePtr vulkanOf(const std::vector<Function>& functions) {
  ByteBuilder out;
  out.str("vulkan").raw(functionMap(functions, Info::Three)).u64(functions.size());
  for (const Function& function : functions) out.str(function.key).str(shaderRecord());
  return packageOf("vulkan", out.take());
}

KernelRun asked(std::map<uint32_t, std::string> arguments, const std::string& kernel = "m1/kernel:add") {
  return {*Ref::parse(kernel), {{7, 2, 1}}, {{128, 1, 1}}, {}, std::move(arguments)};
}

Result<run::PlannedRun> planOf(const library::PackagePtr& package, const RunOptions& options,
                               const std::filesystem::path& folder) {
  NullMonitor monitor;
  return run::planKernel(package, {}, options, folder, monitor);
}

std::string sizes(const std::array<uint64_t, 3>& extents) {
  return std::to_string(extents[0]) + "," + std::to_string(extents[1]) + "," + std::to_string(extents[2]);
}

/// The arguments in words: "arg0 float32[7,128] on 2", "5", "0.5".
std::string argumentsOf(const protocol::JobCall& call) {
  std::string out;
  for (const protocol::JobArgument& argument : call.arguments) {
    out += out.empty() ? "" : "; ";
    if (argument.kind == protocol::JobArgument::Kind::Integer) out += std::to_string(argument.integer);
    if (argument.kind == protocol::JobArgument::Kind::Float)
      out += QByteArray::number(argument.real).toStdString() + "f";
    if (argument.kind != protocol::JobArgument::Kind::Tensor) continue;
    const protocol::JobTensor& tensor = argument.tensor;
    std::string shape;
    for (const int64_t extent : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    out += tensor.name + " " + std::to_string(tensor.type.code) + ":" + std::to_string(tensor.type.bits) + "x" +
           std::to_string(tensor.type.lanes) + "[" + shape + "] on " + std::to_string(tensor.deviceType);
  }
  return out;
}

std::string messageOf(const library::PackagePtr& package, const RunOptions& options) {
  const QTemporaryDir folder;
  const auto planned = planOf(package, options, in(folder, ""));
  return planned ? "planned: " + argumentsOf(planned->job.calls[0])
                 : std::string(planned.error().diagnostic().idText()) + ": " + planned.error().message();
}

} // namespace

/// Jobs with one launch of a kernel whose grid, block and arguments are given, so that no host code is needed.
class TestKernelPlan : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void jobsLaunchTheKernelOnce() {
    const QTemporaryDir folder;
    RunOptions options;
    options.kernel = asked({{0, "float32[2,3]"}, {1, "5"}});
    options.kernel->dynamicShared = 48;
    options.inputs["arg0"] = "ones";
    const auto planned = planOf(cudaOf({kHandleCode, kInt32Code}), options, in(folder, ""));
    QVERIFY2(planned, planned ? "" : planned.error().message().c_str());
    const protocol::Job& job = planned->job;
    QVERIFY(job.mode == protocol::Mode::Kernel);
    QCOMPARE(job.backend, "cuda"s);
    QVERIFY(job.library.empty());
    QCOMPARE(job.calls.size(), std::size_t{1});
    QCOMPARE(job.calls[0].function, "add"s);
    QCOMPARE(sizes(job.calls[0].extents.grid), "7,2,1"s);
    QCOMPARE(sizes(job.calls[0].extents.block), "128,1,1"s);
    QCOMPARE(job.calls[0].extents.dynamicShared, uint64_t{48});
    QCOMPARE(argumentsOf(job.calls[0]), "arg0 2:32x1[2,3] on 2; 5"s);
    QVERIFY(job.calls[0].arguments[0].tensor.role == protocol::Role::InOut);
    QCOMPARE(planned->calls.size(), std::size_t{1});
    QCOMPARE(planned->calls[0].function, "add"s);
    QVERIFY(planned->calls[0].call == std::optional<std::size_t>(0));
    QVERIFY(!planned->calls[0].refused);
    QCOMPARE(planned->calls[0].signature.parameters.size(), std::size_t{2});
    QCOMPARE(planned->calls[0].signature.parameters[0].dtype, "float32"s);
    QCOMPARE(job.modules.size(), std::size_t{1});
    QCOMPARE(job.modules[0].data, "module0"s);
    QCOMPARE(listing(folder), "in.0.0 module0"s);
    QCOMPARE(readFile(in(folder, "module0")), "code of the kernel"s);
    std::string ones;
    for (int i = 0; i < 6; ++i) ones += "0000803f";
    QCOMPARE(hexDigits(readFile(in(folder, "in.0.0"))), ones);
  }

  void argumentsAreParsed_data() {
    QTest::addColumn<uint>("type");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("result");
    const auto row = [](uint type, const std::string& text, const std::string& result) {
      QTest::addRow("%x: %s", type, text.substr(0, 40).c_str()) << type << text << result;
    };
    const auto buffer = [](const std::string& text, const char* why) {
      return "USAGE: argument 0 is a buffer, written like float32[7,128]; '" + text + "' " + why;
    };
    const auto number = [](const char* type, const std::string& text) {
      return "USAGE: argument 0 is a number of type "s + type + ", not '" + text + "'";
    };
    row(kHandleCode, "float32[7,128]", "planned: arg0 2:32x1[7,128] on 2");
    row(kHandleCode, "float16x2[4]", "planned: arg0 2:16x2[4] on 2");
    row(kHandleCode, "bool[3]", "planned: arg0 1:1x1[3] on 2");
    row(kHandleCode, "int8[]", "planned: arg0 0:8x1[] on 2");
    row(kHandleCode, "int8[0]", "planned: arg0 0:8x1[0] on 2");
    row(kHandleCode, "int8[4,]", "planned: arg0 0:8x1[4] on 2");
    row(kHandleCode, "int8[0x10]", "planned: arg0 0:8x1[16] on 2");
    row(kHandleCode, "int8", buffer("int8", "has no shape"));
    row(kHandleCode, "int8[3", buffer("int8[3", "has no shape"));
    row(kHandleCode, "int8[3]x", buffer("int8[3]x", "has no shape"));
    row(kHandleCode, "", buffer("", "has no shape"));
    row(kHandleCode, "[3]", buffer("[3]", "does not begin with a type"));
    row(kHandleCode, "handle[3]", buffer("handle[3]", "does not begin with a type"));
    row(kHandleCode, "int8\n[3]", buffer("int8\\n[3]", "does not begin with a type"));
    row(kHandleCode, "int8[-1]", buffer("int8[-1]", "has an invalid shape"));
    row(kHandleCode, "int8[,3]", buffer("int8[,3]", "has an invalid shape"));
    row(kHandleCode, "int8[3 ]", buffer("int8[3 ]", "has an invalid shape"));
    row(kHandleCode, "int8[9223372036854775808]", buffer("int8[9223372036854775808]", "has an invalid shape"));
    std::string many = "int8[1";
    for (int i = 1; i < 64; ++i) many += ",1";
    row(kHandleCode, many + "]", "planned: arg0 0:8x1" + many.substr(4) + "] on 2");
    row(kHandleCode, many + ",1]", buffer((many + ",1]").substr(0, 97) + "…", "has an invalid shape"));
    row(kInt32Code, "5", "planned: 5");
    row(kInt32Code, "-5", "planned: -5");
    row(kInt32Code, "5.0", number("int32", "5.0"));
    row(kInt32Code, "", number("int32", ""));
    row(kInt32Code, " 5", number("int32", " 5"));
    row(kInt32Code, "+5", number("int32", "+5"));
    row(kInt32Code, "9223372036854775808", number("int32", "9223372036854775808"));
    row(kInt32Code, "5\t", number("int32", "5\\t"));
    row(kUInt64Code, "9223372036854775807", "planned: 9223372036854775807");
    row(kBool, "1", "planned: 1");
    row(kFloat32Code, "0.5", "planned: 0.5f");
    row(kFloat32Code, "-1e3", "planned: -1000f");
    row(kFloat32Code, "5", "planned: 5f");
    row(kFloat32Code, "inf", "planned: inff");
    row(kFloat32Code, "half", number("float32", "half"));
    row(kFloat32Code, "", number("float32", ""));
    row(kFloat32Code, "1.5 ", number("float32", "1.5 "));
    row(kBfloat16, "2", "planned: 2f");
  }
  void argumentsAreParsed() {
    QFETCH(uint, type);
    QFETCH(std::string, text);
    QFETCH(std::string, result);
    RunOptions options;
    options.kernel = asked({{0, text}});
    QCOMPARE(messageOf(cudaOf({type}), options), result);
  }

  void requestsAreChecked_data() {
    QTest::addColumn<std::function<void(RunOptions&)>>("change");
    QTest::addColumn<std::string>("result");
    using Change = std::function<void(RunOptions&)>;
    const auto row = [](const char* name, const std::string& result, const Change& change) {
      QTest::newRow(name) << change << result;
    };
    const std::string good = "planned: arg0 2:32x1[2,3] on 2; 5";
    const auto kernel = [](const char* ref) {
      return [=](RunOptions& options) { options.kernel->kernel = *Ref::parse(ref); };
    };
    row("all given", good, [](RunOptions&) {});
    row("its device", good, [](RunOptions& options) { options.device = "cuda"; });
    row("another device",
        "RUN-IMAGE: 'add' contains no code for vulkan: it contains code for cuda; compile it for vulkan",
        [](RunOptions& options) { options.device = "vulkan"; });
    row("a dry run", "USAGE: a dry run works for host functions only; a single kernel needs a device",
        [](RunOptions& options) { options.dry = true; });
    row("a runtime", "USAGE: a single kernel runs without a TVM runtime",
        [](RunOptions& options) { options.runtime = "folder"; });
    row("a module", "USAGE: 'm1' is not a kernel; example: m1/kernel:NAME", kernel("m1"));
    row("the blob", "USAGE: 'blob' is not a kernel; example: m1/kernel:NAME", kernel("blob"));
    row("no such module",
        "REF-NOT-FOUND: 'm9/kernel:add' does not exist in this file: the blob has 2 modules, counted from 0",
        kernel("m9/kernel:add"));
    row("no such kernel",
        "REF-NOT-FOUND: 'm1/kernel:mul' does not exist in this file: the module has no kernel with that name",
        kernel("m1/kernel:mul"));
    row("one argument too many", "USAGE: kernel 'add' has 2 arguments, numbered from 0; there is no argument 2",
        [](RunOptions& options) { options.kernel->arguments[2] = "1"; });
    for (const bool grid : {false, true})
      for (const uint64_t extent : {uint64_t{0}, uint64_t{UINT32_MAX} + 1, uint64_t{UINT32_MAX}})
        QTest::addRow("%s of %llu", grid ? "grid" : "block", static_cast<unsigned long long>(extent))
            << Change([=](RunOptions& options) {
                 (grid ? options.kernel->grid : options.kernel->block) = {{1, 1, extent}};
               })
            << (extent == UINT32_MAX ? good : "USAGE: an extent of the grid or block is 0 or too large"s);
    const std::string unknown =
        "RUN-SIGNATURE: the arguments of 'add' are unknown: no host function is known to launch "
        "it, so these are unknown: ";
    row("no grid", unknown + "the grid; specify their shapes and types",
        [](RunOptions& options) { options.kernel->grid.reset(); });
    row("no block", unknown + "the block; specify their shapes and types",
        [](RunOptions& options) { options.kernel->block.reset(); });
    row("no buffer", unknown + "argument 0 (handle); specify their shapes and types",
        [](RunOptions& options) { options.kernel->arguments.erase(0); });
    row("nothing",
        unknown + "the grid, the block, argument 0 (handle), argument 1 (int32); specify their shapes and types",
        [](RunOptions& options) { options.kernel = KernelRun{options.kernel->kernel, {}, {}, {}, {}}; });
    row("an input of another name", "RUN-INPUT: invalid input 'x': the kernel has no buffer with that name",
        [](RunOptions& options) { options.inputs["x"] = "ones"; });
    row("an input of a number", "RUN-INPUT: invalid input 'arg1': the kernel has no buffer with that name",
        [](RunOptions& options) { options.inputs["arg1"] = "ones"; });
    row("memory, up to the limit", good, [](RunOptions& options) { options.limits.memoryBytes = 24; });
    row("memory, one byte less",
        "RUN-MEMORY: the tensors need 24 bytes, but the limit is 23 bytes; choose smaller sizes",
        [](RunOptions& options) { options.limits.memoryBytes = 23; });
  }
  void requestsAreChecked() {
    QFETCH(std::function<void(RunOptions&)>, change);
    QFETCH(std::string, result);
    RunOptions options;
    options.kernel = asked({{0, "float32[2,3]"}, {1, "5"}});
    change(options);
    const std::string message = messageOf(cudaOf({kHandleCode, kInt32Code}), options);
    QVERIFY2(message == result, message.c_str());
  }

  void longListsOfMissingArgumentsAreCut() {
    RunOptions options;
    options.kernel = KernelRun{*Ref::parse("m1/kernel:add"), {}, {{1, 1, 1}}, {}, {}};
    const std::string message = messageOf(cudaOf(std::vector<uint32_t>(9, kInt32Code)), options);
    QVERIFY2(message.find("the grid, argument 0 (int32)") != std::string::npos, message.c_str());
    QVERIFY2(message.ends_with("argument 6 (int32) and 2 more; specify their shapes and types"), message.c_str());
  }

  void devicesDependOnTheModule_data() {
    QTest::addColumn<std::string>("kind");
    QTest::addColumn<std::string>("result");
    QTest::newRow("cuda") << "cuda"s << "planned: arg0 0:8x1[1] on 2"s;
    QTest::newRow("opencl") << "opencl"s << "planned: arg0 0:8x1[1] on 4"s;
    QTest::newRow("metal") << "metal"s
                           << "RUN-NO-DEVICE: no metal device found: test runs support CUDA, Vulkan, "
                              "OpenCL and the CPU"s;
  }
  void devicesDependOnTheModule() {
    QFETCH(std::string, kind);
    QFETCH(std::string, result);
    RunOptions options;
    options.kernel = asked({{0, "int8[1]"}});
    const std::string module = code3(kind == "opencl" ? "cl" : kind, {{"add", {kHandleCode}}}, "code", Info::Three);
    const std::string message = messageOf(packageOf(kind, module), options);
    QVERIFY2(message == result, message.c_str());
  }

  /// Blocks are a part of SPIR-V; given ones come first, and the launch then fails if they differ.
  void blocksOfSpirvAreInTheCode() {
    const library::PackagePtr package = vulkanOf({{"add_kernel", {kHandleCode}}});
    RunOptions options;
    options.kernel = asked({{0, "int8[1]"}}, "m1/kernel:add_kernel");
    for (const bool given : {true, false}) {
      const QTemporaryDir folder;
      if (!given) options.kernel->block.reset();
      const auto planned = planOf(package, options, in(folder, ""));
      QVERIFY2(planned, planned ? "" : planned.error().message().c_str());
      QCOMPARE(sizes(planned->job.calls[0].extents.block), given ? "128,1,1"s : "64,2,1"s);
      QCOMPARE(planned->job.modules[0].data, ""s);
      QCOMPARE(planned->job.modules[0].kernels[0].image, "module0.0"s);
      QCOMPARE(listing(folder), "in.0.0 module0.0"s);
      QCOMPARE(hexDigits(readFile(in(folder, "module0.0"))), hexDigits(spirv_builder::shader()));
    }
  }

  void modulesAreWrittenForTheirDevice_data() {
    QTest::addColumn<bool>("isVulkan");
    QTest::addColumn<bool>("used");
    for (const bool isVulkan : {false, true})
      for (const bool used : {false, true})
        QTest::addRow("%s, %s", isVulkan ? "one code per kernel" : "one code for all", used ? "used" : "not used")
            << isVulkan << used;
  }
  void modulesAreWrittenForTheirDevice() {
    QFETCH(bool, isVulkan);
    QFETCH(bool, used);
    const std::vector<Function> functions = {{"first", {kHandleCode, kBool}, {"blockIdx.x", "threadIdx.x"}},
                                             {"second", {}, {"threadIdx.y"}}};
    const library::PackagePtr package =
        isVulkan ? vulkanOf(functions) : packageOf("opencl", code3("cl", functions, "the code", Info::Three));
    const QTemporaryDir folder;
    NullMonitor monitor;
    const auto made = run::jobModule(*package->blobs[0]->modules[1], used, 12, in(folder, ""), std::nullopt, monitor);
    QVERIFY(made);
    QCOMPARE(made->kind, isVulkan ? "vulkan"s : "opencl"s);
    QCOMPARE(made->format, isVulkan ? "vulkan"s : "cl"s);
    QCOMPARE(made->data, used && !isVulkan ? "module12"s : ""s);
    QCOMPARE(listing(folder), !used ? ""s : isVulkan ? "module12.0 module12.1"s : "module12"s);
    QCOMPARE(made->kernels.size(), std::size_t{2});
    QCOMPARE(made->kernels[0].name, "first"s);
    QVERIFY((made->kernels[0].arguments == std::vector<protocol::DataType>{{3, 64, 1}, {1, 1, 1}}));
    QVERIFY((made->kernels[0].tags == std::vector<std::string>{"blockIdx.x", "threadIdx.x"}));
    QVERIFY(made->kernels[1].arguments.empty());
    QVERIFY((made->kernels[1].tags == std::vector<std::string>{"threadIdx.y"}));
    for (const protocol::JobKernel& kernel : made->kernels) QCOMPARE(kernel.uniformScalars, used && isVulkan);
  }

  /// Such a kernel stays out of the table; the others keep the numbers of their files.
  void kernelsWithUnknownTypesAreLeftOut() {
    const library::PackagePtr package = vulkanOf({{"first", {kOldFloat4}}, {"second", {kHandleCode}}});
    const QTemporaryDir folder;
    NullMonitor monitor;
    const auto made = run::jobModule(*package->blobs[0]->modules[1], true, 0, in(folder, ""), std::nullopt, monitor);
    QVERIFY(made);
    QCOMPARE(made->kernels.size(), std::size_t{1});
    QCOMPARE(made->kernels[0].name, "second"s);
    QCOMPARE(listing(folder), "module0.1"s);
    RunOptions options;
    options.kernel = asked({}, "m1/kernel:first");
    QCOMPARE(messageOf(package, options),
             "RUN-SIGNATURE: the arguments of 'first' are unknown: its table has types that "
             "cannot be passed; specify their shapes and types"s);
  }

  /// What is not given comes from a dry run of the host function that launches the kernel.
  void missingValuesComeFromADryRun_data() {
    QTest::addColumn<std::function<void(RunOptions&)>>("change");
    QTest::addColumn<std::string>("launch");
    using Change = std::function<void(RunOptions&)>;
    const auto row = [](const char* name, const std::string& launch, const Change& change) {
      QTest::newRow(name) << change << launch;
    };
    const std::string arguments = "T_softmax_norm 2:32x1[1,5] on 4; lv5 2:32x1[1,5] on 4";
    row("nothing given", "1,1,1; 256,1,1; " + arguments, [](RunOptions&) {});
    row("a grid", "9,1,1; 256,1,1; " + arguments, [](RunOptions& options) { options.kernel->grid = {{9, 1, 1}}; });
    row("a block", "1,1,1; 32,1,1; " + arguments, [](RunOptions& options) { options.kernel->block = {{32, 1, 1}}; });
    row("a buffer, which keeps its name", "1,1,1; 256,1,1; T_softmax_norm 2:32x1[1,5] on 4; lv5 0:8x1[2] on 4",
        [](RunOptions& options) { options.kernel->arguments[1] = "int8[2]"; });
    row("an input by its name", "1,1,1; 256,1,1; " + arguments,
        [](RunOptions& options) { options.inputs["lv5"] = "zeros"; });
    row("an input by its position", "1,1,1; 256,1,1; " + arguments,
        [](RunOptions& options) { options.inputs["arg1"] = "zeros"; });
  }
  void missingValuesComeFromADryRun() {
#if !defined(__linux__) || !defined(__x86_64__)
    QSKIP("the samples are for x86-64 Linux");
#endif
    QFETCH(std::function<void(RunOptions&)>, change);
    QFETCH(std::string, launch);
    NullMonitor monitor;
    const auto package =
        library::open(std::filesystem::path(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-opencl.so"), monitor);
    QVERIFY(package);
    const auto functions = xref::computeFunctions(*package, monitor);
    QVERIFY(functions);
    const QTemporaryDir folder;
    RunOptions options;
    options.runner = BLOBSCOPE_TEST_RUNNER;
    options.agreed = {*computeSha256((*package)->bytes, monitor), (*package)->path};
    options.kernel = KernelRun{*Ref::parse("m2/kernel:softmax_kernel"), {}, {}, {}, {}};
    change(options);
    const auto planned = run::planKernel(*package, *functions, options, in(folder, ""), monitor);
    QVERIFY2(planned, planned ? "" : planned.error().message().c_str());
    const protocol::JobCall& call = planned->job.calls[0];
    QCOMPARE(sizes(call.extents.grid) + "; " + sizes(call.extents.block) + "; " + argumentsOf(call), launch);
    // Directions as in the host function.
    QVERIFY(call.arguments[0].tensor.role == protocol::Role::Out);
    QVERIFY(call.arguments[1].tensor.role == protocol::Role::In);
    if (!options.inputs.empty()) QCOMPARE(readFile(in(folder, "in.0.1")), std::string(20, '\0'));
  }

  void foldersThatAreMissingAreReported() {
    const QTemporaryDir folder;
    RunOptions options;
    options.kernel = asked({{0, "int8[1]"}});
    const auto planned = planOf(cudaOf({kHandleCode}), options, in(folder, "missing"));
    QVERIFY(!planned);
    QCOMPARE(std::string(planned.error().diagnostic().idText()), "FILE-WRITE"s);
  }

  void planningCanBeCancelled() {
    const QTemporaryDir folder;
    RunOptions options;
    options.kernel = asked({{0, "int8[1]"}});
    StopAfter stop(0);
    const auto planned = run::planKernel(cudaOf({kHandleCode}), {}, options, in(folder, ""), stop);
    QVERIFY(!planned && planned.error().id() == DiagnosticId::Cancelled);
    QCOMPARE(listing(folder), ""s);
  }
};

BLOBSCOPE_TEST(TestKernelPlan);
#include "test_kernel_plan.moc"
