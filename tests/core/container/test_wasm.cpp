#include "core/container/wasm/wasm.h"

#include "core/base/limits.h"
#include "core/library/blob.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
namespace wasm = blobscope::test::wasm;
using container::Carrier;
using container::WasmMemory;

namespace {

constexpr uint32_t kBase = 1024;

/// A stream of v0.7 – v0.21 that ends with zeros, as most do.
std::string classicStream() {
  return classicBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"k"}}, "code", Info::Three)}}, {{{1}, {}}});
}
/// A stream of v0.22 and later.
std::string laterStream() { return ffiBlob({{"_lib", ""}, {"x.y", "payload"}}, {{1}, {}}); }

/// The callback of findWasmCarriers(): accepts the blobs that the tests make.
bool isOurs(const Bytes& blob) { return blob.view() == classicStream() || blob.view() == laterStream(); }

/// Bytes on the heap with a place, like those of a mapped file.
Bytes placed(std::string_view text) {
  const auto owner = source(text);
  return {owner, owner->view(), 0};
}

struct Found {
  container::Image image;
  std::vector<Carrier> carriers;
  std::vector<Diagnostic> diagnostics;
  int asked = 0;
  bool read = false;
};

Found findIn(const std::string& file, const container::IsBlob& decodes = isOurs) {
  NullMonitor monitor;
  Found found;
  auto image = container::readWasm(placed(file), monitor);
  if (!image) return found;
  found.read = true;
  found.image = std::move(*image);
  const auto counted = [&](const Bytes& blob) {
    ++found.asked;
    return decodes(blob);
  };
  auto carriers =
      container::findWasmCarriers(found.image, found.diagnostics, counted, Budget::forFile(uint64_t{1} << 30), monitor);
  if (carriers) found.carriers = std::move(*carriers);
  return found;
}

/// One line per carrier: symbol, prefix, address, place in the file, the blob at its address.
std::string carriersText(const Found& found) {
  std::string out;
  for (const Carrier& carrier : found.carriers) {
    uint64_t declared = 0;
    if (carrier.available.size() >= 8) std::memcpy(&declared, carrier.available.data(), 8);
    const std::string_view blob = carrier.available.view().substr(0, declared + 8);
    out += escaped(carrier.symbol) + " '" + escaped(carrier.prefix) + "' " + hexText(carrier.address) + " " +
           (carrier.available.offset() ? "in the file" : "rebuilt") + " " +
           (blob == classicStream() ? "classic"
            : blob == laterStream() ? "ffi"
                                    : "damaged") +
           "\n";
  }
  return out;
}

/// A linked module with that data.
std::string linked(const std::vector<std::string>& data, const std::vector<std::string>& others = {}) {
  std::vector<std::string> sections = {wasm::section(5, wasm::list({wasm::memory(2)}))};
  sections.insert(sections.end(), others.begin(), others.end());
  sections.push_back(wasm::section(11, wasm::list(data)));
  return wasm::module(sections);
}

std::string codeSection(const std::string& code) { return wasm::section(10, wasm::list({wasm::body(code)})); }

/// An object with three segments and symbols of every kind.
std::string object() {
  const std::string blob = classicStream();
  return wasm::module(
      {wasm::section(2, wasm::list({wasm::importMemory(1), wasm::importFunction("outside")})), codeSection(wasm::kDrop),
       wasm::section(11,
                     wasm::list({wasm::dataAt(0, "...." + blob), wasm::dataAt(100, "second"), wasm::passive("third")})),
       wasm::custom(
           "linking",
           wasm::leb(2) + wasm::section(5, wasm::list({wasm::segmentInfo(".rodata.blob"), wasm::segmentInfo("")})) +
               wasm::section(8, wasm::list({wasm::functionSymbol("", 0x10, 0), wasm::functionSymbol("run", 0, 1),
                                            wasm::dataSymbol("own___tvm_dev_mblob", 0, 0, 4, blob.size()),
                                            wasm::dataSymbol("inner", 2, 1, 3, 2), wasm::dataSymbol("weak", 1, 2, 0, 5),
                                            wasm::dataSymbol("elsewhere", 0x10, 0, 0, 0)})))});
}

QString corpusRoot() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set;
}

} // namespace

class TestWasm : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void onlyWasmIsClaimed();
  void objectIsRead();
  void linkedModuleIsRead();
  void memory64ModuleIsRead();
  void damagedHeaderIsRefused_data();
  void damagedHeaderIsRefused();
  void damageIsReported_data();
  void damageIsReported();
  void carriersAreFound_data();
  void carriersAreFound();
  void zerosOmittedByTheLinkerAreRestored();
  void zerosAfterTheLastSegmentAreRestored();
  void restoredZerosAreLimited();
  void adjacentSegmentsAreJoined();
  void laterSegmentOverwritesAnEarlierOne();
  void memoryAboveTheLimitIsReadPerSegment();
  void positionIndependentModuleIsRead();
  void damagedBlobIsFoundByItsRegistration();
  void carrierThatIsNotDataIsReported();
  void manyFalseCandidatesAreRejected();
  void searchCanBeCancelled();
  void everyTruncationIsSafe_data();
  void everyTruncationIsSafe();
  void everyChangedByteIsSafe_data();
  void everyChangedByteIsSafe();
  void corpusCarriersAreFound_data();
  void corpusCarriersAreFound();
};

void TestWasm::onlyWasmIsClaimed() {
  QVERIFY(container::looksLikeWasm("\0asm"s));
  QVERIFY(!container::looksLikeWasm("\0as"s));
  QVERIFY(!container::looksLikeWasm(std::string(8, '\0')));
}

void TestWasm::objectIsRead() {
  NullMonitor monitor;
  const auto image = container::readWasm(placed(object()), monitor);
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(image->format == container::Format::Wasm);
  QVERIFY(image->kind == container::Kind::Object);
  QCOMPARE(image->arch, "wasm32"s);
  QCOMPARE(image->bits, 32u);
  QCOMPARE(sectionsText(*image), "import standard ---\ncode standard --x\ndata standard ---\nlinking custom ---\n"
                                 ".rodata.blob segment a--\ndata[1] segment a--\ndata[2] segment a--\n"s);
  const std::string size = std::to_string(classicStream().size());
  QCOMPARE(symbolsText(*image), "outside function global undefined static 0\n"
                                "run function global defined static 3 001a0b\n"
                                "own___tvm_dev_mblob object global defined static " +
                                    size + " " + hexDigits(classicStream().substr(0, 8)) +
                                    "\n"
                                    "inner object local defined static 2 6f6e\n"
                                    "weak object weak defined static 5 7468697264\n"
                                    "elsewhere object global undefined static 0\n"s);
  const Found found = findIn(object());
  QCOMPARE(carriersText(found), "own___tvm_dev_mblob 'own_' 0x4 in the file classic\n"s);
  QCOMPARE(found.carriers[0].section, ".rodata.blob"s);
  QCOMPARE(found.carriers[0].symbolSize, std::optional<uint64_t>(classicStream().size()));
}

void TestWasm::linkedModuleIsRead() {
  NullMonitor monitor;
  const std::string names = wasm::section(
      7, wasm::list({wasm::leb(1) + wasm::str("GOT.data.internal.hidden"), wasm::leb(2) + wasm::str("plain")}));
  const std::string file =
      linked({wasm::dataAt(kBase, "0123456789")},
             {wasm::section(2, wasm::list({wasm::importFunction("outside"), wasm::importGlobal("base")})),
              wasm::section(6, wasm::list({wasm::global(kBase + 2), wasm::global(kBase + 4), wasm::global(9, true)})),
              wasm::section(7, wasm::list({wasm::exported("memory", 2, 0), wasm::exported("run", 0, 1),
                                           wasm::exported("data", 3, 1), wasm::exported("changes", 3, 3),
                                           wasm::exported("again", 0, 0), wasm::exported("unknown", 3, 0)})),
              codeSection(wasm::kDrop), wasm::custom("name", names)});
  const auto image = container::readWasm(placed(file), monitor);
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(image->kind == container::Kind::Module);
  QCOMPARE(symbolsText(*image), "run function global absolute dynamic 3\ndata object global defined dynamic 0 \n"
                                "again function global undefined dynamic 0\n"
                                "outside function global undefined dynamic 0\nbase object global undefined dynamic 0\n"
                                "hidden object local defined static 0 \n"s);
  QCOMPARE(image->findBytesOf(*findSymbol(*image, "data"))->view(), "23456789"s);
  // The name of global 1, after the imported one, belongs to the first global that the module defines.
  QCOMPARE(findSymbol(*image, "hidden")->value, uint64_t{kBase + 2});
  QCOMPARE(file.substr(findSymbol(*image, "run")->value, 3), "\0\x1a\x0b"s);
}

void TestWasm::memory64ModuleIsRead() {
  NullMonitor monitor;
  const std::string file =
      wasm::module({wasm::section(5, wasm::list({wasm::memory64(1)})),
                    wasm::section(6, wasm::list({wasm::byte(0x7e) + wasm::byte(0) + wasm::i64(kBase) + wasm::kEnd})),
                    wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 3, 0)})),
                    wasm::section(11, wasm::list({wasm::dataBy(wasm::i64(kBase), classicStream())}))});
  const auto image = container::readWasm(placed(file), monitor);
  QVERIFY(image);
  QCOMPARE(image->arch, "wasm64"s);
  QCOMPARE(image->bits, 64u);
  QCOMPARE(carriersText(findIn(file)), "__tvm_dev_mblob '' 0x400 in the file classic\n"s);
}

void TestWasm::damagedHeaderIsRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("cut") << "\0asm\1"s
                       << "the file ends at 0x5, inside the 8 bytes of magic and version"s;
  QTest::newRow("magic") << "\0asn\1\0\0\0"s
                         << "it begins with 0061736e"s;
  QTest::newRow("version") << "\0asm\2\0\0\0"s
                           << "version 2 at 0x4 is not 1"s;
  QTest::newRow("component") << "\0asm\x0d\0\1\0"s
                             << "version 0x1000d at 0x4 is that of a component; only modules are read"s;
}

void TestWasm::damagedHeaderIsRefused() {
  QFETCH(std::string, file);
  QFETCH(std::string, reason);
  NullMonitor monitor;
  const auto image = container::readWasm(placed(file), monitor);
  QVERIFY(!image);
  QCOMPARE(image.error().message(), "invalid WebAssembly header: " + reason);
}

void TestWasm::damageIsReported_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("diagnostics");
  const auto row = [](const char* name, std::string file, std::string text) {
    QTest::newRow(name) << std::move(file) << std::move(text);
  };
  const std::string endless(12, '\x80');
  row("no sections", wasm::module({}), "");
  row("size without end", wasm::module({wasm::byte(1) + endless}),
      "FILE-TABLE: invalid section header at 0x8: the number at 0x9 has more than 32 bits\n");
  row("size of 33 bits", wasm::module({wasm::byte(1) + "\xff\xff\xff\xff\x1f"}),
      "FILE-TABLE: invalid section header at 0x8: the number at 0x9 has more than 32 bits\n");
  row("size after the end", wasm::module({wasm::section(1, "ab", 100)}),
      "FILE-PART: section 'type' needs 100 bytes at 0xa, but the file has only 12 bytes; it may be truncated\n");
  row("custom name after the end",
      wasm::module({wasm::section(0, "\x09"
                                     "abc")}),
      "FILE-TABLE: invalid custom section at 0x8: its name: 9 bytes at 0xb extend past its end at 0xe\n");
  row("wrong count", wasm::module({wasm::section(7, wasm::list({wasm::exported("a", 2, 0)}, UINT32_MAX))}),
      "FILE-TABLE: invalid export section: entry 1 of 4294967295: it ends at 0x13\n");
  row("kind that does not exist", wasm::module({wasm::section(7, wasm::list({wasm::exported("a", 9, 0)}))}),
      "FILE-TABLE: invalid export section: entry 0 of 1: kind 9 at 0xd does not exist\n");
  row("code that does not exist", wasm::module({wasm::section(7, wasm::list({wasm::exported("a", 0, 7)}))}),
      "FILE-TABLE: invalid export section: 1 entries name functions that are not in the code section\n");
  row("segment after its section", wasm::module({wasm::section(11, wasm::leb(1) + wasm::dataAt(0, "ab").substr(0, 6))}),
      "FILE-TABLE: invalid data section: entry 0 of 1: its 2 bytes extend past the 1 bytes left\n");
  row("linking version", wasm::module({wasm::custom("linking", wasm::leb(9))}),
      "FILE-TABLE: invalid linking section: version 9 is not 2\n");
  row("symbol in no segment",
      wasm::module(
          {wasm::custom("linking", wasm::leb(2) + wasm::section(8, wasm::list({wasm::dataSymbol("a", 0, 3, 0, 1)})))}),
      "FILE-TABLE: invalid symbol table: 1 entries refer to functions, segments or sections that do not "
      "exist\n");
}

void TestWasm::damageIsReported() {
  QFETCH(std::string, file);
  QFETCH(std::string, diagnostics);
  NullMonitor monitor;
  const auto image = container::readWasm(placed(file), monitor);
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), diagnostics);
}

void TestWasm::carriersAreFound_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("carriers");
  const auto row = [](const char* name, std::string file, std::string text) {
    QTest::newRow(name) << std::move(file) << std::move(text);
  };
  const uint32_t blobAt = kBase + 3;
  const std::string symbol = "own___tvm_ffi__library_bin";
  const std::string ffi = "..." + laterStream(), old = "..." + classicStream();
  const auto nameAt = static_cast<uint32_t>(blobAt + laterStream().size() + 1);
  const std::string named = ffi + "\0"s + symbol + "\0"s;
  const std::vector<std::string> data = {wasm::dataAt(kBase, named + "behind")};
  const std::string whole = symbol + " 'own_' 0x403 in the file ffi\n";
  const std::string nameless = "__tvm_ffi__library_bin '' 0x403 in the file ffi\n";
  const auto registers = [&](const std::string& code) { return linked(data, {codeSection(code)}); };
  using namespace wasm;
  row("exported global", linked(data, {section(6, list({global(blobAt)})), section(7, list({exported(symbol, 3, 0)}))}),
      whole);
  row("global in the name section",
      linked(data, {section(6, list({global(blobAt, true)})),
                    custom("name", section(7, list({leb(0) + str("GOT.data.internal." + symbol)})))}),
      whole);
  row("both once",
      linked(data, {section(6, list({global(blobAt)})), section(7, list({exported(symbol, 3, 0)})),
                    codeSection(i32(nameAt) + i32(blobAt) + call(0))}),
      whole);
  row("call", registers(i32(nameAt) + i32(blobAt) + call(0) + kDrop), whole);
  row("call with padded numbers", registers(i32(nameAt, 5) + i32(blobAt, 5) + call(0) + kDrop), whole);
  row("call of position-independent code",
      linked(data, {section(6, list({global(0), global(blobAt)})),
                    codeSection(globalGet(0) + i32(nameAt, 5) + kAdd + globalGet(1) + call(0))}),
      whole);
  row("call with the base in a local",
      registers(localGet(0) + i32(nameAt, 5) + kAdd + localGet(0) + i32(blobAt, 5) + kAdd + call(0)), whole);
  row("call with both added to a global",
      linked(data, {section(6, list({global(0)})),
                    codeSection(globalGet(0) + i32(nameAt) + kAdd + globalGet(0) + i32(blobAt) + kAdd + call(0))}),
      whole);
  row("constants without a call", registers(i32(nameAt) + i32(blobAt) + kDrop), whole);
  row("name without its prefix", registers(i32(nameAt + 4) + i32(blobAt) + call(0)),
      "__tvm_ffi__library_bin '' 0x403 in the file ffi\n");
  row("name that lost its NUL",
      linked({dataAt(kBase, ffi + "\0"s + symbol)}, {codeSection(i32(nameAt) + i32(blobAt) + call(0))}), whole);
  row("other arguments", registers(i32(nameAt) + i32(22) + call(0) + i32(5) + i32(blobAt) + call(0)), nameless);
  row("inside the name", registers(i32(nameAt + 9) + i32(blobAt) + call(0)), nameless);
  row("stream scan", linked({dataAt(kBase, ffi + "behind")}), nameless);
  row("stream scan, name of v0.21", linked({dataAt(kBase, ffi + "\0__tvm_ffi_library_bin\0"s)}),
      "__tvm_ffi_library_bin '' 0x403 in the file ffi\n");
  row("tree anchor", linked({dataAt(kBase, old + "behind")}), "__tvm_dev_mblob '' 0x403 in the file classic\n");
  row("tree anchor, name of v0.21", linked({dataAt(kBase, old + "\0__tvm_ffi_library_bin\0"s)}),
      "__tvm_ffi_library_bin '' 0x403 in the file classic\n");
  row("tree anchor, twice", linked({dataAt(kBase, old + old)}),
      "__tvm_dev_mblob '' 0x403 in the file classic\n__tvm_dev_mblob '' " + hexText(blobAt + old.size()) +
          " in the file classic\n");
  row("passive segment", linked({passive("x"), passive(old)}), "__tvm_dev_mblob '' 0x3 in the file classic\n");
  row("the runtime's own constants", linked({dataAt(kBase, "_import_tree\0__tvm_dev_mblob\0"s)}), "");
  row("nothing", linked({dataAt(kBase, "nothing")}), "");
  row("no data", module({}), "");
}

void TestWasm::carriersAreFound() {
  QFETCH(std::string, file);
  QFETCH(std::string, carriers);
  const Found found = findIn(file);
  QVERIFY(found.read);
  QCOMPARE(carriersText(found), carriers);
  QCOMPARE(diagnosticsText(found.image.diagnostics), ""s);
  QCOMPARE(diagnosticsText(found.diagnostics), ""s);
}

/// Segments of a linker that omits every run of three zeros.
std::vector<std::string> packed(const std::string& data) {
  std::vector<std::string> segments;
  for (std::size_t at = 0; at < data.size();) {
    std::size_t end = std::min(data.find("\0\0\0"s, at), data.size());
    if (end > at) segments.push_back(wasm::dataAt(static_cast<uint32_t>(kBase + at), data.substr(at, end - at)));
    at = std::min(data.find_first_not_of('\0', end), data.size());
  }
  return segments;
}

void TestWasm::zerosOmittedByTheLinkerAreRestored() {
  for (const std::string& blob : {classicStream(), laterStream()}) {
    const Found found = findIn(linked(packed("start" + blob + "end")));
    QCOMPARE(found.carriers.size(), std::size_t{1});
    QCOMPARE(carriersText(found), (blob == laterStream() ? "__tvm_ffi__library_bin"s : "__tvm_dev_mblob"s) +
                                      " '' 0x405 rebuilt " + (blob == laterStream() ? "ffi\n" : "classic\n"));
    QCOMPARE(found.carriers[0].available.size(), uint64_t{blob.size() + 3});
  }
}

/// The zeros at the end of the tree are missing after the last segment.
void TestWasm::zerosAfterTheLastSegmentAreRestored() {
  const std::string blob = classicStream();
  std::string cut = "." + blob;
  cut.resize(cut.find_last_not_of('\0') + 1);
  QVERIFY(cut.size() < blob.size());
  for (const auto& others : {std::vector<std::string>{},
                             {wasm::section(6, wasm::list({wasm::global(kBase + 1)})),
                              wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 3, 0)}))}}) {
    const Found found = findIn(linked({wasm::dataAt(kBase, cut)}, others));
    QCOMPARE(carriersText(found), "__tvm_dev_mblob '' 0x401 rebuilt classic\n"s);
    QCOMPARE(found.carriers[0].available.size(), uint64_t{blob.size()});
  }
  // A truncated file has lost more than zeros.
  const std::string file = linked({wasm::dataAt(kBase, "." + blob)});
  QCOMPARE(carriersText(findIn(file.substr(0, file.size() - 4))), ""s);
}

void TestWasm::restoredZerosAreLimited() {
  const std::string blob = patched(laterStream(), 0, 3 << 20);
  for (const uint64_t pages : {1, 65536}) {
    const std::string file = wasm::module({wasm::section(5, wasm::list({wasm::memory(pages)})),
                                           wasm::section(6, wasm::list({wasm::global(kBase)})),
                                           wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 3, 0)})),
                                           wasm::section(11, wasm::list({wasm::dataAt(kBase, blob)}))});
    const Found found = findIn(file);
    QCOMPARE(carriersText(found), "__tvm_dev_mblob '' 0x400 in the file damaged\n"s);
    QCOMPARE(found.carriers[0].available.size(), uint64_t{blob.size()});
  }
}

void TestWasm::adjacentSegmentsAreJoined() {
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const std::string file = linked({wasm::dataAt(kBase, "ab"), wasm::dataAt(kBase + 4, "cd"), wasm::passive("ef")});
  const auto memory = container::rebuildMemory(placed(file), Budget::forFile(file.size()), monitor, diagnostics);
  QVERIFY(memory);
  QCOMPARE(memory->size(), std::size_t{2});
  QCOMPARE((*memory)[0].base, uint64_t{kBase});
  QCOMPARE((*memory)[0].bytes.view(), "ab\0\0cd"s);
  QVERIFY(!(*memory)[0].bytes.offset());
  QVERIFY((*memory)[1].place == WasmMemory::Place::Unknown);
  QCOMPARE((*memory)[1].bytes.view(), "ef"s);
  QCOMPARE(diagnosticsText(diagnostics), ""s);
}

/// A later segment overwrites an earlier one; then no place in the file has the bytes.
void TestWasm::laterSegmentOverwritesAnEarlierOne() {
  const std::string blob = laterStream();
  std::string wrong = blob;
  wrong[9] = 'x';
  const Found found = findIn(linked({wasm::dataAt(kBase, wrong), wasm::dataAt(kBase + 9, blob.substr(9, 1))}));
  QCOMPARE(carriersText(found), "__tvm_ffi__library_bin '' 0x400 rebuilt ffi\n"s);
}

void TestWasm::memoryAboveTheLimitIsReadPerSegment() {
  const std::string blob = "." + laterStream();
  const Found found = findIn(linked({wasm::dataAt(kBase, blob), wasm::dataAt(0xfffffff0, "x")}));
  QCOMPARE(carriersText(found), "__tvm_ffi__library_bin '' 0x401 in the file ffi\n"s);
  QCOMPARE(diagnosticsText(found.diagnostics),
           "FILE-LIMIT: 4,294,966,257 bytes from the first to the last data segment, which are read one by one, more "
           "than the limit of 1,073,741,824\n"s);
}

void TestWasm::positionIndependentModuleIsRead() {
  const std::string blob = ".." + classicStream();
  const std::vector<std::string> base = {wasm::section(2, wasm::list({wasm::importGlobal("__memory_base")}))};
  QCOMPARE(carriersText(findIn(linked({wasm::dataBy(wasm::globalGet(0), blob)}, base))),
           "__tvm_dev_mblob '' 0x2 in the file classic\n"s);
  const std::vector<std::string> named = {base[0], wasm::section(6, wasm::list({wasm::global(2)})),
                                          wasm::section(7, wasm::list({wasm::exported("own___tvm_dev_mblob", 3, 1)}))};
  QCOMPARE(carriersText(findIn(linked({wasm::dataBy(wasm::globalGet(0), blob)}, named))),
           "own___tvm_dev_mblob 'own_' 0x2 in the file classic\n"s);
  // Extended constants give the place of the second segment.
  QCOMPARE(carriersText(findIn(linked({wasm::dataBy(wasm::globalGet(0), blob.substr(0, 20)),
                                       wasm::dataBy(wasm::globalGet(0) + wasm::i32(20) + wasm::kAdd, blob.substr(20))},
                                      base))),
           "__tvm_dev_mblob '' 0x2 rebuilt classic\n"s);
}

void TestWasm::damagedBlobIsFoundByItsRegistration() {
  std::string blob = laterStream();
  blob.back() = '!';
  const auto nameAt = static_cast<uint32_t>(kBase + blob.size() + 1);
  const std::string data = blob + "\0__tvm_ffi__library_bin\0"s;
  QCOMPARE(carriersText(findIn(linked({wasm::dataAt(kBase, data)},
                                      {codeSection(wasm::i32(nameAt) + wasm::i32(kBase) + wasm::call(0))}))),
           "__tvm_ffi__library_bin '' 0x400 in the file damaged\n"s);
  QCOMPARE(carriersText(findIn(
               linked({wasm::dataAt(kBase, data)}, {codeSection(wasm::i32(nameAt) + wasm::i32(kBase) + wasm::kDrop)}))),
           ""s);
}

void TestWasm::carrierThatIsNotDataIsReported() {
  const Found function = findIn(
      linked({wasm::dataAt(kBase, "x")},
             {wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 0, 0)})), codeSection(wasm::kDrop)}));
  QCOMPARE(carriersText(function), ""s);
  QCOMPARE(diagnosticsText(function.diagnostics),
           "BLOB-CARRIER-TYPE: symbol '__tvm_dev_mblob' has the name of a carrier but is a function, not data; it is "
           "not read as a blob\n"s);
  const Found outside = findIn(
      linked({wasm::dataAt(kBase, "x")}, {wasm::section(6, wasm::list({wasm::global(77)})),
                                          wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 3, 0)}))}));
  QCOMPARE(diagnosticsText(outside.diagnostics),
           "BLOB-CARRIER-BYTES: carrier '__tvm_dev_mblob' is at address 0x4d, for which the file contains no bytes\n"s);
}

void TestWasm::manyFalseCandidatesAreRejected() {
  const auto never = [](const Bytes&) { return false; };
  std::string data;
  for (int i = 0; i < 1000; ++i) data += laterStream() + classicStream();
  const Found found = findIn(linked({wasm::dataAt(kBase, data)}), never);
  QVERIFY(found.carriers.empty());
  QCOMPARE(found.asked, 64);
  QCOMPARE(diagnosticsText(found.diagnostics),
           "FILE-LIMIT: 65 places that look like a blob, more than the limit of 64\n"s);
  // Long vectors that never end correctly, at every eighth offset.
  std::string rows;
  for (int i = 0; i < 200'000; ++i) rows += ByteBuilder().u64(i % 3 == 2 ? 0 : 60'000).take();
  QVERIFY(findIn(linked({wasm::dataAt(kBase, rows)}), never).carriers.empty());
}

void TestWasm::searchCanBeCancelled() {
  const std::string file = linked(packed("start" + classicStream() + "end"), {codeSection(wasm::kDrop)});
  const Bytes content = bytes(file);
  NullMonitor patient;
  const auto image = container::readWasm(content, patient);
  QVERIFY(image);
  bool done = false;
  for (int looks = 0; looks < 200 && !done; ++looks) {
    std::vector<Diagnostic> diagnostics;
    StopAfter monitor(looks);
    const auto again = container::readWasm(content, monitor);
    if (!again) QVERIFY(again.error().id() == DiagnosticId::Cancelled);
    StopAfter second(looks);
    const auto carriers =
        container::findWasmCarriers(*image, diagnostics, isOurs, Budget::forFile(uint64_t{1} << 30), second);
    if (!carriers) QVERIFY(carriers.error().id() == DiagnosticId::Cancelled);
    done = again && carriers;
    if (looks == 0) QVERIFY(!again && !carriers);
  }
  QVERIFY(done);
}

namespace {

void fixtures() {
  QTest::addColumn<std::string>("file");
  QTest::newRow("object") << object();
  const std::string blob = laterStream();
  const auto nameAt = static_cast<uint32_t>(kBase + blob.size());
  std::vector<std::string> data = packed(blob + "own___tvm_ffi__library_bin\0"s);
  data.push_back(wasm::passive(classicStream()));
  QTest::newRow("linked") << linked(
      data,
      {wasm::section(2, wasm::list({wasm::importFunction("outside")})),
       wasm::section(6, wasm::list({wasm::global(kBase), wasm::global(0, true)})),
       wasm::section(7, wasm::list({wasm::exported("own___tvm_ffi__library_bin", 3, 0), wasm::exported("run", 0, 1)})),
       codeSection(wasm::i32(nameAt) + wasm::i32(kBase) + wasm::call(0)),
       wasm::custom("name", wasm::section(7, wasm::list({wasm::leb(1) + wasm::str("GOT.data.internal.x")})))});
}

/// Everything at once; the only expectation is a result.
void survive(const std::string& file) {
  const Found found = findIn(file, [](const Bytes& blob) { return blob.size() % 2 == 0; });
  for (const container::Symbol& symbol : found.image.symbols) (void)found.image.findBytesOf(symbol);
  for (const Diagnostic& diagnostic : found.image.diagnostics) (void)diagnostic.message();
  for (const Diagnostic& diagnostic : found.diagnostics) (void)diagnostic.message();
  for (const Carrier& carrier : found.carriers) QVERIFY(carrier.available.size() <= (uint64_t{1} << 30));
}

} // namespace

void TestWasm::everyTruncationIsSafe_data() { fixtures(); }
void TestWasm::everyTruncationIsSafe() {
  QFETCH(std::string, file);
  for (std::size_t size = 0; size < file.size(); ++size) survive(file.substr(0, size));
}

void TestWasm::everyChangedByteIsSafe_data() { fixtures(); }
void TestWasm::everyChangedByteIsSafe() {
  QFETCH(std::string, file);
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, file[at] ^ 1}) {
      // An address that needs 1 GiB of memory is allowed and slow: memoryAboveTheLimitIsReadPerSegment() covers it.
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      survive(changed);
    }
}

void TestWasm::corpusCarriersAreFound_data() {
  QTest::addColumn<QString>("file");
  const QDir folder(corpusRoot() + QStringLiteral("/libraries"));
  for (const QString& file : folder.entryList({QStringLiteral("*.wasm")}, QDir::Files))
    QTest::newRow(qPrintable(file)) << folder.filePath(file);
  if (QTest::currentDataTag() == nullptr && folder.entryList({QStringLiteral("*.wasm")}, QDir::Files).isEmpty())
    QTest::newRow("none") << QString();
}

void TestWasm::corpusCarriersAreFound() {
  QFETCH(QString, file);
  if (file.isEmpty()) QSKIP("corpus absent: BLOBSCOPE_CORPUS or ../shared/corpus with .wasm files not found");
  QFile expected(corpusRoot() + QStringLiteral("/../acceptance/expect.json"));
  if (!expected.open(QIODevice::ReadOnly)) QSKIP("no expectations: ../shared/acceptance/expect.json not found");
  const QJsonArray blobs = QJsonDocument::fromJson(expected.readAll())
                               .object()
                               .value(QStringLiteral("libraries"))
                               .toObject()
                               .value(QFileInfo(file).fileName())
                               .toArray();
  if (blobs.isEmpty()) QSKIP("expect.json does not name the file");
  QFile library(file);
  QVERIFY(library.open(QIODevice::ReadOnly));
  NullMonitor monitor;
  const auto whole = [&](const Bytes& blob) {
    for (const auto name : {container::CarrierName::DevMblob, container::CarrierName::FfiLibraryBin2}) {
      Carrier carrier;
      carrier.name = name;
      carrier.available = blob;
      const auto opened = library::openBlob(carrier, "", monitor);
      if (opened && opened->cut.complete) return true;
    }
    return false;
  };
  const Found found = findIn(library.readAll().toStdString(), whole);
  QCOMPARE(diagnosticsText(found.image.diagnostics) + diagnosticsText(found.diagnostics), ""s);
  QCOMPARE(static_cast<qsizetype>(found.carriers.size()), blobs.size());
  for (qsizetype i = 0; i < blobs.size(); ++i) {
    const QJsonObject blob = blobs.at(i).toObject();
    uint64_t declared = 0;
    std::memcpy(&declared, found.carriers[i].available.data(), 8);
    QCOMPARE(declared, static_cast<uint64_t>(blob.value(QStringLiteral("nbytes")).toDouble()));
    QCOMPARE(found.carriers[i].symbol, blob.value(QStringLiteral("carrier")).toString().toStdString());
    QVERIFY(found.carriers[i].available.size() >= declared + 8);
  }
}

BLOBSCOPE_TEST(TestWasm);
#include "test_wasm.moc"
