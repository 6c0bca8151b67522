#include "core/write/elf/references.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::container::elf;

namespace {

constexpr uint64_t kBase = 0x10000, kFileSize = 0x1000, kTable = 0x100, kSymbols = 0x800, kWords = 0xc00;
constexpr Extent kBlob{kBase + 0x400, 0x80};
constexpr uint16_t kOtherMachine = 0;

/// A file of one segment with tables of relocations at kTable, symbols at kSymbols, and words that they change.
struct RelocatedFile {
  bool is64 = true, bigEndian = false;
  uint16_t machine = EM_X86_64;
  uint64_t tableTag = DT_RELA, sizeTag = DT_RELASZ;
  std::vector<uint64_t> words;  ///< of the table
  std::vector<uint64_t> stored; ///< of the words that are relocated
  std::vector<DynamicTag> tags; ///< more of them
  std::vector<uint64_t> moving; ///< symbols that go with the blob
  uint64_t tableAddress = kBase + kTable;
  std::optional<uint64_t> tableSize;
  Extent blob = kBlob;

  uint64_t word() const { return is64 ? 8 : 4; }
  /// r_info.
  uint64_t info(uint64_t symbol, uint64_t type) const { return is64 ? symbol << 32 | type : symbol << 8 | type; }

  File file() const {
    File out;
    out.is64 = is64;
    out.bigEndian = bigEndian;
    out.machine = machine;
    std::string text(kFileSize, '\0');
    const auto put = [&](uint64_t offset, const std::string& part) { text.replace(offset, part.size(), part); };
    for (std::size_t i = 0; i < words.size(); ++i) put(kTable + i * word(), out.encode(words[i], word()));
    for (std::size_t i = 0; i < stored.size(); ++i) put(kWords + i * word(), out.encode(stored[i], word()));
    // Symbols: 1 the blob, 2 a section 16 bytes in front of it, 3 undefined, 4 thread-local with the blob's address.
    const Symbol symbols[] = {{},
                              {0, 17, 0, 1, kBlob.offset, 8},
                              {0, 3, 0, 1, kBlob.offset - 16, 0},
                              {0, 16, 0, 0, 0, 0},
                              {0, 22, 0, 1, kBlob.offset, 8}};
    for (std::size_t i = 0; i < std::size(symbols); ++i) put(kSymbols + i * out.symbolSize(), out.encode(symbols[i]));
    out.bytes = bytes(text);
    ProgramHeader load;
    load.type = PT_LOAD;
    load.address = kBase;
    load.fileSize = load.memorySize = kFileSize;
    out.programs = {load};
    out.dynamic = tags;
    out.dynamic.push_back({tableTag, tableAddress, 0});
    out.dynamic.push_back({sizeTag, tableSize.value_or(words.size() * word()), 0});
    return out;
  }

  Result<write::References> find(Monitor& monitor) const {
    return write::elf::findReferences(file(), blob, {kSymbols, 5, moving}, {}, monitor);
  }
  /// "2 from 0x10c00", or the id of the error.
  std::string found() const {
    NullMonitor monitor;
    const auto references = find(monitor);
    if (!references) return std::string(references.error().diagnostic().idText());
    if (references->count == 0) return "none";
    return std::to_string(references->count) + " from " + hexText(references->firstAddress);
  }
};

constexpr uint64_t kPlace = kBase + kWords;

} // namespace

class TestElfReferences : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void addendsThatLeadIntoTheBlobAreFound_data();
  void addendsThatLeadIntoTheBlobAreFound();
  void storedAddressesAreFound_data();
  void storedAddressesAreFound();
  void threadLocalRelocationsAreIgnored_data();
  void threadLocalRelocationsAreIgnored();
  void relativeRelocationsAreDecoded_data();
  void relativeRelocationsAreDecoded();
  void everyTableIsRead_data();
  void everyTableIsRead();
  void tablesOutsideTheFileAreRefused_data();
  void tablesOutsideTheFileAreRefused();
  void onlyWholeEntriesAreRead();
  void codeOfKnownProcessorsIsRead();
  void searchCanBeCancelled();
};

void TestElfReferences::addendsThatLeadIntoTheBlobAreFound_data() {
  QTest::addColumn<uint64_t>("symbol");
  QTest::addColumn<uint64_t>("addend");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, uint64_t symbol, uint64_t addend, bool found) {
    QTest::newRow(name) << symbol << addend << (found ? "1 from " + hexText(kPlace) : std::string("none"));
  };
  row("the first byte", 0, kBlob.offset, true);
  row("the last byte", 0, kBlob.end() - 1, true);
  row("one byte behind", 0, kBlob.end(), false);
  row("one byte in front", 0, kBlob.offset - 1, false);
  row("by the blob's own symbol, which moves", 1, 0, false);
  row("by the symbol of its section", 2, 16, true);
  row("by that symbol elsewhere", 2, 15, false);
  row("backwards from that symbol, modulo 2^64", 2, UINT64_MAX, false);
  row("by an undefined symbol", 3, kBlob.offset, false);
  row("by a thread-local symbol", 4, 0, false);
  row("by a symbol that does not exist", 5, kBlob.offset, false);
}

void TestElfReferences::addendsThatLeadIntoTheBlobAreFound() {
  QFETCH(uint64_t, symbol);
  QFETCH(uint64_t, addend);
  QFETCH(std::string, expected);
  for (const bool is64 : {true, false})
    for (const bool bigEndian : {false, true}) {
      RelocatedFile fixture;
      fixture.is64 = is64;
      fixture.bigEndian = bigEndian;
      fixture.machine = kOtherMachine;
      fixture.moving = {1};
      fixture.words = {kPlace, fixture.info(symbol, 1), is64 ? addend : addend & UINT32_MAX};
      QCOMPARE(fixture.found(), expected);
    }
}

void TestElfReferences::storedAddressesAreFound_data() {
  QTest::addColumn<uint64_t>("place");
  QTest::addColumn<uint64_t>("stored");
  QTest::addColumn<bool>("found");
  QTest::newRow("a stored address") << kPlace << kBlob.offset << true;
  QTest::newRow("an address elsewhere") << kPlace << kBlob.end() << false;
  QTest::newRow("in memory without bytes") << kBase + kFileSize << kBlob.offset << false;
  QTest::newRow("half in memory without bytes") << kBase + kFileSize - 1 << kBlob.offset << false;
}

void TestElfReferences::storedAddressesAreFound() {
  QFETCH(uint64_t, place);
  QFETCH(uint64_t, stored);
  QFETCH(bool, found);
  RelocatedFile fixture;
  fixture.tableTag = DT_REL;
  fixture.sizeTag = DT_RELSZ;
  fixture.words = {place, fixture.info(0, 8)};
  fixture.stored = {stored};
  QCOMPARE(fixture.found(), found ? "1 from " + hexText(place) : std::string("none"));
}

void TestElfReferences::threadLocalRelocationsAreIgnored_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<int>("type");
  QTest::addColumn<bool>("found");
  const auto row = [](const char* name, int machine, int type, bool found) {
    QTest::newRow(name) << machine << type << found;
  };
  row("x86-64: RELATIVE", EM_X86_64, 8, true);
  row("x86-64: DTPMOD64", EM_X86_64, 16, false);
  row("x86-64: TPOFF64", EM_X86_64, 18, false);
  row("x86-64: TLSDESC", EM_X86_64, 36, false);
  row("AArch64: RELATIVE", EM_AARCH64, 1027, true);
  row("AArch64: TLS_DTPMOD", EM_AARCH64, 1028, false);
  row("AArch64: TLSDESC", EM_AARCH64, 1031, false);
  row("AArch64: IRELATIVE", EM_AARCH64, 1032, true);
  row("another processor: the numbers of x86-64", kOtherMachine, 16, true);
}

/// Their addend is an offset in the thread's storage, and means no address.
void TestElfReferences::threadLocalRelocationsAreIgnored() {
  QFETCH(int, machine);
  QFETCH(int, type);
  QFETCH(bool, found);
  RelocatedFile fixture;
  fixture.machine = static_cast<uint16_t>(machine);
  fixture.words = {kPlace, fixture.info(0, static_cast<uint64_t>(type)), kBlob.offset};
  QCOMPARE(fixture.found(), found ? "1 from " + hexText(kPlace) : std::string("none"));
}

void TestElfReferences::relativeRelocationsAreDecoded_data() {
  QTest::addColumn<std::vector<uint64_t>>("words");
  QTest::addColumn<std::vector<uint64_t>>("stored");
  QTest::addColumn<std::string>("expected");
  const uint64_t blob = kBlob.offset;
  const auto row = [](const char* name, std::vector<uint64_t> words, std::vector<uint64_t> stored,
                      const std::string& expected) {
    QTest::newRow(name) << std::move(words) << std::move(stored) << expected;
  };
  const auto at = [](int count, uint64_t word) {
    return std::to_string(count) + " from " + hexText(kPlace + 8 * word);
  };
  row("an address", {kPlace}, {blob}, at(1, 0));
  row("its word leads elsewhere", {kPlace}, {blob - 1}, "none");
  row("no bit set", {kPlace, 1}, {0, blob}, "none");
  row("the first bit: the next word", {kPlace, 1 | 1 << 1}, {0, blob}, at(1, 1));
  row("the second bit", {kPlace, 1 | 1 << 2}, {0, blob, blob}, at(1, 2));
  row("all of the first bits", {kPlace, 1 | 7 << 1}, {blob, blob, blob, blob}, at(4, 0));
  std::vector<uint64_t> many(70, 0);
  many[63] = blob;
  row("the last bit", {kPlace, 1 | uint64_t{1} << 63}, many, at(1, 63));
  many[63] = 0;
  many[64] = blob;
  row("a second word of bits goes on behind 63 words", {kPlace, 1, 1 | 1 << 1}, many, at(1, 64));
  row("another address begins anew", {kPlace, 1, kPlace + 16, 1 | 1 << 1}, {0, 0, 0, blob}, at(1, 3));
}

void TestElfReferences::relativeRelocationsAreDecoded() {
  QFETCH(std::vector<uint64_t>, words);
  QFETCH(std::vector<uint64_t>, stored);
  QFETCH(std::string, expected);
  for (const auto& [table, size] :
       {std::pair<uint64_t, uint64_t>{DT_RELR, DT_RELRSZ}, {DT_ANDROID_RELR, DT_ANDROID_RELRSZ}}) {
    RelocatedFile fixture;
    fixture.tableTag = table;
    fixture.sizeTag = size;
    fixture.words = words;
    fixture.stored = stored;
    QCOMPARE(fixture.found(), expected);
  }
}

void TestElfReferences::everyTableIsRead_data() {
  QTest::addColumn<RelocatedFile>("fixture");
  QTest::addColumn<std::string>("expected");
  RelocatedFile lazy;
  lazy.tableTag = DT_JMPREL;
  lazy.sizeTag = DT_PLTRELSZ;
  lazy.words = {kPlace, lazy.info(0, 8), kBlob.offset};
  lazy.tags = {{DT_PLTREL, DT_RELA, 0}};
  QTest::newRow("lazy ones with addends") << lazy << "1 from " + hexText(kPlace);
  lazy.tags = {{DT_PLTREL, DT_REL, 0}};
  lazy.words = {kPlace, lazy.info(0, 8)};
  lazy.stored = {kBlob.offset};
  QTest::newRow("lazy ones without") << lazy << "1 from " + hexText(kPlace);
  RelocatedFile packed;
  packed.tags = {{DT_ANDROID_RELA, kBase + kTable, 0}};
  QTest::newRow("packed by Android") << packed << std::string("REP-SHAPE");
  RelocatedFile mips;
  mips.machine = EM_MIPS;
  mips.moving = {1};
  mips.words = {kPlace, 1, kBlob.offset}; // the symbol is the low half
  QTest::newRow("MIPS, little-endian: the symbol first") << mips << std::string("none");
  mips.bigEndian = true;
  QTest::newRow("MIPS, big-endian: the symbol last") << mips << "1 from " + hexText(kPlace);
}

void TestElfReferences::everyTableIsRead() {
  QFETCH(RelocatedFile, fixture);
  QFETCH(std::string, expected);
  QCOMPARE(fixture.found(), expected);
}

void TestElfReferences::tablesOutsideTheFileAreRefused_data() {
  QTest::addColumn<uint64_t>("address");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, uint64_t address, uint64_t size, const char* expected) {
    QTest::newRow(name) << address << size << std::string(expected);
  };
  row("no table", 0, 24, "none");
  row("an empty one", kBase + kTable, 0, "none");
  row("up to the last byte", kBase + kFileSize - 24, 24, "none");
  row("one byte further", kBase + kFileSize - 23, 24, "REP-SHAPE");
  row("in front of the segment", kBase - 1, 24, "REP-SHAPE");
  row("a size that wraps", kBase + kTable, UINT64_MAX, "REP-SHAPE");
}

void TestElfReferences::tablesOutsideTheFileAreRefused() {
  QFETCH(uint64_t, address);
  QFETCH(uint64_t, size);
  QFETCH(std::string, expected);
  for (const auto& [table, sizeTag] : {std::pair<uint64_t, uint64_t>{DT_RELA, DT_RELASZ}, {DT_RELR, DT_RELRSZ}}) {
    RelocatedFile fixture;
    fixture.tableTag = table;
    fixture.sizeTag = sizeTag;
    fixture.tableAddress = address;
    fixture.tableSize = size;
    QCOMPARE(fixture.found(), expected);
  }
}

/// An entry counts when all of it is in the table.
void TestElfReferences::onlyWholeEntriesAreRead() {
  RelocatedFile fixture;
  fixture.words = {kPlace, fixture.info(0, 8), kBlob.offset, kPlace + 8, fixture.info(0, 8), kBlob.offset};
  for (uint64_t size = 1; size <= 48; ++size) {
    fixture.tableSize = size;
    const std::string count = size == 48 ? "2" : "1";
    QCOMPARE(fixture.found(), size < 24 ? std::string("none") : count + " from " + hexText(kPlace));
  }
}

void TestElfReferences::codeOfKnownProcessorsIsRead() {
  NullMonitor monitor;
  const auto read = [&](uint16_t machine, const std::vector<SectionHeader>& sections) {
    RelocatedFile fixture;
    fixture.machine = machine;
    File file = fixture.file();
    file.sections = sections;
    return write::elf::findReferences(file, kBlob, {kSymbols, 5, {}}, {}, monitor);
  };
  SectionHeader text;
  text.type = SHT_PROGBITS;
  text.flags = SHF_ALLOC | SHF_EXECINSTR;
  text.address = kBase;
  text.size = 0x100;
  for (const uint16_t machine : {EM_X86_64, EM_386, EM_AARCH64}) {
    const auto references = read(machine, {text});
    QVERIFY(references);
    QVERIFY(references->codeRead);
  }
  const auto other = read(kOtherMachine, {text});
  QVERIFY(other);
  QVERIFY(!other->codeRead);
  // Thousands of sections may name the same code.
  text.size = kFileSize;
  QVERIFY(read(EM_X86_64, {text}));
  const auto overlapping = read(EM_X86_64, {text, text});
  QVERIFY(!overlapping);
  QCOMPARE(overlapping.error().diagnostic().idText(), std::string_view("REP-SHAPE"));
}

void TestElfReferences::searchCanBeCancelled() {
  for (const auto& [table, size] : {std::pair<uint64_t, uint64_t>{DT_RELA, DT_RELASZ}, {DT_RELR, DT_RELRSZ}}) {
    RelocatedFile fixture;
    fixture.tableTag = table;
    fixture.sizeTag = size;
    fixture.words = {kPlace, fixture.info(0, 8), kBlob.offset};
    StopAfter monitor(0);
    const auto references = fixture.find(monitor);
    QVERIFY(!references);
    QCOMPARE(references.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestElfReferences);
#include "test_elf_references.moc"
