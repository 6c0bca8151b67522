#include "core/container/pe/pe.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/carrier.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/core/container/image_touch.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Image;

namespace {

Result<Image> read(std::string_view file) {
  NullMonitor monitor;
  return container::readPe(bytes(file), monitor);
}

/// Name, type, value, then the first four bytes or "undefined".
std::string exportsText(const Image& image) {
  std::string out;
  for (const container::Symbol& symbol : image.symbols) {
    if (!symbol.dynamic) continue;
    out += escaped(symbol.name) + " " + std::string(symbolTypeName(symbol.type));
    if (symbol.defined) out += " " + hexText(symbol.value);
    if (const auto content = image.findBytesOf(symbol)) out += " " + hexDigits(content->view().substr(0, 4));
    out += symbol.defined ? "\n" : " undefined\n";
  }
  return out;
}

PeBuilder builder(bool is64) {
  PeBuilder pe;
  pe.is64 = is64;
  if (is64) return pe;
  pe.machine = 0x14c;
  pe.base = 0x10000000;
  return pe;
}

std::string blob() { return classicBlob({{"_lib", ""}}, std::vector<std::vector<uint64_t>>(1)); }

/// One of everything.
PeBuilder full(bool is64) {
  PeBuilder pe = builder(is64);
  pe.function("run").data("__tvm_dev_mblob", blob()).function("").forwarder("away", "other.there").zeros(32);
  pe.import("tvm.dll", {"TVMFuncCall", "#12"}).import("late.dll", {"later", "#3"}, true);
  pe.sections.push_back({".a_long_section_name", 0x42000040, "debug"});
  pe.symbols = {{".file", 0, -2, 0, 103, {"a.c"}}, {"hidden", 2, 1, 0x20, 3}, {"a_symbol_with_a_long_name", 1, 2}};
  pe.debug = std::string(28, '\1');
  pe.certificate = "signed by nobody";
  return pe;
}

uint32_t wordAt(const std::string& file, std::size_t offset) {
  uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file.at(offset + i));
  return value;
}

} // namespace

class TestPe : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void onlyPeIsClaimed();
  void exportsAndImportsAreRead_data();
  void exportsAndImportsAreRead();
  void sectionsAreRead_data();
  void sectionsAreRead();
  void headersAndSectionsAreSegments();
  void headerDecidesKindAndArchitecture_data();
  void headerDecidesKindAndArchitecture();
  void carrierIsFound_data();
  void carrierIsFound();
  void exportedDataInCodeIsRead();
  void forwardedCarrierIsReported();
  void carrierOutsideTheFileIsReported();
  void exportsWithoutNameAreNamedByOrdinal();
  void aliasedExportIsNotRepeatedByOrdinal();
  void staticSymbolsAreRead();
  void longSectionNamesAreRead_data();
  void longSectionNamesAreRead();
  void certificateAndDebugDataAreSections();
  void oldDelayImportsAreRead();
  void importsWithoutLookupTableAreRead();
  void damagedHeaderIsRefused_data();
  void damagedHeaderIsRefused();
  void damagedTableKeepsTheOthers_data();
  void damagedTableKeepsTheOthers();
  void sectionOffsetsAreRoundedToSectors();
  void bytesOfExportNamesAreLimited();
  void overlappingImportsAreLimited();
  void everyTruncationIsReported_data();
  void everyTruncationIsReported();
  void everyChangedByteIsSafeUnderSanitizers_data();
  void everyChangedByteIsSafeUnderSanitizers();
  void readingCanBeCancelled();
  void corpusLibrariesHaveOneCarrier_data();
  void corpusLibrariesHaveOneCarrier();
};

void TestPe::onlyPeIsClaimed() {
  QVERIFY(container::looksLikePe("MZ"));
  QVERIFY(container::looksLikePe(builder(true).build()));
  QVERIFY(!container::looksLikePe(""));
  QVERIFY(!container::looksLikePe("M"));
  QVERIFY(!container::looksLikePe("\x7f"
                                  "ELF"));
}

void TestPe::exportsAndImportsAreRead_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<std::string>("base");
  QTest::newRow("PE32") << false << "0x1000"s;
  QTest::newRow("PE32+") << true << "0x18000"s;
}

void TestPe::exportsAndImportsAreRead() {
  QFETCH(bool, is64);
  QFETCH(std::string, base);
  const auto image = read(full(is64).build());
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "run function " + base +
                                    "1000 31c0c390\n"
                                    "__tvm_dev_mblob object " +
                                    base + "2000 " + hexDigits(blob().substr(0, 4)) +
                                    "\n"
                                    "away other undefined\n"
                                    "#3 function " +
                                    base +
                                    "1004 31c0c390\n"
                                    "TVMFuncCall none undefined\n"
                                    "#12 none undefined\n"
                                    "later none undefined\n"
                                    "#3 none undefined\n");
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(image->format == container::Format::Pe);
  QCOMPARE(image->bits, is64 ? 64u : 32u);
  QVERIFY(!image->underscores); // exports have none, even for i386
}

void TestPe::sectionsAreRead_data() { exportsAndImportsAreRead_data(); }

void TestPe::sectionsAreRead() {
  QFETCH(bool, is64);
  const auto image = read(full(is64).build());
  QVERIFY(image);
  QCOMPARE(sectionsText(*image), ".text code a-x\n"
                                 ".rdata data a--\n"
                                 ".bss bss aw-\n"
                                 ".edata data a--\n"
                                 ".idata data a--\n"
                                 ".didat data a--\n"
                                 ".a_long_section_name discardable a--\n"
                                 "(certificate) certificate ---\n"
                                 "(debug) debug ---\n"s);
  QCOMPARE(image->sections[2].size, uint64_t{32});
  QCOMPARE(image->sections[2].file.size, uint64_t{0});
}

void TestPe::headersAndSectionsAreSegments() {
  PeBuilder pe = full(true);
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(image->segments.size(), std::size_t{8}); // headers and seven sections
  QCOMPARE(image->segments[0].address, pe.base);
  QCOMPARE(image->findBytesAt(pe.base)->view().substr(0, 2), std::string_view("MZ"));
  QCOMPARE(image->findBytesAt(pe.base + 0x1000)->offset().has_value(), false); // on the heap
  QCOMPARE(image->findBytesAt(pe.base + 0x1000)->view().substr(0, 2), std::string_view("\x31\xc0", 2));
  QVERIFY(!image->findBytesAt(pe.base - 1));
  QVERIFY(!image->findBytesAt(pe.base + 0x3000)); // .bss
  QVERIFY(image->segments[1].executable);
  QVERIFY(!image->segments[1].writable);
  QVERIFY(image->segments[3].writable);
  QCOMPARE(image->segments[3].memorySize, uint64_t{0x1000});
}

void TestPe::headerDecidesKindAndArchitecture_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("dll");
  QTest::addColumn<std::string>("expected");
  QTest::newRow("x64 library") << 0x8664 << true << true << "shared x86_64 64"s;
  QTest::newRow("x64 program") << 0x8664 << true << false << "executable x86_64 64"s;
  QTest::newRow("x86 library") << 0x14c << false << true << "shared i386 32"s;
  QTest::newRow("arm64") << 0xaa64 << true << true << "shared aarch64 64"s;
  QTest::newRow("arm64ec") << 0xa641 << true << true << "shared aarch64 64"s;
  QTest::newRow("arm") << 0x1c4 << false << true << "shared arm 32"s;
  QTest::newRow("unknown") << 0x1234 << true << true << "shared  64"s;
}

void TestPe::headerDecidesKindAndArchitecture() {
  QFETCH(int, machine);
  QFETCH(bool, is64);
  QFETCH(bool, dll);
  QFETCH(std::string, expected);
  PeBuilder pe = builder(is64);
  pe.machine = static_cast<uint16_t>(machine);
  pe.dll = dll;
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(std::string(kindName(image->kind)) + " " + image->arch + " " + std::to_string(image->bits), expected);
}

void TestPe::carrierIsFound_data() { exportsAndImportsAreRead_data(); }

void TestPe::carrierIsFound() {
  QFETCH(bool, is64);
  const auto image = read(full(is64).build());
  QVERIFY(image);
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const auto carriers = container::findCarriers(*image, diagnostics, monitor);
  QVERIFY(carriers);
  QCOMPARE(carriers->size(), std::size_t{1});
  QCOMPARE(carriers->front().section, ".rdata"s);
  QVERIFY(carriers->front().available.view().starts_with(blob()));
  QVERIFY(!carriers->front().symbolSize);
  QCOMPARE(diagnosticsText(diagnostics), ""s);
}

/// Read-only data merged into code: exports have no type that distinguishes them.
void TestPe::exportedDataInCodeIsRead() {
  PeBuilder pe;
  pe.function("run").function("__tvm_dev_mblob");
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "run function 0x180001000 31c0c390\n__tvm_dev_mblob none 0x180001004 31c0c390\n"s);
}

void TestPe::forwardedCarrierIsReported() {
  PeBuilder pe;
  pe.forwarder("__tvm_dev_mblob", "other.__tvm_dev_mblob");
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "__tvm_dev_mblob other undefined\n"s);
  QCOMPARE(diagnosticsText(image->diagnostics),
           "BLOB-CARRIER-TYPE: symbol '__tvm_dev_mblob' has the name of a carrier but is a forwarder to "
           "other.__tvm_dev_mblob, not data; it is not read as a blob\n"s);
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  QVERIFY(container::findCarriers(*image, diagnostics, monitor)->empty());
}

void TestPe::carrierOutsideTheFileIsReported() {
  PeBuilder pe;
  pe.zeros(64).exported("a___tvm_dev_mblob", 0x3000).exported("b___tvm_dev_mblob", 0x900000);
  const auto image = read(pe.build());
  QVERIFY(image);
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  QVERIFY(container::findCarriers(*image, diagnostics, monitor)->empty());
  QCOMPARE(diagnosticsText(diagnostics),
           "BLOB-CARRIER-BYTES: carrier 'a___tvm_dev_mblob' is at address 0x180003000, for which the file contains no "
           "bytes\n"
           "BLOB-CARRIER-BYTES: carrier 'b___tvm_dev_mblob' is at address 0x180900000, for which the file contains no "
           "bytes\n"s);
}

void TestPe::exportsWithoutNameAreNamedByOrdinal() {
  PeBuilder pe;
  pe.ordinalBase = 65'534;
  pe.function("").exported("", 0).function("").function("");
  const auto image = read(pe.build());
  QVERIFY(image);
  // The gap is not an export. The last two have ordinals above 65535, which no program can request.
  QCOMPARE(exportsText(*image), "#65534 function 0x180001000 31c0c390\n"s);
  QCOMPARE(
      diagnosticsText(image->diagnostics),
      "FILE-TABLE: invalid export address table: 2 exports without a name have ordinals above the maximum of 65535\n"s);
}

/// Two names for one function: both are listed, and it is not listed again by its ordinal.
void TestPe::aliasedExportIsNotRepeatedByOrdinal() {
  PeBuilder pe;
  pe.function("a").function("b").function("");
  std::string file = pe.build();
  file = withNumber(file, pe.places["ordinals"] + 2, 0, 2);
  const auto image = read(file);
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "a function 0x180001000 31c0c390\nb function 0x180001000 31c0c390\n"
                                "#2 function 0x180001004 31c0c390\n#3 function 0x180001008 31c0c390\n"s);
}

void TestPe::staticSymbolsAreRead() {
  const auto image = read(full(true).build());
  QVERIFY(image);
  std::string text;
  for (const container::Symbol& symbol : image->symbols)
    if (!symbol.dynamic) text += symbolText(*image, symbol) + hexText(symbol.value) + "\n";
  QCOMPARE(text, "a.c file local absolute static 0\n0x0\n"
                 "hidden function local defined static 0 \n0x180001002\n"
                 "a_symbol_with_a_long_name object global defined static 0 \n0x180002001\n"s);
}

void TestPe::longSectionNamesAreRead_data() {
  QTest::addColumn<std::string>("stored");
  QTest::addColumn<std::string>("shown");
  QTest::newRow("decimal") << "/4"s << "a_long_name"s;
  QTest::newRow("inside") << "/6"s << "long_name"s;
  QTest::newRow("base 64") << "//AAAAAE"s << "a_long_name"s;
  QTest::newRow("the length field") << "/3"s << "/3"s;
  QTest::newRow("outside") << "/9999999"s << "/9999999"s;
  QTest::newRow("no number") << "/x"s << "/x"s;
  QTest::newRow("nothing") << "/"s << "/"s;
  QTest::newRow("nothing of base 64") << "//"s << "//"s;
  QTest::newRow("not base 64") << "//AA!AAE"s << "//AA!AAE"s;
}

void TestPe::longSectionNamesAreRead() {
  QFETCH(std::string, stored);
  QFETCH(std::string, shown);
  PeBuilder pe;
  pe.symbols = {{"a_long_name", 0, 1}};
  pe.sections.push_back({stored, 0x40000040, "x"});
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(std::string(image->sections.back().name), shown);
}

void TestPe::certificateAndDebugDataAreSections() {
  PeBuilder pe = full(true);
  const std::string file = pe.build();
  const auto image = read(file);
  QVERIFY(image);
  const container::Section* const certificate = findSection(*image, "(certificate)");
  const container::Section* const debug = findSection(*image, "(debug)");
  QVERIFY(certificate && debug);
  QCOMPARE(image->file.slice(certificate->file.offset, certificate->file.size).view(),
           std::string_view(pe.certificate));
  QCOMPARE(image->file.slice(debug->file.offset, debug->file.size).view(), std::string_view(pe.debug));

  const auto cut = read(withNumber(file, pe.places["directories"] + 4 * 8 + 4, 0xfffffff0, 4));
  QVERIFY(cut);
  QCOMPARE(findSection(*cut, "(certificate)")->file.end(), uint64_t{file.size()});
  QCOMPARE(cut->diagnostics.size(), std::size_t{1});
  QVERIFY(cut->diagnostics[0].id == DiagnosticId::FilePart);
}

void TestPe::oldDelayImportsAreRead() {
  PeBuilder pe = builder(false);
  pe.delayAttributes = 0;
  pe.import("late.dll", {"later", "#3"}, true).import("later.dll", {"last"}, true);
  const auto image = read(pe.build());
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "later none undefined\n#3 none undefined\nlast none undefined\n"s);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

void TestPe::importsWithoutLookupTableAreRead() {
  PeBuilder pe;
  pe.import("a.dll", {"one", "two"});
  const std::string file = pe.build();
  const auto image = read(withNumber(file, pe.places["import"], 0, 4));
  QVERIFY(image);
  QCOMPARE(exportsText(*image), "one none undefined\ntwo none undefined\n"s);
}

void TestPe::damagedHeaderIsRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("reason");
  PeBuilder pe;
  const std::string file = pe.build();
  QTest::newRow("empty") << ""s << "the file ends at 0x0, inside the 64 bytes of the DOS header"s;
  QTest::newRow("short") << "MZ"s << "the file ends at 0x2, inside the 64 bytes of the DOS header"s;
  QTest::newRow("not MZ") << std::string(64, 'x') << "the file does not begin with MZ"s;
  QTest::newRow("far") << withNumber(file, 0x3c, 0xfffffff0, 4)
                       << "its address 0xfffffff0 at 0x3c leaves fewer than 24 bytes before the end of the file at " +
                              hexText(file.size());
  QTest::newRow("16 bit") << withNumber(file, 64, 0x454e, 4)
                          << "no signature at 0x40, but 4e450000; programs for DOS and 16-bit Windows have none"s;
  QTest::newRow("no optional header") << withNumber(file, pe.places["header"] + 16, 0, 2)
                                      << "magic 0x0 of the optional header at 0x58 is neither 0x10b nor 0x20b"s;
  QTest::newRow("ROM image") << withNumber(file, pe.places["optional"], 0x107, 2)
                             << "magic 0x107 of the optional header at 0x58 is neither 0x10b nor 0x20b"s;
  QTest::newRow("short optional header") << withNumber(file, pe.places["header"] + 16, 111, 2)
                                         << "the optional header at 0x58 needs 112 bytes, but only 111 are there"s;
  QTest::newRow("cut in it") << file.substr(0, 100)
                             << "the optional header at 0x58 needs 112 bytes, but only 12 are there"s;
}

void TestPe::damagedHeaderIsRefused() {
  QFETCH(std::string, file);
  QFETCH(std::string, reason);
  const auto image = read(file);
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileHeader);
  QCOMPARE(image.error().message(), "invalid PE header: " + reason);
}

void TestPe::damagedTableKeepsTheOthers_data() {
  QTest::addColumn<std::string>("place");
  QTest::addColumn<int>("delta");
  QTest::addColumn<uint32_t>("value");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* name, const char* place, int delta, uint32_t value, std::string message) {
    QTest::newRow(name) << std::string(place) << delta << value << std::move(message);
  };
  row("number of directories", "directories", -4, 0xffffffff, "");
  row("export directory nowhere", "directories", 0, 0x900000,
      "FILE-TABLE: invalid export directory: its address 0x180900000 is in no loaded part of the file\n");
  row("export directory without size", "directories", 4, 0, "");
  row("functions", "export", 20, 0xffffffff,
      "FILE-TABLE: invalid export address table: 4294967295 entries are declared at address 0x180004028, but only 20 "
      "are in a loaded part of the file\n");
  row("functions nowhere", "export", 28, 0xffffffff,
      "FILE-TABLE: invalid export address table: 4 entries are declared at address 0x27fffffff, but only 0 are in a "
      "loaded part of the file\nFILE-TABLE: invalid export ordinal table: 3 of 3 names refer to none of the 0 "
      "functions\n");
  row("names nowhere", "export", 32, 0x900000,
      "FILE-TABLE: invalid export name table: 3 entries are declared at address 0x180900000, but only 0 are in a "
      "loaded part of the file\n");
  row("a name nowhere", "names", 0, 0x900000,
      "FILE-NAMES: 1 of 3 symbols in the export directory have a name outside the string table and are shown without a "
      "name\n");
  row("an ordinal", "ordinals", 0, 0xffff,
      "FILE-TABLE: invalid export ordinal table: 1 of 3 names refer to none of the 4 functions\n");
  row("import directory nowhere", "directories", 8, 0x900000,
      "FILE-TABLE: invalid import directory: its address 0x180900000 is in no loaded part of the file\n");
  row("import lookup table nowhere", "import", 0, 0x900000,
      "FILE-TABLE: invalid import lookup table: those of 1 imported libraries are in no loaded part of the "
      "file\n");
  row("symbol count", "header", 12, 0x10000000, "FILE-PART");
  row("symbol table", "header", 8, 0xfffffff0, "FILE-PART");
  row("section count", "header", 2, 0x00f0ffff, "FILE-PART");
  row("section outside", "sections", 20, 0xffffff00, "FILE-PART");
  row("image base", "optional", 28, 0xffffffff,
      "FILE-TABLE: invalid image base: 0xffffffff80000000 leaves no room for an image above it; addresses "
      "count from 0\n");
}

/// The damage is reported, and the intact parts are kept.
void TestPe::damagedTableKeepsTheOthers() {
  QFETCH(std::string, place);
  QFETCH(int, delta);
  QFETCH(uint32_t, value);
  QFETCH(std::string, message);
  PeBuilder pe = full(true);
  std::string file = pe.build();
  QVERIFY(pe.places.contains(place));
  file = withNumber(file, pe.places[place] + static_cast<std::size_t>(delta), value, 4);
  const auto image = read(file);
  QVERIFY2(image, image ? "" : image.error().message().c_str());
  touch(*image);
  const std::string text = diagnosticsText(image->diagnostics);
  if (message == "FILE-PART")
    QVERIFY2(text.find("FILE-PART: ") != std::string::npos, text.c_str());
  else
    QCOMPARE(text, message);
  if (delta != 2) QVERIFY(findSection(*image, ".rdata"));
}

/// Loaders round the file offset of a section down to a sector, unless pages are small.
void TestPe::sectionOffsetsAreRoundedToSectors() {
  PeBuilder pe;
  pe.data("x", "abcd");
  std::string file = pe.build();
  const std::size_t header = pe.places["sections"] + 40;
  file = withNumber(file, header + 20, wordAt(file, header + 20) + 2, 4);
  QCOMPARE(exportsText(*read(file)), "x object 0x180002000 61626364\n"s);
  file = withNumber(file, pe.places["optional"] + 32, 16, 4);
  QCOMPARE(exportsText(*read(file)), "x object 0x180002000 63640000\n"s);
}

/// Thousands of names that are the same long string: work and memory stay below a multiple of the file size.
void TestPe::bytesOfExportNamesAreLimited() {
  PeBuilder pe;
  constexpr int kExports = 20'000;
  for (int i = 0; i < kExports; ++i) pe.function("f");
  pe.sections.push_back({".long", 0x40000040, std::string(200'000, 'n')});
  std::string file = pe.build();
  const auto plain = read(file);
  QVERIFY(plain);
  const auto rva = static_cast<uint32_t>(plain->sections.back().address - pe.base);
  for (std::size_t i = 0; i < kExports; ++i) file = withNumber(std::move(file), pe.places["names"] + 4 * i, rva, 4);
  const auto image = read(file);
  QVERIFY(image);
  uint64_t length = 0;
  for (const container::Symbol& symbol : image->symbols) length += symbol.name.size();
  QVERIFY(length >= file.size());
  QVERIFY(length <= 16 * file.size());
  QCOMPARE(image->symbols.size(), std::size_t{kExports});
  QCOMPARE(diagnosticsText(image->diagnostics), "FILE-LIMIT: " + groupedText(16 * file.size() + 1) +
                                                    " bytes of names or more, more than the limit of " +
                                                    groupedText(16 * file.size()) + "\n");
}

/// Libraries that share one long lookup table.
void TestPe::overlappingImportsAreLimited() {
  PeBuilder pe;
  std::vector<std::string> names(2'000, "#1");
  pe.import("a.dll", names);
  for (int i = 0; i < 500; ++i) pe.import("b.dll", {});
  std::string file = pe.build();
  const uint32_t lookup = wordAt(file, pe.places["import"]);
  for (std::size_t i = 1; i < 500; ++i) file = withNumber(std::move(file), pe.places["import"] + 20 * i, lookup, 4);
  const auto image = read(file);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), file.size() / 4);
  QCOMPARE(image->diagnostics.size(), std::size_t{1});
  QVERIFY(image->diagnostics[0].id == DiagnosticId::FileLimit);
}

void TestPe::everyTruncationIsReported_data() { exportsAndImportsAreRead_data(); }

void TestPe::everyTruncationIsReported() {
  QFETCH(bool, is64);
  const std::string file = full(is64).build();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto image = read(std::string_view(file).substr(0, size));
    if (image)
      touch(*image);
    else
      QVERIFY(image.error().id() == DiagnosticId::FileHeader);
    if (image) QVERIFY2(!image->diagnostics.empty(), qPrintable(QString::number(size)));
  }
}

void TestPe::everyChangedByteIsSafeUnderSanitizers_data() { exportsAndImportsAreRead_data(); }

void TestPe::everyChangedByteIsSafeUnderSanitizers() {
  QFETCH(bool, is64);
  std::string file = full(is64).build();
  for (std::size_t at = 0; at < file.size(); ++at) {
    const char before = file[at];
    for (const int change : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      file[at] = static_cast<char>(change);
      if (const auto image = read(file)) touch(*image);
      file[at] = static_cast<char>(before ^ change);
      if (const auto image = read(file)) touch(*image);
    }
    file[at] = before;
  }
}

void TestPe::readingCanBeCancelled() {
  PeBuilder pe;
  for (int i = 0; i < 6'000; ++i) pe.function(i % 2 ? "f" + std::to_string(i) : "");
  pe.import("a.dll", std::vector<std::string>(6'000, "#1"));
  pe.symbols.assign(6'000, {"x", 0, 1});
  const std::string file = pe.build();
  int looks = 0;
  for (;; ++looks) {
    StopAfter monitor(looks);
    const auto image = container::readPe(bytes(file), monitor);
    if (image) break;
    QVERIFY(image.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 100);
  }
  QVERIFY(looks >= 5);
}

void TestPe::corpusLibrariesHaveOneCarrier_data() {
  QTest::addColumn<QString>("path");
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                    QStringLiteral("/libraries"));
  for (const QString& file : folder.entryList({QStringLiteral("*.dll")}, QDir::Files))
    QTest::newRow(qPrintable(file)) << folder.filePath(file);
  if (folder.entryList({QStringLiteral("*.dll")}, QDir::Files).isEmpty()) QTest::newRow("none") << QString();
}

/// Every available library for Windows has one carrier; the known values were read with other tools.
void TestPe::corpusLibrariesHaveOneCarrier() {
  QFETCH(QString, path);
  if (path.isEmpty()) QSKIP("corpus absent: BLOBSCOPE_CORPUS names no folder with libraries/*.dll");
  struct Known {
    std::string symbol;
    uint64_t size;
    std::size_t exports;
  };
  static const std::map<QString, Known> kKnown = {
      {"rwkv-raven-1b5-q8f16_0-vulkan-2d7873.dll", {"__tvm_dev_mblob", 1'082'431, 25}},
      {"rwkv-raven-1b5-q8f16_0-vulkan-3f51f6.dll", {"__tvm_dev_mblob", 1'082'502, 25}},
      {"tvm-0.27-tir-opencl-win64lld.dll", {"__tvm_ffi__library_bin", 1'903, 7}},
  };
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const auto image = read(file.readAll().toStdString());
  QVERIFY(image);
  touch(*image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const auto carriers = container::findCarriers(*image, diagnostics, monitor);
  QVERIFY(carriers);
  QCOMPARE(diagnosticsText(diagnostics), ""s);
  QCOMPARE(carriers->size(), std::size_t{1});
  const container::Carrier& carrier = carriers->front();
  uint64_t size = 0;
  for (std::size_t i = 8; i-- > 0;) size = size << 8 | static_cast<unsigned char>(carrier.available.view().at(i));
  QVERIFY(size >= 8 && size <= carrier.available.size() - 8);
  const auto known = kKnown.find(QFileInfo(path).fileName());
  if (known == kKnown.end()) return;
  QCOMPARE(carrier.symbol, known->second.symbol);
  QCOMPARE(size, known->second.size);
  QCOMPARE(static_cast<std::size_t>(std::count_if(image->symbols.begin(), image->symbols.end(),
                                                  [](const auto& symbol) { return symbol.dynamic && symbol.defined; })),
           known->second.exports);
}

BLOBSCOPE_TEST(TestPe);
#include "test_pe.moc"
