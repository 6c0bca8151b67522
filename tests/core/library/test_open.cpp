#include "core/library/open.h"

#include "core/base/limits.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "tests/core/library/blob_text.h"
#include "tests/core/library/library_file.h"
#include "tests/core/library/records.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using host::Group;
using library::PackagePtr;

namespace {

Record cudaOfOne(Info info = Info::Three) { return {"cuda", code3("ptx", {{"k"}}, "//", info)}; }
std::string b1() { return classicBlob({libRecord(), cudaOfOne()}, {{{1}, {}}}); }
std::string c1() { return ffiBlob({libRecord(), cudaOfOne(Info::Four)}, {{1}, {}}); }

/// Symbols as text: "f name" a function, "d name" data, "u name" undefined, "l name" a local function, "w name" a weak
/// one. Local ones are only marked as local; their order in a linked file does not matter here.
std::string elfOf(const QStringList& symbols, bool object = false) {
  ElfBuilder elf;
  if (object) elf.type = 1;
  for (const QString& symbol : symbols) {
    const std::string name = symbol.mid(2).toStdString();
    switch (symbol[0].toLatin1()) {
    case 'f': elf.function(name); break;
    case 'd': elf.data(name, std::string(8, '\0')); break;
    case 'u': elf.undefined(name); break;
    case 'l': elf.symbol(name, 0x10000, 4, 0 << 4 | 2, 1); break;
    case 'w': elf.symbol(name, 0x10000, 4, 2 << 4 | 2, 1); break;
    default: qFatal("no such symbol kind");
    }
  }
  return elf.build();
}

QString abiOf(const library::Package& package) {
  return package.host.abi ? QString::fromLatin1(host::abiName(*package.host.abi)) : QStringLiteral("none");
}

QStringList functionsOf(const library::Package& package) {
  QStringList names;
  for (const host::Function& function : package.host.functions) names << shown(function.name);
  return names;
}

} // namespace

/// A library as a whole: its blobs, its host code, and its findings.
class TestOpenLibrary : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void libraryWithoutBlobIsReported();
  void libraryWithoutTvmIsReported();
  void libraryWithOneBlobOpens();
  void blobsAreNamedByTheirPrefix();
  void blobsWithOnePrefixAreNamedByTheirSymbol();
  void onePrefixedBlobNeedsNoPrefix();
  void namesThatAreNotUtf8AreKept();
  void carrierInBothSymbolTablesIsOneBlob();
  void similarSymbolsAreNotCarriers();
  void symbolsDecideTheHostAbi_data();
  void symbolsDecideTheHostAbi();
  void hostAbisNameTheirReleases();
  void symbolsAreGrouped_data();
  void symbolsAreGrouped();
  void everyGroupIsTested();
  void hostFunctionsAreNamed_data();
  void hostFunctionsAreNamed();
  void numberOfFindingsIsLimited();
  void worstFindingDecides();
  void bufferOpensLikeTheFile();
  void unusableFilesAreRefused();
  void folderOfOtherFilesIsRefusedBeforeAnythingIsRead();
  void openingCanBeCancelled();
};

void TestOpenLibrary::libraryWithoutBlobIsReported() {
  // Functions are enough for a library.
  PackagePtr package = openOnDisk(elfOf({"f add", "d __TVMFuncCall", "d __tvm_module_ctx"}));
  QVERIFY(package->blobs.empty());
  QVERIFY(package->diagnostics.empty());
  QCOMPARE(functionsOf(*package), QStringList{"add"});
  package = openOnDisk(elfOf({"d __TVMFuncCall", "d __tvm_module_ctx"}));
  QCOMPARE(QString::fromStdString(findingsOf(package->diagnostics)),
           QStringLiteral("FILE-HOST-ONLY : no carrier symbol (__tvm_dev_mblob, __tvm_ffi_library_bin, "
                          "__tvm_ffi__library_bin) and no function that a runtime could call: the library has only "
                          "other symbols of TVM"));
  QCOMPARE(package->worst(), std::optional(Severity::Note));
}

void TestOpenLibrary::libraryWithoutTvmIsReported() {
  const PackagePtr package = openOnDisk(elfOf({"f add", "d table", "u printf"}));
  QVERIFY(package->blobs.empty());
  QCOMPARE(
      QString::fromStdString(findingsOf(package->diagnostics)),
      QStringLiteral("FILE-NOT-TVM : no symbol was found that TVM's compiler writes, such as __tvm_ffi__library_bin"));
  QVERIFY(package->host.functions.empty());
  QCOMPARE(package->host.groups.size(), package->image.symbols.size());
}

void TestOpenLibrary::libraryWithOneBlobOpens() {
  const std::string file = elfWith("__tvm_dev_mblob", b1());
  const PackagePtr package = openOnDisk(file);
  QCOMPARE(package->blobs.size(), std::size_t{1});
  QVERIFY(package->diagnostics.empty());
  QVERIFY(!package->worst());
  const library::Blob& blob = *package->blobs[0];
  QCOMPARE(QString::fromStdString(textOf(blob)), QStringLiteral("B1: _lib > 1 | cuda"));
  QCOMPARE(blob.ref().toString(), std::string("blob"));
  QCOMPARE(blob.bytes.offset(), std::optional<uint64_t>(file.find(b1())));
  QCOMPARE(blob.modules[1]->payload.offset(), std::optional<uint64_t>(file.find(cudaOfOne().payload)));
  QCOMPARE(whyUnsound(blob), QString());
  QCOMPARE(package->bytes.size(), uint64_t{file.size()});
  QVERIFY(package->path.ends_with("/made.so"));
}

void TestOpenLibrary::blobsAreNamedByTheirPrefix() {
  ElfBuilder elf;
  elf.data("llama_q4_1___tvm_dev_mblob", b1());
  elf.data("my_lib.v1___tvm_dev_mblob", classicBlob({libRecord(), {"Vendor.Kind", "\x01"}}, {{{1}, {}}}));
  elf.data("__tvm_ffi__library_bin", c1());
  const PackagePtr package = openOnDisk(elf.build());
  QStringList refs;
  for (const auto& blob : package->blobs) refs << QString::fromStdString(blob->ref().toString() + " " + textOf(*blob));
  // Without a prefix, the third is plain `blob`.
  QCOMPARE(refs, (QStringList{"llama_q4_1_:blob B1: _lib > 1 | cuda", "my_lib.v1_:blob B1: _lib > 1 | Vendor.Kind?",
                              "blob C1: _lib > 1 | cuda"}));
  QCOMPARE(QString::fromStdString(findingsOf(package->diagnostics)),
           QStringLiteral("BLOB-UNKNOWN-KIND my_lib.v1_:m1: no decoder for module kind 'Vendor.Kind'; its payload, 1 "
                          "byte, is shown undecoded"));
  for (const auto& blob : package->blobs) {
    const auto found = library::findNode(*package, blob->ref());
    QVERIFY(found);
    QCOMPARE(found->bytes->data(), blob->bytes.data());
  }
}

/// Made by hand for loaders of two generations: the whole symbol name distinguishes the blobs.
void TestOpenLibrary::blobsWithOnePrefixAreNamedByTheirSymbol() {
  ElfBuilder elf;
  elf.data("x___tvm_dev_mblob", b1());
  elf.data("x___tvm_ffi__library_bin", c1());
  elf.data("y___tvm_ffi__library_bin", c1());
  const PackagePtr package = openOnDisk(elf.build());
  QStringList refs;
  for (const auto& blob : package->blobs) refs << QString::fromStdString(blob->moduleRef(1).toString());
  QCOMPARE(refs, (QStringList{"x___tvm_dev_mblob:m1", "x___tvm_ffi__library_bin:m1", "y_:m1"}));
  for (const auto& blob : package->blobs) {
    const auto parsed = Ref::parse(blob->moduleRef(1).toString());
    QVERIFY(parsed);
    QCOMPARE(library::findNode(*package, *parsed)->bytes->data(), blob->modules[1]->payload.data());
  }
}

void TestOpenLibrary::onePrefixedBlobNeedsNoPrefix() {
  const PackagePtr package = openOnDisk(elfWith("own___tvm_ffi__library_bin", c1()));
  QCOMPARE(package->blobs[0]->ref().toString(), std::string("blob"));
  QCOMPARE(package->blobs[0]->carrier.prefix, std::string("own_"));
  for (const char* ref : {"m1", "own_:m1"}) QVERIFY2(library::findNode(*package, *Ref::parse(ref)), ref);
  QVERIFY(!library::findNode(*package, *Ref::parse("other_:m1")));
  for (const char* ref : {"m1", "own_:m1", "own_:m1/kernel:add"}) {
    const auto found = library::resolve(*package, *Ref::parse(ref));
    QVERIFY2(found && found->package == package.get() && found->module == package->blobs[0]->modules[1].get(), ref);
    QVERIFY2(found->ref.prefix.empty(), ref); // as the blob writes its refs
    QCOMPARE(found->ref.parts, Ref::parse(ref)->parts);
  }
  QVERIFY(!library::resolve(*package, *Ref::parse("m7")));
  const auto blob = library::resolveBlob(*package, *Ref::parse("own_:m7"));
  QVERIFY(blob && blob->blob == package->blobs[0].get() && !blob->module);
}

void TestOpenLibrary::namesThatAreNotUtf8AreKept() {
  ElfBuilder elf;
  elf.data("\xff\x01:___tvm_dev_mblob", b1());
  elf.data("\xc3\xa4__tvm_dev_mblob", b1());
  elf.function("f\xfe");
  elf.function("line\nbreak");
  const PackagePtr package = openOnDisk(elf.build());
  QCOMPARE(package->blobs.size(), std::size_t{2});
  QCOMPARE(package->blobs[0]->ref().toString(), std::string("%FF%01%3A_:blob"));
  QCOMPARE(package->blobs[1]->ref().toString(), std::string("%C3%A4:blob"));
  QCOMPARE(functionsOf(*package), (QStringList{"f\\xfe", "line\\nbreak"}));
  for (const auto& blob : package->blobs) {
    const auto node = library::findNode(*package, *Ref::parse(blob->moduleRef(1).toString()));
    QVERIFY(node);
    QCOMPARE(whyUnsound(*blob), QString());
  }
  const auto blobNode = library::findNode(*package, package->blobs[0]->ref());
  QCOMPARE(QString::fromStdString(blobNode->title), QStringLiteral("blob at '\\xff\\x01:___tvm_dev_mblob'"));
  QVERIFY(library::findNode(*package, *Ref::parse("host:f%FE")));
}

void TestOpenLibrary::carrierInBothSymbolTablesIsOneBlob() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.function("add").data("__tvm_dev_mblob", b1());
  const PackagePtr package = openOnDisk(elf.build());
  QCOMPARE(package->image.symbols.size(), std::size_t{4});
  QCOMPARE(package->blobs.size(), std::size_t{1});
  QCOMPARE(functionsOf(*package), QStringList{"add"});
}

void TestOpenLibrary::similarSymbolsAreNotCarriers() {
  ElfBuilder elf;
  elf.function("__tvm_ffi__library_bin").undefined("__tvm_dev_mblob");
  elf.data("__tvm_dev_mblob_nbytes", std::string(8, '\0')).data("x__tvm_dev_mblobs", std::string(8, '\0'));
  const PackagePtr package = openOnDisk(elf.build());
  QVERIFY(package->blobs.empty());
  QCOMPARE(
      QString::fromStdString(findingsOf(package->diagnostics)).section(QLatin1Char('\n'), 0, 0),
      QStringLiteral("BLOB-CARRIER-TYPE symbol:__tvm_ffi__library_bin: symbol '__tvm_ffi__library_bin' has the name of "
                     "a carrier but is a function, not data; it is not read as a blob"));
}

void TestOpenLibrary::symbolsDecideTheHostAbi_data() {
  QTest::addColumn<QStringList>("symbols");
  QTest::addColumn<QString>("abi");
  const auto add = [](const char* name, const QStringList& symbols, const char* abi) {
    QTest::newRow(name) << symbols << abi;
  };
  // In the order of the checks; the first match wins.
  add("cell of tirx", {"d __TVMBackendSetDevice", "d __TVMFFIEnvModLookupFromImports"}, "ffi5");
  add("import of tirx", {"f __tvm_ffi_add", "u TVMBackendSetDevice"}, "ffi5");
  add("cell of v0.26", {"d __TVMFFIEnvModLookupFromImports"}, "ffi4");
  add("import of v0.26", {"f __tvm_ffi_add", "u TVMFFIEnvModLookupFromImports"}, "ffi4");
  add("cell of v0.26 beside everything older",
      {"d __tvm_ffi__library_ctx", "u TVMFFIErrorSetRaisedFromCStrParts", "d __TVMFFIFunctionCall",
       "d __tvm_module_ctx", "d __TVMFFIEnvModLookupFromImports"},
      "ffi4");
  add("context, texts in parts", {"d __tvm_ffi__library_ctx", "u TVMFFIErrorSetRaisedFromCStrParts"}, "ffi3");
  add("context, texts in parts, older cells",
      {"d __tvm_ffi__library_ctx", "u TVMFFIErrorSetRaisedFromCStrParts", "d __TVMFFIFunctionCall",
       "d __TVMBackendGetFuncFromEnv"},
      "ffi3");
  add("function without device calls, texts in parts", {"f __tvm_ffi_add", "u TVMFFIErrorSetRaisedFromCStrParts"},
      "ffi3");
  add("context alone", {"d __tvm_ffi__library_ctx"}, "ffi2");
  add("function alone", {"f __tvm_ffi_add"}, "ffi2");
  add("function of a native library", {"f __tvm_ffi_main", "u TVMFFIFunctionCall"}, "ffi2");
  add("carrier of v0.22 alone", {"d __tvm_ffi__library_bin"}, "ffi2");
  add("context of v0.22 beside the cells of v0.21", {"d __tvm_ffi__library_ctx", "d __TVMFFIFunctionCall"}, "ffi2");
  add("context of v0.21", {"d __tvm_ffi_library_ctx"}, "ffi1");
  add("carrier of v0.21", {"d __tvm_ffi_library_bin"}, "ffi1");
  add("carrier of v0.21 with a prefix", {"d own___tvm_ffi_library_bin"}, "ffi1");
  add("cell of v0.21", {"d __TVMFFIFunctionCall"}, "ffi1");
  add("cell of v0.21 beside cells that v0.20 has too", {"d __TVMFFIFunctionCall", "d __TVMBackendGetFuncFromEnv"},
      "ffi1");
  add("context of v0.20", {"d __tvm_module_ctx"}, "classic");
  add("carrier of v0.20", {"d __tvm_dev_mblob"}, "classic");
  add("carrier of v0.20 with a prefix", {"d llama___tvm_dev_mblob"}, "classic");
  add("cell of v0.20", {"d __TVMFuncCall"}, "classic");
  add("import of v0.20", {"f add", "u TVMFuncCall"}, "classic");
  add("import of v0.20 for device calls", {"f add", "u TVMBackendGetFuncFromEnv"}, "classic");
  add("only cells and the entry name, v0.2 – v0.6",
      {"f fuse_add", "d __tvm_main__", "d __TVMBackendAllocWorkspace", "d __TVMBackendFreeWorkspace"}, "classic");
  add("only the entry name", {"d __tvm_main__"}, "classic");
  add("only the workspace cells", {"d __TVMBackendAllocWorkspace"}, "classic");
  add("nothing", {"f add", "u printf", "d __tvm", "f __tvm_ff", "u memcpy"}, "none");
  add("names that only contain a marker", {"f my__tvm_module_ctx_copy", "d x__TVMFuncCall", "u MyTVMFuncCall"}, "none");
  add("cell that is needed, not defined", {"u __TVMFuncCall", "u __tvm_module_ctx"}, "none");
}

void TestOpenLibrary::symbolsDecideTheHostAbi() {
  QFETCH(QStringList, symbols);
  QFETCH(QString, abi);
  QCOMPARE(abiOf(*openOnDisk(elfOf(symbols))), abi);
  // An object has no dynamic symbol table; the static one decides.
  QCOMPARE(abiOf(*openOnDisk(elfOf(symbols, true))), abi);
}

void TestOpenLibrary::hostAbisNameTheirReleases() {
  using host::Abi;
  for (const Abi abi : {Abi::Classic, Abi::Ffi1, Abi::Ffi2, Abi::Ffi3, Abi::Ffi4})
    QVERIFY(host::abiReleases(abi).starts_with("TVM v0."));
  QCOMPARE(host::abiReleases(Abi::Ffi3), std::string_view("TVM v0.24 and later"));
}

namespace {

struct GroupRow {
  const char* symbol;
  const char* group;
  const char* abi; ///< a symbol that sets the ABI
};

constexpr const char *kClassic = "d __tvm_module_ctx", *kFfi1 = "d __tvm_ffi_library_ctx",
                     *kFfi2 = "d __tvm_ffi__library_ctx";

std::vector<GroupRow> groupRows() {
  return {
      // --- until v0.21 host functions have plain names ---
      {"f fused_add", "function", kClassic},
      {"w fused_add", "function", kClassic},
      {"f tvmgen_default___tvm_main__", "function", kClassic},
      {"f tvmgen_default_run", "function", kClassic},
      {"f __vmtir__add", "function", kClassic},
      {"f fused_add", "function", kFfi1},
      {"f _add", "function", kClassic},
      {"l fused_add_compute_", "other", kClassic},
      {"d table", "other", kClassic},
      {"u printf", "other", kClassic},
      {"f _init", "other", kClassic},
      {"f _fini", "other", kClassic},
      {"f main", "other", kClassic},
      {"f _ZN4demo3addEii", "other", kClassic},
      {"f __truncsfhf2", "other", kClassic},
      {"f TVMFuncCall", "other", kClassic},
      // --- from v0.22 they begin with `__tvm_ffi_` ---
      {"f __tvm_ffi_add", "function", kFfi2},
      {"f __tvm_ffi_main", "function", kFfi2},
      {"f __tvm_ffi___vmtir__add", "function", kFfi2},
      {"f __tvm_ffi__private", "function", kFfi2},
      {"f fused_add", "other", kFfi2},
      {"d __tvm_ffi_table", "other", kFfi2},
      // --- entry ---
      {"d __tvm_main__", "entry", kClassic},
      {"f __tvm_main__", "entry", kClassic},
      {"f __tvm_ffi_main__", "entry", kFfi1},
      // --- pointers that the loader fills ---
      {"d __TVMFuncCall", "slot", kClassic},
      {"d __TVMAPISetLastError", "slot", kClassic},
      {"d __TVMBackendGetFuncFromEnv", "slot", kClassic},
      {"d __TVMBackendAllocWorkspace", "slot", kClassic},
      {"d __TVMBackendFreeWorkspace", "slot", kClassic},
      {"d __TVMBackendParallelLaunch", "slot", kClassic},
      {"d __TVMBackendParallelBarrier", "slot", kClassic},
      {"d __TVMFFIFunctionCall", "slot", kFfi1},
      {"d __TVMFFIErrorSetRaisedFromCStr", "slot", kFfi1},
      {"d __TVMFFIEnvModLookupFromImports", "slot", kFfi2},
      {"d __TVMFFIHandleInitOnce", "slot", kFfi2},
      {"d __tvm_module_ctx", "context", kClassic},
      {"d __tvm_ffi_library_ctx", "context", kFfi1},
      {"d __tvm_ffi__library_ctx", "context", kFfi2},
      // --- blobs ---
      {"d __tvm_dev_mblob", "carrier", kClassic},
      {"d llama_q4___tvm_dev_mblob", "carrier", kClassic},
      {"d __tvm_ffi_library_bin", "carrier", kFfi1},
      {"d own___tvm_ffi_library_bin", "carrier", kFfi1},
      {"d __tvm_ffi__library_bin", "carrier", kFfi2},
      {"d own___tvm_ffi__library_bin", "carrier", kFfi2},
      // --- getters and data that belong to functions ---
      {"f _lookup_linked_param", "metadata", kClassic},
      {"f get_c_metadata", "metadata", kClassic},
      {"f __tvm_module_startup", "metadata", kClassic},
      {"d __tvm_dev_mblob_nbytes", "metadata", kClassic},
      {"d __tvm_param__p0", "parameter", kClassic},
      {"d __tvm_ffi__cubin_k", "image", kFfi2},
      {"d __tvm_ffi__cubin_k_end", "image", kFfi2},
      {"d _binary_embedded_k_cubin_size", "image", kFfi2},
      // --- symbols that the library needs ---
      {"u TVMFuncCall", "runtime", kClassic},
      {"u TVMBackendRegisterSystemLibSymbol", "runtime", kClassic},
      {"u TVMFFIErrorSetRaisedFromCStrParts", "runtime", kFfi2},
  };
}

} // namespace

void TestOpenLibrary::symbolsAreGrouped_data() {
  QTest::addColumn<QString>("symbol");
  QTest::addColumn<QString>("group");
  QTest::addColumn<QString>("abi");
  for (const GroupRow& row : groupRows())
    QTest::addRow("%s, with %s", row.symbol, row.abi) << row.symbol << row.group << row.abi;
}

void TestOpenLibrary::symbolsAreGrouped() {
  QFETCH(QString, symbol);
  QFETCH(QString, group);
  QFETCH(QString, abi);
  const PackagePtr package = openOnDisk(elfOf(symbol == abi ? QStringList{symbol} : QStringList{symbol, abi}));
  QCOMPARE(package->host.groups.size(), package->image.symbols.size());
  QCOMPARE(shown(package->image.symbols[0].name), symbol.mid(2));
  QCOMPARE(QString::fromLatin1(host::groupName(package->host.groups[0])), group);
  QCOMPARE(!package->host.functions.empty(), group == QLatin1String("function"));
}

void TestOpenLibrary::everyGroupIsTested() {
  std::set<std::string_view> there;
  for (const GroupRow& row : groupRows()) there.insert(row.group);
  for (int group = 0; group <= static_cast<int>(Group::Other); ++group)
    QVERIFY2(there.contains(host::groupName(static_cast<Group>(group))),
             host::groupName(static_cast<Group>(group)).data());
}

void TestOpenLibrary::hostFunctionsAreNamed_data() {
  QTest::addColumn<QStringList>("symbols");
  QTest::addColumn<QStringList>("functions");
  const auto add = [](const char* name, const QStringList& symbols, const QStringList& functions) {
    QTest::newRow(name) << symbols << functions;
  };
  add("plain names, in symbol table order", {"d __tvm_module_ctx", "f mul", "f add"}, {"mul", "add"});
  add("prefixed names", {"f __tvm_ffi_mul", "f __tvm_ffi_add", "f helper"}, {"mul", "add"});
  add("context and carrier of v0.22 are none",
      {"f __tvm_ffi_add", "d __tvm_ffi__library_ctx", "d __tvm_ffi__library_bin"}, {"add"});
  add("context and carrier of v0.21 are none", {"f add", "d __tvm_ffi_library_ctx", "d __tvm_ffi_library_bin"},
      {"add"});
  add("getters of a function that is there", {"f __tvm_ffi_add", "f __tvm_ffi__metadata_add", "f __tvm_ffi__doc_add"},
      {"add"});
  add("getters before their function", {"f __tvm_ffi__doc_add", "f __tvm_ffi__metadata_add", "f __tvm_ffi_add"},
      {"add"});
  add("function called _doc_x", {"f __tvm_ffi_add", "f __tvm_ffi__doc_x"}, {"add", "_doc_x"});
  add("function called _metadata_x", {"f __tvm_ffi_add", "f __tvm_ffi__metadata_x"}, {"add", "_metadata_x"});
  add("function whose name begins with _", {"f __tvm_ffi__add"}, {"_add"});
  add("local functions cannot be called", {"d __tvm_module_ctx", "l helper", "w weak"}, {"weak"});
  add("without TVM nothing is a host function", {"f add"}, {});
}

void TestOpenLibrary::hostFunctionsAreNamed() {
  QFETCH(QStringList, symbols);
  QFETCH(QStringList, functions);
  const PackagePtr package = openOnDisk(elfOf(symbols));
  QCOMPARE(functionsOf(*package), functions);
  for (const host::Function& function : package->host.functions) {
    QVERIFY(package->image.symbols[function.symbol].name.ends_with(function.name));
    QVERIFY(package->host.groups[function.symbol] == Group::Function);
  }
}

/// The list of findings ends, and gives the number of omitted ones.
void TestOpenLibrary::numberOfFindingsIsLimited() {
  const uint64_t orphans = limits::kDiagnostics + 199;
  const std::string blob =
      ffiBlob(std::vector<Record>(orphans + 1, libRecord()), std::vector<std::vector<uint64_t>>(orphans + 1));
  const PackagePtr package = openOnDisk(elfWith("__tvm_ffi__library_bin", blob));
  QCOMPARE(package->blobs[0]->modules.size(), std::size_t{orphans + 1});
  QCOMPARE(package->diagnostics.size(), std::size_t{limits::kDiagnostics + 1});
  QCOMPARE(package->diagnostics.back().idText(), std::string_view("FILE-MORE"));
  QCOMPARE(package->diagnostics.back().message(), std::string("199 more findings are not shown"));
}

void TestOpenLibrary::worstFindingDecides() {
  const auto worst = [](const std::string& blob) {
    return openOnDisk(elfWith("__tvm_ffi__library_bin", blob))->worst();
  };
  QCOMPARE(worst(c1()), std::optional<Severity>());
  QCOMPARE(worst(ffiBlob({{"Vendor.Kind", "x"}}, std::vector<std::vector<uint64_t>>(1))),
           std::optional(Severity::Note));
  QCOMPARE(worst(ffiBlob({{"Vendor.Kind", "x"}, libRecord()}, {{}, {}})), std::optional(Severity::Warning));
  QCOMPARE(worst(ffiBlob({{"Vendor.Kind", "x"}, libRecord()}, {{1}, {0}})), std::optional(Severity::Error));
}

/// Bytes in memory give the same result as the same bytes on disk, but without file offsets.
void TestOpenLibrary::bufferOpensLikeTheFile() {
  const std::string file = elfWith("__tvm_dev_mblob", classicBlob({libRecord(), {"Vendor.Kind", "x"}}, {{{1}, {}}}));
  const auto buffer = openBytes(file);
  QVERIFY(buffer);
  const PackagePtr onDisk = openOnDisk(file);
  QCOMPARE((*buffer)->image.symbols.size(), onDisk->image.symbols.size());
  QCOMPARE((*buffer)->blobs.size(), std::size_t{1});
  QCOMPARE(textOf(*(*buffer)->blobs[0]), textOf(*onDisk->blobs[0]));
  QCOMPARE(findingsOf((*buffer)->diagnostics), findingsOf(onDisk->diagnostics));
  QCOMPARE((*buffer)->path, std::string("made.so"));
  QVERIFY(!(*buffer)->blobs[0]->bytes.offset());
}

void TestOpenLibrary::unusableFilesAreRefused() {
  NullMonitor monitor;
  const auto missing = library::open(newPath("missing.so"), monitor);
  QVERIFY(!missing);
  QCOMPARE(missing.error().id(), DiagnosticId::FileNotFound);
  const auto empty = library::open(writeFile(""), monitor);
  QVERIFY(!empty);
  QCOMPARE(empty.error().id(), DiagnosticId::FileEmpty);
  const auto text = library::open(writeFile("hello, this is no library\n"), monitor);
  QVERIFY(!text);
  QCOMPARE(text.error().id(), DiagnosticId::FileKind);
  const auto header = library::open(writeFile("\x7f\x45\x4c\x46 and no more"), monitor);
  QVERIFY(!header);
  QCOMPARE(header.error().id(), DiagnosticId::FileHeader);
}

void TestOpenLibrary::folderOfOtherFilesIsRefusedBeforeAnythingIsRead() {
  /// Counts the bytes and entries that are reported as read.
  class ReadCounter final : public Monitor {
  public:
    uint64_t listed = 0, read = 0;
    int reads = 0;
    bool stopRequested() const override { return false; }
    void progress(std::string_view what, uint64_t done, uint64_t) override {
      if (what == "listing the folder") listed = std::max(listed, done);
      if (what != "reading the folder") return;
      ++reads;
      read = std::max(read, done);
    }
  };
  const std::filesystem::path folder = newPath("folder");
  constexpr int kFiles = 500;
  const auto write = [&](const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  };
  for (int i = 0; i < kFiles; ++i)
    write((i % 2 == 0 ? "a/b/file" : "file") + std::to_string(i), std::string(10'000, 'x'));
  std::filesystem::create_symlink("metadata.json", folder / "metadata.json"); // links are not files
  ReadCounter refused;
  const auto package = library::open(folder, refused);
  QVERIFY(!package);
  QCOMPARE(package.error().message(),
           "'" + folder.native() + "' is a folder without an unpacked archive in it, not a file");
  QVERIFY(refused.listed >= kFiles);
  QCOMPARE(refused.reads, 0);

  // With the file that makes it an archive, everything is read.
  std::filesystem::remove(folder / "metadata.json");
  write("metadata.json", "{}");
  ReadCounter opened;
  const auto archive = library::open(folder, opened);
  QVERIFY(archive);
  QCOMPARE((*archive)->archive, library::ArchiveKind::Mlf);
  QVERIFY(opened.reads > kFiles && opened.read >= (kFiles - 1) * uint64_t{10'000});
}

void TestOpenLibrary::openingCanBeCancelled() {
  ElfBuilder elf;
  for (int i = 0; i < 9000; ++i) elf.function("f" + std::to_string(i));
  elf.data("__tvm_ffi__library_bin", c1());
  const std::filesystem::path path = writeFile(elf.build());
  int looks = 0;
  for (;; ++looks) {
    StopAfter monitor(looks);
    const auto package = library::open(path, monitor);
    if (package) {
      QCOMPARE((*package)->blobs[0]->modules.size(), std::size_t{2});
      break;
    }
    QCOMPARE(package.error().code(), ErrorCode::Cancelled);
  }
  QVERIFY2(looks > 4, qPrintable(QString::number(looks)));
}

BLOBSCOPE_TEST(TestOpenLibrary);
#include "test_open.moc"
