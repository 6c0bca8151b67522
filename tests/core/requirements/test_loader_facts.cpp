#include "core/requirements/requirements.h"

#include "tests/core/base/compare.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/archive_builder.h"
#include "tests/support/elf_yaml.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

using namespace blobscope;
using namespace blobscope::test;
using requirements::NeededSymbol;
using requirements::Requirements;
using namespace std::string_literals;

namespace {

/// "name@version provider weak data ref", one line each.
std::string symbolsText(const Requirements& needs) {
  constexpr const char* kProviders[] = {"runtime", "ffi", "C", "C++", "cuda", "cute", "other", "rocm"};
  std::string out;
  for (const NeededSymbol& one : needs.symbols)
    out += one.name + (one.version.empty() ? "" : "@" + one.version) + " " +
           kProviders[static_cast<std::size_t>(one.provider)] + (one.weak ? " weak" : "") + (one.data ? " data" : "") +
           " " + one.ref.toString() + "\n";
  return out;
}

LinkedLibrary small() {
  LinkedLibrary out;
  out.function("__tvm_ffi_add", "\xc3");
  return out;
}

} // namespace

/// What a file requests from the system's loader.
class TestRequirementsLoaderFacts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void librariesAndPathsOfElf() {
    LinkedLibrary file = small();
    file.names = {{LinkedLibrary::kNeeded, "libm.so.6"},
                  {LinkedLibrary::kNeeded, "libtvm_ffi.so"},
                  {15, "/opt/old"},
                  {LinkedLibrary::kRunPath, "$ORIGIN/lib"}};
    const Requirements needs = needsOf(file.build());
    QCOMPARE(joined(needs.libraries), "libm.so.6 libtvm_ffi.so");
    QCOMPARE(joined(needs.runPaths), "$ORIGIN/lib");
    QVERIFY(!needs.bindsAtOnce);
    QCOMPARE(needs.damage, "");
    QCOMPARE(needs.format + " " + needs.architecture + " " + needs.kind + " " + needs.extension + " " + needs.hostAbi,
             "elf x86_64 shared so ffi2");
    QVERIFY(needs.ofTvm);
  }

  void symbolsOfElf() {
    LinkedLibrary file = small();
    file.versions = {{"libc.so.6", "GLIBC_2.2.5", 2},
                     {"libc.so.6", "GLIBC_2.28", 3},
                     {"libm.so.6", "GLIBC_2.9", 4},
                     {"libc.so.6", "GLIBC_PRIVATE", 5},
                     {"libstdc++.so.6", "GLIBCXX_3.4", 6}};
    file.undefined("memcpy", 0x12, 2);
    file.undefined("stat", 0x12, 3);
    file.undefined("expf", 0x12, 4);
    file.undefined("_ZNSt6vectorIiE", 0x12, 6);
    file.undefined("__gmon_start__", 0x22);
    file.undefined("TVMFFIErrorSetRaisedFromCStrParts");
    file.undefined("TVMBackendGetFuncFromEnv");
    file.undefined("_ZN3tvm3ffi3AnyE");
    file.undefined("_ZN3tvm7runtime6ModuleE");
    file.undefined("cuModuleLoadData");
    file.undefined("cudaGetErrorString");
    file.undefined("custom_extern");
    file.undefined("CuteDSLRT_run");
    file.undefined("_cudaLibraryLoadData");
    file.undefined("__hipRegisterFatBinary");
    file.wordOf("memcpy", true);
    file.wordOf("cuModuleLoadData");
    const Requirements needs = needsOf(file.build());
    QCOMPARE(needs.newestGlibc, "2.28");
    QCOMPARE(symbolsText(needs), "memcpy@GLIBC_2.2.5 C symbol:memcpy\n"
                                 "stat@GLIBC_2.28 C symbol:stat\n"
                                 "expf@GLIBC_2.9 C symbol:expf\n"
                                 "_ZNSt6vectorIiE@GLIBCXX_3.4 C++ symbol:_ZNSt6vectorIiE\n"
                                 "__gmon_start__ other weak symbol:__gmon_start__\n"
                                 "TVMFFIErrorSetRaisedFromCStrParts ffi symbol:TVMFFIErrorSetRaisedFromCStrParts\n"
                                 "TVMBackendGetFuncFromEnv runtime symbol:TVMBackendGetFuncFromEnv\n"
                                 "_ZN3tvm3ffi3AnyE ffi symbol:_ZN3tvm3ffi3AnyE\n"
                                 "_ZN3tvm7runtime6ModuleE runtime symbol:_ZN3tvm7runtime6ModuleE\n"
                                 "cuModuleLoadData cuda data symbol:cuModuleLoadData\n"
                                 "cudaGetErrorString cuda symbol:cudaGetErrorString\n"
                                 "custom_extern other symbol:custom_extern\n"
                                 "CuteDSLRT_run cute symbol:CuteDSLRT_run\n"
                                 "_cudaLibraryLoadData cute symbol:_cudaLibraryLoadData\n"
                                 "__hipRegisterFatBinary rocm symbol:__hipRegisterFatBinary\n");
    QCOMPARE(needs.versions.size(), std::size_t{5});
    QCOMPARE(needs.versions[1].library + " " + needs.versions[1].name + " " + needs.versions[1].symbol,
             "libc.so.6 GLIBC_2.28 stat"s);
    QCOMPARE(needs.versions[3].symbol, ""s);
    QCOMPARE(needs.symbols[1].versionLibrary, "libc.so.6"s);
    // Without a relocation the loader never looks for a symbol.
    QVERIFY(needs.symbols[0].used && !needs.symbols[0].data && !needs.symbols[1].used);
    QCOMPARE(needs.binary + " " + needs.system + " " + std::to_string(needs.bits), "elf linux 64"s);
  }

  void newerRunPathReplacesTheOlderOne() {
    LinkedLibrary file = small();
    file.names = {{15, "/opt/old"}};
    Requirements needs = needsOf(file.build());
    QVERIFY(joined(needs.runPaths) == "/opt/old" && needs.inheritsRunPaths);
    file.names.emplace_back(LinkedLibrary::kRunPath, "$ORIGIN/lib");
    needs = needsOf(file.build());
    QVERIFY(joined(needs.runPaths) == "$ORIGIN/lib" && !needs.inheritsRunPaths);
  }

  void symbolsOfObjectsAreBoundLikeThoseOfTheLinkedFile() {
    ElfBuilder object;
    object.type = 1;
    object.function("__tvm_ffi_add").undefined("called").undefined("read");
    std::string file = object.build();
    const Requirements needs = needsOf(file);
    QCOMPARE(needs.kind, "object"s);
    QCOMPARE(needs.symbols.size(), std::size_t{2});
    QVERIFY(!needs.symbols[0].data && !needs.symbols[1].data); // no relocation refers to them
  }

  void headersOfSources() {
    const std::string source =
        "// tvm target: c -keys=cpu\n#define TVM_EXPORTS\n#include \"tvm/runtime/c_runtime_api.h\"\n"
        "#include <math.h>\nvoid* __tvm_module_ctx = NULL;\n"
        "TVM_DLL int32_t add(TVMValue* args) { return 0; }\n";
    const Requirements needs = needsOf(tarOf({{"lib0.c", source}}));
    QCOMPARE(needs.sources.size(), std::size_t{1});
    QCOMPARE(needs.sources[0].member + " " + needs.sources[0].header + " " + std::to_string(needs.sources[0].line),
             "lib0.c tvm/runtime/c_runtime_api.h 3"s);
  }

  void bindingAtOnce_data() {
    QTest::addColumn<qulonglong>("tag");
    QTest::addColumn<qulonglong>("value");
    QTest::addColumn<bool>("atOnce");
    QTest::newRow("DT_FLAGS") << 30ULL << 8ULL << true;
    QTest::newRow("DT_FLAGS_1") << 0x6ffffffbULL << 1ULL << true;
    QTest::newRow("DT_BIND_NOW") << 24ULL << 0ULL << true;
    QTest::newRow("other flags") << 30ULL << 4ULL << false;
  }
  void bindingAtOnce() {
    QFETCH(qulonglong, tag);
    QFETCH(qulonglong, value);
    QFETCH(bool, atOnce);
    LinkedLibrary file = small();
    file.tags = {{tag, value}};
    file.undefined("own");
    const Requirements needs = needsOf(file.build());
    QCOMPARE(needs.bindsAtOnce, atOnce);
    QCOMPARE(needs.symbols.size(), std::size_t{1});
    QCOMPARE(needs.symbols.front().data, atOnce);
  }

  void refusedElfFiles() {
    LinkedLibrary file = small();
    QCOMPARE(needsOf(file.build()).damage, "");
    const std::string whole = file.build();
    QVERIFY(needsOf(whole.substr(0, 0x5010)).damage.find("extends past the end of the file at 0x5010") !=
            std::string::npos);
    file.type = 2;
    QCOMPARE(needsOf(file.build()).damage, "the file is not a shared library: its type is 2");
    QCOMPARE(needsOf(file.build()).damagePrinted, "cannot dynamically load executable"s);
    QVERIFY(needsOf(whole.substr(0, 0x5010)).damageCrashes && !needsOf(file.build()).damageCrashes);
    file.type = 3;
    file.tags = {{LinkedLibrary::kFlags1, 0x08000000}};
    QCOMPARE(needsOf(file.build()).damage, "the file is a program, not a shared library");
    std::string noDynamic = whole;
    noDynamic[64 + 56] = 0; // the second program header becomes PT_NULL
    QCOMPARE(needsOf(noDynamic).damage, "it has no dynamic part");
  }

  void membersAreLinkedTogether() {
    ElfBuilder first, second;
    first.type = second.type = 1;
    first.function("__tvm_ffi_add").undefined("helper").undefined("TVMFFIFunctionCall");
    second.function("helper").undefined("TVMFFIFunctionCall").undefined("expf");
    const Requirements needs =
        needsOf(tarOf({{"lib0.o", first.build()}, {"lib1.o", second.build()}, {"notes.txt", "no library"}}));
    QCOMPARE(symbolsText(needs), "TVMFFIFunctionCall ffi lib0.o!symbol:TVMFFIFunctionCall\n"
                                 "expf C lib1.o!symbol:expf\n");
    QCOMPARE(needs.damage, "");
    QCOMPARE(needs.format + " " + needs.architecture + " " + needs.kind, "tar x86_64 archive");
  }

  void importsOfPe() {
    PeBuilder file;
    file.function("__tvm_ffi_add").data("__TVMFFIFunctionCall", std::string(8, '\0'));
    file.import("KERNEL32.dll", {"Sleep", "#7"}).import("tvm_ffi.dll", {"own"}).import("MSVCP140.dll", {"cxx"});
    const Requirements needs = needsOf(file.build());
    QCOMPARE(joined(needs.libraries), "KERNEL32.dll tvm_ffi.dll MSVCP140.dll");
    QCOMPARE(symbolsText(needs), "Sleep C data symbol:Sleep\n#7 other data symbol:#7\n"
                                 "own ffi data symbol:own\ncxx C++ data symbol:cxx\n");
    QCOMPARE(needs.damage, "");
    const std::string whole = PeBuilder().function("__tvm_ffi_add").build();
    QVERIFY(!needsOf(whole.substr(0, whole.size() - 0x200)).damage.empty());
    file.dll = false;
    QCOMPARE(needsOf(file.build()).damage, "the file is a program, not a library");
  }

  void librariesOfMachO() {
    const auto named = [](std::string text, uint32_t at) {
      text.resize((text.size() + 8) / 8 * 8, '\0');
      return ByteBuilder().u32(at).raw(std::string(at - 12, '\0')).raw(text).take();
    };
    MachOBuilder file;
    file.function("___tvm_ffi_add").undefined("_TVMFFIFunctionCall").undefined("_own");
    file.commands = {{0xc, named("/usr/lib/libSystem.B.dylib", 24)}, {0x8000001c, named("@loader_path", 12)}};
    const Requirements needs = needsOf(file.build());
    QCOMPARE(joined(needs.libraries), "/usr/lib/libSystem.B.dylib");
    QCOMPARE(joined(needs.runPaths), "@loader_path");
    QCOMPARE(symbolsText(needs), "TVMFFIFunctionCall ffi symbol:_TVMFFIFunctionCall\nown other symbol:_own\n");
    QCOMPARE(needs.damage, "");
  }

  void importsOfWasm() {
    const std::string file = wasm::module(
        {wasm::section(1, wasm::list({std::string("\x60\0\0", 3)})),
         wasm::section(2, wasm::list({wasm::importFunction("TVMFFIFunctionCall"), wasm::importFunction("own")}))});
    const Requirements needs = needsOf(file);
    QCOMPARE(joined(needs.libraries), "env");
    QCOMPARE(symbolsText(needs), "TVMFFIFunctionCall ffi data symbol:TVMFFIFunctionCall\nown other data symbol:own\n");
    QVERIFY(!needsOf(file.substr(0, file.size() - 2)).damage.empty());
    QCOMPARE(needs.symbols[1].importModule, std::string("env"));
    QCOMPARE(needs.symbols[1].importNumber, uint64_t{1});
    QVERIFY(needs.wasmFeatures.empty());
  }

  void featuresOfWasm() {
    const auto feature = [](char prefix, std::string_view name) { return std::string(1, prefix) + wasm::str(name); };
    const auto file = [](const std::string& content) {
      return wasm::module(
          {wasm::section(1, wasm::list({std::string("\x60\0\0", 3)})), wasm::custom("target_features", content)});
    };
    const std::string all = wasm::list({feature('+', "simd128"), feature('-', "atomics"), feature('=', "multimemory")});
    QCOMPARE(joined(needsOf(file(all)).wasmFeatures), "simd128 multimemory");
    // Any length: nothing is read past the end of the section.
    for (std::size_t size = 0; size < all.size(); ++size)
      QVERIFY(needsOf(file(all.substr(0, size))).wasmFeatures.size() < 2);
    QVERIFY(needsOf(file(wasm::list({feature('+', "simd128")}, 1'000'000))).wasmFeatures.size() == 1);
  }

  void systemLibrariesOfMembers() {
    const auto member = [](const std::string& defined) {
      return elfOfYaml(
          "--- !ELF\nFileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_X86_64}\n"
          "Sections:\n  - {Name: .init_array, Type: SHT_INIT_ARRAY, Flags: [SHF_ALLOC], Size: 8}\n"
          "  - {Name: .rodata, Type: SHT_PROGBITS, Flags: [SHF_ALLOC], Size: 64}\nSymbols:\n"
          "  - {Name: TVMFFIEnvModRegisterSystemLibSymbol, Binding: STB_GLOBAL}\n  - {Name: " +
          defined + ", Binding: STB_GLOBAL, Section: .rodata, Type: STT_OBJECT, Size: 8}\n");
    };
    const Requirements needs = needsOf(
        tarOf({{"lib0.o", member("my___tvm_ffi__library_ctx")}, {"devc.o", member("my___tvm_ffi__library_bin")}}));
    QCOMPARE(needs.systemLibraries.size(), std::size_t{1});
    QCOMPARE(needs.systemLibraries[0].prefix, std::string("my_"));
    QVERIFY(needs.systemLibraries[0].registers && needs.systemLibraries[0].hasBlob);
  }
};

BLOBSCOPE_TEST(TestRequirementsLoaderFacts);
#include "test_loader_facts.moc"
