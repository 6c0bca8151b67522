#include "core/container/macho/file.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
namespace macho = blobscope::container::macho;

namespace {

/// Numbers in one byte order, appended.
class MachONumbers {
public:
  explicit MachONumbers(bool bigEndian = false) : m_big(bigEndian) {}
  MachONumbers& put(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * (m_big ? size - 1 - i : i)));
    return *this;
  }
  MachONumbers& words(std::initializer_list<uint64_t> values) {
    for (const uint64_t value : values) put(value, 4);
    return *this;
  }
  MachONumbers& name(std::string name) {
    name.resize(16);
    text += name;
    return *this;
  }

  std::string text;

private:
  bool m_big;
};

std::string header(bool is64, bool bigEndian, uint64_t commandCount, uint64_t commandBytes) {
  MachONumbers out(bigEndian);
  out.words({is64 ? 0xfeedfacfu : 0xfeedfaceu, 0x01000007, 3, 6, commandCount, commandBytes, 0x85});
  if (is64) out.words({0});
  return out.text;
}

/// A load command of a little-endian file.
std::string command(uint32_t id, std::initializer_list<uint64_t> words, int64_t moreSize = 0) {
  MachONumbers out;
  out.words({id, 8 + 4 * words.size() + uint64_t(moreSize)}).words(words);
  return out.text;
}

struct Range {
  uint64_t address = 0, memorySize = 0, offset = 0, fileSize = 0;
};
/// LC_SEGMENT_64 with `headers` section headers, but another number of them in its field.
std::string segment(const std::string& name, Range range, uint64_t headers = 0, std::optional<uint64_t> count = {}) {
  MachONumbers out;
  out.words({0x19, 72 + 80 * headers}).name(name);
  for (const uint64_t value : {range.address, range.memorySize, range.offset, range.fileSize}) out.put(value, 8);
  out.words({7, 5, count.value_or(headers), 0});
  for (uint64_t i = 0; i < headers; ++i) {
    out.name("__s" + std::to_string(i)).name(name).put(0x100 * i, 8).put(0x10, 8);
    out.words({0x200, 4, 0x300, 2, i == 1 ? 1u : 0u, 0, 0, 0}); // the second is S_ZEROFILL
  }
  return out.text;
}

/// A 64-bit little-endian file with these commands, and then `rest`.
std::string fileText(const std::vector<std::string>& commands, const std::string& rest = {}) {
  std::string all;
  for (const std::string& one : commands) all += one;
  return header(true, false, commands.size(), all.size()) + all + rest;
}
macho::File headerOf(const std::string& text) {
  auto file = macho::File::readHeader(test::bytes(text));
  if (!file) qFatal("the test made no header");
  return *file;
}

constexpr uint32_t kSymtab = 2, kDysymtab = 11, kSignature = 0x1d, kEncryption64 = 0x2c, kExports = 0x80000033,
                   kDyldInfo = 0x22, kDyldInfoOnly = 0x80000022, kUuid = 0x1b;

} // namespace

class TestMachoFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void headersOfEachClassAndOrderAreRead_data() {
    QTest::addColumn<bool>("is64");
    QTest::addColumn<bool>("bigEndian");
    QTest::newRow("32 bits, little-endian") << false << false;
    QTest::newRow("32 bits, big-endian") << false << true;
    QTest::newRow("64 bits, little-endian") << true << false;
    QTest::newRow("64 bits, big-endian") << true << true;
  }
  void headersOfEachClassAndOrderAreRead() {
    QFETCH(bool, is64);
    QFETCH(bool, bigEndian);
    const std::string text = header(is64, bigEndian, 9, 0x123);
    const macho::File file = headerOf(text);
    QCOMPARE(file.is64, is64);
    QCOMPARE(file.bigEndian, bigEndian);
    QCOMPARE(file.cpuType, 0x01000007u);
    QCOMPARE(file.cpuSubtype, 3u);
    QCOMPARE(file.fileType, 6u);
    QCOMPARE(file.commandCount, 9u);
    QCOMPARE(file.flags, 0x85u);
    QCOMPARE(textOf(file.head), is64 ? std::string("0x20+0x123") : std::string("0x1c+0x123"));
    QCOMPARE(text.size(), std::size_t(file.headerSize()));
    // Where the file ends, fields are 0; the magic number is necessary.
    for (std::size_t size = 0; size < 28; ++size) {
      const auto cut = macho::File::readHeader(test::bytes(text.substr(0, size)));
      QCOMPARE(cut.has_value(), size >= 4);
      if (!cut) continue;
      QCOMPARE(cut->cpuType, size >= 8 ? 0x01000007u : 0u);
      QCOMPARE(cut->commandCount, size >= 20 ? 9u : 0u);
      QCOMPARE(cut->head.size, size >= 24 ? uint64_t(0x123) : uint64_t(0));
      QCOMPARE(cut->flags, 0u);
    }
  }

  void otherFilesHaveNoHeader() {
    for (const uint32_t magic : {0u, 0xcafebabeu, 0xbebafecau, 0xfeedfacdu, 0xfeedfad0u, 0xfffffffeu}) {
      const std::string text = MachONumbers().words({magic}).text + std::string(28, '\0');
      QVERIFY2(!macho::File::readHeader(test::bytes(text)), hexText(magic).c_str());
    }
  }

  void commandsHaveTheirNamesOrNumbers() {
    QCOMPARE(macho::commandName(1), std::string("LC_SEGMENT"));
    QCOMPARE(macho::commandName(0x19), std::string("LC_SEGMENT_64"));
    QCOMPARE(macho::commandName(kDyldInfoOnly), std::string("LC_DYLD_INFO_ONLY"));
    QCOMPARE(macho::commandName(0), std::string("0x0"));
    QCOMPARE(macho::commandName(UINT32_MAX), std::string("0xffffffff"));
  }

  void commandsAreReadUpToTheFirstThatDoesNotFit_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("read");
    QTest::addColumn<std::string>("problem");
    const auto row = [](const char* name, const std::string& text, int read, const char* problem) {
      QTest::newRow(name) << text << read << std::string(problem);
    };
    const std::string uuid = command(kUuid, {1, 2, 3, 4}); // 24 bytes
    const auto withCount = [&](uint64_t count, uint64_t size, const std::string& commands) {
      return header(true, false, count, size) + commands;
    };
    row("none", withCount(0, 0, ""), 0, "");
    row("none, and bytes that belong to none", withCount(0, 24, uuid), 0, "");
    row("one", fileText({uuid}), 1, "");
    row("the smallest", fileText({command(kUuid, {})}), 1, "");
    row("fewer than the bytes have", withCount(1, 48, uuid + uuid), 1, "");
    row("more than the bytes have", withCount(3, 48, uuid + uuid), 2, "load command 2 at 0x50 does not fit");
    row("the largest count", withCount(UINT32_MAX, 24, uuid), 1, "load command 1 at 0x38 does not fit");
    row("all bytes are one too few for the file", withCount(1, 25, uuid), 0, "its load commands do not fit");
    row("the largest size of all", withCount(1, UINT32_MAX, uuid), 0, "its load commands do not fit");
    row("only 7 bytes for a command", withCount(1, 7, uuid), 0, "load command 0 at 0x20 does not fit");
    row("a command of 0 bytes", fileText({command(kUuid, {}, -8)}), 0, "load command 0 at 0x20 does not fit");
    row("a command of 7 bytes", fileText({command(kUuid, {}, -1)}), 0, "load command 0 at 0x20 does not fit");
    row("a command that is 1 byte longer than all", fileText({uuid, command(kUuid, {1}, 1)}), 1,
        "load command 1 at 0x38 does not fit");
    row("the largest size of one", fileText({command(kUuid, {1}, UINT32_MAX - 12)}), 0,
        "load command 0 at 0x20 does not fit");
    row("two signatures", fileText({command(kSignature, {1, 2}), uuid, command(kSignature, {1, 2})}), 3,
        "it has two code signatures");
    row("two signatures, one without fields", fileText({command(kSignature, {1}), command(kSignature, {1, 2})}), 2, "");
    const std::string most(16 << 20, '\0');
    row("the maximum of bytes", withCount(1, most.size(), command(kUuid, {}, int64_t(most.size()) - 8) + most), 1, "");
    row("more than the maximum", withCount(0, most.size() + 1, most + "1"), 0, "its load commands do not fit");
  }
  void commandsAreReadUpToTheFirstThatDoesNotFit() {
    QFETCH(std::string, text);
    QFETCH(int, read);
    QFETCH(std::string, problem);
    macho::File file = headerOf(text);
    QCOMPARE(file.readCommands(), problem);
    QCOMPARE(int(file.commands.size()), read);
  }

  void segmentsHaveOnlyTheSectionsOfTheirCommand_data() {
    QTest::addColumn<std::string>("command");
    QTest::addColumn<int>("segments");
    QTest::addColumn<int>("sections");
    QTest::addColumn<bool>("fit");
    const auto row = [](const char* name, const std::string& command, int segments, int sections, bool fit) {
      QTest::newRow(name) << command << segments << sections << fit;
    };
    row("no section", segment("__TEXT", {}), 1, 0, true);
    row("two sections", segment("__TEXT", {}, 2), 1, 2, true);
    row("the field says one", segment("__TEXT", {}, 2, 1), 1, 1, false);
    row("the field says three", segment("__TEXT", {}, 2, 3), 1, 2, false);
    row("the largest number", segment("__TEXT", {}, 2, UINT32_MAX), 1, 2, false);
    std::string odd = segment("__TEXT", {}, 1) + std::string(8, '\0');
    odd[4] = static_cast<char>(odd.size());
    row("8 bytes after the last section", odd, 1, 1, false);
    std::string shorter = segment("__TEXT", {}).substr(0, 71);
    shorter[4] = 71;
    row("a command that is too short", shorter, 0, 0, true);
  }
  void segmentsHaveOnlyTheSectionsOfTheirCommand() {
    QFETCH(std::string, command);
    QFETCH(int, segments);
    QFETCH(int, sections);
    QFETCH(bool, fit);
    macho::File file = headerOf(fileText({command}, std::string(400, '\1')));
    QCOMPARE(file.readCommands(), std::string());
    QCOMPARE(int(file.segments.size()), segments);
    QCOMPARE(int(file.sections.size()), sections);
    QCOMPARE(file.sectionsFit, fit);
  }

  void fieldsOfSegmentsAndSectionsAreRead() {
    const std::string longName = "__SIXTEEN_LETTER"; // fills its field
    macho::File file = headerOf(fileText(
        {command(kUuid, {}), segment(longName, {0x1'0000'0000, 0x2000, 0x3000, 0x1800}, 2), segment("x", {})}));
    QCOMPARE(file.readCommands(), std::string());
    QCOMPARE(file.segments.size(), std::size_t(2));
    const macho::Segment& segment = file.segments[0];
    QCOMPARE(segment.command, std::size_t(1));
    QCOMPARE(std::string(segment.name), longName);
    QCOMPARE(textOf(segment.memory()), std::string("0x100000000+0x2000"));
    QCOMPARE(textOf(segment.file), std::string("0x3000+0x1800"));
    QCOMPARE(segment.protection, 5u);
    QCOMPARE(segment.addressAt, uint64_t(0x20 + 8 + 24));
    QCOMPARE(file.number(segment.addressAt, 8), segment.address);
    QCOMPARE(file.findSegment("x"), &file.segments[1]);
    QVERIFY(!file.findSegment("__SIXTEEN"));

    const macho::Section& section = file.sections[1];
    QCOMPARE(std::string(section.name), std::string("__s1"));
    QCOMPARE(std::string(section.segment), longName);
    QCOMPARE(textOf(section.memory()), std::string("0x100+0x10"));
    QCOMPARE(section.relocations, 0x300u);
    QCOMPARE(section.relocationCount, 2u);
    QCOMPARE(section.align, 4u);
    QCOMPARE(textOf(section.file()), std::string("0x200+0x0")); // zeros in memory
    QCOMPARE(textOf(file.sections[0].file()), std::string("0x200+0x10"));
    QCOMPARE(file.number(section.sizeAt(), 8), uint64_t(0x10));
    QCOMPARE(file.number(section.offsetAt()), uint64_t(0x200));
    QCOMPARE(file.number(section.relocationsAt()), uint64_t(0x300));
  }

  void segmentsOf32BitsAreRead() {
    MachONumbers out(true);
    out.words({1, 56 + 68}).name("__DATA").words({0x1000, 0x200, 0x300, 0x180, 7, 3, 1, 0});
    out.name("__const").name("__DATA").words({0x1010, 0x20, 0x310, 2, 0, 0, 0x80000000, 0, 0});
    macho::File file = headerOf(header(false, true, 1, out.text.size()) + out.text);
    QCOMPARE(file.readCommands(), std::string());
    QCOMPARE(file.segments.size(), std::size_t(1));
    QCOMPARE(textOf(file.segments[0].memory()), std::string("0x1000+0x200"));
    QCOMPARE(textOf(file.segments[0].file), std::string("0x300+0x180"));
    QCOMPARE(file.segments[0].protection, 3u);
    QVERIFY(file.sectionsFit);
    QCOMPARE(textOf(file.sections.at(0).memory()), std::string("0x1010+0x20"));
    QCOMPARE(file.sections[0].offset, 0x310u);
    QVERIFY(file.sections[0].isCode());
  }

  void commandsReferToTheirTables_data() {
    QTest::addColumn<std::string>("command");
    QTest::addColumn<std::string>("tables");
    const auto row = [](const char* name, const std::string& command, const char* tables) {
      QTest::newRow(name) << command << std::string(tables);
    };
    // The command begins at 0x20. Counts become bytes.
    row("symbols and strings", command(kSymtab, {0x100, 3, 0x200, 9}), "0x28 0x100+0x30, 0x30 0x200+0x9");
    row("the largest count", command(kSymtab, {0, UINT32_MAX, 0, 0}), "0x28 0x0+0xffffffff0, 0x30 0x0+0x0");
    row("the second table is cut off", command(kSymtab, {0x100, 3, 0x200}), "0x28 0x100+0x30");
    row("both tables are cut off", command(kSymtab, {0x100}), "");
    row("export trie", command(kExports, {0x100, 7}), "0x28 0x100+0x7");
    row("dyld info", command(kDyldInfo, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
        "0x28 0x1+0x2, 0x30 0x3+0x4, 0x38 0x5+0x6, 0x40 0x7+0x8, 0x48 0x9+0xa");
    row("dyld info only", command(kDyldInfoOnly, {1, 2, 3}), "0x28 0x1+0x2");
    row("dynamic symbols", command(kDysymtab, {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
        "0x40 0x1+0x10, 0x48 0x3+0xe0, 0x50 0x5+0x18, 0x58 0x7+0x20, 0x60 0x9+0x50, 0x68 0xb+0x60");
    row("a command without tables", command(kUuid, {1, 2, 3, 4}), "");
    row("an unknown command", command(0xfff, {1, 2, 3, 4}), "");
  }
  void commandsReferToTheirTables() {
    QFETCH(std::string, command);
    QFETCH(std::string, tables);
    macho::File file = headerOf(fileText({command}));
    QCOMPARE(file.readCommands(), std::string());
    std::string found;
    for (const macho::Table& table : file.tables)
      found += (found.empty() ? "" : ", ") + hexText(table.offsetAt) + " " + textOf(table.file);
    QCOMPARE(found, tables);
  }

  void tablesAreFoundByRole() {
    macho::File file = headerOf(fileText({command(kDyldInfo, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0}),
                                          command(kExports, {0x100, 7}), command(kSymtab, {0, 0, 0x300, 1})}));
    QCOMPARE(file.readCommands(), std::string());
    using macho::Role;
    QCOMPARE(file.findTable(Role::ExportTrie)->command, std::size_t(1)); // the first one has no bytes
    QCOMPARE(file.findTable(Role::ExportTrie, true)->command, std::size_t(0));
    QVERIFY(!file.findTable(Role::Symbols));
    QCOMPARE(file.findTable(Role::Symbols, true)->command, std::size_t(2));
    QVERIFY(!file.findTable(Role::Signature, true));
  }

  void encryptionIsReadFromWholeCommands() {
    macho::File file = headerOf(fileText({command(kEncryption64, {0x1000, 0x2000, 1})}));
    QCOMPARE(file.readCommands(), std::string());
    QCOMPARE(textOf(file.encryption.file), std::string("0x1000+0x2000"));
    QCOMPARE(file.encryption.cipher, 1u);
    macho::File cut = headerOf(fileText({command(kEncryption64, {0x1000, 0x2000})}, "\1"));
    QCOMPARE(cut.readCommands(), std::string());
    QCOMPARE(cut.encryption.cipher, 0u);
    QCOMPARE(textOf(cut.encryption.file), std::string("0x0+0x0"));
  }

  void symbolsOfBothClassesAreRead() {
    MachONumbers wide(true);
    wide.words({7}).put(0x0f, 1).put(2, 1).put(0x80, 2).put(0x1'2345'6789, 8);
    const macho::File file64 = headerOf(header(true, true, 0, 0) + wide.text);
    const macho::Symbol symbol = file64.symbol(0x20);
    QCOMPARE(symbol.name, uint64_t(7));
    QCOMPARE(int(symbol.type), 0x0f);
    QCOMPARE(int(symbol.section), 2);
    QCOMPARE(symbol.description, uint16_t(0x80));
    QCOMPARE(symbol.value, uint64_t(0x1'2345'6789));
    QCOMPARE(file64.symbol(0x21).value, uint64_t(0)); // its last byte is missing

    MachONumbers narrow;
    narrow.words({7}).put(0x0f, 1).put(2, 1).put(0x80, 2).put(0x12345678, 4);
    const macho::File file32 = headerOf(header(false, false, 0, 0) + narrow.text);
    QCOMPARE(file32.symbol(0x1c).value, uint64_t(0x12345678));
    QCOMPARE(wide.text.size(), std::size_t(file64.symbolSize()));
    QCOMPARE(narrow.text.size(), std::size_t(file32.symbolSize()));
  }

  void addressesLeadToOffsetsInSegments_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::optional<uint64_t>>("offset");
    const auto row = [](const char* name, qulonglong address, qulonglong size, std::optional<uint64_t> offset) {
      QTest::newRow(name) << address << size << offset;
    };
    row("the first byte", 0x1000, 1, 0x200);
    row("all bytes", 0x1000, 0x100, 0x200);
    row("no byte, at the end", 0x1100, 0, 0x300);
    row("one byte of the zeros", 0x10ff, 2, std::nullopt);
    row("zeros", 0x1100, 1, std::nullopt);
    row("before the first segment", 0xfff, 1, std::nullopt);
    row("more in the file than in memory", 0x2000, 0x10, 0x300);
    row("not in memory", 0x2010, 1, std::nullopt);
    row("the end of the file", 0x3000, 0x10, 0x3f0);
    row("after the end of the file", 0x3010, 1, std::nullopt);
    row("an offset that wraps", 0x4010, 1, std::nullopt);
    row("the largest size", 0x1000, UINT64_MAX, std::nullopt);
    row("the largest address", UINT64_MAX, 1, std::nullopt);
  }
  void addressesLeadToOffsetsInSegments() {
    QFETCH(qulonglong, address);
    QFETCH(qulonglong, size);
    QFETCH(std::optional<uint64_t>, offset);
    std::string text =
        fileText({segment("a", {0x1000, 0x200, 0x200, 0x100}), segment("b", {0x2000, 0x10, 0x300, 0x80}),
                  segment("c", {0x3000, 0x100, 0x3f0, 0x100}), segment("d", {0x4000, 0x100, UINT64_MAX - 7, 0x100})});
    text.resize(0x400);
    macho::File file = headerOf(text);
    QCOMPARE(file.readCommands(), std::string());
    QCOMPARE(file.offsetOf(address, size), offset);
  }

  void onlyWholeRangesOfZerosAreZero_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<bool>("zero");
    const auto row = [](const char* name, qulonglong offset, qulonglong size, bool zero) {
      QTest::newRow(name) << offset << size << zero;
    };
    row("zeros", 0x20, 8, true);
    row("up to the end", 0x29, 7, true);
    row("one byte that is not zero", 0x20, 9, false);
    row("no bytes", 0x28, 0, true);
    row("one byte after the end", 0x29, 8, false);
    row("after the end", 0x31, 1, false);
    row("the largest size", 0x29, UINT64_MAX, false);
    row("the largest offset", UINT64_MAX, 1, false);
  }
  void onlyWholeRangesOfZerosAreZero() {
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, size);
    QFETCH(bool, zero);
    const std::string zeros(8, '\0');
    const macho::File file = headerOf(header(true, false, 0, 0) + zeros + "x" + zeros.substr(1));
    QCOMPARE(file.isZero({offset, size}), zero);
  }
};

BLOBSCOPE_TEST(TestMachoFile);

#include "test_macho_file.moc"
