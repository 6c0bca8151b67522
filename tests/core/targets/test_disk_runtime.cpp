#include "core/targets/runtime.h"
#include "tests/core/base/files.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/targets/facts.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

#include <QDir>

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// What a library needs from others.
struct Needs {
  std::vector<std::string> libraries = {}, symbols = {};
  std::string runPath = {};
};

/// A library with texts in its data, as compilers store them, and exported functions.
std::string libraryOf(const std::vector<std::string>& texts, const std::vector<std::string>& exports = {},
                      uint16_t machine = 62, const Needs& needs = {}) {
  std::string data("\0", 1);
  for (const std::string& text : texts) data += text + '\0';
  if (!needs.libraries.empty()) {
    LinkedLibrary linked;
    linked.machine = machine;
    linked.blob = data;
    for (const std::string& library : needs.libraries) linked.names.emplace_back(LinkedLibrary::kNeeded, library);
    if (!needs.runPath.empty()) linked.names.emplace_back(LinkedLibrary::kRunPath, needs.runPath);
    for (const std::string& name : needs.symbols) linked.undefined(name);
    for (const std::string& name : exports) linked.function(name, "\xc3");
    return linked.build();
  }
  ElfBuilder elf;
  elf.machine = machine;
  elf.data("texts", data);
  for (const std::string& name : exports) elf.function(name);
  return elf.build();
}

/// The names that a plain build of a release registers in one of the groups, and the symbols that it exports.
struct Release {
  std::vector<std::string> core, ffi, exports;
};

const Release kOf25 = {
    {"device_api.cpu", "__tvm_set_device", "ffi.Module.load_from_bytes.relax.VMExecutable", "vm.builtin.alloc_storage",
     "ffi.Module.load_from_bytes.const_loader", "vm.builtin.tensor_cache.get", "runtime.TVMTensorIsStorageShared",
     "runtime.timer.cpu", "ffi.Module.load_from_bytes.static_library", "__TVMBackendGetFuncFromEnv"},
    {"ffi.Array", "ffi.Map", "ffi.String", "ffi.Shape", "ffi.Bytes", "ffi.ArraySize", "ffi.MapCount",
     "ffi.ArrayGetItem", "ffi.MapGetItem", "ffi.ModuleLoadFromFile", "ffi.ModuleGetFunction", "ffi.SystemLib",
     "__tvm_ffi__library_bin"},
    {"TVMBackendGetFuncFromEnv", "TVMBackendRunOnce", "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace",
     "TVMBackendParallelLaunch", "TVMBackendParallelBarrier", "TVMBackendAnyListSetPackedArg",
     "TVMBackendAnyListResetItem", "TVMBackendAnyListMoveFromPackedReturn"}};

/// The functions of libtvm_runtime_cuda.
const std::vector<std::string> kCuda = {"device_api.cuda",
                                        "device_api.cuda_host",
                                        "ffi.Module.create.cuda",
                                        "ffi.Module.load_from_bytes.cuda",
                                        "runtime.GetCudaDeviceCount",
                                        "runtime.GetCudaFreeMemory",
                                        "runtime.get_cuda_stream",
                                        "runtime.timer.cuda"};

/// All names of a group of the tables for a release of functions.json, so that a made runtime is a whole one.
std::vector<std::string> allNamesOf(const targets::FactsPtr& facts, const char* release, std::string_view library,
                                    const std::vector<std::string>& candidates) {
  std::vector<std::string> out;
  const auto runtime = runtimeOf(facts, release);
  for (const std::string& name : candidates)
    if (const auto found = runtime->function(name); found.present() && found.library == library) out.push_back(name);
  return out;
}

/// The names in functions.json.
std::vector<std::string> namesInTable() {
  const std::string text =
      readFile(std::filesystem::path(BLOBSCOPE_SOURCE_DIR) / "resources" / "facts" / "functions.json");
  std::vector<std::string> out;
  constexpr std::string_view kBefore = "\n   \"";
  for (std::size_t at = text.find(kBefore); at != std::string::npos; at = text.find(kBefore, at + 1)) {
    const std::size_t name = at + kBefore.size();
    out.push_back(text.substr(name, text.find('"', name) - name));
  }
  return out;
}

/// The names of a runtime and of libtvm_ffi in one.
std::vector<std::string> allNamesOf(const targets::FactsPtr& facts, const char* release) {
  const std::vector<std::string> names = namesInTable();
  auto out = allNamesOf(facts, release, "", names);
  for (std::string& name : allNamesOf(facts, release, "libtvm_ffi", names)) out.push_back(std::move(name));
  return out;
}

Result<targets::RuntimePtr> readAt(const targets::FactsPtr& facts, const std::filesystem::path& path) {
  NullMonitor monitor;
  return targets::readRuntime(facts, path, monitor);
}

QString stateIn(const Result<targets::RuntimePtr>& runtime, const char* function) {
  return stateText(runtime.value()->function(function));
}

/// A made installation of 0.27 in a folder: libtvm_runtime.so, libtvm_ffi.so.
void writeRuntime(const targets::FactsPtr& facts, const std::filesystem::path& runtime,
                  const std::filesystem::path& ffi) {
  const std::vector<std::string> names = namesInTable();
  std::filesystem::create_directories(runtime.parent_path());
  std::filesystem::create_directories(ffi.parent_path());
  auto core = allNamesOf(facts, "v0.27", "", names);
  writeFile(runtime, libraryOf(core, {"TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "TVMBackendParallelLaunch",
                                      "TVMBackendParallelBarrier", "TVMBackendAnyListSetPackedArg",
                                      "TVMBackendAnyListResetItem", "TVMBackendAnyListMoveFromPackedReturn"}));
  auto own = allNamesOf(facts, "v0.27", "libtvm_ffi", names);
  own.insert(own.end(), {"__tvm_ffi__library_bin", "__TVMFFIFunctionCall", "__TVMFFIErrorSetRaisedFromCStr",
                         "__TVMFFIEnvModLookupFromImports", "__TVMFFIHandleInitOnce"});
  writeFile(ffi, libraryOf(own, {"TVMFFIFunctionCall", "TVMFFIErrorSetRaisedFromCStr", "TVMFFIHandleInitOnce"}));
}

} // namespace

/// Runtimes on disk: what is found in their files, and where the files are looked for.
class TestDiskRuntime : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void libraryWithItsSideLibrariesIsRead();
  void linkedCudaRuntimeNeedsItsDriver();
  void namesThatAreOnlyCalledDoNotCount();
  void folderIsRead();
  void pythonEnvironmentIsRead();
  void packageStatesItsRelease();
  void wrongFfiIsReported();
  void tvmFfiAloneIsARuntime();
  void tileLangIsARuntime();
  void ownChecksAreRead();
  void ownLaunchTagsAreRead();
  void countsOfOtherReleasesAreNotCertain();
  void missingLibraryOfTheSystem();
  void libraryOfThisMachineIsFound();
  void sideLibraryThatCannotBeLoaded();
  void runtimeThatCannotBeLoaded();
  void librariesBesideAreFound();
  void runtimesOfVendorsAreRecognised();
  void javaScriptIsRead_data();
  void javaScriptIsRead();
  void appIsRead();
  void packageOfAndroidIsRead();
  void webAssemblyIsRead();
  void endOfALongerTextIsFound();
  void functionsOfAnAppAreFound();
  void filesWithoutRuntimeAreRefused_data();
  void filesWithoutRuntimeAreRefused();
  void damagedFilesAreRefused();
  void stopIsHonoured();
};

void TestDiskRuntime::libraryWithItsSideLibrariesIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "libtvm_runtime.so"), in(folder, "libtvm_ffi.so"));
  writeFile(in(folder, "libtvm_runtime_cuda.so"), libraryOf(kCuda));
  // Not loaded with the runtime.
  writeFile(in(folder, "libtvm_compiler.so"), libraryOf({"ffi.Module.load_from_bytes.c", "device_api.opencl"}));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
  QCOMPARE((*runtime)->name(), in(folder, "libtvm_runtime.so").string());
  QCOMPARE((*runtime)->release().value_or(0), 22u);
  QCOMPARE(stateIn(runtime, "vm.builtin.check_string_info"), QStringLiteral("present"));
  QCOMPARE(stateIn(runtime, "ffi.Array"), QStringLiteral("present in libtvm_ffi"));
  QCOMPARE(stateIn(runtime, "ffi.Module.load_from_bytes.cuda"), QStringLiteral("present in libtvm_runtime_cuda"));
  QCOMPARE(stateIn(runtime, "ffi.Module.load_from_bytes.opencl"),
           QStringLiteral("needs USE_OPENCL in libtvm_runtime_opencl"));
  QCOMPARE(stateIn(runtime, "ffi.Module.load_from_bytes.c"), QStringLiteral("needs the compiler in libtvm_compiler"));
  QCOMPARE(stateIn(runtime, "vm.builtin.ndarray_cache.get"), QStringLiteral("absent"));
  QCOMPARE(stateIn(runtime, "relax.run.print"), QStringLiteral("needs TVM's Python package"));
  QCOMPARE(stateIn(runtime, "an.unknown.function"), QStringLiteral("unknown"));
  QCOMPARE((*runtime)->carriers(), std::vector<std::string>{"__tvm_ffi__library_bin"});
  QCOMPARE((*runtime)->loaderName("cuda"), std::string("ffi.Module.load_from_bytes.cuda"));
  QVERIFY((*runtime)->slot("__TVMFFIHandleInitOnce").present());
  QCOMPARE(stateText((*runtime)->slot("__TVMBackendGetFuncFromEnv")), QStringLiteral("absent"));
  QCOMPARE(stateText((*runtime)->symbol("TVMBackendParallelLaunch")), QStringLiteral("present in libtvm_runtime"));
  QCOMPARE(stateText((*runtime)->symbol("TVMBackendGetFuncFromEnv")), QStringLiteral("absent"));
  QCOMPARE((*runtime)->architectures(), std::vector<std::string>{"x86_64"});
  QCOMPARE((*runtime)->relax()->pool, std::string("2025b"));
  QCOMPARE((*runtime)->oldestDriver().value_or(0), 520u); // of CUDA 11.8
  bool symbols = false;
  for (const std::string& sentence : (*runtime)->evidence())
    symbols |= sentence == "libtvm_runtime.so exports the symbols of v0.26, v0.27";
  QVERIFY(symbols);
}

void TestDiskRuntime::linkedCudaRuntimeNeedsItsDriver() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "libtvm_runtime.so"), in(folder, "libtvm_ffi.so"));
  const auto driverWith = [&](const char* text) {
    writeFile(in(folder, "libtvm_runtime_cuda.so"), libraryOf(kCuda, {}, 62, {{"libc.so.6", text}}));
    const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
    return runtime ? (*runtime)->oldestDriver().value_or(0) : 0;
  };
  QCOMPARE(driverWith("libcudart.so.13"), 580u);
  QCOMPARE(driverWith("libcudart.so.12"), 525u);
  QCOMPARE(driverWith("libcudart.so.11.0"), 520u); // the functions that it calls need more
  QCOMPARE(driverWith("libcudart.so"), 520u);
  QCOMPARE(driverWith("libcudart-24af1308.so.12.1.55"), 525u); // a copy in a wheel
}

void TestDiskRuntime::namesThatAreOnlyCalledDoNotCount() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.25");
  std::erase(names, "vm.builtin.reshape");
  // What an app calls of CUDA, one of many; and a sentence that ends with a name.
  names.insert(names.end(), {"device_api.cuda", "runtime.contrib.curand.RandomFill", "no vm.builtin.reshape"});
  writeFile(in(folder, "libapp.so"), libraryOf(names, kOf25.exports));
  const auto runtime = readAt(facts, in(folder, "libapp.so"));
  QVERIFY(runtime.hasValue());
  QCOMPARE(stateIn(runtime, "device_api.cuda"), QStringLiteral("needs USE_CUDA in libtvm_runtime_cuda"));
  QCOMPARE(stateIn(runtime, "runtime.contrib.curand.RandomFill"),
           QStringLiteral("needs USE_CURAND in libtvm_runtime_extra"));
  QVERIFY(!(*runtime)->function("vm.builtin.reshape").present());
  names.insert(names.end(), kCuda.begin(), kCuda.end());
  writeFile(in(folder, "libapp.so"), libraryOf(names, kOf25.exports));
  QCOMPARE(stateIn(readAt(facts, in(folder, "libapp.so")), "device_api.cuda"), QStringLiteral("present in libapp"));
}

void TestDiskRuntime::folderIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "build/libtvm_runtime.so"), in(folder, "build/libtvm_ffi.so"));
  writeFile(in(folder, "build/libtvm_compiler.so"), libraryOf({"ffi.Module.load_from_bytes.c", "device_api.opencl"}));
  writeFile(in(folder, "build/libother.so"), libraryOf({"device_api.metal"}));
  for (const char* const name : {"build", "."}) {
    const auto runtime = readAt(facts, in(folder, name));
    QVERIFY2(runtime.hasValue(), name);
    QCOMPARE(stateIn(runtime, "ffi.Module.load_from_bytes.c"), QStringLiteral("present in libtvm_compiler"));
    QCOMPARE(stateIn(runtime, "device_api.opencl"), QStringLiteral("needs USE_OPENCL in libtvm_runtime_opencl"));
    QCOMPARE(stateIn(runtime, "device_api.metal"), QStringLiteral("needs USE_METAL in libtvm_runtime_metal"));
  }
}

void TestDiskRuntime::pythonEnvironmentIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "lib/python3.12/site-packages");
  writeRuntime(facts, packages / "tvm/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  std::filesystem::create_directories(packages / "apache_tvm-0.27.0.post1.dist-info");
  std::filesystem::create_directories(packages / "apache_tvm_ffi-0.1.15.post2.dist-info");
  for (const std::filesystem::path& path : {in(folder, ""), packages, packages / "tvm"}) {
    const auto runtime = readAt(facts, path);
    QVERIFY2(runtime.hasValue(), path.c_str());
    QCOMPARE((*runtime)->release().value_or(0), 22u);
    QCOMPARE(stateIn(runtime, "relax.run.print"), QStringLiteral("present in TVM's Python package"));
    QCOMPARE(stateIn(runtime, "ffi.Array"), QStringLiteral("present in libtvm_ffi"));
    QVERIFY(std::ranges::count((*runtime)->evidence(), "apache-tvm 0.27.0.post1 is installed") == 1);
    QVERIFY(!(*runtime)->wrongFfi());
  }
}

/// The names fit v0.27 best, but the package knows better.
void TestDiskRuntime::packageStatesItsRelease() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "tvm/lib/libtvm_runtime.so"), in(folder, "tvm_ffi/lib/libtvm_ffi.so"));
  std::filesystem::create_directories(in(folder, "apache_tvm-0.26.0.dist-info"));
  const auto runtime = readAt(facts, in(folder, ""));
  QVERIFY(runtime.hasValue());
  QCOMPARE((*runtime)->release().value_or(0), 21u);
}

void TestDiskRuntime::wrongFfiIsReported() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "tvm/lib/libtvm_runtime.so"), in(folder, "tvm_ffi/lib/libtvm_ffi.so"));
  std::filesystem::create_directories(in(folder, "apache_tvm_ffi-0.1.12.dist-info"));
  const auto runtime = readAt(facts, in(folder, ""));
  QVERIFY(runtime.hasValue());
  const auto wrong = (*runtime)->wrongFfi();
  QVERIFY(wrong.has_value());
  QCOMPARE(wrong->found + " | " + wrong->expected, std::string("0.1.12 | 0.1.13.post2 to 0.1.15.post2"));
}

void TestDiskRuntime::tvmFfiAloneIsARuntime() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "lib/python3.12/site-packages");
  writeRuntime(facts, in(folder, "unused/libtvm_runtime.so"), packages / "tvm_ffi/lib/libtvm_ffi.so");
  std::filesystem::create_directories(packages / "apache_tvm_ffi-0.1.15.post2.dist-info");
  for (const auto& path : {in(folder, ""), packages, packages / "tvm_ffi", packages / "tvm_ffi/lib/libtvm_ffi.so"}) {
    const auto runtime = readAt(facts, path);
    QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
    QVERIFY((*runtime)->onDisk() && !(*runtime)->release() && !(*runtime)->linksObjects());
    QCOMPARE(stateIn(runtime, "ffi.ModuleLoadFromFile"), QStringLiteral("present in libtvm_ffi"));
    QVERIFY(!(*runtime)->function("ffi.Module.load_from_bytes.cuda").present());
    QVERIFY(!(*runtime)->function("ffi.Module.load_from_bytes.relax.VMExecutable").present());
    QVERIFY(!(*runtime)->relax() && !(*runtime)->relay());
    QCOMPARE((*runtime)->carriers(), std::vector<std::string>{"__tvm_ffi__library_bin"});
    QVERIFY((*runtime)->symbol("TVMFFIFunctionCall").present());
    QCOMPARE(stateText((*runtime)->symbol("TVMBackendAllocWorkspace")), QStringLiteral("absent"));
    QCOMPARE(stateText((*runtime)->symbol("_ZN3tvm3ffi4json5ParseEv")), QStringLiteral("absent"));
    QCOMPARE(stateText((*runtime)->symbol("cudaMalloc")), QStringLiteral("unknown"));
    QVERIFY((*runtime)->library("libtvm_ffi.so").present());
    QVERIFY(!(*runtime)->library("libtvm_runtime.so").present());
    QVERIFY(!(*runtime)->broken());
  }
}

/// TileLang has a runtime of its own in its folder, and the libtvm_ffi of another package.
void TestDiskRuntime::tileLangIsARuntime() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "lib/python3.12/site-packages");
  writeRuntime(facts, packages / "tilelang/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  writeFile(packages / "tilelang/lib/libtilelang.so", libraryOf({"tl.of_tilelang", "ffi.Module.load_from_bytes.asc"}));
  std::filesystem::create_directories(packages / "tilelang-0.1.15.dist-info");
  writeFile(packages / "tilelang-0.1.15.dist-info/METADATA",
            "Name: tilelang\nVersion: 0.1.15\nRequires-Dist: apache-tvm-ffi<0.1.13,>=0.1.11\n");
  std::filesystem::create_directories(packages / "apache_tvm_ffi-0.1.15.post2.dist-info");
  for (const auto& path : {in(folder, ""), packages / "tilelang", packages / "tilelang/lib"}) {
    const auto runtime = readAt(facts, path);
    QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
    QCOMPARE(stateIn(runtime, "vm.builtin.check_string_info"), QStringLiteral("present"));
    QCOMPARE(stateIn(runtime, "ffi.Module.load_from_bytes.asc"), QStringLiteral("present in libtilelang"));
    QCOMPARE(stateIn(runtime, "ffi.Array"), QStringLiteral("present in libtvm_ffi"));
    QCOMPARE((*runtime)->packageConflicts(),
             std::vector<std::string>{
                 "tilelang 0.1.15 asks for apache-tvm-ffi <0.1.13,>=0.1.11, and 0.1.15.post2 is installed"});
    QVERIFY(std::ranges::count((*runtime)->evidence(), "tilelang 0.1.15 is installed") == 1);
  }
  // Of several packages TVM's own is the runtime.
  writeRuntime(facts, packages / "tvm/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  const auto both = readAt(facts, in(folder, ""));
  QVERIFY(both.hasValue());
  QVERIFY(!(*both)->function("ffi.Module.load_from_bytes.asc").present());
  bool named = false;
  for (const std::string& sentence : (*both)->evidence())
    named |= sentence.find("'tilelang' has a runtime") < sentence.size();
  QVERIFY(named);
}

/// A development version accepts what its own checks say, not what the nearest release does.
void TestDiskRuntime::ownChecksAreRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.17", "", namesInTable());
  names.emplace_back("__tvm_dev_mblob");
  names.emplace_back("Check failed: (version == \"0.17.dev0\"");
  names.emplace_back("InternalError: Check failed: (version == \"0.14\"");
  names.emplace_back("Check failed: (header == kTVMVMBytecodeMagic");
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, {"TVMFuncCall"}));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY(runtime.hasValue());
  QVERIFY((*runtime)->relay() && (*runtime)->relax());
  QCOMPARE((*runtime)->relay()->version, std::string("0.17.dev0"));
  QCOMPARE((*runtime)->relax()->version, std::string("0.14"));
  QCOMPARE((*runtime)->relax()->pool, std::string("classic"));
  QCOMPARE((*runtime)->relax()->magics, std::vector<uint64_t>{0xD225DE2F4214151D});
  // A check of two constants, and one that is not known: then the constants in the code count, also as negative ones.
  names.back() = "Check failed: ((header == kTVMVMBytecodeMagic) || (header == kTVMVMBytecodeMagicV2)";
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, {"TVMFuncCall"}));
  QCOMPARE(readAt(facts, in(folder, "libtvm_runtime.so")).value()->relax()->magics,
           (std::vector<uint64_t>{0xD225DE2F4214151D, 0xD225DE2F4214151E}));
  names.back() = "Check failed: (header == kTVMVMBytecodeMagicV9";
  names.emplace_back("\x1f\x15\x14\x42\x2f\xde\x25\xd2");
  names.emplace_back("\xe3\xea\xeb\xbd\xd0\x21\xda\x2d");
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, {"TVMFuncCall"}));
  QCOMPARE(readAt(facts, in(folder, "libtvm_runtime.so")).value()->relax()->magics,
           (std::vector<uint64_t>{0xD225DE2F4214151D, 0xD225DE2F4214151F}));
}

void TestDiskRuntime::ownLaunchTagsAreRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.25+cuda", "", namesInTable());
  names.insert(names.end(), kCuda.begin(), kCuda.end());
  names.insert(names.end(), {"blockIdx.", "threadIdx.", "tirx.use_dyn_shared_memory", "tir.cluster_dim_x"});
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, kOf25.exports));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY(runtime.hasValue());
  const auto state = [&](const char* tag) { return stateText((*runtime)->launchTag(tag)); };
  QCOMPARE(state("tirx.use_dyn_shared_memory"), QStringLiteral("present"));
  QCOMPARE(state("tir.cluster_dim_x"), QStringLiteral("present")); // which no release has
  QCOMPARE(state("blockIdx.y"), QStringLiteral("present"));
  QCOMPARE(state("tir.cluster_dim_w"), QStringLiteral("absent"));
  QCOMPARE(state("tir.use_dyn_shared_memory"), QStringLiteral("absent"));
}

void TestDiskRuntime::countsOfOtherReleasesAreNotCertain() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.25", "", namesInTable());
  std::erase(names, "vm.builtin.reshape");
  names.emplace_back("Check failed: (args.size() == 28 || args.size() == 29");
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, kOf25.exports));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY(runtime.hasValue());
  const auto certain = [&](const char* function) {
    const auto counts = (*runtime)->argumentCounts(function);
    return !counts.empty() && counts.front().certain;
  };
  QVERIFY(certain("vm.builtin.paged_attention_kv_cache_create")); // its own check
  QVERIFY(!certain("vm.builtin.alloc_storage"));
  QVERIFY(runtimeOf(facts, "v0.25")->argumentCounts("vm.builtin.alloc_storage").front().certain);
}

/// The library for CUDA needs the driver, which may be where the runtime is used.
void TestDiskRuntime::missingLibraryOfTheSystem() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "libtvm_runtime.so"), in(folder, "libtvm_ffi.so"));
  writeFile(in(folder, "libtvm_runtime_cuda.so"),
            libraryOf(kCuda, {}, 62, {{"libtvm_runtime.so", "libc.so.6", "libnowhere-of-a-driver.so.1"}}));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY(runtime.hasValue());
  const auto found = (*runtime)->function("ffi.Module.load_from_bytes.cuda");
  QVERIFY(found.state == targets::Availability::State::NeedsLibrary);
  QCOMPARE(found.needs, std::string("libnowhere-of-a-driver.so.1"));
  QCOMPARE(found.library, std::string("libtvm_runtime_cuda"));
  QVERIFY(found.missingHere);
  QVERIFY(!(*runtime)->broken()); // the runtime itself can be loaded
  bool said = false;
  for (const std::string& sentence : (*runtime)->evidence())
    said |= sentence ==
            "libtvm_runtime_cuda.so can only be loaded where libnowhere-of-a-driver.so.1 is installed, which "
            "was found neither with the runtime nor on this machine";
  QVERIFY(said);
}

/// What this machine has does not hide what it lacks.
void TestDiskRuntime::libraryOfThisMachineIsFound() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder, elsewhere;
  writeRuntime(facts, in(folder, "libtvm_runtime.so"), in(folder, "libtvm_ffi.so"));
  writeFile(in(elsewhere, "libof-this-machine.so.1"), libraryOf({}, {}, 62, {{"libc.so.6"}}));
  const auto cuda = [&](std::vector<std::string> needed) {
    // The loader of this machine takes run paths outside of the runtime, too.
    writeFile(in(folder, "libtvm_runtime_cuda.so"),
              libraryOf(kCuda, {}, 62, {std::move(needed), {}, elsewhere.path().toStdString()}));
    const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
    if (!runtime) qFatal("%s", runtime.error().message().c_str());
    return (*runtime)->function("ffi.Module.load_from_bytes.cuda");
  };
  const auto found = cuda({"libtvm_runtime.so", "libof-this-machine.so.1"});
  QVERIFY(found.state == targets::Availability::State::NeedsLibrary && !found.missingHere);
  const auto lacking = cuda({"libof-this-machine.so.1", "libnowhere-of-a-driver.so.1"});
  QVERIFY(lacking.state == targets::Availability::State::NeedsLibrary && lacking.missingHere);
  QCOMPARE(lacking.needs, std::string("libnowhere-of-a-driver.so.1"));
}

/// The library for CUDA of 0.25.0 does not name the driver's library, whose functions it calls.
void TestDiskRuntime::sideLibraryThatCannotBeLoaded() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "lib/python3.12/site-packages");
  writeRuntime(facts, packages / "tvm/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  writeFile(packages / "tvm/lib/libcudart.so.13", libraryOf({}, {"cudaMalloc"}));
  const auto state = [&](const std::vector<std::string>& needed) {
    writeFile(packages / "tvm/lib/libtvm_runtime_cuda.so",
              libraryOf(kCuda, {}, 62, {needed, {"cuModuleLoadData", "cudaMalloc", "curl_easy_init"}, "$ORIGIN"}));
    return readAt(facts, in(folder, "")).value()->function("ffi.Module.load_from_bytes.cuda");
  };
  const auto without = state({"libtvm_runtime.so", "libcudart.so.13"});
  QVERIFY(without.state == targets::Availability::State::Absent);
  QCOMPARE(without.why,
           std::string("libtvm_runtime_cuda.so has it, and cannot be loaded: undefined symbol: cuModuleLoadData"));
  writeFile(packages / "tvm/lib/libcuda.so.1", libraryOf({}, {"cuModuleLoadData"}));
  QVERIFY(state({"libtvm_runtime.so", "libcudart.so.13", "libcuda.so.1"}).present());
}

/// A C++ function of libtvm_ffi went: Python binds all functions at once, so that the runtime cannot be imported.
void TestDiskRuntime::runtimeThatCannotBeLoaded() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "lib/python3.12/site-packages");
  writeRuntime(facts, packages / "tvm/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  const std::string gone = "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE";
  const std::string library = libraryOf(allNamesOf(facts, "v0.25", "", namesInTable()), kOf25.exports, 62,
                                        {{"libtvm_ffi.so"}, {"TVMFFIFunctionCall", gone}});
  writeFile(packages / "tvm/lib/libtvm_runtime.so", library);
  const auto runtime = readAt(facts, in(folder, ""));
  QVERIFY(runtime.hasValue());
  const auto broken = (*runtime)->broken();
  QVERIFY(broken.has_value());
  QCOMPARE(broken->library, std::string("libtvm_runtime.so"));
  QCOMPARE(broken->printed, (packages / "tvm/lib/libtvm_runtime.so").string() + ": undefined symbol: " + gone);
  QVERIFY(broken->why.find("tvm::ffi::json::Stringify(") < broken->why.size());
  QVERIFY(broken->needs.empty());
  // A program binds functions at their first call.
  writeFile(in(folder, "bare/libtvm_runtime.so"), "");
  std::filesystem::create_directories(in(folder, "bare"));
  writeFile(in(folder, "bare/libtvm_runtime.so"), library);
  std::filesystem::copy(packages / "tvm_ffi/lib/libtvm_ffi.so", in(folder, "bare/libtvm_ffi.so"));
  QVERIFY(!readAt(facts, in(folder, "bare/libtvm_runtime.so")).value()->broken());
}

void TestDiskRuntime::librariesBesideAreFound() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::filesystem::path packages = in(folder, "site-packages");
  writeRuntime(facts, packages / "tvm/lib/libtvm_runtime.so", packages / "tvm_ffi/lib/libtvm_ffi.so");
  std::filesystem::create_directories(packages / "vendor/lib");
  writeFile(packages / "vendor/lib/libstub.so", libraryOf({}, {"cudaLaunchKernel"}, 62, {{"libdeep.so"}}));
  writeFile(packages / "tvm/lib/libtvm_runtime.so",
            libraryOf(allNamesOf(facts, "v0.27", "", namesInTable()), kOf25.exports, 62,
                      {{"libtvm_ffi.so", "libstub.so"}, {}, "/nowhere:$ORIGIN/../../vendor/lib:${ORIGIN}"}));
  const auto missing = readAt(facts, packages / "tvm");
  QVERIFY(missing.hasValue() && (*missing)->broken());
  QCOMPARE((*missing)->broken()->needs, std::string("libdeep.so"));
  QCOMPARE((*missing)->broken()->printed,
           std::string("libdeep.so: cannot open shared object file: No such file or directory"));
  writeFile(packages / "vendor/lib/libstub.so", libraryOf({}, {"cudaLaunchKernel"}));
  const auto whole = readAt(facts, packages / "tvm");
  QVERIFY(whole.hasValue() && !(*whole)->broken());
  QVERIFY((*whole)->symbol("cudaLaunchKernel").present()); // it is in the process with the runtime
  QVERIFY((*whole)->library("libstub.so").present());
}

/// They have other names, and export what applications call.
void TestDiskRuntime::runtimesOfVendorsAreRecognised() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::vector<std::string> exports = {"TVMFuncCall",
                                            "TVMModLoadFromFile",
                                            "TVMModGetFunction",
                                            "TVMAPISetLastError",
                                            "TVMBackendGetFuncFromEnv",
                                            "TVMArrayAlloc",
                                            "TVMBackendAllocWorkspace",
                                            "dlr_create"};
  writeFile(in(folder, "libdlr.so"), libraryOf({"module.loadbinary_cuda", "module.loadfile_so", "device_api.cpu",
                                                "__tvm_dev_mblob", "__TVMFuncCall", "__TVMBackendGetFuncFromEnv"},
                                               exports));
  const auto runtime = readAt(facts, in(folder, "libdlr.so"));
  QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
  QCOMPARE((*runtime)->carriers(), std::vector<std::string>{"__tvm_dev_mblob"});
  QCOMPARE((*runtime)->loaderName("cuda"), std::string("module.loadbinary_cuda"));
  QVERIFY((*runtime)->symbol("TVMFuncCall").present());
  QCOMPARE(stateText((*runtime)->symbol("TVMBackendParallelLaunch")), QStringLiteral("absent"));
  QCOMPARE(stateText((*runtime)->symbol("TVMFFIFunctionCall")), QStringLiteral("absent"));
  QVERIFY((*runtime)->slot("__TVMFuncCall").present());
  QCOMPARE(stateText((*runtime)->slot("__TVMFFIFunctionCall")), QStringLiteral("absent"));
  QVERIFY(!(*runtime)->relax());
  QVERIFY(!(*runtime)->library("libtvm_ffi.so").present());
  // One whose names are elsewhere.
  writeFile(in(folder, "libvendor.so"), libraryOf({}, exports));
  QVERIFY(readAt(facts, in(folder, "libvendor.so")).hasValue());
  writeFile(in(folder, "libapp.so"), libraryOf({}, {"TVMFuncCall", "main"}));
  QVERIFY(!readAt(facts, in(folder, "libapp.so")));
}

void TestDiskRuntime::javaScriptIsRead_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("provided");
  QTest::addColumn<QString>("absent");
  QTest::addColumn<QString>("stub");
  const QByteArray environment =
      "environment(t){const e={\"__cxa_thread_atexit\":()=>{},/* } */'emscripten_notify_memory_growth':"
      "(i)=>{if(i){a('}')}}};const n={TVMFFIWasmSafeCall:(a,b)=>{},\"__console_log\":t=>{}};"
      "return Object.assign(e,t,n)}registerFunc(\"wasm.WebGPUDeviceAPI\",x)";
  const QByteArray provider = "function __ZN3tvm7runtime9threading10NumThreadsEv(){err(\"missing function: "
                              "_ZN3tvm7runtime9threading10NumThreadsEv\");abort(-1)}";
  QTest::newRow("bundle")
      << provider +
             "var wasmImports={\"__cxa_throw\":___cxa_throw,fd_write:_fd_write,"
             "_ZN3tvm7runtime9threading10NumThreadsEv:__ZN3tvm7runtime9threading10NumThreadsEv"
             "};var x={notThere:1};" +
             environment
      << "__cxa_throw fd_write __cxa_thread_atexit emscripten_notify_memory_growth TVMFFIWasmSafeCall "
         "__console_log"
      << "notThere _ZN3tvm7runtime9threading15ResetThreadPoolEv a" << "_ZN3tvm7runtime9threading10NumThreadsEv";
  QTest::newRow("formatted") << "var wasmImports = {\n  /** @export */\n  __cxa_throw: ___cxa_throw,\n  // comment }\n"
                                "  fd_write,\n  quoted(a) { return '}'; },\n};\n" +
                                    environment
                             << "__cxa_throw fd_write quoted" << "comment other" << "";
  QTest::newRow("older")
      << QByteArray("var asmLibraryArg={\"abort\":_abort,\"TVMWasmPackedCFunc\":_TVMWasmPackedCFunc};const n={\n// x\n"
                    "TVMWasmPackedCFunc: f, TVMWasmPackedCFuncFinalizer: g };")
      << "abort TVMWasmPackedCFunc TVMWasmPackedCFuncFinalizer" << "TVMFFIWasmSafeCall" << "";
}

void TestDiskRuntime::javaScriptIsRead() {
  QFETCH(QByteArray, text);
  QFETCH(QString, provided);
  QFETCH(QString, absent);
  QFETCH(QString, stub);
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeFile(in(folder, "tvmjs.bundle.js"), text.toStdString());
  NullMonitor monitor;
  const auto runtime = targets::findRuntime(facts, in(folder, "tvmjs.bundle.js").string(), monitor);
  QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
  for (const QString& name : provided.split(' ', Qt::SkipEmptyParts))
    QVERIFY2((*runtime)->symbol(name.toStdString()).present() && (*runtime)->symbol(name.toStdString()).why.empty(),
             qPrintable(name));
  for (const QString& name : absent.split(' ', Qt::SkipEmptyParts))
    QVERIFY2((*runtime)->symbol(name.toStdString()).state == targets::Availability::State::Absent, qPrintable(name));
  if (!stub.isEmpty()) {
    const auto found = (*runtime)->symbol(stub.toStdString());
    QVERIFY(found.present() && found.why == "it is only a stub: a call of it ends the program");
    QVERIFY((*runtime)->function("wasm.WebGPUDeviceAPI").present());
  }
  QCOMPARE((*runtime)->architectures(), std::vector<std::string>{"wasm32"});
  QVERIFY((*runtime)->onDisk() && (*runtime)->evidence().size() >= 2);
  // Nothing of it ends in a crash.
  for (qsizetype size = 1; size < text.size(); size += 7) {
    writeFile(in(folder, "cut.js"), text.left(size).toStdString());
    const auto cut = readAt(facts, in(folder, "cut.js"));
    if (!cut) QCOMPARE(cut.error().id(), DiagnosticId::PreRuntime);
  }
}

void TestDiskRuntime::appIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.18", "", namesInTable());
  names.emplace_back("__tvm_dev_mblob");
  writeFile(in(folder, "libtvm4j_runtime_packed.so"),
            libraryOf(names, {"TVMFuncCall", "TVMAPISetLastError", "TVMBackendGetFuncFromEnv"}, 183));
  const auto runtime = readAt(facts, in(folder, "libtvm4j_runtime_packed.so"));
  QVERIFY(runtime.hasValue());
  QCOMPARE((*runtime)->release().value_or(0), 13u);
  QCOMPARE((*runtime)->architectures(), std::vector<std::string>{"aarch64"});
  QCOMPARE((*runtime)->carriers(), std::vector<std::string>{"__tvm_dev_mblob"});
  QVERIFY((*runtime)->function("vm.builtin.ndarray_cache.get").present());
}

void TestDiskRuntime::packageOfAndroidIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.18", "", namesInTable());
  const std::string app = libraryOf(names, {"TVMFuncCall"}, 183);
  writeFile(in(folder, "app.apk"), storedZip({{"AndroidManifest.xml", "text"},
                                              {"lib/arm64-v8a/libapp.so", app},
                                              {"lib/arm64-v8a/libc++_shared.so", libraryOf({})}}));
  const auto runtime = readAt(facts, in(folder, "app.apk"));
  QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
  QCOMPARE((*runtime)->release().value_or(0), 13u);
  QCOMPARE((*runtime)->architectures(), std::vector<std::string>{"aarch64"});
  writeFile(in(folder, "empty.apk"), storedZip({{"AndroidManifest.xml", "text"}}));
  const auto empty = readAt(facts, in(folder, "empty.apk"));
  QVERIFY(!empty);
  QVERIFY(QString::fromStdString(empty.error().message()).contains("the archive contains no library"));
}

void TestDiskRuntime::webAssemblyIsRead() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::string data("\0", 1);
  for (const std::string& name : allNamesOf(facts, "v0.18+webgpu", "", namesInTable())) data += name + '\0';
  writeFile(in(folder, "model.wasm"),
            wasm::module({wasm::section(11, wasm::list({wasm::byte(0) + "\x41\x10\x0b" + wasm::str(data)}))}));
  const auto runtime = readAt(facts, in(folder, "model.wasm"));
  QVERIFY2(runtime.hasValue(), runtime ? "" : runtime.error().message().c_str());
  QCOMPARE((*runtime)->release().value_or(0), 13u);
  QVERIFY((*runtime)->function("device_api.webgpu").present());
  QVERIFY(!(*runtime)->function("device_api.cuda").present());
}

void TestDiskRuntime::endOfALongerTextIsFound() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = kOf25.core;
  names.insert(names.end(), kOf25.ffi.begin(), kOf25.ffi.end());
  names.emplace_back("my.vm.builtin.reshape"); // linkers store a text that ends another one only once
  writeFile(in(folder, "libapp.so"), libraryOf(names, kOf25.exports));
  QVERIFY(readAt(facts, in(folder, "libapp.so")).value()->function("vm.builtin.reshape").present());
}

void TestDiskRuntime::functionsOfAnAppAreFound() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  std::vector<std::string> names = allNamesOf(facts, "v0.25", "", namesInTable());
  names.insert(names.end(), {"my.own.function", "ffi.Module.load_from_bytes.mine", "vm.builtin.mine"});
  writeFile(in(folder, "libtvm_runtime.so"), libraryOf(names, kOf25.exports));
  const auto runtime = readAt(facts, in(folder, "libtvm_runtime.so"));
  QVERIFY(runtime.hasValue());
  QVERIFY((*runtime)->function("my.own.function").present());
  QVERIFY((*runtime)->function("ffi.Module.load_from_bytes.mine").present());
  QVERIFY((*runtime)->function("vm.builtin.mine").present());
  QCOMPARE(stateIn(runtime, "own.function"), QStringLiteral("unknown"));
  // libtvm_ffi is elsewhere.
  QCOMPARE(stateIn(runtime, "ffi.Array"), QStringLiteral("present in libtvm_ffi"));
  QCOMPARE(stateText((*runtime)->symbol("TVMFFIFunctionCall")), QStringLiteral("present in libtvm_ffi"));
}

void TestDiskRuntime::filesWithoutRuntimeAreRefused_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const std::string& content, const char* expected) {
    QTest::newRow(name) << QByteArray::fromStdString(content) << QString(expected);
  };
  const char* const none = "none of the functions that a runtime of TVM registers was found in it";
  row("library.so", libraryOf({"vm.builtin.reshape", "__tvm_set_device"}), none);
  row("text.so", "not a library", none);
  row("short.so",
      "\x7f"
      "ELF",
      none);
  row("empty.so", "", "is empty");
  row("module.wasm", wasm::module({}), none);
}

void TestDiskRuntime::filesWithoutRuntimeAreRefused() {
  QFETCH(QByteArray, content);
  QFETCH(QString, expected);
  const QTemporaryDir folder;
  writeFile(in(folder, QTest::currentDataTag()), content.toStdString());
  const auto runtime = readAt(builtInFacts(), in(folder, QTest::currentDataTag()));
  QVERIFY(!runtime);
  const QString message = QString::fromStdString(runtime.error().message());
  QVERIFY2(message.contains(expected), qPrintable(message));
  const auto nothing = readAt(builtInFacts(), folder.path().toStdString() + "/");
  QVERIFY(!nothing);
}

void TestDiskRuntime::damagedFilesAreRefused() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  const std::string whole = libraryOf(kOf25.core, kOf25.exports);
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    writeFile(in(folder, "libapp.so"), whole.substr(0, size));
    const auto runtime = readAt(facts, in(folder, "libapp.so"));
    if (!runtime) QCOMPARE(runtime.error().id(), DiagnosticId::PreRuntime);
  }
}

void TestDiskRuntime::stopIsHonoured() {
  const auto facts = builtInFacts();
  const QTemporaryDir folder;
  writeRuntime(facts, in(folder, "libtvm_runtime.so"), in(folder, "libtvm_ffi.so"));
  for (int looks = 0; looks < 3; ++looks) {
    StopAfter monitor(looks);
    const auto runtime = targets::readRuntime(facts, in(folder, ""), monitor);
    QVERIFY(!runtime);
    QCOMPARE(runtime.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestDiskRuntime);
#include "test_disk_runtime.moc"
