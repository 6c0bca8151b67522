#include "core/container/carrier.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::CarrierName;

namespace {

constexpr uint8_t kGlobalObject = 1 << 4 | 1, kGlobalFunction = 1 << 4 | 2, kGlobalTls = 1 << 4 | 6,
                  kGlobalNone = 1 << 4, kGlobalIndirect = 1 << 4 | 10;

struct Found {
  container::Image image; // the bytes of the carriers keep the file alive, the texts point into it
  std::vector<container::Carrier> carriers;
  std::vector<Diagnostic> diagnostics;
};

Found findIn(const std::string& file) {
  NullMonitor monitor;
  Found found;
  auto image = readBytes(file);
  if (!image) return found;
  found.image = std::move(*image);
  auto carriers = container::findCarriers(found.image, found.diagnostics, monitor);
  if (carriers) found.carriers = std::move(*carriers);
  return found;
}

/// One line per carrier: symbol, name, prefix, size, section, bytes.
std::string carriersText(const Found& found) {
  std::string out;
  for (const container::Carrier& carrier : found.carriers)
    out += escaped(carrier.symbol) + " " + std::string(carrierText(carrier.name)) + " '" + escaped(carrier.prefix) +
           "' " + (carrier.symbolSize ? std::to_string(*carrier.symbolSize) : "-") + " " +
           (carrier.section.empty() ? "-" : carrier.section) + " " + escaped(carrier.available.view().substr(0, 8)) +
           "\n";
  return out;
}

} // namespace

class TestCarrier : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void carrierNamesAreRecognised_data();
  void carrierNamesAreRecognised();
  void carrierNamesHaveTexts();
  void carrierIsFoundByItsSymbol_data();
  void carrierIsFoundByItsSymbol();
  void carrierIsFoundInEveryKindOfElf_data();
  void carrierIsFoundInEveryKindOfElf();
  void severalCarriersAreFound();
  void carrierInBothTablesIsFoundOnce();
  void carrierThatIsNotDataIsReported_data();
  void carrierThatIsNotDataIsReported();
  void carrierOutsideTheFileIsReported_data();
  void carrierOutsideTheFileIsReported();
  void undefinedCarrierIsIgnored();
  void damagedCarrierDoesNotHideOthers();
  void functionInBothTablesIsReportedOnce();
  void aliasesAreOneCarrier();
  void numberOfCarriersIsLimited();
  void searchCanBeCancelled();
};

void TestCarrier::carrierNamesAreRecognised_data() {
  QTest::addColumn<std::string>("symbol");
  QTest::addColumn<int>("name"); // -1: none
  QTest::addColumn<std::string>("prefix");
  const auto row = [](const char* name, std::string symbol, int carrier, const char* prefix) {
    QTest::newRow(name) << std::move(symbol) << carrier << std::string(prefix);
  };
  row("first", "__tvm_dev_mblob", 0, "");
  row("second", "__tvm_ffi_library_bin", 1, "");
  row("third", "__tvm_ffi__library_bin", 2, "");
  row("first with a prefix", "mylib___tvm_dev_mblob", 0, "mylib_");
  row("second with a prefix", "mylib___tvm_ffi_library_bin", 1, "mylib_");
  row("third with a prefix", "mylib___tvm_ffi__library_bin", 2, "mylib_");
  row("underscore of macOS", "___tvm_dev_mblob", 0, "_");
  row("prefix with dots", "my.lib.__tvm_dev_mblob", 0, "my.lib.");
  row("prefix that is not a word", "\xff\n __tvm_ffi__library_bin", 2, "\xff\n ");
  row("prefix that is a carrier", "__tvm_dev_mblob__tvm_ffi_library_bin", 1, "__tvm_dev_mblob");
  row("nothing", "", -1, "");
  row("size symbol", "__tvm_dev_mblob_nbytes", -1, "");
  row("size symbol with a prefix", "mylib___tvm_dev_mblob_nbytes", -1, "");
  row("context of the library", "__tvm_ffi_library_ctx", -1, "");
  row("context of the library, later", "__tvm_ffi__library_ctx", -1, "");
  row("one underscore less", "_tvm_dev_mblob", -1, "");
  row("first cut", "__tvm_dev_mblo", -1, "");
  row("second cut", "__tvm_ffi_library_bi", -1, "");
  row("three underscores", "__tvm_ffi___library_bin", -1, "");
  row("other case", "__TVM_DEV_MBLOB", -1, "");
  row("version after it", "__tvm_dev_mblob@@V1", -1, "");
  row("number after it", "__tvm_dev_mblob.1", -1, "");
  row("same length and end", "__tvm_dev_xblob", -1, "");
  row("ends alike", "library_bin", -1, "");
  row("long and ends alike", "a_rather_long_name_of_a_library_bin", -1, "");
}

void TestCarrier::carrierNamesAreRecognised() {
  QFETCH(std::string, symbol);
  QFETCH(int, name);
  QFETCH(std::string, prefix);
  const auto match = container::matchCarrier(symbol);
  QCOMPARE(match ? static_cast<int>(match->name) : -1, name);
  if (match) QCOMPARE(std::string(match->prefix), prefix);
}

void TestCarrier::carrierNamesHaveTexts() {
  QCOMPARE(std::string(carrierText(CarrierName::DevMblob)), "__tvm_dev_mblob"s);
  QCOMPARE(std::string(carrierText(CarrierName::FfiLibraryBin)), "__tvm_ffi_library_bin"s);
  QCOMPARE(std::string(carrierText(CarrierName::FfiLibraryBin2)), "__tvm_ffi__library_bin"s);
}

void TestCarrier::carrierIsFoundByItsSymbol_data() {
  QTest::addColumn<std::string>("symbol");
  for (const char* const symbol : {"__tvm_dev_mblob", "__tvm_ffi_library_bin", "__tvm_ffi__library_bin",
                                   "mylib___tvm_dev_mblob", "my.lib.__tvm_ffi_library_bin"})
    QTest::newRow(symbol) << std::string(symbol);
}

void TestCarrier::carrierIsFoundByItsSymbol() {
  QFETCH(std::string, symbol);
  ElfBuilder elf;
  elf.function("run").data("before", "....").data(symbol, "BLOB", 3).data("behind", "1234");
  const std::string file = elf.build();
  const Found found = findIn(file);
  QCOMPARE(found.carriers.size(), std::size_t{1});
  const container::Carrier& carrier = found.carriers[0];
  QCOMPARE(carrier.symbol, symbol);
  QCOMPARE(carrier.prefix + std::string(carrierText(carrier.name)), symbol);
  QCOMPARE(carrier.symbolSize, std::optional<uint64_t>(3));
  QCOMPARE(carrier.section, ".rodata"s);
  QCOMPARE(carrier.address, elf.base + elf.offsetOf(symbol));
  // Up to the end of the section: the size of the symbol is not trusted.
  QCOMPARE(std::string(carrier.available.view()), "BLOB1234"s);
  QVERIFY(carrier.available.view().data() >= found.image.file.view().data());
  QCOMPARE(diagnosticsText(found.diagnostics), ""s);
}

void TestCarrier::carrierIsFoundInEveryKindOfElf_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::addColumn<bool>("sections");
  QTest::addColumn<int>("type");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true}) {
      for (const bool sections : {false, true})
        QTest::addRow("library, %s bit, %s endian, %s", is64 ? "64" : "32", bigEndian ? "big" : "little",
                      sections ? "with sections" : "without section headers")
            << is64 << bigEndian << sections << 3;
      QTest::addRow("object, %s bit, %s endian", is64 ? "64" : "32", bigEndian ? "big" : "little")
          << is64 << bigEndian << true << 1;
    }
}

void TestCarrier::carrierIsFoundInEveryKindOfElf() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  QFETCH(bool, sections);
  QFETCH(int, type);
  ElfBuilder elf;
  elf.is64 = is64;
  elf.bigEndian = bigEndian;
  elf.sectionHeaders = sections;
  elf.type = static_cast<uint16_t>(type);
  elf.function("run").data("__tvm_dev_mblob", "BLOB").data("behind", "1234");
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found),
           "__tvm_dev_mblob __tvm_dev_mblob '' 4 "s + (sections ? ".rodata" : "-") + " BLOB1234\n");
  QCOMPARE(diagnosticsText(found.diagnostics), ""s);
}

void TestCarrier::severalCarriersAreFound() {
  ElfBuilder elf;
  elf.data("a___tvm_dev_mblob", "1111").data("__tvm_ffi__library_bin", "2222").data("__tvm_dev_mblob_nbytes", "....");
  elf.data("__tvm_dev_mblob", "3333").data("b___tvm_dev_mblob", "4444").data("__tvm_ffi_library_bin", "5555", 0);
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found), "a___tvm_dev_mblob __tvm_dev_mblob 'a_' 4 .rodata 11112222\n"
                                "__tvm_ffi__library_bin __tvm_ffi__library_bin '' 4 .rodata 2222....\n"
                                "__tvm_dev_mblob __tvm_dev_mblob '' 4 .rodata 33334444\n"
                                "b___tvm_dev_mblob __tvm_dev_mblob 'b_' 4 .rodata 44445555\n"
                                "__tvm_ffi_library_bin __tvm_ffi_library_bin '' - .rodata 5555\n"s);
}

void TestCarrier::carrierInBothTablesIsFoundOnce() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.data("__tvm_dev_mblob", "1111").data("a___tvm_dev_mblob", "2222");
  const Found found = findIn(elf.build());
  QCOMPARE(found.image.symbols.size(), std::size_t{4});
  QCOMPARE(carriersText(found), "__tvm_dev_mblob __tvm_dev_mblob '' 4 .rodata 11112222\n"
                                "a___tvm_dev_mblob __tvm_dev_mblob 'a_' 4 .rodata 2222\n"s);
  QCOMPARE(diagnosticsText(found.diagnostics), ""s);
}

void TestCarrier::carrierThatIsNotDataIsReported_data() {
  QTest::addColumn<int>("info");
  QTest::addColumn<std::string>("type"); // empty: read as a blob
  QTest::newRow("object") << int{kGlobalObject} << ""s;
  QTest::newRow("without a type") << int{kGlobalNone} << ""s;
  QTest::newRow("local object") << 1 << ""s;
  QTest::newRow("weak object") << (2 << 4 | 1) << ""s;
  QTest::newRow("function") << int{kGlobalFunction} << "function"s;
  QTest::newRow("indirect function") << int{kGlobalIndirect} << "function"s;
  QTest::newRow("thread-local") << int{kGlobalTls} << "tls"s;
}

void TestCarrier::carrierThatIsNotDataIsReported() {
  QFETCH(int, info);
  QFETCH(std::string, type);
  ElfBuilder elf;
  elf.data("x", "BLOB1234");
  ElfBuilder probe = elf;
  probe.symbol("__tvm_dev_mblob", 0, 8, 0, 1);
  elf.symbol("__tvm_dev_mblob", elf.base + probe.offsetOf("x"), 8, static_cast<uint8_t>(info), 1);
  const Found found = findIn(elf.build());
  if (type.empty()) {
    QCOMPARE(carriersText(found), "__tvm_dev_mblob __tvm_dev_mblob '' 8 .rodata BLOB1234\n"s);
    QCOMPARE(diagnosticsText(found.diagnostics), ""s);
  } else {
    QCOMPARE(carriersText(found), ""s);
    QCOMPARE(diagnosticsText(found.diagnostics),
             "BLOB-CARRIER-TYPE: symbol '__tvm_dev_mblob' has the name of a carrier but is a " + type +
                 ", not data; it is not read as a blob\n");
    QCOMPARE(found.diagnostics[0].place.toString(), "symbol:__tvm_dev_mblob"s);
    QVERIFY(found.diagnostics[0].severity() == Severity::Warning);
  }
}

void TestCarrier::carrierOutsideTheFileIsReported_data() {
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<int>("section");
  QTest::addColumn<std::string>("address");
  QTest::newRow("after the file, like .bss") << uint64_t{0x200000} << 5 << "0x200000"s;
  QTest::newRow("before the file") << uint64_t{0x1000} << 5 << "0x1000"s;
  QTest::newRow("address of 64 bits") << uint64_t{UINT64_MAX} << 5 << "0xffffffffffffffff"s;
  QTest::newRow("absolute") << uint64_t{0x10010} << 0xfff1 << "0x10010"s;
  QTest::newRow("common") << uint64_t{8} << 0xfff2 << "0x8"s;
}

void TestCarrier::carrierOutsideTheFileIsReported() {
  QFETCH(uint64_t, value);
  QFETCH(int, section);
  QFETCH(std::string, address);
  ElfBuilder elf;
  elf.data("x", "1234").symbol("__tvm_dev_mblob", value, 8, kGlobalObject, static_cast<uint16_t>(section));
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found), ""s);
  QCOMPARE(diagnosticsText(found.diagnostics), "BLOB-CARRIER-BYTES: carrier '__tvm_dev_mblob' is at address " +
                                                   address + ", for which the file contains no bytes\n");
  QVERIFY(found.diagnostics[0].severity() == Severity::Error);
}

/// A library that only uses the carrier of another one.
void TestCarrier::undefinedCarrierIsIgnored() {
  ElfBuilder elf;
  elf.undefined("__tvm_dev_mblob").data("x", "1234");
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found), ""s);
  QCOMPARE(diagnosticsText(found.diagnostics), ""s);
}

void TestCarrier::damagedCarrierDoesNotHideOthers() {
  ElfBuilder elf;
  elf.symbol("a___tvm_dev_mblob", 0x200000, 8, kGlobalObject, 5);
  elf.function("b___tvm_dev_mblob").data("c___tvm_dev_mblob", "1234");
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found), "c___tvm_dev_mblob __tvm_dev_mblob 'c_' 4 .rodata 1234\n"s);
  QCOMPARE(
      diagnosticsText(found.diagnostics),
      "BLOB-CARRIER-BYTES: carrier 'a___tvm_dev_mblob' is at address 0x200000, for which the file contains no bytes\n"
      "BLOB-CARRIER-TYPE: symbol 'b___tvm_dev_mblob' has the name of a carrier but is a function, not data; it is "
      "not read as a blob\n"s);
}

void TestCarrier::functionInBothTablesIsReportedOnce() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.function("__tvm_dev_mblob").symbol("a___tvm_dev_mblob", 0x200000, 8, kGlobalObject, 5);
  const Found found = findIn(elf.build());
  QCOMPARE(found.image.symbols.size(), std::size_t{4});
  QCOMPARE(found.diagnostics.size(), std::size_t{2});
}

/// Two names for one place: both the old and the new runtime find the blob, which is a single blob.
void TestCarrier::aliasesAreOneCarrier() {
  ElfBuilder elf;
  elf.data("__tvm_ffi_library_bin", "BLOB1234");
  ElfBuilder probe = elf;
  probe.symbol("__tvm_dev_mblob", 0, 8, kGlobalObject, 1);
  elf.symbol("__tvm_dev_mblob", elf.base + probe.offsetOf("__tvm_ffi_library_bin"), 8, kGlobalObject, 1);
  const Found found = findIn(elf.build());
  QCOMPARE(carriersText(found), "__tvm_ffi_library_bin __tvm_ffi_library_bin '' 8 .rodata BLOB1234\n"s);
}

void TestCarrier::numberOfCarriersIsLimited() {
  ElfBuilder elf;
  for (uint64_t i = 0; i < limits::kCarriers + 3; ++i) elf.data(std::to_string(i) + "_" + "__tvm_dev_mblob", "1234");
  const Found found = findIn(elf.build());
  QCOMPARE(found.carriers.size(), std::size_t{limits::kCarriers});
  QCOMPARE(diagnosticsText(found.diagnostics), "FILE-LIMIT: " + groupedText(limits::kCarriers + 1) +
                                                   " carriers, more than the limit of " +
                                                   groupedText(limits::kCarriers) + "\n");
}

void TestCarrier::searchCanBeCancelled() {
  ElfBuilder elf;
  for (int i = 0; i < 9'000; ++i) elf.function("f" + std::to_string(i));
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  for (const int looks : {0, 2}) {
    StopAfter monitor(looks);
    std::vector<Diagnostic> diagnostics;
    const auto carriers = container::findCarriers(*image, diagnostics, monitor);
    QVERIFY(!carriers);
    QVERIFY(carriers.error().code() == ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestCarrier);
#include "test_carrier.moc"
