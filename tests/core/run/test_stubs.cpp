#include "core/run/stubs.h"

#include "core/container/elf/file.h"
#include "core/container/number_at.h"
#include "core/run/host_system.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using container::Binding;
using container::numberAt;
using container::SymbolType;
using run::ForeignImports;

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : " ") + text;
  return out;
}

container::Symbol imported(std::string_view name) {
  container::Symbol symbol;
  symbol.name = name;
  symbol.dynamic = true;
  symbol.binding = Binding::Global;
  return symbol;
}

ForeignImports importsOf(const container::Symbol& symbol) {
  library::Package package;
  package.image.symbols.push_back(symbol);
  return run::foreignImports(package);
}

/// The place that an instruction of `size` bytes at `at` addresses with its last four bytes.
uint64_t target(std::string_view file, uint64_t at, uint64_t size) {
  return at + size + static_cast<uint64_t>(int64_t{numberAt<int32_t>(file, at + size - 4)});
}

std::string textAt(std::string_view file, uint64_t at) {
  if (at >= file.size()) return "outside";
  return std::string(file.substr(at, file.find('\0', at) - at));
}

/// The dynamic symbols that a library defines.
std::map<std::string, container::Symbol, std::less<>> symbolsOf(const library::Package& package) {
  std::map<std::string, container::Symbol, std::less<>> out;
  for (const container::Symbol& symbol : package.image.symbols)
    if (symbol.dynamic && symbol.defined) out.emplace(symbol.name, symbol);
  return out;
}

} // namespace

class TestStubs : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void importsAreFunctionsOrData_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("kind");
    const auto row = [](const char* name, const char* kind) {
      QTest::newRow(name) << std::string(name) << std::string(kind);
    };
    row("cudaMalloc", "function");
    row("cudnnCreate", "function");
    row("nvrtcCompileProgram", "function");
    row("cuInit", "function");
    row("__hipRegisterFatBinary", "function");
    row("_ZN3tvm7runtime4oopsEi", "function");
    row("_ZNK3tvm7runtime4nameEv", "function");
    row("_ZThn16_N3tvm7runtime3RefD1Ev", "function");
    row("_ZTv0_n24_N3tvm7runtime3RefD1Ev", "function");
    row("_ZTIN3tvm7runtime6ModuleE", "data");
    row("_ZTSN3tvm7runtime6ModuleE", "data");
    row("_ZN3tvm7runtime7defaultE", "data");
    row("cuda", "other");
    row("cudamalloc", "other");
    row("cu", "other");
    row("cu1", "other");
    row("_ZN4tvm23runE", "other");
    row("_ZTIN3std5errorE", "other");
    row("CudaMalloc", "other");
    row("xcudaMalloc", "other");
    row("", "other");
  }
  void importsAreFunctionsOrData() {
    QFETCH(std::string, name);
    QFETCH(std::string, kind);
    const ForeignImports found = importsOf(imported(name));
    QCOMPARE(joined(found.functions), kind == "function" ? name : std::string());
    QCOMPARE(joined(found.data), kind == "data" ? name : std::string());
    QCOMPARE(found.empty(), kind == "other");
    QVERIFY(found.libraries.empty());
  }

  void variablesAreData_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("data");
    QTest::newRow("no type") << static_cast<int>(SymbolType::None) << false;
    QTest::newRow("function") << static_cast<int>(SymbolType::Function) << false;
    QTest::newRow("object") << static_cast<int>(SymbolType::Object) << true;
    QTest::newRow("variable of a thread") << static_cast<int>(SymbolType::Tls) << true;
  }
  void variablesAreData() {
    QFETCH(int, type);
    QFETCH(bool, data);
    container::Symbol symbol = imported("cudaThing");
    symbol.type = static_cast<SymbolType>(type);
    const ForeignImports found = importsOf(symbol);
    QCOMPARE(found.data.size(), std::size_t(data ? 1 : 0));
    QCOMPARE(found.functions.size(), std::size_t(data ? 0 : 1));
  }

  void otherSymbolsAreNoImports() {
    container::Symbol defined = imported("cudaMalloc"), isStatic = defined, weak = defined, local = defined;
    defined.defined = true;
    isStatic.dynamic = false;
    weak.binding = Binding::Weak;
    local.binding = Binding::Local;
    for (const container::Symbol& symbol : {defined, isStatic, weak, local}) QVERIFY(importsOf(symbol).empty());
  }

  void onlyFunctionsCanBeReplaced() {
    ForeignImports imports;
    QVERIFY(run::canReplace(imports));
    imports.functions = {"cudaMalloc"};
    imports.libraries = {"libcudart.so.12"};
    QCOMPARE(run::canReplace(imports), run::canMakeStubs());
    imports.data = {"_ZTVN3tvm4DataE"};
    QVERIFY(!run::canReplace(imports));
  }

  void librariesDefineTheFunctions_data() {
    QTest::addColumn<int>("count");
    for (const int count : {0, 1, 2, 3, 255, 256, 257, 5'000})
      QTest::newRow((std::to_string(count) + " functions").c_str()) << count;
  }
  /// 256 stubs fill a page.
  void librariesDefineTheFunctions() {
    QFETCH(int, count);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back("cudaFunction" + std::to_string(i));
    const std::string file = run::stubLibrary(names, "stub-0.so");
    const auto package = openBytes(file);
    QVERIFY2(package, package ? "" : package.error().message().c_str());
    QCOMPARE((*package)->image.arch, std::string("x86_64"));
    const auto symbols = symbolsOf(**package);
    QCOMPARE(symbols.size(), names.size() + 1);
    const auto cell = symbols.find("blobscopeMissing");
    QVERIFY(cell != symbols.end() && cell->second.type == SymbolType::Object && cell->second.size == 8);
    QCOMPARE(numberAt<uint64_t>(file, cell->second.value), uint64_t{0});
    for (const std::string& name : names) {
      const auto found = symbols.find(name);
      QVERIFY2(found != symbols.end() && found->second.type == SymbolType::Function, name.c_str());
      const uint64_t at = found->second.value;
      // Each loads the address of its own name and jumps to where the variable points.
      QCOMPARE(file.substr(at, 3), std::string("\x48\x8d\x3d"));
      QCOMPARE(textAt(file, target(file, at, 7)), name);
      QCOMPARE(file.substr(at + 7, 2), std::string("\xff\x25"));
      QCOMPARE(target(file, at + 7, 6), cell->second.value);
    }
  }

  void segmentsContainTheirParts() {
    const std::string file = run::stubLibrary({"cudaMalloc", "cudaFree"}, "libcudart.so.12");
    auto elf = container::elf::File::readHeader(bytes(file));
    QVERIFY(elf);
    elf->readTables();
    QCOMPARE(elf->programs.size(), std::size_t{4});
    const auto& code = elf->programs[0];
    const auto& data = elf->programs[1];
    const auto& dynamic = elf->programs[2];
    QCOMPARE(code.flags, 5u);             // readable and executable, not writable
    QCOMPARE(data.flags, 6u);             // readable and writable
    QCOMPARE(elf->programs[3].flags, 6u); // the stack is not executable
    QVERIFY(code.file().end() <= data.offset);
    QCOMPARE(data.address % 4096, data.offset % 4096);
    QCOMPARE(data.file().end(), uint64_t{file.size()});
    QVERIFY(data.file().contains(dynamic.file()));
    const auto* const soname = elf->findTag(14);
    const auto* const strings = elf->findTag(container::elf::DT_STRTAB);
    QVERIFY(soname && strings);
    QCOMPARE(textAt(file, strings->value + soname->value), std::string("libcudart.so.12"));
  }

  void registrationsReturnAnAddress_data() {
    QTest::addColumn<std::string>("name");
    for (const char* const name : {"__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaUnregisterFatBinary",
                                   "__cudaInitModule", "__hipRegisterFatBinary", "__hipUnregisterFatBinary"})
      QTest::newRow(name) << std::string(name);
  }
  void registrationsReturnAnAddress() {
    QFETCH(std::string, name);
    const std::string file = run::stubLibrary({"cudaFree", name, "__cudaPushCallConfiguration"}, "stub-0.so");
    const auto package = openBytes(file);
    QVERIFY(package);
    const auto symbols = symbolsOf(**package);
    const uint64_t at = symbols.at(name).value, cell = symbols.at("blobscopeMissing").value;
    QCOMPARE(hexDigits(file.substr(at, 3)), std::string("488d05"));
    QCOMPARE(target(file, at, 7), cell + 8);
    QVERIFY(cell + 16 <= file.size());
    QCOMPARE(file[at + 7], '\xc3');
    // The functions around it still report that they are missing.
    for (const char* const other : {"cudaFree", "__cudaPushCallConfiguration"})
      QCOMPARE(hexDigits(file.substr(symbols.at(other).value, 3)), std::string("488d3d"));
  }

  void theSameFunctionsGiveTheSameLibrary() {
    const std::vector<std::string> names = {"cudaMalloc", "cudaFree"};
    QVERIFY(run::stubLibrary(names, "a.so") == run::stubLibrary(names, "a.so"));
    QVERIFY(run::stubLibrary(names, "a.so") != run::stubLibrary(names, "b.so"));
    QVERIFY(run::stubLibrary(names, "a.so") != run::stubLibrary({"cudaFree", "cudaMalloc"}, "a.so"));
  }

  void oneLibraryIsWrittenPerNeededOne() {
    const QTemporaryDir folder;
    NullMonitor monitor;
    const ForeignImports imports{{"cudaMalloc"}, {}, {"libcudart.so.12", "libtvm.so"}};
    QVERIFY(run::writeStubs(imports, in(folder, ""), monitor));
    QCOMPARE(listing(folder), std::string("stub-0.so stub-1.so stub-2.so"));
    QVERIFY(readFile(in(folder, "stub-0.so")) == run::stubLibrary({"cudaMalloc"}, "stub-0.so"));
    QVERIFY(readFile(in(folder, "stub-1.so")) == run::stubLibrary({}, "libcudart.so.12"));
    QVERIFY(readFile(in(folder, "stub-2.so")) == run::stubLibrary({}, "libtvm.so"));
  }

  void noImportsNeedNoLibrary() {
    const QTemporaryDir folder;
    NullMonitor monitor;
    QVERIFY(run::writeStubs({}, in(folder, ""), monitor));
    QCOMPARE(listing(folder), std::string());
  }

  void aMissingFolderIsReported() {
    const QTemporaryDir folder;
    NullMonitor monitor;
    const auto result = run::writeStubs({{"cudaMalloc"}, {}, {}}, in(folder, "missing"), monitor);
    QVERIFY(!result);
    QCOMPARE(std::string(result.error().diagnostic().idText()), std::string("FILE-WRITE"));
  }

  void writingCanBeCancelled() {
    const QTemporaryDir folder;
    StopAfter monitor(0);
    const auto result = run::writeStubs({{"cudaMalloc"}, {}, {}}, in(folder, ""), monitor);
    QVERIFY(!result && result.error().id() == DiagnosticId::Cancelled);
    QCOMPARE(listing(folder), std::string());
  }
};

BLOBSCOPE_TEST(TestStubs);
#include "test_stubs.moc"
