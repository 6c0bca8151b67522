#include "core/container/elf/file.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
namespace elf = blobscope::container::elf;

namespace {

/// Numbers in one byte order, appended.
class ElfNumbers {
public:
  ElfNumbers(bool is64, bool bigEndian) : m_is64(is64), m_big(bigEndian) {}
  ElfNumbers& put(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * (m_big ? size - 1 - i : i)));
    return *this;
  }
  ElfNumbers& half(uint64_t value) { return put(value, 2); }
  ElfNumbers& word(uint64_t value) { return put(value, 4); }
  ElfNumbers& wide(uint64_t value) { return put(value, m_is64 ? 8 : 4); }

  std::string text;

private:
  bool m_is64, m_big;
};

/// What a test sets in a file header.
struct Header {
  bool is64 = true, bigEndian = false;
  uint64_t programsOffset = 0, sectionsOffset = 0;
  uint64_t programSize = 56, programCount = 0, sectionSize = 64, sectionCount = 0, namesIndex = 0;

  std::string build() const {
    ElfNumbers out(is64, bigEndian);
    out.text = std::string("\x7f"
                           "ELF") +
               static_cast<char>(is64 ? 2 : 1) + static_cast<char>(bigEndian ? 2 : 1) + '\1' + '\3' + '\4';
    out.text.resize(16);
    out.half(3).half(0x3e).word(1).wide(0x1122).wide(programsOffset).wide(sectionsOffset).word(0x55).half(64);
    out.half(programSize).half(programCount).half(sectionSize).half(sectionCount).half(namesIndex);
    return out.text;
  }
};

/// A file of the 64-bit little-endian class, with its header and tables read.
elf::File fileOf(const std::string& text) {
  auto file = elf::File::readHeader(test::bytes(text));
  if (!file) qFatal("the test made no header");
  file->readTables();
  return *file;
}

std::string textOf(const elf::ProgramHeader& one) {
  return std::to_string(one.type) + " flags " + hexText(one.flags) + " offset " + hexText(one.offset) + " address " +
         hexText(one.address) + " physical " + hexText(one.physical) + " sizes " + hexText(one.fileSize) + " " +
         hexText(one.memorySize) + " align " + hexText(one.align);
}
std::string textOf(const elf::SectionHeader& one) {
  return std::to_string(one.name) + " type " + std::to_string(one.type) + " flags " + hexText(one.flags) + " address " +
         hexText(one.address) + " offset " + hexText(one.offset) + " size " + hexText(one.size) + " link " +
         std::to_string(one.link) + " info " + std::to_string(one.info) + " align " + hexText(one.align) + " entry " +
         hexText(one.entrySize);
}
std::string textOf(const elf::Symbol& one) {
  return std::to_string(one.name) + " info " + std::to_string(one.info) + " other " + std::to_string(one.other) +
         " section " + std::to_string(one.section) + " value " + hexText(one.value) + " size " + hexText(one.size);
}

/// Both classes in both byte orders.
void addClasses() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::newRow("32 bits, little-endian") << false << false;
  QTest::newRow("32 bits, big-endian") << false << true;
  QTest::newRow("64 bits, little-endian") << true << false;
  QTest::newRow("64 bits, big-endian") << true << true;
}

/// A program header of a 64-bit little-endian file.
std::string program(uint32_t type, uint64_t offset, uint64_t address, uint64_t fileSize, uint64_t memorySize) {
  ElfNumbers out(true, false);
  out.word(type).word(5).wide(offset).wide(address).wide(address).wide(fileSize).wide(memorySize).wide(4096);
  return out.text;
}
std::string section(uint32_t name, uint32_t type, uint64_t offset, uint64_t size) {
  ElfNumbers out(true, false);
  out.word(name).word(type).wide(2).wide(0x1000).wide(offset).wide(size).word(0).word(0).wide(1).wide(0);
  return out.text;
}
std::string note(const std::string& name, const std::string& content, uint32_t type, uint64_t align = 4) {
  ElfNumbers out(true, false);
  out.word(name.size()).word(content.size()).word(type);
  const auto pad = [&] { out.text.resize((out.text.size() + align - 1) / align * align); };
  out.text += name;
  pad();
  out.text += content;
  pad();
  return out.text;
}

constexpr uint32_t kLoad = 1, kDynamic = 2;

} // namespace

class TestElfFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void headersOfEachClassAndOrderAreRead_data() { addClasses(); }
  void headersOfEachClassAndOrderAreRead() {
    QFETCH(bool, is64);
    QFETCH(bool, bigEndian);
    const Header header{is64, bigEndian, 0x40, 0x80, 56, 3, 64, 5, 4};
    const auto file = elf::File::readHeader(test::bytes(header.build()));
    QVERIFY(file);
    QCOMPARE(file->is64, is64);
    QCOMPARE(file->bigEndian, bigEndian);
    QCOMPARE(int(file->osAbi), 3);
    QCOMPARE(int(file->abiVersion), 4);
    QCOMPARE(file->type, uint16_t(3));
    QCOMPARE(file->machine, uint16_t(0x3e));
    QCOMPARE(file->version, 1u);
    QCOMPARE(file->entry, uint64_t(0x1122));
    QCOMPARE(file->programsOffset, uint64_t(0x40));
    QCOMPARE(file->sectionsOffset, uint64_t(0x80));
    QCOMPARE(file->flags, 0x55u);
    QCOMPARE(file->programEntrySize, uint16_t(56));
    QCOMPARE(file->programCount, uint16_t(3));
    QCOMPARE(file->sectionEntrySize, uint16_t(64));
    QCOMPARE(file->sectionCount, uint16_t(5));
    QCOMPARE(file->namesIndex, uint16_t(4));
    QCOMPARE(file->limit(), is64 ? uint64_t(INT64_MAX) : uint64_t(UINT32_MAX));
  }

  void aHeaderNeedsAllItsBytes_data() { addClasses(); }
  void aHeaderNeedsAllItsBytes() {
    QFETCH(bool, is64);
    QFETCH(bool, bigEndian);
    const std::string whole = Header{is64, bigEndian}.build();
    for (std::size_t size = 0; size < whole.size(); ++size)
      QVERIFY2(!elf::File::readHeader(test::bytes(whole.substr(0, size))), std::to_string(size).c_str());
    QVERIFY(elf::File::readHeader(test::bytes(whole)));
  }

  void otherFilesHaveNoHeader_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("value");
    QTest::newRow("magic") << 0 << 0x7e;
    QTest::newRow("last byte of the magic") << 3 << int('G');
    QTest::newRow("class 0") << 4 << 0;
    QTest::newRow("class 3") << 4 << 3;
    QTest::newRow("class 255") << 4 << 255;
    QTest::newRow("byte order 0") << 5 << 0;
    QTest::newRow("byte order 3") << 5 << 3;
  }
  void otherFilesHaveNoHeader() {
    QFETCH(int, at);
    QFETCH(int, value);
    std::string text = Header().build();
    QVERIFY(elf::File::readHeader(test::bytes(text)));
    text[static_cast<std::size_t>(at)] = static_cast<char>(value);
    QVERIFY(!elf::File::readHeader(test::bytes(text)));
  }

  void placesAreThoseOfTheFieldsThatAreRead_data() { addClasses(); }
  void placesAreThoseOfTheFieldsThatAreRead() {
    QFETCH(bool, is64);
    QFETCH(bool, bigEndian);
    std::string text = Header{is64, bigEndian}.build();
    const auto before = elf::File::readHeader(test::bytes(text));
    QVERIFY(before);
    uint64_t value = 0x10;
    using elf::HeaderField;
    for (const HeaderField field : {HeaderField::ProgramsOffset, HeaderField::SectionsOffset, HeaderField::ProgramCount,
                                    HeaderField::SectionCount, HeaderField::NamesIndex}) {
      const Extent place = before->place(field);
      text.replace(place.offset, place.size, before->encode(value++, place.size));
    }
    QCOMPARE(text.size(), std::size_t(before->headerSize()));
    const auto after = elf::File::readHeader(test::bytes(text));
    QVERIFY(after);
    QCOMPARE(after->programsOffset, uint64_t(0x10));
    QCOMPARE(after->sectionsOffset, uint64_t(0x11));
    QCOMPARE(after->programCount, uint16_t(0x12));
    QCOMPARE(after->sectionCount, uint16_t(0x13));
    QCOMPARE(after->namesIndex, uint16_t(0x14));
    QCOMPARE(after->entry, before->entry);
    QCOMPARE(after->flags, before->flags);
  }

  void entriesAreReadAsTheyAreWritten_data() { addClasses(); }
  void entriesAreReadAsTheyAreWritten() {
    QFETCH(bool, is64);
    QFETCH(bool, bigEndian);
    const auto file = elf::File::readHeader(test::bytes(Header{is64, bigEndian}.build()));
    QVERIFY(file);
    const uint64_t most = is64 ? UINT64_MAX : UINT32_MAX;
    const elf::ProgramHeader program{6, 7, 0x11, 0x22, 0x33, 0x44, most, 0x1000};
    const elf::SectionHeader section{1, 2, 3, 0x44, 0x55, most, 0xfffffffe, 8, 16, 24};
    const elf::Symbol symbol{9, 0x12, 2, 0xfff1, 0x123, most};
    const std::string programText = file->encode(program), sectionText = file->encode(section),
                      symbolText = file->encode(symbol);
    QCOMPARE(programText.size(), std::size_t(file->programSize()));
    QCOMPARE(sectionText.size(), std::size_t(file->sectionSize()));
    QCOMPARE(symbolText.size(), std::size_t(file->symbolSize()));

    elf::File read = *file;
    read.bytes = test::bytes("abc" + programText + sectionText + symbolText);
    const uint64_t sectionAt = 3 + programText.size(), symbolAt = sectionAt + sectionText.size();
    QCOMPARE(textOf(read.program(3)), textOf(program));
    QCOMPARE(textOf(read.section(sectionAt)), textOf(section));
    QCOMPARE(textOf(read.symbol(symbolAt)), textOf(symbol));
    const Extent size = read.sizePlace(symbolAt);
    QCOMPARE(read.number(size.offset, static_cast<unsigned>(size.size)), most);
    QCOMPARE(read.tag(3).valueOffset, 3 + read.wordSize());
  }

  void numbersBeyondTheEndAreZero_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<uint>("size");
    QTest::addColumn<qulonglong>("little");
    QTest::addColumn<qulonglong>("big");
    const auto row = [](const char* name, qulonglong offset, uint size, qulonglong little, qulonglong big) {
      QTest::newRow(name) << offset << size << little << big;
    };
    // The bytes at 64 are 01 02 … 09.
    row("one byte", 64, 1, 1, 1);
    row("two bytes", 64, 2, 0x201, 0x102);
    row("three bytes", 64, 3, 0x30201, 0x10203);
    row("four bytes", 65, 4, 0x5040302, 0x2030405);
    row("eight bytes", 64, 8, 0x807060504030201, 0x102030405060708);
    row("the last eight bytes", 65, 8, 0x908070605040302, 0x203040506070809);
    row("eight bytes, one of them missing", 66, 8, 0, 0);
    row("the last byte", 72, 1, 9, 9);
    row("at the end", 73, 1, 0, 0);
    row("no bytes", 64, 0, 0, 0);
    row("nine bytes", 64, 9, 0, 0);
    row("the largest offset", UINT64_MAX, 4, 0, 0);
    row("an offset that wraps", UINT64_MAX - 3, 8, 0, 0);
  }
  void numbersBeyondTheEndAreZero() {
    QFETCH(qulonglong, offset);
    QFETCH(uint, size);
    QFETCH(qulonglong, little);
    QFETCH(qulonglong, big);
    const std::string numbers = "\1\2\3\4\5\6\7\x8\x9";
    const auto first = elf::File::readHeader(test::bytes(Header().build() + numbers));
    const auto second = elf::File::readHeader(test::bytes(Header{true, true}.build() + numbers));
    QVERIFY(first && second);
    QCOMPARE(qulonglong(first->number(offset, size)), little);
    QCOMPARE(qulonglong(second->number(offset, size)), big);
  }

  void programHeadersAreReadOnlyWhenTheFileContainsAll_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<int>("entrySize");
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("bytes"); // after the header
    QTest::addColumn<int>("read");
    QTest::addColumn<std::string>("problem");
    const auto row = [](const char* name, qulonglong offset, int entrySize, int count, int bytes, int read,
                        const char* problem) {
      QTest::newRow(name) << offset << entrySize << count << bytes << read << std::string(problem);
    };
    row("none", 64, 56, 0, 0, 0, "");
    row("none, and the entry size is wrong", 64, 1, 0, 0, 0, "");
    row("one", 64, 56, 1, 56, 1, "");
    row("two, up to the end of the file", 64, 56, 2, 112, 2, "");
    row("one byte too few", 64, 56, 2, 111, 0, "its program header table is truncated");
    row("at the end of the file", 120, 56, 1, 56, 0, "its program header table is truncated");
    row("an offset that wraps", UINT64_MAX - 55, 56, 1, 56, 0, "its program header table is truncated");
    row("entries of 32 bytes", 64, 32, 1, 56, 0, "the entry size of its program headers is 32 bytes");
    row("entries without bytes", 64, 0, 1, 56, 0, "the entry size of its program headers is 0 bytes");
    row("the maximum number", 64, 56, 1'024, 1'024 * 56, 1'024, "");
    row("one more than the maximum", 64, 56, 1'025, 1'025 * 56, 0, "it has 1025 program headers or more");
    row("the largest count", 64, 56, 0xffff, 0, 0, "it has 65535 program headers or more");
  }
  void programHeadersAreReadOnlyWhenTheFileContainsAll() {
    QFETCH(qulonglong, offset);
    QFETCH(int, entrySize);
    QFETCH(int, count);
    QFETCH(int, bytes);
    QFETCH(int, read);
    QFETCH(std::string, problem);
    Header header;
    header.programsOffset = offset;
    header.programSize = uint64_t(entrySize);
    header.programCount = uint64_t(count);
    const elf::File file = fileOf(header.build() + std::string(std::size_t(bytes), '\0'));
    QCOMPARE(int(file.programs.size()), read);
    QCOMPARE(file.programsProblem, problem);
    QCOMPARE(textOf(file.programTable()), textOf(Extent{offset, uint64_t(read) * 56}));
  }

  void sectionHeadersAreReadOnlyWhenTheFileContainsAll_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<int>("entrySize");
    QTest::addColumn<int>("count");
    QTest::addColumn<std::string>("bytes"); // after the header
    QTest::addColumn<int>("read");
    QTest::addColumn<std::string>("problem");
    const auto row = [](const char* name, qulonglong offset, int entrySize, int count, const std::string& bytes,
                        int read, const char* problem) {
      QTest::newRow(name) << offset << entrySize << count << bytes << read << std::string(problem);
    };
    const std::string one = section(0, 0, 0, 0), withCount = section(0, 0, 0, 70'000);
    row("none", 0, 64, 0, "", 0, "");
    row("none, at an offset in the file", 64, 64, 0, one, 0, "");
    row("the count is in the first header", 64, 64, 0, withCount, 0, "it has 65,280 sections or more");
    row("the first header is missing", 128, 64, 0, withCount, 0, "");
    row("one", 64, 64, 1, one, 1, "");
    row("two", 64, 64, 2, one + one, 2, "");
    row("one byte too few", 64, 64, 2, one + one.substr(1), 0, "its section header table is truncated");
    row("an offset that wraps", UINT64_MAX - 63, 64, 1, one, 0, "its section header table is truncated");
    row("entries of 40 bytes", 64, 40, 1, one, 0, "the entry size of its section headers is 40 bytes");
    row("the largest count that is one", 64, 64, 0xfeff, std::string(0xfeff * 64, '\0'), 0xfeff, "");
    row("a reserved count", 64, 64, 0xff00, std::string(0xff00 * 64, '\0'), 0, "it has 65,280 sections or more");
  }
  void sectionHeadersAreReadOnlyWhenTheFileContainsAll() {
    QFETCH(qulonglong, offset);
    QFETCH(int, entrySize);
    QFETCH(int, count);
    QFETCH(std::string, bytes);
    QFETCH(int, read);
    QFETCH(std::string, problem);
    Header header;
    header.sectionsOffset = offset;
    header.sectionSize = uint64_t(entrySize);
    header.sectionCount = uint64_t(count);
    const elf::File file = fileOf(header.build() + bytes);
    QCOMPARE(int(file.sections.size()), read);
    QCOMPARE(file.sectionsProblem, problem);
    QCOMPARE(textOf(file.sectionTable()), textOf(Extent{offset, uint64_t(read) * 64}));
  }

  void theDynamicPartEndsAtItsEndTag_data() {
    QTest::addColumn<bool>("hasPart");
    QTest::addColumn<std::string>("tags");
    QTest::addColumn<qlonglong>("more"); // what the header adds to the size of the part
    QTest::addColumn<int>("read");
    QTest::addColumn<std::string>("problem");
    const auto row = [](const char* name, bool hasPart, const std::string& tags, qlonglong more, int read,
                        const char* problem) {
      QTest::newRow(name) << hasPart << tags << more << read << std::string(problem);
    };
    const auto tags = [](int count) {
      ElfNumbers out(true, false);
      for (int i = 0; i < count; ++i) out.wide(5).wide(uint64_t(i));
      return out.text;
    };
    const std::string end(16, '\0');
    row("no part", false, "", 0, 0, "it has no dynamic part");
    row("an empty part", true, "", 0, 0, "");
    row("only the end", true, end, 0, 0, "");
    row("two tags", true, tags(2) + end, 0, 2, "");
    row("tags after the end", true, tags(1) + end + tags(3), 0, 1, "");
    row("no end", true, tags(2), 0, 2, "");
    row("half a tag at the end", true, tags(2) + tags(1).substr(0, 8), 0, 2, "");
    row("one byte too few", true, tags(2) + end, 1, 0, "its dynamic part is truncated");
    row("a size that wraps", true, tags(2) + end, -49, 0, "its dynamic part is truncated");
    row("the maximum number", true, tags(4'096) + end, 0, 4'096, "");
    row("one more than the maximum", true, tags(4'097) + end, 0, 4'096, "its dynamic part has more than 4096 entries");
  }
  void theDynamicPartEndsAtItsEndTag() {
    QFETCH(bool, hasPart);
    QFETCH(std::string, tags);
    QFETCH(qlonglong, more);
    QFETCH(int, read);
    QFETCH(std::string, problem);
    Header header;
    header.programsOffset = 64;
    header.programCount = 1;
    const std::string table =
        program(hasPart ? kDynamic : kLoad, 120, 0x1000, tags.size() + uint64_t(more), tags.size());
    const elf::File file = fileOf(header.build() + table + tags);
    QCOMPARE(int(file.dynamic.size()), read);
    QCOMPARE(file.dynamicProblem, problem);
    if (read > 1) {
      QCOMPARE(file.dynamic[1].valueOffset, uint64_t(120 + 16 + 8));
      QCOMPARE(file.findTag(5), &file.dynamic.back()); // as the loader does
    }
    QVERIFY(!file.findTag(6));
  }

  void sectionsHaveNamesFromTheirTable_data() {
    QTest::addColumn<int>("namesIndex");
    QTest::addColumn<uint>("type"); // of the section with the names
    QTest::addColumn<qlonglong>("size");
    QTest::addColumn<uint>("name");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, int namesIndex, uint type, qlonglong size, uint at, const std::string& text) {
      QTest::newRow(name) << namesIndex << type << size << at << text;
    };
    // The names are "\0.text\0", then 300 times "a" up to the end of the file.
    row("usual", 1, 3, 307, 1, ".text");
    row("the end of another name", 1, 3, 307, 3, "ext");
    row("empty", 1, 3, 307, 0, "");
    row("without an end", 1, 3, 307, 290, std::string(17, 'a'));
    row("longer than the maximum", 1, 3, 307, 7, std::string(256, 'a'));
    row("cut off by the size of the table", 1, 3, 4, 1, ".te");
    row("the last byte", 1, 3, 307, 306, "a");
    row("after the table", 1, 3, 307, 307, "");
    row("the largest offset", 1, 3, 307, UINT32_MAX, "");
    row("the table is not in the file", 1, 3, 308, 1, "");
    row("the size of the table wraps", 1, 3, -1, 1, "");
    row("a table that takes no bytes", 1, 8, 307, 1, "");
    row("no such table", 2, 3, 307, 1, "");
    row("the largest index", 0xffff, 3, 307, 1, "");
  }
  void sectionsHaveNamesFromTheirTable() {
    QFETCH(int, namesIndex);
    QFETCH(uint, type);
    QFETCH(qlonglong, size);
    QFETCH(uint, name);
    QFETCH(std::string, text);
    Header header;
    header.sectionsOffset = 64;
    header.sectionCount = 2;
    header.namesIndex = uint64_t(namesIndex);
    const elf::File file = fileOf(header.build() + section(name, 1, 0, 0) + section(0, type, 192, uint64_t(size)) +
                                  std::string("\0.text\0", 7) + std::string(300, 'a'));
    QCOMPARE(std::string(file.sectionName(file.sections.at(0))), text);
  }

  void notesHaveNameAndContent_data() {
    QTest::addColumn<std::string>("part");
    QTest::addColumn<qulonglong>("at");
    QTest::addColumn<int>("align");
    QTest::addColumn<std::string>("text"); // empty: no note
    const auto row = [](const char* name, const std::string& part, qulonglong at, int align, const char* text) {
      QTest::newRow(name) << part << at << align << std::string(text);
    };
    const std::string usual = note(std::string("GNU\0", 4), "12345", 3);
    row("usual", usual, 0, 4, "3 0xc+0x4 0x10+0x5 0x18");
    row("second", usual + usual, 24, 4, "3 0x24+0x4 0x28+0x5 0x30");
    row("a name of 5 bytes", note("Linux", "1234", 1), 0, 4, "1 0xc+0x5 0x14+0x4 0x18");
    row("aligned to 8", note("Linux", "123", 1, 8), 0, 8, "1 0xc+0x5 0x18+0x3 0x20");
    row("empty", note("", "", 0), 0, 4, "0 0xc+0x0 0xc+0x0 0xc");
    row("one byte of the header is missing", usual.substr(0, 11), 0, 4, "");
    row("at the end", usual, 24, 4, "");
    row("after the end", usual, 25, 4, "");
    row("the largest offset", usual, UINT64_MAX, 4, "");
    ElfNumbers large(true, false);
    large.word(UINT32_MAX).word(UINT32_MAX).word(7);
    row("sizes above the part", large.text, 0, 4, "7 0xc+0xffffffff 0x10000000c+0xffffffff 0x20000000c");
  }
  void notesHaveNameAndContent() {
    QFETCH(std::string, part);
    QFETCH(qulonglong, at);
    QFETCH(int, align);
    QFETCH(std::string, text);
    const elf::File file = fileOf(Header().build() + part);
    const auto found = file.note({64, part.size()}, at, uint64_t(align));
    QCOMPARE(found ? std::to_string(found->type) + " " + textOf(found->name) + " " + textOf(found->content) + " " +
                         hexText(found->next)
                   : std::string(),
             text);
  }

  void buildIdsAreDistinguishedFromOtherNotes_data() {
    QTest::addColumn<std::string>("part");
    QTest::addColumn<qlonglong>("more"); // added to the size of the part
    QTest::addColumn<int>("align");
    QTest::addColumn<bool>("buildId");
    QTest::addColumn<bool>("others");
    const auto row = [](const char* name, const std::string& part, qlonglong more, int align, bool id, bool others) {
      QTest::newRow(name) << part << more << align << id << others;
    };
    const std::string gnu("GNU\0", 4), id = note(gnu, std::string(20, 'x'), 3), other = note(gnu, "1234", 1);
    row("nothing", "", 0, 4, false, false);
    row("a build id", id, 0, 4, true, false);
    row("two of them", id + id, 0, 4, true, false);
    row("another note", other, 0, 4, false, true);
    row("both", other + id, 0, 4, true, true);
    row("the type of a build id, from another program", note(std::string("Go\0\0", 4), "1234", 3), 0, 4, false, true);
    row("a name without NUL", note("GNU", "1234", 3), 0, 4, false, true);
    row("aligned to 8", note(gnu, "12345", 3, 8) + note(gnu, "12345", 3, 8), 0, 8, true, false);
    row("an alignment that is not used is 4", id + id, 0, 0, true, false);
    row("content that ends after the part", id, -1, 4, false, true);
    row("a part that ends after the file", id, 1, 4, false, true);
    row("a size that wraps", id, -64, 4, false, true);
    std::string many;
    while (many.size() < 65'536) many += note(gnu, std::string(16, 'x'), 3); // 32 bytes each
    row("the largest part that is searched", many, 0, 4, true, false);
    row("a larger part", many + id, 0, 4, false, true);
  }
  void buildIdsAreDistinguishedFromOtherNotes() {
    QFETCH(std::string, part);
    QFETCH(qlonglong, more);
    QFETCH(int, align);
    QFETCH(bool, buildId);
    QFETCH(bool, others);
    const elf::File file = fileOf(Header().build() + part);
    const elf::File::Notes notes = file.readNotes({64, part.size() + uint64_t(more)}, uint64_t(align));
    QCOMPARE(notes.buildId, buildId);
    QCOMPARE(notes.others, others);
  }

  void addressesLeadToOffsetsInLoads_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::optional<uint64_t>>("offset");
    const auto row = [](const char* name, qulonglong address, qulonglong size, std::optional<uint64_t> offset) {
      QTest::newRow(name) << address << size << offset;
    };
    // 0x1000: 0x100 bytes from the file and as many zeros; 0x3000: 0x10 bytes; 0x4000: an offset near the largest.
    row("the first byte", 0x1000, 1, 0x200);
    row("all bytes", 0x1000, 0x100, 0x200);
    row("the last byte", 0x10ff, 1, 0x2ff);
    row("no byte", 0x1080, 0, 0x280);
    row("no byte, at the end", 0x1100, 0, 0x300);
    row("one byte of the zeros", 0x10ff, 2, std::nullopt);
    row("zeros", 0x1100, 1, std::nullopt);
    row("before the first load", 0xfff, 1, std::nullopt);
    row("address 0", 0, 1, std::nullopt);
    row("a load that takes no memory", 0x2000, 1, std::nullopt);
    row("the second load", 0x3008, 8, 0x508);
    row("the largest size", 0x3008, UINT64_MAX, std::nullopt);
    row("after the last load", UINT64_MAX, 1, std::nullopt);
    row("an offset that is in range", 0x4000, 1, UINT64_MAX - 7);
    row("an offset that wraps", 0x4008, 1, std::nullopt);
  }
  void addressesLeadToOffsetsInLoads() {
    QFETCH(qulonglong, address);
    QFETCH(qulonglong, size);
    QFETCH(std::optional<uint64_t>, offset);
    Header header;
    header.programsOffset = 64;
    header.programCount = 5;
    const elf::File file =
        fileOf(header.build() + program(kLoad, 0x200, 0x1000, 0x100, 0x200) + program(kLoad, 0x300, 0x2000, 0x100, 0) +
               program(kDynamic, 0x300, 0x2000, 0x100, 0x100) + program(kLoad, 0x500, 0x3000, 0x10, 0x10) +
               program(kLoad, UINT64_MAX - 7, 0x4000, 0x10, 0x10));
    QCOMPARE(file.loads().size(), std::size_t(3));
    QCOMPARE(elf::AddressMap(file).offsetOf(address, size), offset);
  }
};

BLOBSCOPE_TEST(TestElfFile);

#include "test_elf_file.moc"
