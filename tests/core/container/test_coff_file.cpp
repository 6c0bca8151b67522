#include "core/container/coff/file.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/coff_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
namespace container = blobscope::container;
namespace coff = blobscope::container::coff;

namespace {

std::string messages(const container::Image& image) {
  std::string out;
  for (const Diagnostic& one : image.diagnostics) out += (out.empty() ? "" : "\n") + one.message();
  return out;
}

/// A symbol record. `name` has at most 8 bytes.
std::string record(std::string name, uint32_t value, int32_t section, uint16_t type, uint8_t storage, uint8_t auxiliary,
                   bool wide = false) {
  name.resize(8);
  ByteBuilder out;
  out.raw(name).u32(value);
  if (wide)
    out.u32(static_cast<uint32_t>(section));
  else
    out.u16(static_cast<uint16_t>(section));
  return out.u16(type).u8(storage).u8(auxiliary).take();
}
std::string longName(uint32_t place) { return ByteBuilder().u32(0).u32(place).take(); }

/// 4 bytes so that no table is at 0, the records, the string table.
std::string symbolFile(const std::string& records, const std::string& strings) { return "head" + records + strings; }

std::string stringsOf(const std::string& names) {
  return ByteBuilder().u32(static_cast<uint32_t>(4 + names.size())).raw(names).take();
}

container::Image imageOf(const std::string& file, container::Kind kind = container::Kind::Object) {
  container::Image image;
  image.file = test::bytes(file);
  image.kind = kind;
  for (const char* const name : {".text", ".data", ".tls$x"}) {
    container::Section& section = image.sections.emplace_back();
    section.name = name;
    section.address = 0x1000;
    section.executable = image.sections.size() == 1;
  }
  return image;
}

std::string textOf(const container::Symbol& symbol) {
  return std::string(symbol.name) + " " + std::string(symbolTypeName(symbol.type)) + " " +
         std::string(bindingName(symbol.binding)) + (symbol.defined ? "" : " undefined") +
         (symbol.absolute ? " absolute" : "") +
         (symbol.section == container::Symbol::kNoSection ? "" : " in " + std::to_string(symbol.section)) + " " +
         hexText(symbol.value) + "+" + hexText(symbol.size);
}

} // namespace

class TestCoffFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void machinesHaveLlvmsNames_data() {
    QTest::addColumn<int>("number");
    QTest::addColumn<std::string>("text"); // empty: unknown
    QTest::newRow("any") << 0 << std::string();
    QTest::newRow("AMD64") << 0x8664 << std::string("x86_64 64");
    QTest::newRow("I386") << 0x14c << std::string("i386 32");
    QTest::newRow("ARM64") << 0xaa64 << std::string("aarch64 64");
    QTest::newRow("IA64 has no name") << 0x200 << std::string(" 64");
    QTest::newRow("one above AMD64") << 0x8665 << std::string();
    QTest::newRow("largest") << 0xffff << std::string();
  }
  void machinesHaveLlvmsNames() {
    QFETCH(int, number);
    QFETCH(std::string, text);
    const coff::Machine* const machine = coff::findMachine(static_cast<uint16_t>(number));
    QCOMPARE(machine ? std::string(machine->arch) + " " + std::to_string(machine->bits) : std::string(), text);
  }

  void rangesAreCutToTheFile_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::string>("cut");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* name, qulonglong offset, qulonglong size, const char* cut, const char* message) {
      QTest::newRow(name) << offset << size << std::string(cut) << std::string(message);
    };
    row("in the file", 10, 20, "10+20", "");
    row("the whole file", 0, 100, "0+100", "");
    row("empty, at the end", 100, 0, "100+0", "");
    row("empty, after the end", 101, 0, "100+0", "");
    row("one byte too long", 10, 91, "10+90",
        "table needs 91 bytes at 0xa, but the file has only 100 bytes; it may be truncated");
    row("at the end", 100, 1, "100+0",
        "table needs 1 byte at 0x64, but the file has only 100 bytes; it may be truncated");
    row("after the end", UINT64_MAX, 1, "100+0",
        "table needs 1 byte at 0xffffffffffffffff, but the file has only 100 bytes; it may be truncated");
    row("a sum that wraps", 10, UINT64_MAX, "10+90",
        "table needs 18,446,744,073,709,551,615 bytes at 0xa, but the file has only 100 bytes; it may be "
        "truncated");
  }
  void rangesAreCutToTheFile() {
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, size);
    QFETCH(std::string, cut);
    QFETCH(std::string, message);
    container::Image image = imageOf(std::string(100, 'x'));
    const Extent found = coff::clipped(image, {offset, size}, "table");
    QCOMPARE(std::to_string(found.offset) + "+" + std::to_string(found.size), cut);
    QCOMPARE(messages(image), message);
  }

  void diagnosticsAreLimited() {
    container::Image image = imageOf("x");
    for (uint64_t i = 0; i <= limits::kDiagnostics; ++i) coff::clipped(image, {i, 2}, "table");
    QCOMPARE(image.diagnostics.size(), std::size_t(limits::kDiagnostics));
  }

  void namesAreCutUntilTheirSumIsTooLarge() {
    coff::NameCutter names(2); // so 32 bytes
    container::Image image = imageOf("xx");
    QCOMPARE(std::string(names.cut(std::string_view("first\0more", 10))), std::string("first"));
    QCOMPARE(std::string(names.cut("")), std::string());
    const std::string rest(27, 'a');
    QCOMPARE(std::string(names.cut(rest)), rest); // exactly to the limit
    names.report(image);
    QCOMPARE(messages(image), std::string());
    QCOMPARE(std::string(names.cut("b")), std::string());
    names.report(image);
    QCOMPARE(messages(image), std::string("33 bytes of names or more, more than the limit of 32"));
    QCOMPARE(std::string(names.cut(std::string_view("\0", 1))), std::string());
  }
  void aNameThatIsTooLongUsesTheWholeLimit() {
    coff::NameCutter names(1);
    QCOMPARE(std::string(names.cut(std::string(17, 'a'))), std::string());
    QCOMPARE(std::string(names.cut("b")), std::string());
    coff::NameCutter most(UINT64_MAX); // 16 times that does not fit
    QCOMPARE(std::string(most.cut("name")), std::string("name"));
  }

  void stringTablesFollowTheRecords_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("count");
    QTest::addColumn<bool>("wide");
    QTest::addColumn<std::string>("table");
    const auto row = [](const char* name, const std::string& file, qulonglong offset, qulonglong count, bool wide,
                        const std::string& table) { QTest::newRow(name) << file << offset << count << wide << table; };
    const std::string strings = stringsOf(std::string("name\0", 5)), records(36, 'r');
    row("after two records", "head" + records + strings + "more", 4, 2, false, strings);
    row("after two wide records", "head" + std::string(40, 'r') + strings, 4, 2, true, strings);
    row("no records", "head" + strings, 4, 0, false, strings);
    row("no table", strings, 0, 0, false, "");
    row("at the end", "head" + records, 4, 2, false, "");
    row("after the end", "head", 1'000, 2, false, "");
    row("half a length", "head" + records + "\4\0", 4, 2, false, "");
    row("longer than the file", "head" + records + strings.substr(0, 7), 4, 2, false, strings.substr(0, 7));
    row("shorter than its length field", "head" + records + ByteBuilder().u32(2).raw("name").take(), 4, 2, false,
        std::string("\2\0", 2));
    row("a product that wraps", "head" + strings, 4, UINT64_MAX / 18 + 1, false, "");
    row("a sum that wraps", "head" + strings, UINT64_MAX, 1, false, "");
  }
  void stringTablesFollowTheRecords() {
    QFETCH(std::string, file);
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, count);
    QFETCH(bool, wide);
    QFETCH(std::string, table);
    const Bytes content = test::bytes(file);
    QCOMPARE(std::string(coff::stringTable(content, {offset, count, wide})), table);
  }

  void sectionHeadersAreZeroWhereTheFileEnds() {
    const std::string header =
        ByteBuilder().raw("longname").u32(1).u32(2).u32(3).u32(4).u32(5).u32(6).u32(7).u32(8).take();
    const std::string file = "head" + header;
    for (std::size_t size = 0; size <= file.size(); ++size) {
      const std::string cut = file.substr(0, size);
      const coff::SectionHeader found = coff::sectionAt(cut, 4);
      QCOMPARE(std::string(found.name),
               size <= 4 ? std::string() : header.substr(0, std::min<std::size_t>(8, size - 4)));
      QCOMPARE(found.virtualSize, uint64_t(size >= 16 ? 1 : 0));
      QCOMPARE(found.address, uint64_t(size >= 20 ? 2 : 0));
      QCOMPARE(found.rawSize, uint64_t(size >= 24 ? 3 : 0));
      QCOMPARE(found.rawOffset, uint64_t(size >= 28 ? 4 : 0));
      QCOMPARE(found.characteristics, size >= 44 ? 8u : 0u);
    }
    // The offsets of the fields must not wrap around to the beginning of the file.
    for (const uint64_t at :
         {uint64_t{file.size()}, uint64_t{UINT32_MAX} * 40, UINT64_MAX - 31, UINT64_MAX - 7, UINT64_MAX}) {
      const coff::SectionHeader outside = coff::sectionAt(file, at);
      QCOMPARE(std::string(outside.name), std::string());
      QCOMPARE(outside.virtualSize + outside.address + outside.rawSize + outside.rawOffset, uint64_t{0});
      QCOMPARE(outside.characteristics, 0u);
    }
  }

  void sectionsWithoutAnOffsetHaveNoBytes_data() {
    QTest::addColumn<uint>("memory");
    QTest::addColumn<uint>("size");
    QTest::addColumn<uint>("offset");
    QTest::addColumn<int>("inFile");
    QTest::addColumn<int>("inMemory");
    QTest::newRow("usual") << 5u << 8u << 100u << 8 << 5;
    QTest::newRow("no offset") << 5u << 8u << 0u << 0 << 5;
    QTest::newRow("no size in memory") << 0u << 8u << 100u << 8 << 8;
    QTest::newRow("nothing") << 0u << 0u << 0u << 0 << 0;
  }
  void sectionsWithoutAnOffsetHaveNoBytes() {
    QFETCH(uint, memory);
    QFETCH(uint, size);
    QFETCH(uint, offset);
    QFETCH(int, inFile);
    QFETCH(int, inMemory);
    coff::SectionHeader header;
    header.virtualSize = memory;
    header.rawSize = size;
    header.rawOffset = offset;
    QCOMPARE(int(header.raw().size), inFile);
    QCOMPARE(int(header.memorySize()), inMemory);
  }

  void longSectionNamesAreInTheStringTable_data() {
    QTest::addColumn<std::string>("stored");
    QTest::addColumn<std::string>("name");
    const auto row = [](const char* title, const char* stored, const char* name) {
      QTest::newRow(title) << std::string(stored) << std::string(name);
    };
    // The table: length, "first" at 4, "second" at 10 up to the end at 16.
    row("short", ".text", ".text");
    row("decimal", "/4", "first");
    row("decimal, without NUL at the end", "/10", "second");
    row("the last byte", "/15", "d");
    row("at the end", "/16", "/16");
    row("the largest decimal", "/9999999", "/9999999");
    row("in the length field", "/3", "/3");
    row("no digits", "/", "/");
    row("not a number", "/4x", "/4x");
    row("a sign", "/-4", "/-4");
    row("base 64", "//E", "first");
    row("base 64, padded", "//AAAAAK", "second");
    row("the largest of base 64", "////////", "////////");
    row("base 64 without digits", "//", "//");
    row("not base 64", "//E=", "//E=");
  }
  void longSectionNamesAreInTheStringTable() {
    QFETCH(std::string, stored);
    QFETCH(std::string, name);
    coff::SectionHeader header;
    header.name = stored;
    coff::NameCutter names(100);
    QCOMPARE(std::string(coff::sectionName(header, std::string_view("\x10\0\0\0first\0second", 16), names)), name);
  }

  void fileHeadersOfBothFormsAreRead() {
    const std::string usual = ByteBuilder().u16(0x8664).u16(3).u32(9).u32(0x100).u32(7).u16(16).u16(0x2000).take();
    const coff::FileHeader found = coff::fileHeaderOf(usual, false);
    QVERIFY(!found.wide);
    QCOMPARE(found.machine, uint16_t(0x8664));
    QCOMPARE(found.flags, uint16_t(0x2000));
    QCOMPARE(found.sectionCount, uint64_t(3));
    QCOMPARE(found.sectionsAt, uint64_t(20 + 16));
    QCOMPARE(found.symbols.offset, uint64_t(0x100));
    QCOMPARE(found.symbols.count, uint64_t(7));
    QCOMPARE(found.symbols.recordSize(), uint64_t(18));
    QCOMPARE(container::numberAt<uint16_t>(usual, found.sectionCountAt()), uint16_t(3));

    std::string bigobj = ByteBuilder().u16(0).u16(0xffff).u16(2).u16(0xaa64).take();
    bigobj.resize(44);
    bigobj += ByteBuilder().u32(0x12345).u32(0x200).u32(UINT32_MAX).take();
    const coff::FileHeader wide = coff::fileHeaderOf(bigobj, true);
    QVERIFY(wide.wide);
    QCOMPARE(wide.machine, uint16_t(0xaa64));
    QCOMPARE(wide.sectionCount, uint64_t(0x12345));
    QCOMPARE(wide.sectionsAt, coff::kWideFileHeader);
    QCOMPARE(wide.symbols.offset, uint64_t(0x200));
    QCOMPARE(wide.symbols.count, uint64_t(UINT32_MAX));
    QCOMPARE(wide.symbols.recordSize(), uint64_t(20));
    QCOMPARE(container::numberAt<uint32_t>(bigobj, wide.sectionCountAt()), uint32_t(0x12345));

    for (const bool isWide : {false, true}) {
      const coff::FileHeader none = coff::fileHeaderOf("", isWide);
      QCOMPARE(none.machine, uint16_t(0));
      QCOMPARE(none.sectionCount, uint64_t(0));
      QCOMPARE(none.symbols.offset, uint64_t(0));
    }
  }

  void sectionTypesFollowFromNameAndFlags_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<uint>("flags");
    QTest::addColumn<std::string>("type");
    const auto row = [](const char* name, uint flags, const char* type) {
      QTest::addRow("%s 0x%x", name, flags) << std::string(name) << flags << std::string(type);
    };
    row(".debug$S", 0x42000040, "debug");
    row(".text", 0x20, "code");
    row(".text", 0x20000000, "code");
    row(".drectve", 0x200, "info");
    row(".drectve", 0x800, "info");
    row(".reloc", 0x42000040, "discardable");
    row(".rdata", 0x40000040, "data");
    row(".bss", 0x80, "bss");
    row(".empty", 0, "other");
  }
  void sectionTypesFollowFromNameAndFlags() {
    QFETCH(std::string, name);
    QFETCH(uint, flags);
    QFETCH(std::string, type);
    QCOMPARE(std::string(coff::sectionTypeName(name, flags)), type);
  }

  void recordsAreListedWithoutAuxiliaryOnes_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<qulonglong>("count");
    QTest::addColumn<bool>("wide");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& file, qulonglong count, bool wide, const char* text) {
      QTest::newRow(name) << file << count << wide << std::string(text);
    };
    const std::string strings = stringsOf(std::string("long name\0", 10));
    const std::string one = record("one", 5, 1, 0x20, 2, 0), two = record("eight888", 6, -1, 0, 3, 1),
                      auxiliary(18, '\1'), long4 = record(longName(4), 0, 0xfeff, 0, 2, 0),
                      outside = record(longName(1'000), 0, 0, 0, 2, 0);
    row("none", symbolFile("", strings), 0, false, "");
    row("one", symbolFile(one, strings), 1, false, "0@4 one 5 in 1\n");
    row("an auxiliary record", symbolFile(two + auxiliary + one, strings), 3, false,
        "0@4 eight888 6 in -1\n2@40 one 5 in 1\n");
    row("more auxiliary records than there are", symbolFile(two, strings), 1, false, "0@4 eight888 6 in -1\n");
    row("a long name, the largest section", symbolFile(long4, strings), 1, false, "0@4 long name 0 in 65279\n");
    row("a name outside of the table", symbolFile(outside, strings), 1, false, "0@4  0 in 0\n");
    row("wide", symbolFile(record("one", 5, -2, 0, 2, 0, true) + record("two", 6, 70'000, 0, 2, 0, true), strings), 2,
        true, "0@4 one 5 in -2\n1@24 two 6 in 70000\n");
    row("more than the file has", symbolFile(one, ""), 1'000, false, "0@4 one 5 in 1\n");
    row("the largest count", symbolFile(one, ""), UINT32_MAX, false, "0@4 one 5 in 1\n");
    row("one byte too few", symbolFile(one, "").substr(0, 21), 1, false, "");
  }
  void recordsAreListedWithoutAuxiliaryOnes() {
    QFETCH(std::string, file);
    QFETCH(qulonglong, count);
    QFETCH(bool, wide);
    QFETCH(std::string, text);
    NullMonitor monitor;
    std::string found;
    const auto result = coff::forEachRecord(test::bytes(file), {4, count, wide}, monitor, [&](const coff::Record& one) {
      found += std::to_string(one.index) + "@" + std::to_string(one.at) + " " + std::string(one.name) + " " +
               std::to_string(one.value) + " in " + std::to_string(one.section) + "\n";
    });
    QVERIFY(result);
    QCOMPARE(found, text);
  }
  void listingRecordsCanBeCancelled() {
    StopAfter stop(0);
    const auto ignore = [](const coff::Record&) {};
    const std::string file = symbolFile(record("one", 5, 1, 0, 2, 0), "");
    const auto result = coff::forEachRecord(test::bytes(file), {4, 1, false}, stop, ignore);
    QVERIFY(!result);
    QCOMPARE(int(result.error().code()), int(ErrorCode::Cancelled));
    StopAfter none(0);
    QVERIFY(coff::forEachRecord(test::bytes(file), {0, 1, false}, none, ignore)); // no table
  }

  void symbolsAreInterpreted_data() {
    QTest::addColumn<std::string>("records");
    QTest::addColumn<uint>("count");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* name, const std::string& records, uint count, const char* text,
                        const char* message = "") {
      QTest::newRow(name) << records << count << std::string(text) << std::string(message);
    };
    // Sections: 1 .text (code), 2 .data, 3 .tls$x.
    const std::string auxiliary(18, '\0');
    const auto weak = [](uint32_t target) { return ByteBuilder().u32(target).raw(std::string(14, '\0')).take(); };
    row("function", record("f", 0x10, 1, 0x20, 2, 0), 1, "f function global in 0 0x10+0x0");
    row("data", record("d", 0x10, 2, 0, 2, 0), 1, "d object global in 1 0x10+0x0");
    row("a label in code", record("l", 4, 1, 0, 3, 0), 1, "l none local in 0 0x4+0x0");
    row("thread-local", record("t", 4, 3, 0, 2, 0), 1, "t tls global in 2 0x4+0x0");
    row("a section", record(".data", 0, 2, 0, 3, 1) + auxiliary, 2, ".data section local in 1 0x0+0x0");
    row("undefined", record("u", 0, 0, 0, 2, 0), 1, "u none global undefined 0x0+0x0");
    row("common", record("c", 24, 0, 0, 2, 0), 1, "c none global absolute 0x0+0x18");
    row("absolute", record("a", 0x1234, -1, 0, 3, 0), 1, "a none local absolute 0x1234+0x0");
    row("a section that does not exist", record("x", 4, 4, 0, 2, 0), 1, "x none global 0x4+0x0");
    row("the name of a source file", record(".file", 0, -2, 0, 103, 1) + "main.c" + std::string(12, '\0'), 2,
        "main.c file local absolute 0x0+0x0");
    row("a source file whose name is cut off", record(".file", 0, -2, 0, 103, 2) + "a long name of 18 ", 2,
        "a long name of 18  file local absolute 0x0+0x0");
    row("weak, defined by its default", record("w", 0, 0, 0, 105, 1) + weak(2) + record("d", 0x20, 1, 0x20, 3, 0), 3,
        "w function weak in 0 0x20+0x0\nd function local in 0 0x20+0x0");
    row("weak, its default is outside", record("w", 0, 0, 0, 105, 1) + weak(UINT32_MAX), 2,
        "w none weak undefined 0x0+0x0");
    row("weak, its default is itself", record("w", 0, 0, 0, 105, 1) + weak(0), 2, "w none weak undefined 0x0+0x0");
    row("weak, its auxiliary record is missing", record("w", 0, 0, 0, 105, 1), 1, "w none weak undefined 0x0+0x0");
    row("a long name", record(longName(4), 0, 1, 0, 2, 0), 1, "long name none global in 0 0x0+0x0");
    row("no name", record(longName(0), 0, 1, 0, 2, 0), 1, " none global in 0 0x0+0x0");
    row("a name outside of the table", record(longName(15), 0, 1, 0, 2, 0) + record("b", 0, 1, 0, 2, 0), 2,
        " none global in 0 0x0+0x0\nb none global in 0 0x0+0x0",
        "1 of 2 symbols in the symbol table have a name outside the string table and are shown without a name");
    row("a name in the length of the table", record(longName(3), 0, 1, 0, 2, 0), 1, " none global in 0 0x0+0x0",
        "1 of 1 symbols in the symbol table have a name outside the string table and are shown without a name");
    row("no symbols", "", 0, "");
  }
  void symbolsAreInterpreted() {
    QFETCH(std::string, records);
    QFETCH(uint, count);
    QFETCH(std::string, text);
    QFETCH(std::string, message);
    container::Image image = imageOf(symbolFile(records, stringsOf(std::string("long name\0\0", 11))));
    coff::NameCutter names(image.file.size());
    NullMonitor monitor;
    QVERIFY(coff::readSymbols(image, {4, count, false}, 3, names, monitor));
    std::string found;
    for (const container::Symbol& symbol : image.symbols) found += (found.empty() ? "" : "\n") + textOf(symbol);
    QCOMPARE(found, text);
    QCOMPARE(messages(image), message);
  }

  void onlySectionsOfTheFileCount() {
    container::Image image = imageOf(symbolFile(record("x", 4, 3, 0, 2, 0), ""));
    coff::NameCutter names(image.file.size());
    NullMonitor monitor;
    QVERIFY(coff::readSymbols(image, {4, 1, false}, 2, names, monitor));
    QCOMPARE(textOf(image.symbols.at(0)), std::string("x none global 0x4+0x0"));
  }

  void symbolsOfImagesHaveAddresses() {
    container::Image image = imageOf(symbolFile(record("x", 0x34, 2, 0, 2, 0), ""), container::Kind::Shared);
    image.sections[1].address = UINT64_MAX - 0x10; // the sum does not wrap
    coff::NameCutter names(image.file.size());
    NullMonitor monitor;
    QVERIFY(coff::readSymbols(image, {4, 1, false}, 3, names, monitor));
    QCOMPARE(image.symbols.at(0).value, UINT64_MAX);
    image.symbols.clear();
    image.sections[1].address = 0x1000;
    QVERIFY(coff::readSymbols(image, {4, 1, false}, 3, names, monitor));
    QCOMPARE(image.symbols.at(0).value, uint64_t(0x1034));
  }

  void aTruncatedTableHasTheSymbolsInTheFile() {
    const std::string records = record("a", 1, 1, 0, 2, 0) + record("b", 2, 2, 0, 2, 1) + std::string(18, '\0');
    const std::string file = symbolFile(records, "");
    for (std::size_t size = 5; size < file.size(); ++size) {
      container::Image image = imageOf(file.substr(0, size));
      coff::NameCutter names(image.file.size());
      NullMonitor monitor;
      QVERIFY(coff::readSymbols(image, {4, 3, false}, 3, names, monitor));
      QCOMPARE(image.symbols.size(), size < 22 ? std::size_t(0) : size < 40 ? std::size_t(1) : std::size_t(2));
      QCOMPARE(messages(image), "symbol table needs 54 bytes at 0x4, but the file has only " + std::to_string(size) +
                                    " bytes; it may be truncated");
    }
  }

  void readingSymbolsCanBeCancelled() {
    container::Image image = imageOf(symbolFile(record("a", 1, 1, 0, 2, 0), ""));
    coff::NameCutter names(image.file.size());
    StopAfter stop(0);
    const auto result = coff::readSymbols(image, {4, 1, false}, 3, names, stop);
    QVERIFY(!result);
    QCOMPARE(int(result.error().code()), int(ErrorCode::Cancelled));
  }
};

BLOBSCOPE_TEST(TestCoffFile);

#include "test_coff_file.moc"
