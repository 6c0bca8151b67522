#include "core/targets/runtime.h"
#include "tests/core/targets/facts.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using targets::Message;

/// What releases of TVM's runtime offer, by the built-in tables. The expectations are from the sources of the releases.
class TestRuntime : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void functionsExistPerRelease_data();
  void functionsExistPerRelease();
  void loadersHaveTheirNames_data();
  void loadersHaveTheirNames();
  void slotsAndSymbolsExistPerRelease_data();
  void slotsAndSymbolsExistPerRelease();
  void webImportsExistPerRelease();
  void librariesComeWithReleases();
  void tvmFfiAloneIsARuntime();
  void lowestFfiOfALibrary();
  void machinesAcceptTheirFormats();
  void argumentCountsExistPerRelease();
  void textsOfTheRuntime_data();
  void textsOfTheRuntime();
  void launchTagsAndLayouts_data();
  void launchTagsAndLayouts();
  void flagsAreAccepted();
  void everyReleaseCanBeAsked();
  void unknownNamesAreRefused_data();
  void unknownNamesAreRefused();
};

void TestRuntime::functionsExistPerRelease_data() {
  QTest::addColumn<QString>("runtime");
  QTest::addColumn<QString>("function");
  QTest::addColumn<QString>("state");
  const char* const rows[][3] = {
      {"v0.6", "device_api.cpu", "present"},
      {"v0.6", "device_api.gpu", "needs USE_CUDA"},
      {"v0.6", "device_api.cuda", "absent"},
      {"v0.8", "device_api.cuda", "needs USE_CUDA"},
      {"v0.8+cuda", "device_api.cuda", "present"},
      {"v0.27", "device_api.cuda", "needs USE_CUDA in libtvm_runtime_cuda"},
      {"v0.27+cuda", "device_api.cuda", "present in libtvm_runtime_cuda"},
      {"v0.24+USE_CUDA", "device_api.cuda", "present"},
      {"v0.15", "vm.builtin.alloc_storage", "absent"},
      {"v0.16", "vm.builtin.alloc_storage", "present"},
      {"v0.27", "vm.builtin.alloc_storage", "present"},
      {"tirx", "vm.builtin.alloc_storage", "absent"},
      {"v0.19", "vm.builtin.paged_attention_kv_cache_create_reduced", "present"},
      {"v0.20", "vm.builtin.paged_attention_kv_cache_create_reduced", "absent"},
      {"v0.26", "vm.builtin.check_string_info", "absent"},
      {"v0.27", "vm.builtin.check_string_info", "present"},
      {"v0.21", "vm.builtin.ndarray_cache.get", "present"},
      {"v0.22", "vm.builtin.ndarray_cache.get", "absent"},
      {"v0.19", "runtime.module.loadbinary_GraphExecutorFactory", "present"},
      {"v0.20", "runtime.module.loadbinary_GraphExecutorFactory", "absent"},
      {"v0.7", "runtime.module.loadbinary_GraphRuntimeFactory", "present"},
      {"v0.27", "ffi.Module.load_from_bytes.hex", "absent"},
      {"v0.27", "ffi.Module.load_from_bytes.c", "present in libtvm_compiler"},
      {"tirx", "ffi.Module.load_from_bytes.c", "present in libtvm_tirx_compiler"},
      {"tirx", "ffi.Module.load_from_bytes.const_loader", "absent"},
      {"v0.27", "__tvm_set_device", "present"},
      {"tirx", "__tvm_set_device", "absent"},
      {"v0.27", "relax.run.print", "present"},
      {"v0.20", "ffi.Module.load_from_bytes.webgpu", "absent"},
      {"v0.27", "ffi.Module.load_from_bytes.webgpu", "needs the web runtime"},
      {"v0.27+webgpu", "ffi.Module.load_from_bytes.webgpu", "present"},
      {"v0.27", "tvm.contrib.sort.topk", "present in libtvm_runtime_extra"},
      {"v0.27", "tvm.contrib.cublas.matmul", "needs USE_CUBLAS in libtvm_runtime_extra"},
      {"v0.27", "flashinfer.attention_kernel", "unknown"},
      {"v0.27", "vm.builtin.of_a_fork", "absent"},
      {"v0.27", "", "unknown"},
  };
  for (const auto& [runtime, function, state] : rows)
    QTest::addRow("%s %s", runtime, function) << QString(runtime) << QString(function) << QString(state);
}

void TestRuntime::functionsExistPerRelease() {
  QFETCH(QString, runtime);
  QFETCH(QString, function);
  QFETCH(QString, state);
  QCOMPARE(stateText(runtimeOf(builtInFacts(), runtime.toStdString())->function(function.toStdString())), state);
}

void TestRuntime::loadersHaveTheirNames_data() {
  QTest::addColumn<QString>("expected");
  QTest::newRow("v0.6") << "module.loadbinary_cuda __tvm_dev_mblob";
  QTest::newRow("v0.7") << "runtime.module.loadbinary_cuda __tvm_dev_mblob";
  QTest::newRow("v0.20") << "runtime.module.loadbinary_cuda __tvm_dev_mblob";
  QTest::newRow("v0.21") << "runtime.module.loadbinary_cuda __tvm_ffi_library_bin";
  QTest::newRow("v0.22") << "ffi.Module.load_from_bytes.cuda __tvm_ffi__library_bin";
  QTest::newRow("v0.27") << "ffi.Module.load_from_bytes.cuda __tvm_ffi__library_bin";
  QTest::newRow("tirx") << "ffi.Module.load_from_bytes.cuda __tvm_ffi__library_bin";
}

void TestRuntime::loadersHaveTheirNames() {
  QFETCH(QString, expected);
  const auto runtime = runtimeOf(builtInFacts(), QTest::currentDataTag());
  QCOMPARE(runtime->carriers().size(), 1u);
  QCOMPARE(QString::fromStdString(runtime->loaderName("cuda") + ' ' + runtime->carriers()[0]), expected);
}

void TestRuntime::slotsAndSymbolsExistPerRelease_data() {
  QTest::addColumn<QString>("runtime");
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("state");
  const char* const rows[][3] = {
      {"v0.25", "__TVMBackendGetFuncFromEnv", "present"},
      {"v0.26", "__TVMBackendGetFuncFromEnv", "absent"},
      {"v0.25", "__TVMFFIHandleInitOnce", "absent"},
      {"v0.26", "__TVMFFIHandleInitOnce", "present"},
      {"v0.27", "__TVMBackendSetDevice", "absent"},
      {"tirx", "__TVMBackendSetDevice", "present"},
      {"tirx", "__TVMBackendParallelLaunch", "present"},
      {"v0.20", "__TVMFuncCall", "present"},
      {"v0.21", "__TVMFuncCall", "absent"},
      {"v0.27", "__TVMOther", "unknown"},
      {"v0.20", "TVMFuncCall", "present in libtvm_runtime"},
      {"v0.21", "TVMFuncCall", "absent"},
      {"v0.15", "TVMBackendAnyListResetItem", "absent"},
      {"v0.16", "TVMBackendAnyListResetItem", "present in libtvm_runtime"},
      {"tirx", "TVMBackendAnyListResetItem", "absent"},
      {"v0.22", "TVMFFIErrorSetRaisedFromCStrParts", "present in libtvm_ffi"},
      {"v0.21", "TVMFFIErrorSetRaisedFromCStrParts", "absent"},
      {"v0.22", "TVMFFIHandleInitOnce", "unknown"},
      {"v0.27", "TVMFFIHandleInitOnce", "present in libtvm_ffi"},
      {"v0.27", "TVMArrayAlloc", "unknown"},
  };
  for (const auto& [runtime, name, state] : rows)
    QTest::addRow("%s %s", runtime, name) << QString(runtime) << QString(name) << QString(state);
}

void TestRuntime::slotsAndSymbolsExistPerRelease() {
  QFETCH(QString, runtime);
  QFETCH(QString, name);
  QFETCH(QString, state);
  const auto target = runtimeOf(builtInFacts(), runtime.toStdString());
  const std::string text = name.toStdString();
  QCOMPARE(stateText(text.starts_with("__") ? target->slot(text) : target->symbol(text)), state);
}

void TestRuntime::webImportsExistPerRelease() {
  const auto facts = builtInFacts();
  const auto state = [&](const char* runtime, const char* name, const char* module = "env") {
    return stateText(runtimeOf(facts, runtime)->webImport(module, name));
  };
  QCOMPARE(state("v0.20", "TVMWasmPackedCFunc"), QStringLiteral("present in tvmjs"));
  QCOMPARE(state("v0.21", "TVMWasmPackedCFunc"), QStringLiteral("absent"));
  QCOMPARE(state("v0.21", "TVMFFIWasmSafeCall"), QStringLiteral("present in tvmjs"));
  QCOMPARE(state("v0.20", "TVMFFIWasmSafeCall"), QStringLiteral("absent"));
  // libtvm_ffi exports it, but not to a page.
  QCOMPARE(state("v0.27", "TVMFFIFunctionCall"), QStringLiteral("absent"));
  QCOMPARE(state("v0.27", "_ZN3tvm7runtime15NVTXScopedRangeD1Ev"), QStringLiteral("absent"));
  QCOMPARE(state("v0.16", "_ZN3tvm7runtime9threading10NumThreadsEv"), QStringLiteral("present in tvmjs"));
  QCOMPARE(state("v0.24", "_ZN3tvm7runtime9threading10NumThreadsEv"), QStringLiteral("unknown"));
  QCOMPARE(state("v0.25", "_ZN3tvm7runtime9threading10NumThreadsEv"), QStringLiteral("absent"));
  QCOMPARE(state("v0.27", "function_of_the_page"), QStringLiteral("unknown"));
  QCOMPARE(state("v0.27", "fd_write", "wasi_snapshot_preview1"), QStringLiteral("present in tvmjs"));
  QCOMPARE(state("v0.27", "path_open", "wasi_snapshot_preview1"), QStringLiteral("unknown"));
  QVERIFY(!runtimeOf(facts, "v0.12")->takesSystemPrefix() && runtimeOf(facts, "v0.13")->takesSystemPrefix());
  QVERIFY(runtimeOf(facts, "tirx")->takesSystemPrefix());
}

void TestRuntime::librariesComeWithReleases() {
  const auto facts = builtInFacts();
  const auto state = [&](const char* runtime, const char* library) {
    return stateText(runtimeOf(facts, runtime)->library(library));
  };
  QCOMPARE(state("v0.21", "libtvm_ffi.so"), QStringLiteral("absent"));
  QCOMPARE(state("v0.22", "libtvm_ffi.so"), QStringLiteral("present"));
  QCOMPARE(state("tirx", "libtvm_ffi.so"), QStringLiteral("present"));
  QCOMPARE(state("v0.27", "tvm_ffi.dll"), QStringLiteral("present"));
  QCOMPARE(state("v0.6", "libtvm_runtime.so"), QStringLiteral("present"));
  QCOMPARE(state("v0.23", "libtvm.so"), QStringLiteral("present"));
  QCOMPARE(state("v0.24", "libtvm.so"), QStringLiteral("absent"));
  QCOMPARE(state("v0.27", "libtvm_runtime_extra.so"), QStringLiteral("present"));
  QCOMPARE(state("v0.27", "libtvm_runtime_cuda.so"), QStringLiteral("needs USE_CUDA in libtvm_runtime_cuda"));
  QCOMPARE(state("v0.27+cuda", "libtvm_runtime_cuda.so"), QStringLiteral("present"));
  QCOMPARE(state("v0.24+cuda", "libtvm_runtime_cuda.so"), QStringLiteral("absent"));
  QCOMPARE(state("v0.27", "libcudart.so.13"), QStringLiteral("unknown"));
}

void TestRuntime::tvmFfiAloneIsARuntime() {
  const auto facts = builtInFacts();
  const auto old = runtimeOf(facts, "tvm-ffi-0.1.3"), newer = runtimeOf(facts, "tvm-ffi-0.1.13");
  QCOMPARE(newer->name(), std::string("tvm-ffi-0.1.13"));
  QVERIFY(!newer->release() && !newer->onDisk() && !newer->linksObjects() && !newer->relax() && !newer->relay());
  QCOMPARE(stateText(old->symbol("TVMFFIHandleInitOnce")), QStringLiteral("absent in libtvm_ffi"));
  QCOMPARE(stateText(newer->symbol("TVMFFIHandleInitOnce")), QStringLiteral("present in libtvm_ffi"));
  QCOMPARE(stateText(newer->symbol("TVMBackendAllocWorkspace")), QStringLiteral("absent"));
  QCOMPARE(stateText(newer->symbol("cudaMalloc")), QStringLiteral("unknown"));
  const char* const gone = "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE";
  QVERIFY(runtimeOf(facts, "tvm-ffi-0.1.12")->symbol(gone).present());
  QVERIFY(!newer->symbol(gone).present());
  QCOMPARE(stateText(runtimeOf(facts, "v0.25")->symbol(gone)), QStringLiteral("unknown"));
  QCOMPARE(stateText(runtimeOf(facts, "v0.27")->symbol(gone)), QStringLiteral("absent"));
  QCOMPARE(stateText(old->function("ffi.ListAppend")), QStringLiteral("absent in libtvm_ffi"));
  QVERIFY(newer->function("ffi.ListAppend").present());
  QCOMPARE(newer->function("ffi.Module.load_from_bytes.cuda").why,
           std::string("TVM has it, and tvm-ffi alone does not"));
  QCOMPARE(stateText(newer->function("my.own.function")), QStringLiteral("unknown"));
  QCOMPARE(newer->loaderName("cuda"), std::string("ffi.Module.load_from_bytes.cuda"));
  QCOMPARE(newer->carriers(), std::vector<std::string>{"__tvm_ffi__library_bin"});
  QCOMPARE(stateText(newer->slot("__TVMFFIFunctionCall")), QStringLiteral("absent"));
  QVERIFY(newer->library("libtvm_ffi.so").present());
  QCOMPARE(stateText(newer->library("libtvm_runtime.so")), QStringLiteral("absent"));
  QCOMPARE(runtimeOf(facts, "tvm-ffi")->name(), std::string("tvm-ffi"));
  for (const char* const bad : {"tvm-ffi-9.9", "tvm-ffi-x", "tvm-ffi-0.1.13+cuda"}) {
    const auto refused = targets::runtimeOfRelease(facts, bad);
    QVERIFY(!refused);
    QCOMPARE(QString::fromStdString(refused.error().message()),
             "'" + QString(bad) +
                 "' is not a runtime: the releases of apache-tvm-ffi are tvm-ffi-0.1.0 to tvm-ffi-0.1.15.post2");
  }
}

/// The packages 0.1.0 to 0.1.15.post2 were compared.
void TestRuntime::lowestFfiOfALibrary() {
  const auto facts = builtInFacts();
  const auto need = [&](const std::vector<std::string_view>& symbols) {
    const auto found = facts->neededFfi(symbols);
    return found ? QString::fromStdString(found->release + " " + found->function) : QStringLiteral("none");
  };
  QCOMPARE(need({"printf", "TVMBackendAllocWorkspace"}), QStringLiteral("none"));
  QCOMPARE(need({"TVMFFIFunctionCall", "printf"}), QStringLiteral("0.1.0 TVMFFIFunctionCall"));
  QCOMPARE(need({"TVMFFIFunctionCall", "TVMFFIHandleInitOnce"}), QStringLiteral("0.1.5 TVMFFIHandleInitOnce"));
  QCOMPARE(
      need({"TVMFFISetCustomAllocator", "TVMFFIErrorCreateWithCauseAndExtraContext", "TVMFFITensorCreateUnsafeView"}),
      QStringLiteral("0.1.13 TVMFFISetCustomAllocator"));
  QCOMPARE(need({"TVMFFIBigIntFromByteArray"}), QStringLiteral("0.1.14.post0 TVMFFIBigIntFromByteArray"));
  QCOMPARE(runtimeOf(facts, "v0.27")->neededFfi({"TVMFFIHandleInitOnce"})->release, std::string("0.1.5"));
}

void TestRuntime::machinesAcceptTheirFormats() {
  const auto facts = builtInFacts();
  QVERIFY(!runtimeOf(facts, "v0.15")->relax());
  QVERIFY(!runtimeOf(facts, "v0.20")->relay());
  QVERIFY(!runtimeOf(facts, "tirx")->relax());
  const auto old = runtimeOf(facts, "v0.8")->relay();
  QVERIFY(old.has_value());
  QCOMPARE(old->version, std::string("0.8.0"));
  QCOMPARE(old->magics, std::vector<uint64_t>{0xD225DE2F4214151D});
  const auto relax = runtimeOf(facts, "v0.22")->relax();
  QVERIFY(relax.has_value());
  QCOMPARE(relax->version + ' ' + relax->pool, std::string("0.14 2025b"));
  QCOMPARE(relax->magics.size(), 1u);
  QCOMPARE(runtimeOf(facts, "v0.20")->relax()->pool, std::string("classic"));
  QCOMPARE(runtimeOf(facts, "v0.21")->relax()->pool, std::string("2025a"));
  QCOMPARE(runtimeOf(facts, "v0.23")->relax()->magics, (std::vector<uint64_t>{0xD225DE2F4214151D, 0xD225DE2F4214151E}));
}

void TestRuntime::argumentCountsExistPerRelease() {
  const auto facts = builtInFacts();
  const auto one = [&](const char* runtime, const char* function) {
    const auto counts = runtimeOf(facts, runtime)->argumentCounts(function);
    return counts.size() == 1 ? counts.front() : targets::ArgumentCount();
  };
  using By = targets::ArgumentCount::By;
  const auto reduced = one("v0.18", "vm.builtin.paged_attention_kv_cache_create_reduced");
  QCOMPARE(reduced.minimum.value_or(0), 22u);
  QCOMPARE(reduced.maximum.value_or(0), 23u);
  QVERIFY(reduced.by == By::Check && !reduced.typed);
  QCOMPARE(reduced.check, std::string("(args.size() == 22 || args.size() == 23) is false: Invalid number of KV cache "
                                      "constructor args."));
  QCOMPARE(
      one("v0.27", "vm.builtin.paged_attention_kv_cache_create").check,
      std::string("(args.size() == 28 || args.size() == 29) is false: Invalid number of KV cache constructor args: "
                  "{passed}"));
  QVERIFY(runtimeOf(facts, "v0.20")->argumentCounts("vm.builtin.paged_attention_kv_cache_create_reduced").empty());
  const auto reshape = one("v0.27", "vm.builtin.reshape");
  QVERIFY(reshape.typed && reshape.by == By::Signature);
  QCOMPARE(reshape.signature, std::string("(0: Any, 1: ffi.Shape) -> ffi.Tensor"));
  QCOMPARE(reshape.minimum.value_or(0), 2u);
  QCOMPARE(one("v0.16", "vm.builtin.alloc_storage").maximum.value_or(0), 5u);
  QCOMPARE(one("v0.22", "vm.builtin.to_device").maximum.value_or(0), 3u);
  const auto packed = one("v0.23", "vm.builtin.to_device");
  QVERIFY(packed.minimum == 3u && !packed.maximum && !packed.typed && packed.by == By::Read);
  const auto shape = one("v0.27", "vm.builtin.match_shape");
  QVERIFY(shape.depends.has_value() && !shape.maximum && shape.by == By::Read);
  QCOMPARE(shape.depends->argument, 2u);
  QCOMPARE(shape.depends->base, 4u);
  QCOMPARE(shape.depends->times, 2u);
  QVERIFY(one("v0.27", "relax.run.print").python);
  QVERIFY(runtimeOf(facts, "v0.27")->argumentCounts("unknown").empty());
}

void TestRuntime::textsOfTheRuntime_data() {
  QTest::addColumn<QString>("runtime");
  QTest::addColumn<Message>("message");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* runtime, Message message, const char* expected) {
    QTest::addRow("%s %d", runtime, static_cast<int>(message)) << QString(runtime) << message << QString(expected);
  };
  row("v0.6", Message::NoLoader, "Loader of {key}(module.loadbinary_{key}) is not presented.");
  row("v0.21", Message::NoLoader,
      "Binary was created using {{key}} but a loader of that name is not registered.Perhaps you need to recompile with "
      "this runtime enabled.");
  row("v0.27", Message::NoLoader,
      "Library binary was created using {{key}} but a loader of that name is not registered. Make sure to have runtime "
      "that registers ffi.Module.load_from_bytes.{key}");
  row("v0.20", Message::NoPackedFunction,
      "Check failed: (func.defined()) is false: Error: Cannot find PackedFunc {name} in either Relax VM kernel "
      "library, "
      "or in TVM runtime PackedFunc registry, or in global Relax functions of the VM executable");
  row("v0.27", Message::WrongCount,
      "Mismatched number of arguments when calling: `{name}{signature}`. Expected {expected} but got {passed} "
      "arguments");
  row("v0.17", Message::WrongCount,
      "Function {name}{signature} expects {expected} arguments, but {passed} were provided.");
  row("v0.21", Message::TooFewRead, "");
  row("v0.23", Message::CudaNeedsCompiler, "");
  row("v0.24", Message::CudaNeedsCompiler,
      "fmt=='cuda' requires tvm_callback_cuda_compile to be registered. Import tvm.support.nvcc.");
  row("v0.27", Message::VmMagic,
      "Check failed: ((header == kTVMVMBytecodeMagic) || (header == kTVMVMBytecodeMagicV2)) is false: Invalid VM file "
      "format in the header section.");
  row("tirx", Message::UnknownLaunchTag, "Unknown threadscope {tag}");
}

void TestRuntime::textsOfTheRuntime() {
  QFETCH(QString, runtime);
  QFETCH(Message, message);
  QFETCH(QString, expected);
  QCOMPARE(QString::fromStdString(runtimeOf(builtInFacts(), runtime.toStdString())->messageText(message)), expected);
}

void TestRuntime::launchTagsAndLayouts_data() {
  QTest::addColumn<QString>("expected");
  // tir.use_dyn_shared_memory, tirx.use_dyn_shared_memory, clusterCtaIdx.x, tirx.use_required_block_dimension, metal2,
  // metal3, SPIR-V for OpenCL.
  QTest::newRow("v0.7") << "- - - - - - -";
  QTest::newRow("v0.8") << "1 - - - - - -";
  QTest::newRow("v0.23") << "1 - - - 1 - -";
  QTest::newRow("v0.24") << "- 1 - - - 1 -";
  QTest::newRow("v0.25") << "- 1 1 - - 1 -";
  QTest::newRow("v0.27") << "- 1 1 1 - 1 -";
}

void TestRuntime::launchTagsAndLayouts() {
  QFETCH(QString, expected);
  const auto runtime = runtimeOf(builtInFacts(), QTest::currentDataTag());
  QStringList found;
  for (const char* const tag : {"tir.use_dyn_shared_memory", "tirx.use_dyn_shared_memory", "clusterCtaIdx.x",
                                "tirx.use_required_block_dimension"})
    found += runtime->launchTag(tag).present() ? "1" : "-";
  found += runtime->readsLayout("metal", "metal2") ? "1" : "-";
  found += runtime->readsLayout("metal", "metal3") ? "1" : "-";
  found += runtime->readsLayout("opencl", "spirv") ? "1" : "-";
  QCOMPARE(found.join(' '), expected);
  QVERIFY(runtime->launchTag("threadIdx.x").present() && runtime->launchTag("vthread.y").present());
  QVERIFY(runtime->readsLayout("cuda", "code3") && runtime->readsLayout("unheard", "of"));
  QVERIFY(!runtime->launchTag("unheard").present());
}

void TestRuntime::flagsAreAccepted() {
  const auto runtime = runtimeOf(builtInFacts(), "0.27.0.post1+cuda,USE_THRUST");
  QCOMPARE(runtime->name(), std::string("v0.27.0"));
  QCOMPARE(runtime->flags(), (std::vector<std::string>{"cuda", "USE_THRUST"}));
  QCOMPARE(runtime->release().value_or(0), 22u);
  QVERIFY(runtime->function("tvm.contrib.thrust.sort").present());
  for (const char* const word : {"cuda", "opencl", "hip", "dnnl_json", "webgpu", "USE_X"})
    QVERIFY2(targets::isBuildFlag(word), word);
  for (const char* const word : {"", "c", "_lib", "relax.VMExecutable", "USE_", "USE_x", "USE_A B", "cpu"})
    QVERIFY2(!targets::isBuildFlag(word), word);
}

void TestRuntime::everyReleaseCanBeAsked() {
  const auto facts = builtInFacts();
  for (const targets::Release& release : facts->releases()) {
    const auto runtime = runtimeOf(facts, release.name);
    QVERIFY2(runtime->function("device_api.cpu").present(), release.name.c_str());
    QVERIFY2(!runtime->carriers().empty(), release.name.c_str());
    QVERIFY2(!runtime->loaderName("x").empty(), release.name.c_str());
    for (const Message message :
         {Message::FileNotReadable, Message::NoFileLoader, Message::NoLoader, Message::NoFunction,
          Message::NoHostFunction, Message::NoDeviceApi, Message::UndefinedSymbol, Message::UnknownLaunchTag})
      QVERIFY2(!runtime->messageText(message).empty(), release.name.c_str());
    QVERIFY2(runtime->relax() || runtime->relay() || release.name.starts_with("tirx"), release.name.c_str());
  }
}

void TestRuntime::unknownNamesAreRefused_data() {
  QTest::addColumn<QString>("expected");
  QTest::newRow("v9") << "'v9' is not a runtime: the releases are v0.6.1 to v0.27.0, tirx-0.1.0a4";
  QTest::newRow("v0.27+nonsense") << "'nonsense' is not a build flag";
  QTest::newRow("v0.27+USE_NONSENSE") << "'USE_NONSENSE' is not a build flag";
  QTest::newRow("v0.27+") << "the flags after '+' are missing";
  QTest::newRow("v0.27+cuda,,opencl") << "'' is not a build flag";
  QTest::newRow("/nowhere/libtvm_runtime.so") << "'/nowhere/libtvm_runtime.so' does not exist";
  QTest::newRow("nowhere.apk") << "'nowhere.apk' does not exist";
}

void TestRuntime::unknownNamesAreRefused() {
  QFETCH(QString, expected);
  NullMonitor monitor;
  const auto runtime = targets::findRuntime(builtInFacts(), QTest::currentDataTag(), monitor);
  QVERIFY(!runtime);
  const QString message = QString::fromStdString(runtime.error().message());
  QVERIFY2(message.contains(expected), qPrintable(message));
}

BLOBSCOPE_TEST(TestRuntime);
#include "test_runtime.moc"
