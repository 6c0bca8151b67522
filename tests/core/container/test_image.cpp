#include "core/container/image.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::container;
using namespace std::string_literals;

namespace {

/// 64 bytes; two segments and three sections, the last one without bytes in the file:
///   file  0..32 at 0x1000 (.text at 0x1000, 16 bytes; .rodata at 0x1010, 16 bytes)
///   file 32..48 at 0x3000, 64 bytes in memory (.data at 0x3000, 16 bytes; .bss at 0x3010, 48 bytes)
Image madeImage() {
  Image image;
  std::string text;
  for (int i = 0; i < 64; ++i) text += static_cast<char>(i);
  image.file = test::bytes(text);
  image.kind = Kind::Shared;
  image.segments = {{0x1000, 32, {0, 32}, false, true}, {0x3000, 64, {32, 16}, true, false}};
  image.sections = {{"", 0, {}, 0, "NULL", false, false, false},
                    {".text", 0x1000, {0, 16}, 16, "PROGBITS", true, false, true},
                    {".rodata", 0x1010, {16, 16}, 16, "PROGBITS", true, false, false},
                    {".data", 0x3000, {32, 16}, 16, "PROGBITS", true, true, false},
                    {".bss", 0x3010, {}, 48, "NOBITS", true, true, false},
                    {".comment", 0, {48, 16}, 16, "PROGBITS", false, false, false}};
  return image;
}

Symbol at(uint64_t value, uint32_t section) {
  Symbol symbol;
  symbol.name = "it";
  symbol.value = value;
  symbol.section = section;
  symbol.defined = true;
  return symbol;
}

/// "16+8": first byte and size. The bytes of the made file are their own offsets.
std::string placeText(const std::optional<Bytes>& bytes) {
  if (!bytes) return "nothing";
  if (bytes->empty()) return "empty";
  return std::to_string(static_cast<int>(bytes->view()[0])) + "+" + std::to_string(bytes->size());
}

} // namespace

class TestContainerImage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void addressesAreMappedToTheFile_data();
  void addressesAreMappedToTheFile();
  void symbolsAreMappedToTheFile_data();
  void symbolsAreMappedToTheFile();
  void objectSymbolsCountFromTheirSection_data();
  void objectSymbolsCountFromTheirSection();
  void sectionsReplaceMissingSegments();
  void segmentsReplaceMissingSections();
  void segmentsOutsideTheFileAreCut();
  void enumeratorsHaveNames();
};

void TestContainerImage::addressesAreMappedToTheFile_data() {
  QTest::addColumn<uint64_t>("address");
  QTest::addColumn<std::string>("place");
  QTest::newRow("first") << uint64_t{0x1000} << "0+32"s;
  QTest::newRow("middle") << uint64_t{0x1014} << "20+12"s;
  QTest::newRow("last") << uint64_t{0x101f} << "31+1"s;
  QTest::newRow("after") << uint64_t{0x1020} << "nothing"s;
  QTest::newRow("before") << uint64_t{0xfff} << "nothing"s;
  QTest::newRow("second segment") << uint64_t{0x3008} << "40+8"s;
  QTest::newRow("in memory only") << uint64_t{0x3010} << "nothing"s;
  QTest::newRow("zero") << uint64_t{0} << "nothing"s;
  QTest::newRow("largest") << uint64_t{UINT64_MAX} << "nothing"s;
}

void TestContainerImage::addressesAreMappedToTheFile() {
  QFETCH(uint64_t, address);
  QFETCH(std::string, place);
  QCOMPARE(placeText(madeImage().findBytesAt(address)), place);
}

void TestContainerImage::symbolsAreMappedToTheFile_data() {
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<uint32_t>("section");
  QTest::addColumn<std::string>("place");
  QTest::addColumn<std::string>("name");
  const auto row = [](const char* name, uint64_t value, uint32_t section, const char* place, const char* holder) {
    QTest::newRow(name) << value << section << std::string(place) << std::string(holder);
  };
  row("to the end of its section, not of the segment", 0x1004, 1, "4+12", ".text");
  row("first byte of a section", 0x1010, 2, "16+16", ".rodata");
  row("last byte of a section", 0x101f, 2, "31+1", ".rodata");
  row("stale section number: the address decides", 0x1018, 1, "24+8", ".rodata");
  row("section number that does not exist", 0x1018, 77, "24+8", ".rodata");
  row("no section number", 0x1018, Symbol::kNoSection, "24+8", ".rodata");
  row("number of a section that is not loaded", 0x1000, 5, "0+16", ".text");
  row("after every section", 0x1020, 2, "nothing", "");
  row("no bytes in the file", 0x3010, 4, "nothing", ".bss");
  row("no bytes, stale number of a section with bytes", 0x3018, 3, "nothing", ".bss");
  row("nowhere", 0x9000, 1, "nothing", "");
  row("largest", UINT64_MAX, 1, "nothing", "");
}

void TestContainerImage::symbolsAreMappedToTheFile() {
  QFETCH(uint64_t, value);
  QFETCH(uint32_t, section);
  QFETCH(std::string, place);
  QFETCH(std::string, name);
  const Image image = madeImage();
  Symbol symbol = at(value, section);
  QCOMPARE(placeText(image.findBytesOf(symbol)), place);
  const Section* const holder = image.findSectionOf(symbol);
  QCOMPARE(holder ? std::string(holder->name) : ""s, name);

  symbol.absolute = true;
  QCOMPARE(placeText(image.findBytesOf(symbol)), "nothing"s);
  QVERIFY(!image.findSectionOf(symbol));
  symbol.absolute = false;
  symbol.defined = false;
  QCOMPARE(placeText(image.findBytesOf(symbol)), "nothing"s);
  QVERIFY(!image.findSectionOf(symbol));
}

void TestContainerImage::objectSymbolsCountFromTheirSection_data() {
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<uint32_t>("section");
  QTest::addColumn<std::string>("place");
  QTest::newRow("start of a section") << uint64_t{0} << uint32_t{2} << "16+16"s;
  QTest::newRow("inside a section") << uint64_t{4} << uint32_t{2} << "20+12"s;
  QTest::newRow("last byte") << uint64_t{15} << uint32_t{2} << "31+1"s;
  QTest::newRow("after the section") << uint64_t{16} << uint32_t{2} << "nothing"s;
  QTest::newRow("far after the section") << uint64_t{UINT64_MAX} << uint32_t{2} << "nothing"s;
  QTest::newRow("section that is not loaded") << uint64_t{8} << uint32_t{5} << "56+8"s;
  QTest::newRow("no bytes in the file") << uint64_t{0} << uint32_t{4} << "nothing"s;
  QTest::newRow("section that does not exist") << uint64_t{0} << uint32_t{6} << "nothing"s;
  QTest::newRow("no section") << uint64_t{0} << uint32_t{Symbol::kNoSection} << "nothing"s;
}

/// Symbols of an object file count from their section, whatever the addresses are.
void TestContainerImage::objectSymbolsCountFromTheirSection() {
  QFETCH(uint64_t, value);
  QFETCH(uint32_t, section);
  QFETCH(std::string, place);
  Image image = madeImage();
  image.kind = Kind::Object;
  image.segments.clear();
  const Symbol symbol = at(value, section);
  QCOMPARE(placeText(image.findBytesOf(symbol)), place);
  QVERIFY(image.findSectionOf(symbol) == (section < image.sections.size() ? &image.sections[section] : nullptr));
}

/// A damaged program header table: sections still say where the bytes are.
void TestContainerImage::sectionsReplaceMissingSegments() {
  Image image = madeImage();
  image.segments.clear();
  QCOMPARE(placeText(image.findBytesAt(0x1000)), "nothing"s);
  QCOMPARE(placeText(image.findBytesOf(at(0x1014, 2))), "20+12"s);
  QCOMPARE(placeText(image.findBytesOf(at(0x1014, Symbol::kNoSection))), "20+12"s);
  QCOMPARE(placeText(image.findBytesOf(at(0x3010, 4))), "nothing"s);
}

void TestContainerImage::segmentsReplaceMissingSections() {
  Image image = madeImage();
  image.sections.clear();
  QCOMPARE(placeText(image.findBytesOf(at(0x1004, 1))), "4+28"s);
  QCOMPARE(placeText(image.findBytesOf(at(0x3010, 4))), "nothing"s);
  QVERIFY(!image.findSectionOf(at(0x1004, 1)));
}

/// Numbers that exceed the file or wrap.
void TestContainerImage::segmentsOutsideTheFileAreCut() {
  Image image = madeImage();
  image.sections.clear();
  image.segments = {{0x1000, 64, {32, 33}, false, false},
                    {0x2000, 64, {UINT64_MAX, 64}, false, false},
                    {UINT64_MAX - 3, 64, {0, 64}, false, false}};
  QCOMPARE(placeText(image.findBytesAt(0x1000)), "nothing"s);
  QCOMPARE(placeText(image.findBytesAt(0x2000)), "nothing"s);
  QCOMPARE(placeText(image.findBytesAt(UINT64_MAX)), "3+61"s);
  QCOMPARE(placeText(image.findBytesAt(0)), "nothing"s);
}

void TestContainerImage::enumeratorsHaveNames() {
  QCOMPARE(std::string(formatName(Format::Elf)), "elf"s);
  QCOMPARE(std::string(kindName(Kind::Shared)), "shared"s);
  QCOMPARE(std::string(kindName(Kind::Object)), "object"s);
  QCOMPARE(std::string(kindName(Kind::Executable)), "executable"s);
  QCOMPARE(std::string(kindName(Kind::Core)), "core"s);
  QCOMPARE(std::string(kindName(Kind::Other)), "other"s);
  QCOMPARE(std::string(symbolTypeName(SymbolType::None)), "none"s);
  QCOMPARE(std::string(symbolTypeName(SymbolType::Tls)), "tls"s);
  QCOMPARE(std::string(symbolTypeName(SymbolType::Other)), "other"s);
  QCOMPARE(std::string(bindingName(Binding::Local)), "local"s);
  QCOMPARE(std::string(bindingName(Binding::Other)), "other"s);
}

BLOBSCOPE_TEST(TestContainerImage);
#include "test_image.moc"
