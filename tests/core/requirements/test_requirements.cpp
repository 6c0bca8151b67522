#include "core/requirements/requirements.h"

#include "tests/core/base/compare.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <QDir>

#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;
using requirements::DeviceCode;
using requirements::NeededFunction;
using requirements::Requirements;

namespace {

std::string numberText(const auto& number) { return number ? std::to_string(*number) : "–"; }

/// "key layout format ref", one line each; "!" when it is not decoded.
std::string modulesText(const Requirements& needs) {
  std::string out;
  for (const auto& one : needs.modules)
    out += one.key + (one.decoded ? "" : "!") + " " + one.layout + " '" + one.format + "' " + one.ref.toString() + "\n";
  return out;
}

std::string executablesText(const Requirements& needs) {
  std::string out;
  for (const auto& one : needs.executables) {
    out += std::string(one.relay ? "relay" : "relax") + " " + (one.magic ? hexText(*one.magic) : "–") + " '" +
           one.version + "' " + joined(one.pools) + " imports " + std::to_string(one.imports) + " " +
           one.ref.toString() + (one.damage.empty() ? "" : " damaged") + "\n";
  }
  return out;
}

/// "place name", one line each; "+" when the library defines the function.
std::string functionsText(const Requirements& needs) {
  constexpr const char* kPlaces[] = {"packed", "compiled", "primitive", "graph", "host"};
  std::string out;
  for (const NeededFunction& one : needs.functions)
    out += std::string(kPlaces[static_cast<std::size_t>(one.place)]) + " " + one.name + (one.definedHere ? "+" : "") +
           (one.caller.empty() ? "" : " of " + one.caller) + " " + one.ref.toString() + "\n";
  return out;
}

std::string callsText(const Requirements& needs) {
  std::string out;
  for (const auto& one : needs.calls) {
    out += one.function + "(" + std::to_string(one.arguments) + ") x" + std::to_string(one.times) + " at " +
           std::to_string(one.instruction) + " of " + joined(one.callers) + " [";
    for (const auto& value : one.immediates) out += numberText(value) + ",";
    out += "] " + one.ref.toString() + "\n";
  }
  return out;
}

std::string kernelsText(const Requirements& needs) {
  std::string out;
  for (const auto& one : needs.kernels)
    out += one.moduleKey + " " + one.name + " registers " + numberText(one.registers) + " shared " +
           numberText(one.sharedBytes) + " threads " + numberText(one.threads) + " push " +
           numberText(one.pushConstants) + " buffers " + numberText(one.storageBuffers) + " [" +
           joined(one.launchTags) + "] " + one.ref.toString() + "\n";
  return out;
}

std::string codeText(const Requirements& needs) {
  constexpr const char* kKinds[] = {"cubin",         "ptx",   "cuda",     "hsaco", "spirv", "opencl",
                                    "opencl binary", "metal", "metallib", "wgsl",  "other"};
  std::string out;
  for (const DeviceCode& one : needs.code)
    out += one.moduleKey + " " + kKinds[static_cast<std::size_t>(one.kind)] + " '" + one.target + "' " +
           hexText(one.version) + " [" + joined(one.capabilities) + "] " + one.ref.toString() + "\n";
  return out;
}

/// A library of v0.27 around one root module, which imports the others.
std::string libraryOf(const std::vector<Record>& records) {
  std::vector<std::vector<uint64_t>> imports(records.size());
  for (std::size_t i = 1; i < records.size(); ++i) imports[0].push_back(i);
  return elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports));
}

std::string relaxLibrary(const RelaxBuilder& vm) { return libraryOf({{"relax.VMExecutable", vm.build()}}); }

const std::vector<Function> kAdd = {{"add_kernel"}};

QString corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
         QStringLiteral("/libraries");
}

/// Nothing when the corpus is not there.
std::optional<Requirements> needsOfCorpus(const char* name) {
  const QString path = corpusFolder() + QLatin1Char('/') + QLatin1String(name);
  if (!QFile::exists(path)) return std::nullopt;
  NullMonitor monitor;
  const auto package = library::open(std::filesystem::path(path.toStdString()), monitor);
  if (!package) return std::nullopt;
  auto needs = requirements::requirementsOf(*package, monitor);
  return needs ? std::optional(std::move(*needs)) : std::nullopt;
}

/// "passed × calls" of a function.
std::string countsOf(const Requirements& needs, std::string_view function) {
  std::map<uint64_t, uint64_t> counts;
  for (const auto& call : needs.calls)
    if (call.function == function) counts[call.arguments] += call.times;
  std::string out;
  for (const auto& [arguments, times] : counts) out += std::to_string(arguments) + "x" + std::to_string(times) + " ";
  return out;
}

} // namespace

/// What libraries need from the runtime and the device; all libraries are made here, except those of the last tests.
class TestRequirements : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void modulesInStoredOrder() {
    const Requirements needs = needsOf(libraryOf({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()},
                                                  {"_lib", ""},
                                                  {"cuda", code3("ptx", kAdd, ptxText(kAdd), Info::Four)},
                                                  {"unknown_kind", "bytes"}}));
    QCOMPARE(modulesText(needs), "relax.VMExecutable relax_vm bare pool-ffi-2025b '' m0\n"
                                 "_lib none '' m1\n"
                                 "cuda code3 'ptx' m2\n"
                                 "unknown_kind! opaque '' m3\n");
    QCOMPARE(needs.era, "C1");
    QCOMPARE(joined(needs.deviceApis), "cuda");
    QCOMPARE(needs.carriers.size(), std::size_t{1});
    QCOMPARE(needs.carriers[0].name + " '" + needs.carriers[0].prefix + "' " + needs.carriers[0].ref.toString(),
             "__tvm_ffi__library_bin '' blob");
    QCOMPARE(joined(needs.definedFunctions), "add_kernel");
    QVERIFY(needs.ofTvm);
  }

  void systemLibrariesHavePrefixes() {
    ElfBuilder file;
    file.type = 1;
    file.data("own_v1___tvm_ffi__library_bin",
              ffiBlob({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()}}, {{}}));
    file.function("__tvm_ffi_own_v1_vm.builtin.alloc_storage");
    const Requirements needs = needsOf(file.build());
    QCOMPARE(needs.carriers[0].name + " '" + needs.carriers[0].prefix + "' " + needs.carriers[0].ref.toString(),
             "__tvm_ffi__library_bin 'own_v1_' blob");
    QCOMPARE(functionsText(needs), "packed vm.builtin.alloc_storage+ m0\n"
                                   "compiled __vmtir__tir_main of tir_main m0/function:tir_main\n");
    QCOMPARE(callsText(needs), ""); // the library defines it
  }

  void executables_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const std::string& file, const char* expected) {
      QTest::newRow(name) << QByteArray::fromStdString(file) << QByteArray(expected);
    };
    const auto classic = [](const RelaxBuilder& vm) {
      return elfWith("__tvm_dev_mblob", classicBlob({{"relax.Executable", vm.sized()}}, {{{}}}));
    };
    RelaxBuilder v1(kTags2025b);
    row("2025b", relaxLibrary(v1), "relax 0xd225de2f4214151d '0.14' 2025b imports 0 m0\n");
    row("2025a", relaxLibrary(RelaxBuilder(kTags2025a)), "relax 0xd225de2f4214151d '0.14' 2025a imports 0 m0\n");
    row("classic", classic(RelaxBuilder(kTagsClassic)), "relax 0xd225de2f4214151d '0.14' classic imports 0 m0\n");
    RelaxBuilder v2(kTags2025b);
    v2.magic = kVmMagic2;
    row("second magic", relaxLibrary(v2), "relax 0xd225de2f4214151e '0.14' 2025b imports 0 m0\n");
    RelaxBuilder strings(kTags2025b);
    strings.constants.resize(2);
    strings.constants.push_back(strings.constants[0]);
    strings.constants.push_back(strings.constants[0]);
    strings.constants.push_back(strings.constants[0]);
    row("only texts", relaxLibrary(strings), "relax 0xd225de2f4214151d '0.14' 2025a 2025b imports 0 m0\n");
    RelaxBuilder none(kTags2025b);
    none.constants.clear();
    none.code[0] = {1, 2, 0, 1, RelaxBuilder::kVm};
    row("no constants", relaxLibrary(none), "relax 0xd225de2f4214151d '0.14' classic 2025a 2025b imports 0 m0\n");
    RelaxBuilder magic(kTags2025b);
    magic.magic = 0x1234;
    row("wrong magic", relaxLibrary(magic), "relax 0x1234 ''  imports 0 m0 damaged\n");
    RelaxBuilder version(kTags2025b);
    version.version = "0.15";
    row("other version", relaxLibrary(version), "relax 0xd225de2f4214151d '0.15' 2025b imports 0 m0\n");
    RelaxBuilder tag(kTags2025b);
    tag.constants[2] = ByteBuilder().u32(99).str("text").take();
    row("unknown tag", relaxLibrary(tag), "relax 0xd225de2f4214151d '0.14'  imports 0 m0 damaged\n");
    row("cut in the magic", libraryOf({{"relax.VMExecutable", "\x1d\x15"}}), "relax – ''  imports 0 m0 damaged\n");
    row("with a module below", libraryOf({{"relax.VMExecutable", v1.build()}, {"_lib", ""}}),
        "relax 0xd225de2f4214151d '0.14' 2025b imports 1 m0\n");
    row("relay", elfWith("__tvm_dev_mblob", classicBlob({{"VMExecutable", RelayBuilder(4).sized()}}, {{{}}})),
        "relay 0xd225de2f4214151d '0.17.0'  imports 0 m0\n");
    RelayBuilder wrong(4);
    wrong.magic = 7;
    row("relay with a wrong magic", elfWith("__tvm_dev_mblob", classicBlob({{"VMExecutable", wrong.sized()}}, {{{}}})),
        "relay 0x7 '0.17.0'  imports 0 m0 damaged\n");
  }
  void executables() {
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, expected);
    QCOMPARE(executablesText(needsOf(file.toStdString())), expected.toStdString());
  }

  void functionsOfMachinesAndGraphs() {
    QCOMPARE(functionsText(needsOf(relaxLibrary(RelaxBuilder(kTags2025b)))),
             "packed vm.builtin.alloc_storage m0\ncompiled __vmtir__tir_main of tir_main m0/function:tir_main\n");
    ElfBuilder file;
    file.data("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()}}, {{}}));
    file.function("__tvm_ffi___vmtir__tir_main").function("__tvm_ffi_main");
    const Requirements needs = needsOf(file.build());
    QCOMPARE(functionsText(needs), "packed vm.builtin.alloc_storage m0\n"
                                   "compiled __vmtir__tir_main+ of tir_main m0/function:tir_main\n");
    QCOMPARE(joined(needs.definedFunctions), "__vmtir__tir_main main");
    const std::string relay =
        elfWith("__tvm_dev_mblob", classicBlob({{"VMExecutable", RelayBuilder(4).sized()}}, {{{}}}));
    QVERIFY(functionsText(needsOf(relay)).starts_with("primitive "));
  }

  void callsAreCountedByFunctionAndNumber() {
    RelaxBuilder vm(kTags2025b);
    using B = RelaxBuilder;
    vm.functions = {{0, "vm.builtin.alloc_storage", 0, 0, -2, 0, {}},
                    {0, "vm.builtin.match_shape", 0, 0, -2, 0, {}},
                    {1, "main", 0, 5, 0, 3, {}},
                    {1, "other", 5, 8, 0, 3, {}},
                    {2, "tir_main", 0, 0, 1, 0, {}},
                    {0, "add_kernel", 0, 0, -2, 0, {}}};
    vm.code = {{1, 0, 0, 4, B::kVm, B::constant(5), B::immediate(-1), B::constant(4)},
               {1, 0, 1, 4, 0, 1, B::immediate(0), B::immediate(0)},
               {1, 0, 0, 5, B::kVm, B::constant(5), B::immediate(0), B::constant(4), B::constant(4)},
               {1, 0, 4, 1, 0}, // compiled code
               {2, 0},
               {1, 0, 0, 4, B::kVm, B::constant(5), B::immediate(2), B::constant(4)},
               {1, 0, 1, 4, 0, 1, B::immediate(1), B::immediate(0)}, // another rank: another number is right
               {1, 0, 5, 1, 0}};                                     // defined by the library
    const Requirements needs = needsOf(libraryOf(
        {{"relax.VMExecutable", vm.build()}, {"_lib", ""}, {"cuda", code3("ptx", kAdd, ptxText(kAdd), Info::Four)}}));
    QCOMPARE(callsText(needs), "vm.builtin.alloc_storage(4) x2 at 0 of main other [–,–,-1,–,] m0/function:main\n"
                               "vm.builtin.match_shape(4) x1 at 1 of main [–,–,0,0,] m0/function:main\n"
                               "vm.builtin.alloc_storage(5) x1 at 2 of main [–,–,0,–,–,] m0/function:main\n"
                               "vm.builtin.match_shape(4) x1 at 6 of other [–,–,1,0,] m0/function:other\n");
  }

  void cudaCode() {
    const std::vector<Function> functions = {{"add", {0x00014003}, {"blockIdx.x", "threadIdx.x"}}, {"missing"}};
    cuda::CubinKernel add = cuda::kernel("add");
    add.registers = 40;
    add.shared = 512;
    const std::string image = cuda::cubin(89, {add});
    QCOMPARE(codeText(needsOf(libraryOf({{"_lib", ""}, {"cuda", code3("cubin", functions, image, Info::Four)}}))),
             "cuda cubin 'sm_89' 0x0 [] m1\n");
    const Requirements fat = needsOf(libraryOf(
        {{"_lib", ""},
         {"cuda", code3("fatbin", functions, cuda::fatbin({cuda::image(89, image), cuda::image(90, ptxText(kAdd), 1)}),
                        Info::Four)}}));
    QCOMPARE(kernelsText(fat),
             "cuda add registers 40 shared 512 threads – push – buffers – [blockIdx.x threadIdx.x] m1/kernel:add\n"
             "cuda missing registers – shared – threads – push – buffers – [blockIdx.x threadIdx.x] "
             "m1/kernel:missing\n");
    QCOMPARE(fat.code.size(), std::size_t{2});
    QCOMPARE(fat.code[0].target + " " + fat.code[0].ref.toString() + " " + fat.code[1].target + " " +
                 fat.code[1].ref.toString(),
             "sm_89 m1/entry:0 sm_90 m1/entry:1");
    QVERIFY(fat.code[1].kind == DeviceCode::Kind::Ptx);
    const std::string ptx = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry add(.param .u64 a)\n"
                            ".maxntid 32, 4, 1\n{\n.shared .align 4 .b8 s[256];\nret;\n}\n";
    const Requirements text = needsOf(libraryOf({{"_lib", ""}, {"cuda", code3("ptx", functions, ptx, Info::Four)}}));
    QCOMPARE(codeText(text), "cuda ptx 'sm_90a' 0x54 [] m1\n");
    QVERIFY(kernelsText(text).starts_with("cuda add registers – shared 256 threads 128 push –"));
    QCOMPARE(
        codeText(needsOf(libraryOf(
            {{"_lib", ""}, {"cuda", code3("cuda", functions, "extern \"C\" __global__ void add() {}", Info::Four)}}))),
        "cuda cuda '' 0x0 [] m1\n");
  }

  void spirvCode() {
    const auto payload = [](uint32_t flag) {
      const std::string words = spirv_builder::shader();
      return ByteBuilder()
          .str("vulkan")
          .raw(functionMap(kAdd, Info::Three))
          .u64(1)
          .str("add_kernel")
          .u32(flag)
          .u64(words.size() / 4)
          .raw(words)
          .take();
    };
    const auto file = [&](uint32_t flag) {
      return elfWith("__tvm_dev_mblob", classicBlob({{"_lib", ""}, {"vulkan", payload(flag)}}, {{{1}, {}}}));
    };
    const Requirements needs = needsOf(file(0));
    QCOMPARE(codeText(needs), "vulkan spirv '' 0x10300 [Shader Float16] "
                              "m1/kernel:add_kernel\n");
    // One scalar argument takes eight bytes of push constants, unless it is in a uniform buffer.
    QCOMPARE(kernelsText(needs),
             "vulkan add_kernel registers – shared 64 threads 128 push 8 buffers 1 [blockIdx.x threadIdx.x] "
             "m1/kernel:add_kernel\n");
    QVERIFY(kernelsText(needsOf(file(1))).find("push –") != std::string::npos);
    QCOMPARE(joined(needs.deviceApis), "vulkan");
  }

  void otherCode() {
    const auto of = [](const char* key, const std::string& payload) {
      return needsOf(libraryOf({{"_lib", ""}, {key, payload}}));
    };
    const Requirements hip = of("hip", code3("hsaco", kAdd, hsaco_builder::whole(), Info::Four));
    QVERIFY2(codeText(hip).starts_with("hip hsaco 'gfx90a"), codeText(hip).c_str());
    QCOMPARE(joined(hip.deviceApis), "rocm");
    const Requirements opencl = of(
        "opencl", code3("cl", kAdd, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + openclText(kAdd), Info::Four));
    QCOMPARE(codeText(opencl), "opencl opencl '' 0x0 [cl_khr_fp16] m1\n");
    const std::string wgsl = "enable f16;\n@binding(0) var<storage, read_write> a : array<f16>;\n"
                             "@compute @workgroup_size(64, 1, 1) fn add_kernel() {}\n";
    const Requirements webgpu =
        of("webgpu", ByteBuilder()
                         .raw(functionMap({{"add_kernel", {}, {"blockIdx.x", "paramWriteAccess:[1]"}}}, Info::Four))
                         .u64(1)
                         .str("add_kernel")
                         .str(wgsl)
                         .take());
    QCOMPARE(codeText(webgpu), "webgpu wgsl '' 0x0 [f16] m1/kernel:add_kernel\n");
    QCOMPARE(kernelsText(webgpu),
             "webgpu add_kernel registers – shared 0 threads 64 push – buffers 1 [blockIdx.x] m1/kernel:add_kernel\n");
    const Requirements metal = of("metal", code3("metallib", kAdd, metallib_builder::metallib(), Info::Four));
    QCOMPARE(codeText(metal), "metal metallib '' 0x0 [] m1\n");
  }

  void imagesOutsideBlobs() {
    LinkedLibrary library;
    library.function("__tvm_ffi_add", "\xc3");
    cuda::CubinKernel add = cuda::kernel("add");
    add.registers = 24;
    library.texts = cuda::cubin(90, {add});
    const Requirements needs = needsOf(library.build());
    QCOMPARE(codeText(needs), "cuda cubin 'sm_90' 0x0 [] @0x3000+" + std::to_string(library.texts.size()) + "\n");
    QCOMPARE(kernelsText(needs), "cuda add registers 24 shared 0 threads – push – buffers – [] @0x3000+" +
                                     std::to_string(library.texts.size()) + "\n");
  }

  void filesWithoutTvmNeedNothingOfIt() {
    const Requirements needs = needsOf(ElfBuilder().function("main").undefined("puts").build());
    QVERIFY(!needs.ofTvm);
    QVERIFY(needs.modules.empty() && needs.slots.empty() && needs.carriers.empty());
    QCOMPARE(needs.symbols.size(), std::size_t{1});
  }

  /// Every file that can be opened has a result, however it is cut or changed.
  void damagedFiles() {
    LinkedLibrary library;
    library.slot("__TVMFFIEnvModLookupFromImports");
    const uint64_t word = library.wordOf("__TVMFFIEnvModLookupFromImports"), name = library.text("add_kernel");
    library.function("__tvm_ffi_add",
                     X86Code(library.next()).read(X86Code::Rax, word).address(X86Code::Rsi, name).callAtRax().take());
    library.versions = {{"libc.so.6", "GLIBC_2.28", 2}};
    library.undefined("memcpy", 0x12, 2);
    library.blob = ffiBlob({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()},
                            {"cuda", code3("ptx", kAdd, ptxText(kAdd), Info::Four)}},
                           {{1}, {}});
    library.symbols.push_back({"__tvm_ffi__library_bin", 0, library.blob.size(), 0x11, 4});
    const std::string whole = library.build();
    QCOMPARE(needsOf(whole).executables.size(), std::size_t{1});
    NullMonitor monitor;
    for (std::size_t size = 0; size < whole.size(); size += size < 0x5000 ? 997 : 7)
      if (const auto package = openBytes(std::string_view(whole).substr(0, size)))
        QVERIFY(requirements::requirementsOf(*package, monitor));
    for (std::size_t at = 0x5000; at < whole.size(); at += 3) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x81);
      if (const auto package = openBytes(changed)) QVERIFY(requirements::requirementsOf(*package, monitor));
    }
  }

  void stopsAtEveryCheck() {
    LinkedLibrary library;
    library.slot("__TVMFFIEnvModLookupFromImports");
    library.function("__tvm_ffi_add", "\xc3");
    library.undefined("memcpy");
    library.blob = ffiBlob({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()},
                            {"cuda", code3("ptx", kAdd, ptxText(kAdd), Info::Four)}},
                           {{1}, {}});
    library.symbols.push_back({"__tvm_ffi__library_bin", 0, library.blob.size(), 0x11, 4});
    const auto package = openBytes(library.build());
    QVERIFY(package);
    int stops = 0;
    for (;; ++stops) {
      StopAfter monitor(stops);
      const auto needs = requirements::requirementsOf(*package, monitor);
      if (needs) break;
      QVERIFY(needs.error().code() == ErrorCode::Cancelled);
    }
    QVERIFY2(stops >= 15, std::to_string(stops).c_str());
  }

  // --- Real libraries.
  void corpusHasRequirements() {
    const QDir folder(corpusFolder());
    if (!folder.exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
    int files = 0;
    for (const QString& name : folder.entryList(QDir::Files)) {
      const auto needs = needsOfCorpus(qPrintable(name));
      QVERIFY2(needs, qPrintable(name));
      QVERIFY2(needs->ofTvm, qPrintable(name));
      QVERIFY2(needs->damage.empty(), qPrintable(name + QLatin1String(": ") + QString::fromStdString(needs->damage)));
      for (const auto& slot : needs->slots)
        QVERIFY2(slot.callersKnown && !slot.callers.empty(),
                 qPrintable(name + QLatin1Char(' ') + QString::fromStdString(slot.name)));
      ++files;
    }
    QVERIFY(files > 0);
  }

  void corpusWithKnownNumbers() {
    const auto qwen = needsOfCorpus("Qwen-7B-Chat-q4f16_1-mali-638477.so"),
               rwkv = needsOfCorpus("rwkv-raven-1b5-q8f16_0-vulkan-09e8b2.so"),
               ptx = needsOfCorpus("tvm-0.27-relax-cuda-ptx.so");
    if (!qwen || !rwkv || !ptx) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + corpusFolder()));
    QCOMPARE(countsOf(*qwen, "vm.builtin.paged_attention_kv_cache_create_reduced"), "17x1 ");
    QCOMPARE(countsOf(*rwkv, "vm.builtin.alloc_storage"), "4x15 ");
    QCOMPARE(countsOf(*ptx, "vm.builtin.alloc_storage"), "5x4 ");
    QCOMPARE(executablesText(*ptx), "relax 0xd225de2f4214151e '0.14' 2025b imports 1 m0\n");
    QCOMPARE(codeText(*ptx), "cuda ptx 'sm_90' 0x5a [] m2\n");
    std::string slots;
    for (const auto& slot : ptx->slots) slots += slot.name + "=" + joined(slot.callers) + "\n";
    QCOMPARE(slots, "__TVMFFIHandleInitOnce=fused_conv2d_relu fused_matmul_add mean softmax\n"
                    "__TVMFFIEnvModLookupFromImports=fused_conv2d_relu fused_matmul_add mean softmax\n"
                    "__TVMFFIFunctionCall=fused_conv2d_relu fused_matmul_add mean softmax\n");
  }
};

BLOBSCOPE_TEST(TestRequirements);
#include "test_requirements.moc"
