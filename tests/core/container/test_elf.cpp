#include "core/container/elf/elf.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/carrier.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Image;

namespace {

// Places in a 64-bit ELF file, all little-endian here. Source: System V ABI, chapters 4 and 5; elf.h.
constexpr std::size_t kClass = 4, kOrder = 5, kType = 16, kPhoff = 32, kShoff = 40, kPhentsize = 54, kShentsize = 58,
                      kShnum = 60, kShstrndx = 62, kLoad = 64, kFilesz = 32;
constexpr std::size_t kSectionSize = 64, kSymbolSize = 24;
constexpr uint8_t kInfoGlobalObject = 1 << 4 | 1;

uint64_t numberAt(std::string_view file, std::size_t offset, std::size_t bytes) {
  uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file.at(offset + i));
  return value;
}

/// Function, data, undefined, number, data, in this order.
ElfBuilder usual() {
  ElfBuilder elf;
  elf.function("run").data("weights", "\1\2\3\4").undefined("malloc").symbol("answer", 42, 0, 1 << 4, 0xfff1);
  elf.data("tail", "end");
  return elf;
}

/// The symbols of usual(), as read from one of its tables.
std::string usualSymbols(const char* table) {
  std::string text = "run function global defined T 4 31c0c390\n"
                     "weights object global defined T 4 01020304\n"
                     "malloc function global undefined T 0\n"
                     "answer none global absolute T 0\n"
                     "tail object global defined T 3 656e64\n";
  for (std::size_t at = 0; (at = text.find(" T ", at)) != std::string::npos;) text.replace(at + 1, 1, table);
  return text;
}

/// Offset in a little-endian 64-bit file of the content of a section.
std::size_t sectionOffset(const std::string& file, std::string_view name) {
  const auto image = readBytes(file);
  const container::Section* const section = image ? findSection(*image, name) : nullptr;
  return section ? section->file.offset : std::string::npos;
}

/// Offset of the header of a section.
std::size_t headerOffset(const std::string& file, std::string_view name) {
  const auto image = readBytes(file);
  for (std::size_t i = 0; image && i < image->sections.size(); ++i)
    if (image->sections[i].name == name) return numberAt(file, kShoff, 8) + i * kSectionSize;
  return std::string::npos;
}

/// Offset of the value of an entry of .dynamic.
std::size_t dynamicValue(const std::string& file, uint64_t tag) {
  for (std::size_t at = sectionOffset(file, ".dynamic"); at + 16 <= file.size(); at += 16)
    if (numberAt(file, at, 8) == tag) return at + 8;
  return std::string::npos;
}

/// Reads everything that a package can return.
void readEverything(const library::Package& package) {
  const Image& image = package.image;
  uint64_t sum = 0;
  const auto touch = [&](const std::optional<Bytes>& part) {
    if (!part) return;
    for (const char c : part->view()) sum += static_cast<unsigned char>(c);
  };
  for (const container::Symbol& symbol : image.symbols) {
    touch(image.findBytesOf(symbol));
    touch(image.findBytesAt(symbol.value));
    for (const char c : symbol.name) sum += static_cast<unsigned char>(c);
    if (const auto* const section = image.findSectionOf(symbol)) sum += section->name.size();
  }
  for (const container::Section& section : image.sections)
    touch(image.file.slice(section.file.offset, section.file.size));
  for (const Diagnostic& diagnostic : package.diagnostics) sum += diagnostic.message().size();
  volatile uint64_t sink = sum;
  (void)sink;
}

std::string rootOnlyBlob() { return classicBlob({{"_lib", ""}}, std::vector<std::vector<uint64_t>>(1)); }

std::string smallLibrary(bool is64, bool bigEndian) {
  ElfBuilder elf;
  elf.is64 = is64;
  elf.bigEndian = bigEndian;
  elf.staticSymbols = true;
  elf.function("run").undefined("malloc");
  elf.data("__tvm_dev_mblob", rootOnlyBlob());
  elf.data("end", "1");
  return elf.build();
}

} // namespace

class TestElf : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void symbolsAreReadFromEveryVariant_data();
  void symbolsAreReadFromEveryVariant();
  void symbolTablesAreReadInEveryCombination_data();
  void symbolTablesAreReadInEveryCombination();
  void fileTypeDecidesTheKind_data();
  void fileTypeDecidesTheKind();
  void machineDecidesTheArchitecture_data();
  void machineDecidesTheArchitecture();
  void sectionsAreRead();
  void segmentsAreRead();
  void symbolTypesAndBindingsAreRead_data();
  void symbolTypesAndBindingsAreRead();
  void anySymbolNameIsRead_data();
  void anySymbolNameIsRead();
  void symbolsHaveTheirBytes();
  void staleSectionNumberIsIgnored_data();
  void staleSectionNumberIsIgnored();
  void damagedHeaderIsRefused_data();
  void damagedHeaderIsRefused();
  void damagedTableKeepsTheOthers_data();
  void damagedTableKeepsTheOthers();
  void namesOutsideTheStringTableAreReported();
  void bytesOfSymbolNamesAreLimited_data();
  void bytesOfSymbolNamesAreLimited();
  void bytesOfSectionNamesAreLimited();
  void wrongSymbolSizeIsNamed();
  void wrongHashCountFindsTheTrueSymbols_data();
  void wrongHashCountFindsTheTrueSymbols();
  void gnuHashGivesTheNumberOfSymbols_data();
  void gnuHashGivesTheNumberOfSymbols();
  void hashOfS390xHasWideEntries();
  void countsInTheFirstSectionHeaderAreRead();
  void numberOfSectionsIsLimited();
  void extendedSectionNumbersAreRead();
  void memberOffsetsCountFromTheMember();
  void everyTruncationIsReported_data();
  void everyTruncationIsReported();
  void everyChangedByteIsSafe_data();
  void everyChangedByteIsSafe();
  void readingCanBeCancelled();
};

void TestElf::symbolsAreReadFromEveryVariant_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::addColumn<bool>("sections");
  QTest::addColumn<int>("hashes");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      for (const bool withSections : {false, true})
        for (const int hashes : {1, 2, 3})
          QTest::addRow("%s bit, %s endian, %s, %s", is64 ? "64" : "32", bigEndian ? "big" : "little",
                        withSections ? "sections" : "no section headers",
                        hashes == 1   ? "sysv hash"
                        : hashes == 2 ? "gnu hash"
                                      : "both hashes")
              << is64 << bigEndian << withSections << hashes;
}

/// The same symbols for every class, byte order, section headers and hash table.
void TestElf::symbolsAreReadFromEveryVariant() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  QFETCH(bool, sections);
  QFETCH(int, hashes);
  ElfBuilder elf = usual();
  elf.is64 = is64;
  elf.bigEndian = bigEndian;
  elf.machine = is64 ? (bigEndian ? 21 : 62) : (bigEndian ? 20 : 40);
  elf.sectionHeaders = sections;
  elf.sysvHash = hashes & 1;
  elf.gnuHash = hashes & 2;
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QCOMPARE(image->bits, is64 ? 64u : 32u);
  QCOMPARE(image->bigEndian, bigEndian);
  QCOMPARE(image->arch, is64 ? (bigEndian ? "powerpc64"s : "x86_64"s) : (bigEndian ? "powerpc"s : "arm"s));
  QVERIFY(image->kind == container::Kind::Shared);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
  QCOMPARE(image->sections.empty(), !sections);
  const auto* const weights = findSymbol(*image, "weights");
  QVERIFY(weights);
  QCOMPARE(weights->value, elf.base + elf.offsetOf("weights"));
  QCOMPARE(findSymbol(*image, "answer")->value, uint64_t{42});
  // Without sections the loaded part is everything, up to its end.
  QCOMPARE(image->findBytesOf(*weights)->size(), uint64_t{7});
  const auto* const holder = image->findSectionOf(*weights);
  QCOMPARE(holder ? std::string(holder->name) : ""s, sections ? ".rodata"s : ""s);
}

void TestElf::symbolTablesAreReadInEveryCombination_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<bool>("dynamic");
  QTest::addColumn<bool>("staticSymbols");
  QTest::addColumn<bool>("sections");
  QTest::addColumn<bool>("hashes");
  QTest::addColumn<std::string>("symbols");
  const std::string dynamic = usualSymbols("dynamic"), fixed = usualSymbols("static");
  const auto row = [](const char* name, int type, bool dyn, bool stat, bool sections, bool hashes,
                      std::string symbols) {
    QTest::newRow(name) << type << dyn << stat << sections << hashes << std::move(symbols);
  };
  row("stripped library", 3, true, false, true, true, dynamic);
  row("both tables, the loader's first", 3, true, true, true, true, dynamic + fixed);
  row("both tables, but no section headers", 3, true, true, false, true, dynamic);
  row(".symtab only", 3, false, true, true, true, fixed);
  row("no table", 3, false, false, true, true, "");
  row("no hash table, the section header counts", 3, true, false, true, false, dynamic);
  row("no hash table and no section headers", 3, true, false, false, false, "");
  row("executable", 2, true, true, true, true, dynamic + fixed);
  row("object file", 1, false, true, true, true, fixed);
}

void TestElf::symbolTablesAreReadInEveryCombination() {
  QFETCH(int, type);
  QFETCH(bool, dynamic);
  QFETCH(bool, staticSymbols);
  QFETCH(bool, sections);
  QFETCH(bool, hashes);
  QFETCH(std::string, symbols);
  for (const bool is64 : {false, true}) {
    ElfBuilder elf = usual();
    elf.is64 = is64;
    elf.type = static_cast<uint16_t>(type);
    elf.dynamic = dynamic;
    elf.staticSymbols = staticSymbols;
    elf.sectionHeaders = sections;
    elf.sysvHash = elf.gnuHash = hashes;
    const auto image = readBytes(elf.build());
    QVERIFY(image);
    QCOMPARE(diagnosticsText(image->diagnostics), ""s);
    QCOMPARE(symbolsText(*image), symbols);
  }
}

void TestElf::fileTypeDecidesTheKind_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<std::string>("kind");
  QTest::newRow("none") << 0 << "other"s;
  QTest::newRow("relocatable") << 1 << "object"s;
  QTest::newRow("executable") << 2 << "executable"s;
  QTest::newRow("shared") << 3 << "shared"s;
  QTest::newRow("core") << 4 << "core"s;
  QTest::newRow("of the system") << 0xfe00 << "other"s;
}

void TestElf::fileTypeDecidesTheKind() {
  QFETCH(int, type);
  QFETCH(std::string, kind);
  const auto image = readBytes(withNumber(usual().build(), kType, static_cast<uint64_t>(type), 2));
  QVERIFY(image);
  QCOMPARE(std::string(kindName(image->kind)), kind);
}

void TestElf::machineDecidesTheArchitecture_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::addColumn<std::string>("arch");
  const auto row = [](const char* name, int machine, bool is64, bool bigEndian, const char* arch) {
    QTest::newRow(name) << machine << is64 << bigEndian << std::string(arch);
  };
  row("x86", 3, false, false, "i386");
  row("x86-64", 62, true, false, "x86_64");
  row("AArch64", 183, true, false, "aarch64");
  row("AArch64, big endian", 183, true, true, "aarch64_be");
  row("ARM", 40, false, false, "arm");
  row("ARM, big endian", 40, false, true, "armeb");
  row("Hexagon", 164, false, false, "hexagon");
  row("MIPS", 8, false, true, "mips");
  row("MIPS, 64 bit, little endian", 8, true, false, "mips64el");
  row("PowerPC, 64 bit, little endian", 21, true, false, "powerpc64le");
  row("RISC-V, 32 bit", 243, false, false, "riscv32");
  row("RISC-V, 64 bit", 243, true, false, "riscv64");
  row("s390x", 22, true, true, "s390x");
  row("LoongArch, 64 bit", 258, true, false, "loongarch64");
  row("CUDA", 190, true, false, "nvptx64");
  row("AMD GPU", 224, true, false, "amdgcn");
  row("not known", 0xbeef, true, false, "");
}

void TestElf::machineDecidesTheArchitecture() {
  QFETCH(int, machine);
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  QFETCH(std::string, arch);
  ElfBuilder elf = usual();
  elf.machine = static_cast<uint16_t>(machine);
  elf.is64 = is64;
  elf.bigEndian = bigEndian;
  elf.sysvHash = false;
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  QCOMPARE(image->arch, arch);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
}

void TestElf::sectionsAreRead() {
  for (const bool is64 : {false, true}) {
    ElfBuilder elf = usual();
    elf.is64 = is64;
    elf.staticSymbols = true;
    const std::string file = elf.build();
    const auto image = readBytes(file);
    QVERIFY(image);
    QCOMPARE(sectionsText(*image), "- NULL ---\n"
                                   ".dynsym DYNSYM a--\n"
                                   ".dynstr STRTAB a--\n"
                                   ".hash HASH a--\n"
                                   ".gnu.hash GNU_HASH a--\n"
                                   ".dynamic DYNAMIC aw-\n"
                                   ".symtab SYMTAB ---\n"
                                   ".strtab STRTAB ---\n"
                                   ".shstrtab STRTAB ---\n"
                                   ".text PROGBITS a-x\n"
                                   ".rodata PROGBITS a--\n"s);
    const auto* const data = findSection(*image, ".rodata");
    QVERIFY(data);
    QCOMPARE(data->file.offset, elf.dataOffset());
    QCOMPARE(data->file.size, uint64_t{7});
    QCOMPARE(data->size, uint64_t{7});
    QCOMPARE(data->address, elf.base + elf.dataOffset());
    QCOMPARE(findSection(*image, ".symtab")->address, uint64_t{0});
  }
}

void TestElf::segmentsAreRead() {
  const ElfBuilder elf = usual();
  const std::string file = withNumber(elf.build(), kLoad + 40, 0x8000, 8); // more memory than file
  const auto image = readBytes(file);
  QVERIFY(image);
  QCOMPARE(image->segments.size(), std::size_t{1});
  const container::Segment& segment = image->segments[0];
  QCOMPARE(segment.address, elf.base);
  QVERIFY(segment.file == (Extent{0, file.size()}));
  QCOMPARE(segment.memorySize, uint64_t{0x8000});
  QVERIFY(segment.executable && !segment.writable);
  QVERIFY(image->findBytesAt(elf.base + file.size() - 1));
  QVERIFY(!image->findBytesAt(elf.base + file.size()));
  QVERIFY(!image->findBytesAt(elf.base - 1));
  QVERIFY(image->findBytesAt(elf.base)->view() == file);
}

void TestElf::symbolTypesAndBindingsAreRead_data() {
  QTest::addColumn<int>("info");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, int binding, int type, const char* text) {
    QTest::newRow(name) << (binding << 4 | type) << std::string(text);
  };
  row("local, no type", 0, 0, "none local");
  row("global object", 1, 1, "object global");
  row("weak function", 2, 2, "function weak");
  row("section", 0, 3, "section local");
  row("file", 0, 4, "file local");
  row("common", 1, 5, "other global");
  row("thread-local", 1, 6, "tls global");
  row("indirect function", 1, 10, "function global");
  row("unique", 10, 1, "object other");
  row("largest numbers", 15, 15, "other other");
}

void TestElf::symbolTypesAndBindingsAreRead() {
  QFETCH(int, info);
  QFETCH(std::string, text);
  ElfBuilder elf;
  elf.symbol("it", 0x200000, 5, static_cast<uint8_t>(info), 5);
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  QCOMPARE(symbolsText(*image), "it " + text + " defined dynamic 5\n");
}

void TestElf::anySymbolNameIsRead_data() {
  QTest::addColumn<std::string>("name");
  QTest::newRow("empty") << ""s;
  QTest::newRow("space") << " "s;
  QTest::newRow("line feed and escape") << "a\n\x1b[31mb"s;
  QTest::newRow("not UTF-8") << "\xff\xfe\x80"s;
  QTest::newRow("UTF-8") << "\xe2\x82\xac"s;
  QTest::newRow("version") << "f@@V1"s;
  QTest::newRow("very long") << std::string(70'000, 'n');
}

void TestElf::anySymbolNameIsRead() {
  QFETCH(std::string, name);
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.data("before", "1").data(name, "2").data("behind", "3");
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{6});
  for (const std::size_t at : {1, 4}) {
    QCOMPARE(std::string(image->symbols[at].name), name);
    QVERIFY(image->findBytesOf(image->symbols[at])->view().starts_with("2"));
  }
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

void TestElf::symbolsHaveTheirBytes() {
  const ElfBuilder elf = usual();
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
  const auto bytesOf = [&](const char* name) { return image->findBytesOf(*findSymbol(*image, name)); };
  // Up to the end of the section, not of the symbol, and not into the next section.
  QCOMPARE(std::string(bytesOf("run")->view()), "\x31\xc0\xc3\x90"s);
  QCOMPARE(std::string(bytesOf("weights")->view()), "\1\2\3\4end"s);
  QCOMPARE(std::string(bytesOf("tail")->view()), "end"s);
  QVERIFY(bytesOf("tail")->data() == image->file.data() + elf.offsetOf("tail"));
  QVERIFY(!bytesOf("malloc"));
  QVERIFY(!bytesOf("answer"));
  QVERIFY(!image->findSectionOf(*findSymbol(*image, "malloc")));
  QVERIFY(!image->findSectionOf(*findSymbol(*image, "answer")));
}

void TestElf::staleSectionNumberIsIgnored_data() {
  QTest::addColumn<int>("number");
  QTest::newRow("of another section") << 1;
  QTest::newRow("of a section that is not loaded") << 6;
  QTest::newRow("after the last one") << 200;
  QTest::newRow("largest that is a number") << 0xfeff;
  QTest::newRow("reserved") << 0xff20;
}

void TestElf::staleSectionNumberIsIgnored() {
  QFETCH(int, number);
  ElfBuilder elf = usual();
  ElfBuilder probe = elf;
  probe.symbol("stale", 0, 4, kInfoGlobalObject, 1);
  elf.symbol("stale", elf.base + probe.offsetOf("weights"), 4, kInfoGlobalObject, static_cast<uint16_t>(number));
  const auto image = readBytes(elf.build());
  QVERIFY(image);
  const auto* const symbol = findSymbol(*image, "stale");
  QVERIFY(symbol && image->findSectionOf(*symbol));
  QCOMPARE(std::string(image->findSectionOf(*symbol)->name), ".rodata"s);
  QCOMPARE(std::string(image->findBytesOf(*symbol)->view()), "\1\2\3\4end"s);
}

void TestElf::damagedHeaderIsRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("reason");
  const std::string file = usual().build();
  const auto row = [](const char* name, std::string damaged, const char* reason) {
    QTest::newRow(name) << std::move(damaged) << std::string(reason);
  };
  row("magic alone", file.substr(0, 4), "the file ends at 0x4, inside the 16 identifying bytes");
  row("15 bytes", file.substr(0, 15), "the file ends at 0xf, inside the 16 identifying bytes");
  row("class 0", withNumber(file, kClass, 0, 1), "class 0 at 0x4 or byte order 1 at 0x5 does not exist");
  row("class 3", withNumber(file, kClass, 3, 1), "class 3 at 0x4 or byte order 1 at 0x5 does not exist");
  row("byte order 0", withNumber(file, kOrder, 0, 1), "class 2 at 0x4 or byte order 0 at 0x5 does not exist");
  row("byte order 255", withNumber(file, kOrder, 255, 1), "class 2 at 0x4 or byte order 255 at 0x5 does not exist");
  row("16 bytes", file.substr(0, 16), "the file ends at 0x10, inside the header of 64 bytes");
  row("one byte less than the header", file.substr(0, 63), "the file ends at 0x3f, inside the header of 64 bytes");
  row("one byte less than the header of 32 bit", withNumber(file, kClass, 1, 1).substr(0, 51),
      "the file ends at 0x33, inside the header of 52 bytes");
}

void TestElf::damagedHeaderIsRefused() {
  QFETCH(std::string, file);
  QFETCH(std::string, reason);
  const auto image = readBytes(file);
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileHeader);
  const std::string message = image.error().message();
  QVERIFY2(message.starts_with("invalid ELF header: "), message.c_str());
  QVERIFY2(message.find(reason) != std::string::npos, message.c_str());
  QVERIFY2(!message.ends_with('.'), message.c_str());
}

void TestElf::damagedTableKeepsTheOthers_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("words");
  QTest::addColumn<std::string>("symbols");
  const std::string file = usual().build();
  const std::string dynamic = usualSymbols("dynamic");
  const auto row = [](const char* name, std::string damaged, const char* id, const char* words, std::string symbols) {
    QTest::newRow(name) << std::move(damaged) << std::string(id) << std::string(words) << std::move(symbols);
  };
  row("section table after the end", withNumber(file, kShoff, file.size() + 8, 8), "FILE-TABLE",
      "invalid section header table: ", dynamic);
  row("section table partly after the end", withNumber(file, kShoff, file.size() - 70, 8), "FILE-TABLE",
      "invalid section header table: ", dynamic);
  row("section table at 2^64 - 1", withNumber(file, kShoff, UINT64_MAX, 8), "FILE-TABLE",
      "invalid section header table: its first entry at 0xffffffffffffffff extends past the end of the file at 0x",
      dynamic);
  row("section table at 2^64 - 64", withNumber(file, kShoff, UINT64_MAX - 63, 8), "FILE-TABLE",
      "invalid section header table: ", dynamic);
  row("size of a section header", withNumber(file, kShentsize, 63, 2), "FILE-TABLE",
      "invalid section header table: its entry size is 63 bytes, not 64", dynamic);
  row("too many section headers", withNumber(file, kShnum, 0xfff0, 2), "FILE-TABLE",
      "invalid section header table: its 65,520 entries at 0x", dynamic);
  // When segments cannot be used, sections find the symbols and their bytes.
  row("size of a program header", withNumber(file, kPhentsize, 55, 2), "FILE-TABLE",
      "invalid program header table: its entry size is 55 bytes, not 56", dynamic);
  row("program headers after the end", withNumber(file, kPhoff, file.size(), 8), "FILE-TABLE",
      "invalid program header table: ", dynamic);
  row("program headers at 2^64 - 8", withNumber(file, kPhoff, UINT64_MAX - 7, 8), "FILE-TABLE",
      "invalid program header table: ", dynamic);
  row("symbol table at no address", withNumber(file, dynamicValue(file, 6), 0x7000000, 8), "FILE-TABLE",
      "invalid dynamic symbol table: ", dynamic);
  row("names at no address", withNumber(file, dynamicValue(file, 5), 0x7000000, 8), "FILE-TABLE",
      "invalid dynamic symbol table: ", dynamic);
  row("size of a symbol", withNumber(file, dynamicValue(file, 11), 23, 8), "FILE-TABLE",
      "invalid dynamic symbol table: ", dynamic);
  row("segment longer than the file", withNumber(file, kLoad + kFilesz, file.size() + 1, 8), "FILE-PART",
      "the segment of program header 0 needs ", dynamic);
  row("segment of 2^64 - 1 bytes", withNumber(file, kLoad + kFilesz, UINT64_MAX, 8), "FILE-PART",
      "the segment of program header 0 needs ", dynamic);
  row("section longer than the file", withNumber(file, headerOffset(file, ".rodata") + 32, 1 << 20, 8), "FILE-PART",
      "section '.rodata' needs ", dynamic);
  row("section after the file", withNumber(file, headerOffset(file, ".hash") + 24, 1ull << 40, 8), "FILE-PART",
      "section '.hash' needs ", dynamic);
  row("section at 2^64 - 1", withNumber(file, headerOffset(file, ".hash") + 24, UINT64_MAX, 8), "FILE-PART",
      "section '.hash' needs ", dynamic);
}

/// A broken table never hides the others: it is reported, and the symbols are still listed.
void TestElf::damagedTableKeepsTheOthers() {
  QFETCH(std::string, file);
  QFETCH(std::string, id);
  QFETCH(std::string, words);
  QFETCH(std::string, symbols);
  const auto image = readBytes(file);
  QVERIFY2(image, image ? "" : image.error().message().c_str());
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.starts_with(id + ": " + words), told.c_str());
  QVERIFY2(hasError(image->diagnostics), told.c_str());
  QCOMPARE(symbolsText(*image), symbols);
}

void TestElf::namesOutsideTheStringTableAreReported() {
  const std::string file = usual().build();
  const std::size_t table = sectionOffset(file, ".dynsym");
  std::string damaged = withNumber(file, table + 1 * kSymbolSize, 0xffffffff, 4);
  damaged = withNumber(damaged, table + 5 * kSymbolSize, 100'000, 4);
  const auto image = readBytes(damaged);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{5});
  QCOMPARE(std::string(image->symbols[0].name), ""s);
  QCOMPARE(std::string(image->symbols[1].name), "weights"s);
  QCOMPARE(std::string(image->symbols[4].name), ""s);
  QVERIFY(image->findBytesOf(image->symbols[4])->view() == "end");
  QCOMPARE(image->diagnostics.size(), std::size_t{1});
  QVERIFY(image->diagnostics[0].id == DiagnosticId::FileNames);
  // The null symbol is not one of the five.
  QCOMPARE(image->diagnostics[0].message(),
           "2 of 5 symbols in .dynsym have a name outside the string table and are shown without a name"s);
}

void TestElf::bytesOfSymbolNamesAreLimited_data() {
  QTest::addColumn<bool>("object");
  QTest::newRow(".dynsym") << false;
  QTest::newRow(".symtab") << true;
}

/// 200,000 symbols that share one name of 4 MiB would require reading 800 GB.
void TestElf::bytesOfSymbolNamesAreLimited() {
  QFETCH(bool, object);
  constexpr std::size_t kCount = 200'000, kLength = 4 << 20;
  ElfBuilder elf;
  if (object) elf.type = 1;
  elf.sysvHash = elf.gnuHash = false; // the section header gives the count
  elf.symbol(std::string(kLength, 'n'), 0, 0, 1 << 4, 0);
  for (std::size_t i = 1; i < kCount; ++i) elf.symbol("", 0, 0, 1 << 4, 0);
  std::string file = elf.build();
  const std::size_t table = sectionOffset(file, object ? ".symtab" : ".dynsym");
  for (std::size_t i = 1; i <= kCount; ++i) file[table + i * kSymbolSize] = 1; // the first name is at 1
  for (std::size_t i = 1; i <= kCount; ++i)
    for (std::size_t k = 1; k < 4; ++k) file[table + i * kSymbolSize + k] = 0;

  const auto image = readBytes(file);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), kCount);
  QCOMPARE(image->symbols[0].name.size(), kLength);
  QVERIFY(image->symbols[kCount - 1].name.empty());
  uint64_t all = 0;
  for (const container::Symbol& symbol : image->symbols) all += symbol.name.size();
  QVERIFY2(all <= 16 * file.size() + 65'536, std::to_string(all).c_str());
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.find("bytes of symbol names, more than the limit of") != std::string::npos, told.c_str());
}

/// The same for section headers.
void TestElf::bytesOfSectionNamesAreLimited() {
  constexpr std::size_t kCount = 60'000, kLength = 4 << 20;
  std::string file = usual().build();
  const std::size_t names = (file.size() + 15) / 16 * 16;
  file.resize(names);
  file += std::string(kLength, 'n') + std::string(16, '\0');
  ByteBuilder headers;
  headers.raw(std::string(kSectionSize, '\0'));
  for (std::size_t i = 1; i < kCount; ++i) {
    headers.u32(0).u32(i == 1 ? 3 : 1).u64(0).u64(0).u64(names).u64(i == 1 ? kLength + 1 : 0);
    headers.u32(0).u32(0).u64(1).u64(0);
  }
  file = withNumber(file, kShoff, file.size(), 8) + headers.take();
  file = withNumber(withNumber(file, kShnum, kCount, 2), kShstrndx, 1, 2);
  const auto image = readBytes(file);
  QVERIFY(image);
  QCOMPARE(image->sections.size(), kCount);
  QCOMPARE(image->sections[1].name.size(), kLength);
  QVERIFY(image->sections[kCount - 1].name.empty());
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.find("bytes of section names, more than the limit of") != std::string::npos, told.c_str());
}

/// The message names the real reason: the address of the table is fine.
void TestElf::wrongSymbolSizeIsNamed() {
  const std::string file = usual().build();
  const auto image = readBytes(withNumber(file, dynamicValue(file, 11), 4711, 8));
  QVERIFY(image);
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.find("4711") != std::string::npos, told.c_str());
  QVERIFY2(told.find("address") == std::string::npos, told.c_str());
}

void TestElf::wrongHashCountFindsTheTrueSymbols_data() {
  QTest::addColumn<bool>("sections");
  QTest::addColumn<uint64_t>("count");
  for (const bool sections : {false, true})
    for (const uint64_t count : {uint64_t{7}, uint64_t{1000}, uint64_t{0x10000000}, uint64_t{0xffffffff}})
      QTest::addRow("%llu symbols, %s", static_cast<unsigned long long>(count),
                    sections ? "sections" : "no section headers")
          << sections << count;
}

/// DT_HASH claims more symbols than exist: the real ones are found, and no byte outside the file is read.
void TestElf::wrongHashCountFindsTheTrueSymbols() {
  QFETCH(bool, sections);
  QFETCH(uint64_t, count);
  ElfBuilder elf = usual();
  elf.gnuHash = false;
  const std::size_t hash = sectionOffset(elf.build(), ".hash");
  elf.sectionHeaders = sections;
  const std::string file = withNumber(elf.build(), hash + 4, count, 4);
  const auto image = readBytes(file);
  QVERIFY(image);
  const std::string symbols = symbolsText(*image);
  QVERIFY2(symbols.starts_with(usualSymbols("dynamic")), symbols.c_str());
  QVERIFY(image->symbols.size() < file.size() / kSymbolSize);
  const std::string told = diagnosticsText(image->diagnostics);
  if (count >= 1000) {
    QVERIFY2(hasError(image->diagnostics), told.c_str());
    QVERIFY2(told.find("FILE-PART: dynamic symbol table needs ") != std::string::npos, told.c_str());
  }
}

void TestElf::gnuHashGivesTheNumberOfSymbols_data() {
  QTest::addColumn<std::vector<uint64_t>>("words"); // bucket count, first hashed, filter words, shift
  QTest::addColumn<std::vector<uint64_t>>("rest");  // buckets and chains
  QTest::addColumn<int>("found");
  const auto row = [](const char* name, std::vector<uint64_t> words, std::vector<uint64_t> rest, int found) {
    QTest::newRow(name) << std::move(words) << std::move(rest) << found;
  };
  row("one bucket of all", {1, 1, 1, 0}, {1, 2, 2, 2, 2, 1}, 5);
  row("the first two are not hashed", {1, 3, 1, 0}, {3, 2, 2, 1, 0, 0}, 5);
  row("two buckets", {2, 2, 1, 0}, {2, 4, 2, 3, 2, 1}, 5);
  row("the higher bucket first", {2, 2, 1, 0}, {4, 2, 2, 3, 2, 1}, 5);
  row("an empty bucket", {2, 2, 1, 0}, {0, 2, 2, 2, 2, 1}, 5);
  row("none is hashed, all are undefined", {1, 6, 1, 0}, {0, 0, 0, 0, 0, 0}, 5);
  row("the chain ends early", {1, 1, 1, 0}, {1, 2, 2, 1, 0, 0}, 3);
  row("no bucket", {0, 4, 1, 0}, {0, 0, 0, 0, 0, 0}, 3);
  row("more buckets than bytes", {0xffffffff, 1, 1, 0}, {1, 2, 2, 2, 2, 1}, 0);
  row("more filter words than bytes", {1, 1, 0xffffffff, 0}, {1, 2, 2, 2, 2, 1}, 0);
}

void TestElf::gnuHashGivesTheNumberOfSymbols() {
  QFETCH(std::vector<uint64_t>, words);
  QFETCH(std::vector<uint64_t>, rest);
  QFETCH(int, found);
  ElfBuilder elf = usual();
  elf.sysvHash = false;
  const std::size_t hash = sectionOffset(elf.build(), ".gnu.hash");
  elf.sectionHeaders = false; // else the section header would help
  std::string file = elf.build();
  std::size_t at = hash;
  for (const uint64_t word : words) file = withNumber(std::move(file), std::exchange(at, at + 4), word, 4);
  at += 8; // the filter
  for (const uint64_t word : rest) file = withNumber(std::move(file), std::exchange(at, at + 4), word, 4);
  const auto image = readBytes(file);
  QVERIFY(image);
  const std::string all = usualSymbols("dynamic");
  std::size_t end = 0;
  for (int i = 0; i < found; ++i) end = all.find('\n', end) + 1;
  QCOMPARE(symbolsText(*image), all.substr(0, end));
}

/// On s390x the entries of DT_HASH have 64 bits. Source: elf.h, ELF64 of s390; glibc elf/dl-hash.
void TestElf::hashOfS390xHasWideEntries() {
  ElfBuilder elf = usual();
  elf.bigEndian = true;
  elf.machine = 22;
  elf.gnuHash = false;
  const std::size_t hash = sectionOffset(elf.build(), ".hash");
  elf.sectionHeaders = false;
  std::string file = elf.build();
  file.replace(hash, 16, "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\6"s);
  const auto image = readBytes(file);
  QVERIFY(image);
  QCOMPARE(image->arch, "s390x"s);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

/// 65,280 sections and more: the counts are in the first section header.
void TestElf::countsInTheFirstSectionHeaderAreRead() {
  std::string file = usual().build();
  const auto plain = readBytes(file);
  QVERIFY(plain);
  const std::string before = sectionsText(*plain);
  const std::size_t first = numberAt(file, kShoff, 8);
  const uint64_t count = numberAt(file, kShnum, 2), names = numberAt(file, kShstrndx, 2);
  file = withNumber(file, kShnum, 0, 2);
  file = withNumber(file, kShstrndx, 0xffff, 2);
  file = withNumber(file, first + 32, count, 8);
  file = withNumber(file, first + 40, names, 4);
  const auto image = readBytes(file);
  QVERIFY(image);
  QCOMPARE(sectionsText(*image), before);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

void TestElf::numberOfSectionsIsLimited() {
  constexpr uint64_t kCount = limits::kSections + 1;
  std::string file = usual().build();
  const std::size_t table = (file.size() + 7) / 8 * 8;
  file.resize(table + kCount * kSectionSize, '\0');
  file = withNumber(std::move(file), kShoff, table, 8);
  file = withNumber(std::move(file), kShnum, 0, 2);
  file = withNumber(std::move(file), table + 32, kCount, 8);
  const auto image = readBytes(file);
  QVERIFY(image);
  QVERIFY(image->sections.empty());
  QCOMPARE(diagnosticsText(image->diagnostics), "FILE-LIMIT: " + groupedText(kCount) +
                                                    " sections, more than the limit of " +
                                                    groupedText(limits::kSections) + "\n");
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
}

/// Section numbers that do not fit into a symbol are in a separate table.
void TestElf::extendedSectionNumbersAreRead() {
  ElfBuilder elf;
  elf.type = 1;
  elf.function("f1").function("f2").function("f3").data("d", "data").symbol("x", 1, 3, kInfoGlobalObject, 0xffff);
  elf.function("f4").function("f5").function("f6").function("f7");
  std::string file = elf.build();
  // .text serves as the table: one word per symbol.
  const std::size_t text = sectionOffset(file, ".text");
  const auto before = readBytes(file);
  QVERIFY(before);
  uint64_t rodata = 0;
  while (before->sections[rodata].name != ".rodata") ++rodata;
  file = withNumber(file, headerOffset(file, ".text") + 4, 18, 4);
  file = withNumber(file, text + 5 * 4, rodata, 4);
  const auto image = readBytes(file);
  QVERIFY(image);
  const auto* const symbol = findSymbol(*image, "x");
  QVERIFY(symbol);
  QVERIFY(image->findSectionOf(*symbol));
  QCOMPARE(std::string(image->findSectionOf(*symbol)->name), ".rodata"s);
  QCOMPARE(std::string(image->findBytesOf(*symbol)->view()), "ata"s);

  // Without the table the symbol has no place.
  const auto* const lost = findSymbol(*before, "x");
  QVERIFY(lost && !before->findSectionOf(*lost) && !before->findBytesOf(*lost));
}

/// A member of an archive: offsets count from the start of the member, places from the start of the file.
void TestElf::memberOffsetsCountFromTheMember() {
  const ElfBuilder elf = usual();
  const std::string file = elf.build();
  const auto owner = source("padding!" + file + "behind");
  NullMonitor monitor;
  const auto image = container::readElf(Bytes(owner, owner->view(), 0x1000).slice(8, file.size()), monitor);
  QVERIFY(image);
  QCOMPARE(symbolsText(*image), usualSymbols("dynamic"));
  QCOMPARE(image->findBytesOf(*findSymbol(*image, "tail"))->offset(), std::optional(0x1008 + elf.offsetOf("tail")));
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

void TestElf::everyTruncationIsReported_data() {
  QTest::addColumn<std::string>("file");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      QTest::addRow("%s bit, %s endian", is64 ? "64" : "32", bigEndian ? "big" : "little")
          << smallLibrary(is64, bigEndian);
  ElfBuilder object;
  object.type = 1;
  object.function("run").data("__tvm_dev_mblob", rootOnlyBlob());
  QTest::newRow("object") << object.build();
}

/// Every truncation is reported, by an error or by a diagnostic of the opened file.
void TestElf::everyTruncationIsReported() {
  QFETCH(std::string, file);
  const auto whole = openBytes(file);
  QVERIFY(whole);
  QVERIFY2(!hasError((*whole)->diagnostics), diagnosticsText((*whole)->diagnostics).c_str());
  QCOMPARE((*whole)->blobs.size(), std::size_t{1});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto package = openBytes(std::string_view(file).substr(0, size));
    const std::string cut = "cut at " + std::to_string(size);
    if (!package) {
      QVERIFY2(!package.error().message().empty(), cut.c_str());
      continue;
    }
    QVERIFY2(hasError((*package)->diagnostics), cut.c_str());
    readEverything(**package);
  }
}

void TestElf::everyChangedByteIsSafe_data() { everyTruncationIsReported_data(); }

void TestElf::everyChangedByteIsSafe() {
  QFETCH(std::string, file);
  std::size_t opened = 0;
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int change : {0, 1, 2}) {
      std::string damaged = file;
      const char old = damaged[at];
      damaged[at] = change == 0 ? '\0' : change == 1 ? '\xff' : static_cast<char>(old ^ 0x80);
      if (damaged[at] == old) continue;
      const auto package = openBytes(damaged);
      if (!package) {
        QVERIFY(!package.error().message().empty());
        continue;
      }
      ++opened;
      readEverything(**package);
    }
  // Nearly everything but magic, class and byte order still opens.
  QVERIFY(opened > file.size());
}

void TestElf::readingCanBeCancelled() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  for (int i = 0; i < 9'000; ++i) elf.function("f" + std::to_string(i));
  const std::string file = elf.build();
  for (const int looks : {0, 1, 2, 3}) {
    StopAfter monitor(looks);
    const auto image = container::readImage(bytes(file), monitor);
    QVERIFY2(!image, std::to_string(looks).c_str());
    QVERIFY(image.error().code() == ErrorCode::Cancelled);
  }
  StopAfter patient(4);
  const auto image = container::readImage(bytes(file), patient);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{18'000});
}

BLOBSCOPE_TEST(TestElf);
#include "test_elf.moc"
