#include "core/host/host.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using container::Binding;
using container::Image;
using container::Symbol;
using container::SymbolType;
using host::Group;

namespace {

Symbol dynamicSymbol(std::string_view name, bool defined, SymbolType type) {
  Symbol symbol;
  symbol.name = name;
  symbol.defined = defined;
  symbol.type = type;
  symbol.binding = Binding::Global;
  symbol.dynamic = true;
  return symbol;
}
Symbol function(std::string_view name) { return dynamicSymbol(name, true, SymbolType::Function); }
Symbol object(std::string_view name) { return dynamicSymbol(name, true, SymbolType::Object); }
Symbol needed(std::string_view name) { return dynamicSymbol(name, false, SymbolType::None); }

host::HostSymbols hostOf(std::vector<Symbol> symbols, bool underscores = false) {
  Image image;
  image.underscores = underscores;
  image.symbols = std::move(symbols);
  NullMonitor monitor;
  auto read = host::readHost(image, monitor);
  if (!read) qFatal("symbols in memory could not be read");
  return std::move(*read);
}

/// Names of the functions in order, separated by spaces.
std::string namesOf(const host::HostSymbols& host) {
  std::string out;
  for (const host::Function& one : host.functions) out += (out.empty() ? "" : " ") + std::string(one.name);
  return out;
}

} // namespace

class TestHost : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void newestSignDecidesTheAbi_data();
  void newestSignDecidesTheAbi();
  void symbolsAreGroupedByTheirName_data();
  void symbolsAreGroupedByTheirName();
  void functionsAreThoseTheAbiOffers_data();
  void functionsAreThoseTheAbiOffers();
  void everySymbolHasAGroup();
  void functionsKnowTheirSymbol();
  void namesOfAbisAndGroups();
  void readingCanBeCancelled();
};

void TestHost::newestSignDecidesTheAbi_data() {
  QTest::addColumn<std::vector<Symbol>>("symbols");
  QTest::addColumn<QByteArray>("abi"); ///< empty: none
  const auto row = [](const char* name, std::vector<Symbol> symbols, const char* abi) {
    QTest::newRow(name) << std::move(symbols) << QByteArray(abi);
  };
  row("no symbols", {}, "");
  row("no symbol of TVM", {function("run"), needed("memcpy")}, "");
  row("the name of the entry", {object("__tvm_main__")}, "classic");
  row("the context", {object("__tvm_module_ctx")}, "classic");
  row("a slot", {object("__TVMBackendAllocWorkspace")}, "classic");
  row("a carrier", {object("__tvm_dev_mblob")}, "classic");
  row("a carrier with a prefix", {object("mylib__tvm_dev_mblob")}, "classic");
  row("a classic function of the runtime is needed", {needed("TVMFuncCall")}, "classic");
  row("the second carrier", {object("__tvm_ffi_library_bin")}, "ffi1");
  row("the second context", {object("__tvm_ffi_library_ctx")}, "ffi1");
  row("a slot of ffi", {object("__TVMFFIFunctionCall")}, "ffi1");
  row("the third carrier", {object("__tvm_ffi__library_bin")}, "ffi2");
  row("the third context", {object("__tvm_ffi__library_ctx")}, "ffi2");
  row("one function is enough", {function("__tvm_ffi_vadd")}, "ffi2");
  row("a function whose name looks like a carrier", {function("__tvm_ffi_library_bin")}, "ffi2");
  row("errors in parts alone say nothing", {needed("TVMFFIErrorSetRaisedFromCStrParts")}, "");
  row("errors in parts", {function("__tvm_ffi_vadd"), needed("TVMFFIErrorSetRaisedFromCStrParts")}, "ffi3");
  row("lookup of imports, needed", {needed("TVMFFIEnvModLookupFromImports")}, "ffi4");
  row("lookup of imports, a slot", {object("__TVMFFIEnvModLookupFromImports")}, "ffi4");
  row("setting the device, needed", {needed("TVMBackendSetDevice")}, "ffi5");
  row("setting the device, a slot", {object("__TVMBackendSetDevice")}, "ffi5");
  row("the newest sign decides",
      {object("__tvm_module_ctx"), object("__tvm_ffi_library_bin"), object("__tvm_ffi__library_ctx"),
       needed("TVMFFIEnvModLookupFromImports")},
      "ffi4");
  row("slots that both have do not make ffi classic",
      {object("__TVMBackendAllocWorkspace"), object("__tvm_ffi__library_ctx")}, "ffi2");
  row("a defined symbol is not a needed one", {function("TVMFuncCall")}, "");
  Symbol fixed = object("__tvm_module_ctx");
  fixed.dynamic = false;
  row("without a loader's table the static one counts", {fixed}, "classic");
  row("beside a loader's table the static one does not", {fixed, function("run")}, "");
}

void TestHost::newestSignDecidesTheAbi() {
  QFETCH(std::vector<Symbol>, symbols);
  QFETCH(QByteArray, abi);
  const host::HostSymbols read = hostOf(symbols);
  QCOMPARE(read.abi ? QByteArray::fromStdString(std::string(host::abiName(*read.abi))) : QByteArray(), abi);
}

void TestHost::symbolsAreGroupedByTheirName_data() {
  QTest::addColumn<Symbol>("symbol");
  QTest::addColumn<int>("group");
  const auto row = [](Symbol symbol, Group group) {
    QTest::newRow((std::string(symbol.name) + (symbol.defined ? "" : ", needed")).c_str())
        << symbol << static_cast<int>(group);
  };
  for (const char* slot : {"__TVMFuncCall", "__TVMAPISetLastError", "__TVMBackendGetFuncFromEnv",
                           "__TVMFFIErrorSetRaisedFromCStr", "__TVMFFIHandleInitOnce", "__TVMBackendGetDeviceIndex"})
    row(object(slot), Group::Slot);
  for (const char* context : {"__tvm_module_ctx", "__tvm_ffi_library_ctx", "__tvm_ffi__library_ctx"})
    row(object(context), Group::Context);
  for (const char* carrier : {"__tvm_dev_mblob", "__tvm_ffi_library_bin", "__tvm_ffi__library_bin"})
    row(object(carrier), Group::Carrier);
  row(object("__tvm_main__"), Group::Entry);
  row(function("__tvm_ffi_main__"), Group::Entry);
  for (const char* metadata : {"_lookup_linked_param", "get_c_metadata", "__tvm_module_startup",
                               "__tvm_dev_mblob_nbytes", "__tvm_ffi__doc_no_such_function"})
    row(object(metadata), Group::Metadata);
  row(object("__tvm_param__p0"), Group::Parameter);
  row(object("__tvm_ffi__cubin_k"), Group::Image);
  row(object("_binary_embedded_k_cubin_size"), Group::Image);
  row(object("_binary_embedded_k_cubin_start"), Group::Other);
  row(needed("TVMFuncCall"), Group::Runtime);
  row(needed("__tvm_module_ctx"), Group::Other);
  row(needed("memcpy"), Group::Other);
  row(object("table"), Group::Other);
}

void TestHost::symbolsAreGroupedByTheirName() {
  QFETCH(Symbol, symbol);
  QFETCH(int, group);
  // The second symbol makes it a library of TVM.
  const host::HostSymbols read = hostOf({symbol, object("__tvm_ffi__library_ctx")});
  QCOMPARE(static_cast<int>(read.groups.at(0)), group);
}

void TestHost::functionsAreThoseTheAbiOffers_data() {
  QTest::addColumn<std::vector<Symbol>>("symbols");
  QTest::addColumn<std::string>("names");
  const auto row = [](const char* name, std::vector<Symbol> symbols, std::string names) {
    QTest::newRow(name) << std::move(symbols) << std::move(names);
  };
  const Symbol classic = object("__tvm_module_ctx"), ffi = object("__tvm_ffi__library_ctx");
  row("classic: plain names in order", {classic, function("b"), function("a")}, "b a");
  row("classic: not of the linker, the compiler, C++ or the runtime",
      {classic, function("_init"), function("_fini"), function("_start"), function("main"), function("__truncsfhf2"),
       function("_ZN3tvmE"), function("TVMFuncCall"), function("run")},
      "run");
  row("classic: a Relax function in machine code", {classic, function("__vmtir__main")}, "__vmtir__main");
  row("classic: an empty name", {classic, function("")}, "");
  row("classic: data and needed functions", {classic, object("weights"), needed("other")}, "");
  row("ffi1: plain names", {object("__tvm_ffi_library_bin"), function("run")}, "run");
  row("ffi2: only names with the prefix, without it", {ffi, function("__tvm_ffi_run"), function("helper")}, "run");
  row("ffi2: the entry is not a function of its own", {ffi, function("__tvm_ffi_main__")}, "");
  row("ffi2: a function whose name looks like a carrier",
      {function("__tvm_ffi_library_bin"), function("__tvm_ffi_my__tvm_ffi__library_bin")},
      "library_bin my__tvm_ffi__library_bin");
  row("no library of TVM", {function("run")}, "");
  Symbol weak = function("__tvm_ffi_weak"), local = function("__tvm_ffi_local"), fixed = function("__tvm_ffi_fixed");
  weak.binding = Binding::Weak;
  local.binding = Binding::Local;
  fixed.dynamic = false;
  row("weak ones are callable, local ones are not", {ffi, weak, local}, "weak");
  row("those of the static table are not the loader's", {ffi, fixed}, "");
  row("a documentation getter", {ffi, function("__tvm_ffi_x"), function("__tvm_ffi__doc_x")}, "x");
  row("a metadata getter", {ffi, function("__tvm_ffi_x"), function("__tvm_ffi__metadata_x")}, "x");
  row("a getter of nothing is a function of that name", {ffi, function("__tvm_ffi__doc_x")}, "_doc_x");
  row("the same for metadata", {ffi, function("__tvm_ffi__metadata_x")}, "_metadata_x");
  row("a getter that comes before its function", {ffi, function("__tvm_ffi__doc_x"), function("__tvm_ffi_x")}, "x");
}

void TestHost::functionsAreThoseTheAbiOffers() {
  QFETCH(std::vector<Symbol>, symbols);
  QFETCH(std::string, names);
  QCOMPARE(namesOf(hostOf(symbols)), names);
  // The underscore that Mach-O puts in front changes nothing.
  std::vector<std::string> kept;
  kept.reserve(symbols.size());
  for (Symbol& symbol : symbols) symbol.name = kept.emplace_back("_" + std::string(symbol.name));
  QCOMPARE(namesOf(hostOf(symbols, true)), names);
}

void TestHost::everySymbolHasAGroup() {
  const host::HostSymbols read = hostOf({needed("memcpy"), function("__tvm_ffi_a"), object("__tvm_ffi__library_bin"),
                                         function("__tvm_ffi__doc_a"), function("helper")});
  const std::vector<Group> expected = {Group::Other, Group::Function, Group::Carrier, Group::Metadata, Group::Other};
  QVERIFY(read.groups == expected);
  QCOMPARE(hostOf({function("run")}).groups.size(), std::size_t{1});
  QVERIFY(hostOf({}).groups.empty());
}

void TestHost::functionsKnowTheirSymbol() {
  const host::HostSymbols read = hostOf({object("__tvm_ffi__library_ctx"), needed("memcpy"), function("__tvm_ffi_a"),
                                         function("helper"), function("__tvm_ffi_b")});
  QCOMPARE(read.functions.size(), std::size_t{2});
  QCOMPARE(read.functions[0].symbol, 2u);
  QCOMPARE(read.functions[1].symbol, 4u);
}

void TestHost::namesOfAbisAndGroups() {
  QCOMPARE(host::abiName(host::Abi::Classic), std::string_view("classic"));
  QCOMPARE(host::abiName(host::Abi::Ffi5), std::string_view("ffi5"));
  QCOMPARE(host::abiReleases(host::Abi::Classic), std::string_view("TVM v0.2 – v0.20"));
  QCOMPARE(host::abiReleases(host::Abi::Ffi5), std::string_view("apache-tvm-tirx 0.1"));
  QCOMPARE(host::groupName(Group::Function), std::string_view("function"));
  QCOMPARE(host::groupName(Group::Carrier), std::string_view("carrier"));
  QCOMPARE(host::groupName(Group::Other), std::string_view("other"));
}

void TestHost::readingCanBeCancelled() {
  Image image;
  image.symbols = {object("__tvm_ffi__library_ctx"), function("__tvm_ffi_x"), function("__tvm_ffi__doc_x")};
  StopAfter monitor(0);
  const auto read = host::readHost(image, monitor);
  QVERIFY(!read);
  QCOMPARE(read.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestHost);
#include "test_host.moc"
