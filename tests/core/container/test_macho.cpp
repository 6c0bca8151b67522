#include "core/container/macho/macho.h"

#include "core/base/limits.h"
#include "core/container/carrier.h"
#include "core/container/macho/export_trie.h"
#include "core/container/number_at.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/builders.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"

#include <QDirIterator>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Image;
using Place = MachOBuilder::Place;

namespace {

Result<Image> readText(std::string_view file) {
  NullMonitor monitor;
  return container::readMachO(bytes(file), monitor);
}

/// One line: name, type, binding, place, and the first bytes of the symbol.
std::string linesOf(const Image& image) {
  std::string out;
  for (const container::Symbol& symbol : image.symbols) {
    out += escaped(symbol.name) + " " + std::string(symbolTypeName(symbol.type)) + " " +
           std::string(bindingName(symbol.binding)) +
           (!symbol.defined   ? " undefined"
            : symbol.absolute ? " absolute"
                              : " defined") +
           (symbol.dynamic ? " dynamic" : " static");
    if (const auto* const section = image.findSectionOf(symbol)) out += " " + std::string(section->name);
    if (const auto content = image.findBytesOf(symbol)) out += " " + escaped(content->view().substr(0, 4));
    out += "\n";
  }
  return out;
}

/// A function, data, an undefined symbol, local symbols, a number, a debugging symbol.
MachOBuilder usualMachO() {
  MachOBuilder file;
  file.function("_run").data("_weights", "abcd").undefined("_malloc");
  file.add("_hidden", Place::Text, "hide", MachOBuilder::kLocal).add("_variable", Place::Data, "vary");
  file.add("_zeros", Place::Bss, "12345678", MachOBuilder::kLocal);
  file.symbol("/tmp/source.c", 0x64, 0, 0, 0).symbol("_answer", 0x3, 0, 0, 42);
  file.add("_weak", Place::Text, "weak", MachOBuilder::kGlobal, 0x80).symbol("_perhaps", 0x1, 0, 0x40, 0);
  return file;
}

const std::string kUsualSymbols = "_run function global defined dynamic __TEXT,__text code\n"
                                  "_weights object global defined dynamic __TEXT,__const abcd\n"
                                  "_malloc none global undefined dynamic\n"
                                  "_variable object global defined dynamic __DATA,__data vary\n"
                                  "_answer none global absolute dynamic\n"
                                  "_weak function weak defined dynamic __TEXT,__text weak\n"
                                  "_perhaps none weak undefined dynamic\n"
                                  "_hidden function local defined static __TEXT,__text hide\n"
                                  "_zeros object local defined static __DATA,__bss\n";

std::string blob() { return classicBlob({{"_lib", ""}}, std::vector<std::vector<uint64_t>>(1)); }

/// Names of a stripped library: all begin with "_", two of them with "_w".
MachOBuilder stripped(bool is64 = true, bool bigEndian = false, bool dyldInfo = false) {
  MachOBuilder file = usualMachO();
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.dyldInfo = dyldInfo;
  file.symbolTable = false;
  file.trie = "here";
  const uint64_t text = file.exportAddress(Place::Text, 0), data = file.exportAddress(Place::Const, 0);
  file.trie = trieBytes({{"", {{"_", 1}}},
                         {"", {{"run", 2}, {"w", 3}, {"else", 6}, {"answer", 7}, {"tls", 8}}},
                         {exported(text), {}},
                         {"", {{"eights", 4}, {"eak", 5}}},
                         {exported(data), {}},
                         {exported(text + 8, 0x4), {}},
                         {reexported(1, "_other"), {}},
                         {exported(42, 0x2), {}},
                         {exported(data, 0x1), {}}});
  return file;
}

const std::string kStrippedSymbols = "_run function global defined dynamic __TEXT,__text code\n"
                                     "_weights object global defined dynamic __TEXT,__const abcd\n"
                                     "_weak function weak defined dynamic __TEXT,__text weak\n"
                                     "_else other global undefined dynamic\n"
                                     "_answer none global absolute dynamic\n"
                                     "_tls tls global defined dynamic __TEXT,__const abcd\n";

/// The smallest library with everything that is read.
MachOBuilder small(bool is64, bool bigEndian) {
  MachOBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.function("_run").data("___tvm_dev_mblob", blob()).undefined("_malloc");
  file.add("_local", Place::Data, "data", MachOBuilder::kLocal);
  file.signature = "signature";
  file.trie = "here";
  file.trie = trieBytes({{"", {{"_run", 1}, {"_", 2}}},
                         {exported(file.exportAddress(Place::Text, 0)), {}},
                         {"", {{"only", 3}}},
                         {exported(file.exportAddress(Place::Const, 0)), {}}});
  return file;
}

/// Reads everything that an image can return.
void readEverything(const Image& image) {
  uint64_t sum = 0;
  const auto touch = [&](const std::optional<Bytes>& part) {
    if (!part) return;
    for (const char c : part->view()) sum += static_cast<unsigned char>(c);
  };
  for (const container::Symbol& symbol : image.symbols) {
    touch(image.findBytesOf(symbol));
    touch(image.findBytesAt(symbol.value));
    for (const char c : image.plainName(symbol)) sum += static_cast<unsigned char>(c);
    if (const auto* const section = image.findSectionOf(symbol)) sum += section->name.size();
  }
  for (const container::Section& section : image.sections) {
    for (const char c : section.name) sum += static_cast<unsigned char>(c);
    touch(image.file.slice(section.file.offset, section.file.size));
  }
  for (const Diagnostic& diagnostic : image.diagnostics) sum += diagnostic.message().size();
  volatile uint64_t sink = sum;
  (void)sink;
}

QString corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
         QStringLiteral("/libraries");
}

QStringList machoFiles() {
  QStringList files;
  for (QDirIterator it(corpusFolder(), QDir::Files, QDirIterator::Subdirectories); it.hasNext();) {
    const QString path = it.next();
    QFile file(path);
    if (file.open(QIODevice::ReadOnly) && container::looksLikeMachO(file.read(16).toStdString())) files << path;
  }
  files.sort();
  return files;
}

} // namespace

class TestMachO : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void onlyMachOIsClaimed();
  void librariesOfEveryVariantAreRead_data();
  void librariesOfEveryVariantAreRead();
  void objectSymbolsCountFromTheirSection_data();
  void objectSymbolsCountFromTheirSection();
  void sectionsAreRead();
  void debugSectionsOfObjectsAreRead();
  void fileTypeDecidesTheKind_data();
  void fileTypeDecidesTheKind();
  void cpuTypeDecidesTheArchitecture_data();
  void cpuTypeDecidesTheArchitecture();
  void symbolsOfAStrippedLibraryComeFromTheTrie_data();
  void symbolsOfAStrippedLibraryComeFromTheTrie();
  void trieAddsMissingSymbols();
  void damagedTrieNodeIsReported_data();
  void damagedTrieNodeIsReported();
  void lengthOfTrieNamesIsLimited();
  void overlappingTrieEnds();
  void commonAndAliasSymbolsAreRead();
  void wrongSectionNumberIsIgnoredInLibraries();
  void sectionsWithoutBytesAreListed();
  void numberOfSegmentsIsLimited();
  void encryptionIsReported_data();
  void encryptionIsReported();
  void symbolNamesAreRead();
  void bytesOfSymbolNamesAreLimited();
  void namesOutliveTheReader();
  void sliceOffsetsCountFromTheSlice();
  void damagedHeaderIsRefused_data();
  void damagedHeaderIsRefused();
  void damagedTableKeepsTheOthers_data();
  void damagedTableKeepsTheOthers();
  void everyTruncationIsReported_data();
  void everyTruncationIsReported();
  void everyChangedByteIsSafe_data();
  void everyChangedByteIsSafe();
  void readingCanBeCancelled();
  void corpusLibrariesHaveOneCarrier_data();
  void corpusLibrariesHaveOneCarrier();
};

void TestMachO::onlyMachOIsClaimed() {
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true}) {
      MachOBuilder file;
      file.is64 = is64;
      file.bigEndian = bigEndian;
      QVERIFY(container::looksLikeMachO(file.build()));
    }
  for (const std::string& other : {""s, "\xfe\xed\xfa"s, "\x7f\x45LF............"s, "\xca\xfe\xba\xbe"s})
    QVERIFY(!container::looksLikeMachO(other));
}

void TestMachO::librariesOfEveryVariantAreRead_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      QTest::addRow("%s bit, %s endian", is64 ? "64" : "32", bigEndian ? "big" : "little") << is64 << bigEndian;
}

void TestMachO::librariesOfEveryVariantAreRead() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  MachOBuilder file = usualMachO();
  file.is64 = is64;
  file.bigEndian = bigEndian;
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(image->format == container::Format::MachO);
  QVERIFY(image->kind == container::Kind::Shared);
  QCOMPARE(image->bits, is64 ? 64u : 32u);
  QCOMPARE(image->bigEndian, bigEndian);
  QVERIFY(image->underscores);
  QCOMPARE(linesOf(*image), kUsualSymbols);
  const auto* const weights = findSymbol(*image, "_weights");
  QVERIFY(weights);
  QCOMPARE(std::string(image->plainName(*weights)), "weights"s);
  QCOMPARE(weights->value, file.base + file.offsetOf("__const"));
  QCOMPARE(weights->size, uint64_t{0});
  QCOMPARE(image->findBytesOf(*weights)->size(), uint64_t{4}); // up to the end of the section
  QCOMPARE(image->segments.size(), std::size_t{3});
  QVERIFY(image->segments[0].executable && !image->segments[0].writable);
  QVERIFY(!image->segments[1].executable && image->segments[1].writable);
}

void TestMachO::objectSymbolsCountFromTheirSection_data() { librariesOfEveryVariantAreRead_data(); }

/// In an object file, symbols count from their section, and none is dynamic.
void TestMachO::objectSymbolsCountFromTheirSection() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  MachOBuilder file = usualMachO();
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.fileType = 1;
  file.data("___tvm_dev_mblob", "mblob");
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(image->kind == container::Kind::Object);
  QVERIFY(image->segments.empty());
  std::string expected = kUsualSymbols;
  expected.insert(expected.find("_hidden"), "___tvm_dev_mblob object global defined dynamic __TEXT,__const mblo\n");
  for (std::size_t at = 0; (at = expected.find(" dynamic", at)) != std::string::npos;)
    expected.replace(at, 8, " static");
  QCOMPARE(linesOf(*image), expected);
  const auto* const carrier = findSymbol(*image, "___tvm_dev_mblob");
  QCOMPARE(carrier->value, uint64_t{4});
  QCOMPARE(carrier->section, uint32_t{1});
  QCOMPARE(image->findBytesOf(*carrier)->view(), std::string_view("mblob"));
}

void TestMachO::sectionsAreRead() {
  MachOBuilder file = small(true, false);
  const std::string content = file.build();
  const auto image = readText(content);
  QVERIFY(image);
  QCOMPARE(sectionsText(*image), "__TEXT,__text regular a-x\n"
                                 "__TEXT,__const regular a--\n"
                                 "__DATA,__data regular aw-\n"
                                 "__DATA,__bss zerofill aw-\n"
                                 "(export trie) linkedit ---\n"
                                 "(symbol table) linkedit ---\n"
                                 "(string table) linkedit ---\n"
                                 "(code signature) linkedit ---\n"s);
  const auto* const constants = findSection(*image, "__TEXT,__const");
  QVERIFY(constants->file == (Extent{file.offsetOf("__const"), blob().size()}));
  QCOMPARE(constants->address, file.base + constants->file.offset);
  QVERIFY(findSection(*image, "(code signature)")->file == (Extent{content.size() - 9, 9}));
  QVERIFY(findSection(*image, "__DATA,__bss")->file == Extent());
}

void TestMachO::debugSectionsOfObjectsAreRead() {
  MachOBuilder file = usualMachO();
  file.fileType = 1;
  const std::string content = file.build();
  // The third section becomes a debug section.
  std::string debug = content;
  debug.replace(file.offsetOf("__DATA,__data") + 16, 8, "__DWARF\0"s);
  const auto image = readText(content), other = readText(debug);
  QVERIFY(image && other);
  const std::string before = "__TEXT,__text regular a-x\n__TEXT,__const regular a--\n",
                    behind = "(symbol table) linkedit ---\n(string table) linkedit ---\n";
  QCOMPARE(sectionsText(*image), before + "__DATA,__data regular aw-\n__DATA,__bss zerofill aw-\n" + behind);
  QCOMPARE(sectionsText(*other), before + "__DWARF,__data regular ---\n__DATA,__bss zerofill aw-\n" + behind);
}

void TestMachO::fileTypeDecidesTheKind_data() {
  QTest::addColumn<uint32_t>("type");
  QTest::addColumn<std::string>("kind");
  const auto row = [](const char* name, uint32_t type, const char* kind) {
    QTest::newRow(name) << type << std::string(kind);
  };
  row("MH_OBJECT", 1, "object");
  row("MH_EXECUTE", 2, "executable");
  row("MH_CORE", 4, "core");
  row("MH_DYLIB", 6, "shared");
  row("MH_BUNDLE", 8, "shared");
  row("MH_DSYM", 10, "other");
  row("not known", 4711, "other");
}

void TestMachO::fileTypeDecidesTheKind() {
  QFETCH(uint32_t, type);
  QFETCH(std::string, kind);
  MachOBuilder file = usualMachO();
  file.fileType = type;
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(std::string(kindName(image->kind)), kind);
}

void TestMachO::cpuTypeDecidesTheArchitecture_data() {
  QTest::addColumn<uint32_t>("cpu");
  QTest::addColumn<std::string>("arch");
  const auto row = [](const char* name, uint32_t cpu, const char* arch) {
    QTest::newRow(name) << cpu << std::string(arch);
  };
  row("x86_64", 0x01000007, "x86_64");
  row("arm64", 0x0100000c, "aarch64");
  row("arm64_32", 0x0200000c, "aarch64_32");
  row("arm", 0xc, "arm");
  row("i386", 0x7, "i386");
  row("PowerPC", 0x12, "powerpc");
  row("not known", 0xbeef, "");
}

void TestMachO::cpuTypeDecidesTheArchitecture() {
  QFETCH(uint32_t, cpu);
  QFETCH(std::string, arch);
  MachOBuilder file = usualMachO();
  file.cpuType = cpu;
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(image->arch, arch);
}

void TestMachO::symbolsOfAStrippedLibraryComeFromTheTrie_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::addColumn<bool>("dyldInfo");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      for (const bool dyldInfo : {false, true})
        QTest::addRow("%s bit, %s endian, %s", is64 ? "64" : "32", bigEndian ? "big" : "little",
                      dyldInfo ? "LC_DYLD_INFO_ONLY" : "LC_DYLD_EXPORTS_TRIE")
            << is64 << bigEndian << dyldInfo;
}

void TestMachO::symbolsOfAStrippedLibraryComeFromTheTrie() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  QFETCH(bool, dyldInfo);
  const auto image = readText(stripped(is64, bigEndian, dyldInfo).build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QCOMPARE(linesOf(*image), kStrippedSymbols);
}

/// A name that is in both is listed once.
void TestMachO::trieAddsMissingSymbols() {
  const auto image = readText(small(true, false).build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QCOMPARE(linesOf(*image), "_run function global defined dynamic __TEXT,__text code\n"
                            "___tvm_dev_mblob object global defined dynamic __TEXT,__const H\\x00\\x00\\x00\n"
                            "_malloc none global undefined dynamic\n"
                            "_only object global defined dynamic __TEXT,__const H\\x00\\x00\\x00\n"
                            "_local object local defined static __DATA,__data data\n"s);
}

void TestMachO::damagedTrieNodeIsReported_data() {
  QTest::addColumn<std::string>("trie");
  QTest::addColumn<std::string>("words");
  QTest::addColumn<std::string>("found");
  const auto row = [](const char* name, std::string trie, std::string words, std::string found) {
    QTest::newRow(name) << std::move(trie) << std::move(words) << std::move(found);
  };
  const std::string a = exported(1);
  row("cycle to the root", trieBytes({{"", {{"a", 1}}}, {a, {{"b", 0}}}}), "the node at 0x0 is reached twice", "a");
  row("cycle to itself", trieBytes({{"", {{"a", 1}}}, {a, {{"a", 1}}}}), "the node at 0x7 is reached twice", "a");
  row("long cycle", trieBytes({{"", {{"a", 1}}}, {a, {{"b", 2}}}, {a, {{"c", 1}}}}), "the node at 0x7 is reached twice",
      "a ab");
  row("a node with two parents", trieBytes({{"", {{"a", 1}, {"b", 1}}}, {a, {}}}), "the node at 0xc is reached twice",
      "a");
  row("a child outside", trieBytes({{"", {{"a", 100'000}, {"b", 1}}}, {a, {}}}),
      "the node at 0x186a0 is outside its 16 bytes", "b");
  row("a child at the end", trieBytes({{"", {{"a", 16}, {"b", 1}}}, {a, {}}}),
      "the node at 0x10 is outside its 16 bytes", "b");
  row("a name without end", "\0\1abc"s, "a name at 0x2 does not end", "");
  row("nothing after the name", "\0\1abc\0"s, "the number at 0x6 does not end or is too large", "");
  row("a number without end", "\0\1abc\0\xff\xff"s, "the number at 0x6 does not end or is too large", "");
  row("a number above 64 bits", "\0\1abc\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"s,
      "the number at 0x6 does not end or is too large", "");
  row("more children than bytes", "\0\xff"s, "a name at 0x2 does not end", "");
  row("a terminal longer than all", "\x7f\1"s, "the node at 0x0 does not end inside its 2 bytes", "");
  row("a terminal of 2^64 - 1 bytes", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,
      "the node at 0x0 does not end inside its 10 bytes", "");
  row("a terminal that is cut off", trieBytes({{"", {{"a", 1}, {"b", 2}}}, {"\0"s, {}}, {a, {}}}),
      "the node at 0xc contains 1 bytes that are truncated", "b");
  row("two defects", trieBytes({{"", {{"a", 0}, {"b", 0}, {"c", 1}}}, {a, {}}}),
      "the node at 0x0 is reached twice; further problems: 1", "c");
}

/// A broken node hides only itself, and is reported.
void TestMachO::damagedTrieNodeIsReported() {
  QFETCH(std::string, trie);
  QFETCH(std::string, words);
  QFETCH(std::string, found);
  MachOBuilder file = usualMachO();
  file.trie = trie;
  file.symbolTable = false;
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), "FILE-TABLE: invalid export trie: " + words + "\n");
  std::string names;
  for (const container::Symbol& symbol : image->symbols) names += (names.empty() ? "" : " ") + std::string(symbol.name);
  QCOMPARE(names, found);
}

void TestMachO::lengthOfTrieNamesIsLimited() {
  const std::string half(container::ExportTrie::kNameLength / 2, 'n');
  MachOBuilder file;
  file.symbolTable = false;
  file.trie = trieBytes(
      {{"", {{half, 1}}}, {"", {{half, 2}, {half + "n", 2}, {"e", 3}}}, {exported(1), {}}, {exported(1), {}}});
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{1}); // the child after the one that is too long is not found
  QCOMPARE(image->symbols[0].name.size(), std::size_t{container::ExportTrie::kNameLength});
  QVERIFY2(diagnosticsText(image->diagnostics).find("is longer than 65536 bytes") != std::string::npos,
           diagnosticsText(image->diagnostics).c_str());
}

/// Every byte is a node with many children that lead everywhere: the walk still ends.
void TestMachO::overlappingTrieEnds() {
  std::string trie = "\0\xff"s;
  for (int i = 0; trie.size() < 100'000; ++i) {
    const auto low = static_cast<char>(i % 128 | 0x80), high = static_cast<char>(i / 128 % 128);
    trie += "\0"s + low + high;
  }
  MachOBuilder file;
  file.trie = trie;
  const auto image = readText(file.build());
  QVERIFY(image);
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.find("invalid export trie") != std::string::npos, told.c_str());
}

void TestMachO::commonAndAliasSymbolsAreRead() {
  MachOBuilder file;
  file.symbol("_common", 0x1, 0, 0, 16).symbol("_alias", 0xb, 0, 0, 1).symbol("_prebound", 0xd, 0, 0, 0);
  file.symbol("_strange", 0x5, 0, 0, 0);
  const std::string rest = "_alias other global undefined T\n_prebound none global undefined T\n"
                           "_strange other global undefined T\n";
  for (const bool isObject : {false, true}) {
    file.fileType = isObject ? 1 : 6;
    const auto image = readText(file.build());
    QVERIFY(image);
    std::string expected =
        (isObject ? "_common object global absolute T\n" : "_common none global undefined T\n") + rest;
    for (std::size_t at = 0; (at = expected.find(" T\n", at)) != std::string::npos;)
      expected.replace(at, 2, isObject ? " static" : " dynamic");
    QCOMPARE(linesOf(*image), expected);
    QCOMPARE(image->symbols[0].size, uint64_t{isObject ? 16u : 0u});
  }
}

/// In a linked file the section number is only a hint; in an object nothing else gives the section.
void TestMachO::wrongSectionNumberIsIgnoredInLibraries() {
  for (const uint8_t number : {0, 1, 9, 255}) {
    MachOBuilder file = usualMachO();
    file.symbol("_lost", MachOBuilder::kGlobal, number, 0, 0);
    const uint64_t address = file.base + file.offsetOf("__const");
    const std::size_t value = file.offsetOf("symbols") + 10 * 16 + 8;
    const auto image = readText(withNumber(file.build(), value, address, 8));
    QVERIFY(image);
    QVERIFY2(linesOf(*image).find("_lost object global defined dynamic __TEXT,__const abcd\n") != std::string::npos,
             linesOf(*image).c_str());
    file.fileType = 1;
    const auto object = readText(file.build());
    QVERIFY(object);
    if (number == 1) continue;
    QVERIFY2(linesOf(*object).find("_lost none global defined static\n") != std::string::npos,
             linesOf(*object).c_str());
  }
}

/// Like a .dSYM: the sections are listed, their bytes are in the library.
void TestMachO::sectionsWithoutBytesAreListed() {
  MachOBuilder file = usualMachO();
  file.fileType = 10;
  const auto image = readText(withNumber(file.build(), file.offsetOf("__TEXT,__const") + 48, 0, 4));
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(findSection(*image, "__TEXT,__const")->file == Extent());
  QCOMPARE(findSection(*image, "__TEXT,__const")->size, uint64_t{4});
}

void TestMachO::numberOfSegmentsIsLimited() {
  MachOBuilder file = usualMachO();
  for (int i = 0; i < 5'000; ++i) file.commands.emplace_back(0x19, std::string(64, '\0'));
  const auto image = readText(file.build());
  QVERIFY(image);
  QCOMPARE(diagnosticsText(image->diagnostics), "FILE-LIMIT: 4,097 segments, more than the limit of 4,096\n"s);
  QCOMPARE(image->segments.size(), std::size_t{4'096});
  QCOMPARE(linesOf(*image), kUsualSymbols);
}

void TestMachO::encryptionIsReported_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<uint32_t>("size");
  QTest::addColumn<uint32_t>("cipher");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, bool is64, uint32_t size, uint32_t cipher, const std::string& expected) {
    QTest::newRow(name) << is64 << size << cipher << expected;
  };
  const std::string words =
      " are encrypted (cryptid 1); they are shown as stored, so blobs and strings in them are not "
      "found; decrypt the file first\n";
  row("64 bit", true, 64, 1, "FILE-ENCRYPTED: bytes 0x40 to 0x7f" + words);
  row("32 bit", false, 64, 1, "FILE-ENCRYPTED: bytes 0x40 to 0x7f" + words);
  row("only prepared for it", true, 64, 0, "");
  row("nothing", true, 0, 1, "");
  row("after the end", true, 0x10000, 1,
      "FILE-PART: encrypted part needs 65,536 bytes at 0x40, but the file has only ");
}

/// Source: Apple mach-o/loader.h, encryption_info_command, encryption_info_command_64.
void TestMachO::encryptionIsReported() {
  QFETCH(bool, is64);
  QFETCH(uint32_t, size);
  QFETCH(uint32_t, cipher);
  QFETCH(std::string, expected);
  for (const bool bigEndian : {false, true}) {
    MachOBuilder file = usualMachO();
    file.is64 = is64;
    file.bigEndian = bigEndian;
    std::string content = OrderedBytes(bigEndian, is64).u32(0x40).u32(size).u32(cipher).bytes;
    if (is64) content += std::string(4, '\0');
    file.commands.emplace_back(is64 ? 0x2c : 0x21, content);
    const auto image = readText(file.build());
    QVERIFY(image);
    QCOMPARE(linesOf(*image), kUsualSymbols);
    const std::string told = diagnosticsText(image->diagnostics);
    if (size <= 64) QCOMPARE(told, expected);
    QVERIFY2(told.starts_with(expected), told.c_str());
    if (told.empty()) continue;
    const Diagnostic& last = image->diagnostics.back();
    QVERIFY(last.id == DiagnosticId::FileEncrypted && last.severity() == Severity::Warning);
    QCOMPARE(last.place.at.value_or(0), uint64_t{0x40});
  }
  MachOBuilder small = usualMachO();
  small.commands.emplace_back(0x2c, std::string(8, '\1'));
  const auto image = readText(small.build());
  QVERIFY(image);
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.starts_with("FILE-TABLE: invalid load command LC_ENCRYPTION_INFO_64 at "), told.c_str());
}

void TestMachO::symbolNamesAreRead() {
  MachOBuilder file;
  file.function("").function("no underscore").function("_\x01\xff").function("_last");
  const std::string content = file.build();
  const std::size_t table = file.offsetOf("symbols");
  std::string damaged = withNumber(content, table, 100'000, 4);
  damaged = withNumber(damaged, table + 3 * 16, 0xffffffff, 4);
  const auto image = readText(content), other = readText(damaged);
  QVERIFY(image && other);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QCOMPARE(std::string(image->symbols[0].name), ""s);
  QCOMPARE(std::string(image->plainName(image->symbols[1])), "no underscore"s);
  QCOMPARE(std::string(image->plainName(image->symbols[2])), "\x01\xff"s);
  QCOMPARE(other->symbols.size(), std::size_t{4});
  QCOMPARE(std::string(other->symbols[3].name), ""s);
  QCOMPARE(diagnosticsText(other->diagnostics),
           "FILE-NAMES: 2 of 4 symbols in the external symbol table have a name outside the string table and are shown "
           "without a name\n"s);
}

/// All symbols share one name of megabytes.
void TestMachO::bytesOfSymbolNamesAreLimited() {
  MachOBuilder file;
  for (int i = 0; i < 5'000; ++i) file.function("f");
  const std::string content = file.build();
  std::string damaged = content + std::string(1'000'000, 'n');
  const std::size_t table = file.offsetOf("symbols");
  const uint64_t strings = damaged.size() - file.offsetOf("strings");
  for (std::size_t i = 0; i < 5'000; ++i)
    damaged = withNumber(std::move(damaged), table + i * 16, strings - 1'000'000, 4);
  damaged = withNumber(damaged, file.offsetOf("LC_SYMTAB") + 20, strings, 4);
  const auto image = readText(damaged);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{5'000});
  QCOMPARE(image->symbols[0].name.size(), std::size_t{1'000'000});
  QVERIFY(image->symbols[4'999].name.empty());
  const std::string told = diagnosticsText(image->diagnostics);
  QVERIFY2(told.find("bytes of symbol names, more than the limit of") != std::string::npos, told.c_str());
}

/// Names that are not in the file live as long as any slice of it.
void TestMachO::namesOutliveTheReader() {
  std::string_view section, symbol;
  Bytes part;
  {
    const auto image = readText(stripped().build());
    QVERIFY(image);
    section = image->sections[0].name;
    symbol = image->symbols[1].name;
    part = *image->findBytesOf(image->symbols[1]);
  }
  QCOMPARE(part.view(), std::string_view("abcd"));
  QCOMPARE(std::string(section), "__TEXT,__text"s);
  QCOMPARE(std::string(symbol), "_weights"s);
}

/// A slice of a universal file: offsets count from the start of the slice, places from the start of the file.
void TestMachO::sliceOffsetsCountFromTheSlice() {
  const MachOBuilder file = usualMachO();
  const std::string content = file.build();
  const auto owner = source("padding!" + content + "behind");
  NullMonitor monitor;
  const auto image = container::readMachO(Bytes(owner, owner->view(), 0x1000).slice(8, content.size()), monitor);
  QVERIFY(image);
  QCOMPARE(linesOf(*image), kUsualSymbols);
  QCOMPARE(image->findBytesOf(*findSymbol(*image, "_weights"))->offset(),
           std::optional(0x1008 + file.offsetOf("__const")));
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
}

void TestMachO::damagedHeaderIsRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("reason");
  const std::string file = usualMachO().build();
  QTest::newRow("nothing") << ""s << "the magic number at 0x0 is 0x0"s;
  QTest::newRow("another file") << "\x7f\x45LF"s << "the magic number at 0x0 is 0x7f454c46"s;
  QTest::newRow("magic only") << file.substr(0, 4) << "the file ends at 0x4, inside the 32 bytes of the header"s;
  QTest::newRow("31 bytes") << file.substr(0, 31) << "the file ends at 0x1f, inside the 32 bytes of the header"s;
}

void TestMachO::damagedHeaderIsRefused() {
  QFETCH(std::string, file);
  QFETCH(std::string, reason);
  const auto image = readText(file);
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileHeader);
  QCOMPARE(image.error().message(), "invalid Mach-O header: " + reason);
}

void TestMachO::damagedTableKeepsTheOthers_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("told");
  QTest::addColumn<int>("symbols");
  const MachOBuilder usualFile = usualMachO();
  const std::string file = usualFile.build();
  const auto at = [&](const char* what) { return usualFile.offsetOf(what); };
  const auto row = [](const char* name, std::string damaged, std::string told, int symbols) {
    QTest::newRow(name) << std::move(damaged) << std::move(told) << symbols;
  };
  row("no commands", withNumber(file, 16, 0, 4), "invalid load command table: the header says 0 commands up to", 0);
  row("one command too many", withNumber(file, 16, 5, 4), "the header says 5 commands up to", 9);
  row("2^32 - 1 commands", withNumber(file, 16, 0xffffffff, 4), "the header says 4,294,967,295 commands up to", 9);
  row("commands longer than the file", withNumber(file, 20, 0xffffffff, 4),
      "load command table needs 4,294,967,295 bytes", 9);
  row("commands shorter than they are", withNumber(file, 20, 72, 4), "invalid load command 0 at 0x20", 0);
  row("command of no bytes", withNumber(file, at("__DATA") + 4, 0, 4), "load command 1 at ", 0);
  row("command of 2^32 - 1 bytes", withNumber(file, at("LC_SYMTAB") + 4, 0xffffffff, 4),
      "its size is 4,294,967,295 bytes, but 8 to 24 are possible", 0);
  row("LC_SYMTAB of 8 bytes", withNumber(file, at("LC_SYMTAB") + 4, 8, 4), "it is 8 bytes long, not at least 24", 0);
  row("segment of 8 bytes", withNumber(file, at("__LINKEDIT") + 4, 8, 4), "it is 8 bytes long, not at least 72", 0);
  row("more sections than room", withNumber(file, at("__TEXT") + 64, 0xffffffff, 4),
      "it has 4,294,967,295 sections in a load command with room for 2", 9);
  row("segment longer than the file", withNumber(file, at("__DATA") + 48, UINT64_MAX, 8), "segment '__DATA' needs ", 9);
  row("segment after the file", withNumber(file, at("__DATA") + 40, UINT64_MAX, 8), "segment '__DATA' needs ", 9);
  row("section longer than the file", withNumber(file, at("__TEXT,__const") + 40, UINT64_MAX, 8),
      "section '__TEXT,__const' needs ", 9);
  row("section after the file", withNumber(file, at("__TEXT,__const") + 48, 0xffffffff, 4),
      "section '__TEXT,__const' needs ", 9);
  row("symbols after the file", withNumber(file, at("LC_SYMTAB") + 8, 0xffffffff, 4), "symbol table needs 160 bytes",
      0);
  row("2^32 - 1 symbols", withNumber(file, at("LC_SYMTAB") + 12, 0xffffffff, 4),
      "symbol table needs 68,719,476,720 bytes", -1);
  row("names after the file", withNumber(file, at("LC_SYMTAB") + 16, 0xffffffff, 4), "string table needs ", 9);
  row("names of 2^32 - 1 bytes", withNumber(file, at("LC_SYMTAB") + 20, 0xffffffff, 4),
      "string table needs 4,294,967,295", 9);
  MachOBuilder twice = usualMachO();
  twice.commands.emplace_back(0x2, std::string(16, '\1'));
  row("two symbol tables", twice.build(), "it is not the first one", 9);
  MachOBuilder signature = usualMachO();
  signature.signature = "signed";
  row("signature after the file",
      withNumber(signature.build(), signature.offsetOf("LC_CODE_SIGNATURE") + 8, 1u << 31, 4),
      "code signature needs 6 bytes at 0x80000000", 9);
}

/// A broken table never hides the others: it is reported, and the symbols are still listed.
void TestMachO::damagedTableKeepsTheOthers() {
  QFETCH(std::string, file);
  QFETCH(std::string, told);
  QFETCH(int, symbols);
  const auto image = readText(file);
  QVERIFY2(image, image ? "" : image.error().message().c_str());
  const std::string all = diagnosticsText(image->diagnostics);
  QVERIFY2(all.find(told) != std::string::npos, all.c_str());
  QVERIFY2(hasError(image->diagnostics), all.c_str());
  readEverything(*image);
  if (symbols >= 0)
    QCOMPARE(image->symbols.size(), static_cast<std::size_t>(symbols));
  else
    QVERIFY(image->symbols.size() >= 9 && image->symbols.size() < file.size() / 16);
}

void TestMachO::everyTruncationIsReported_data() {
  QTest::addColumn<std::string>("file");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      QTest::addRow("%s bit, %s endian", is64 ? "64" : "32", bigEndian ? "big" : "little")
          << small(is64, bigEndian).build();
  MachOBuilder object = small(true, false);
  object.fileType = 1;
  object.trie = {};
  QTest::newRow("object") << object.build();
  QTest::newRow("stripped") << stripped().build();
}

/// Every truncation is reported, by an error or by a diagnostic of the opened file.
void TestMachO::everyTruncationIsReported() {
  QFETCH(std::string, file);
  const auto whole = readText(file);
  QVERIFY(whole);
  QCOMPARE(diagnosticsText(whole->diagnostics), ""s);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto image = readText(std::string_view(file).substr(0, size));
    const std::string cut = "cut at " + std::to_string(size);
    if (!image) {
      QVERIFY2(!image.error().message().empty(), cut.c_str());
      continue;
    }
    QVERIFY2(hasError(image->diagnostics), cut.c_str());
    readEverything(*image);
  }
}

void TestMachO::everyChangedByteIsSafe_data() { everyTruncationIsReported_data(); }

void TestMachO::everyChangedByteIsSafe() {
  QFETCH(std::string, file);
  std::size_t opened = 0;
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int change : {0, 1, 2, 3}) {
      std::string damaged = file;
      const char old = damaged[at];
      damaged[at] = change == 0 ? '\0' : change == 1 ? '\xff' : static_cast<char>(old ^ (change == 2 ? 0x80 : 0x01));
      if (damaged[at] == old) continue;
      const auto image = readText(damaged);
      if (!image) {
        QVERIFY(!image.error().message().empty());
        continue;
      }
      ++opened;
      readEverything(*image);
    }
  QVERIFY(opened > 2 * file.size()); // nearly everything but the magic
}

void TestMachO::readingCanBeCancelled() {
  MachOBuilder file;
  for (int i = 0; i < 9'000; ++i) file.function("f" + std::to_string(i));
  file.trie = trieBytes({{"", {{"a", 1}}}, {exported(1), {}}});
  const std::string content = file.build();
  // Load commands, external symbols (3), their names (3), the trie, local symbols (3).
  for (int looks = 0; looks < 11; ++looks) {
    StopAfter monitor(looks);
    const auto image = container::readMachO(bytes(content), monitor);
    QVERIFY2(!image, std::to_string(looks).c_str());
    QVERIFY(image.error().code() == ErrorCode::Cancelled);
  }
  StopAfter patient(11);
  const auto image = container::readMachO(bytes(content), patient);
  QVERIFY(image);
  QCOMPARE(image->symbols.size(), std::size_t{9'001});
}

void TestMachO::corpusLibrariesHaveOneCarrier_data() {
  QTest::addColumn<QString>("file");
  for (const QString& file : machoFiles()) QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
  QTest::newRow("at least one") << QString(); // a test without rows would pass in silence
}

/// Real libraries: each has one carrier, whose length header fits into its section; the trie alone has it too.
void TestMachO::corpusLibrariesHaveOneCarrier() {
  QFETCH(QString, file);
  if (file.isEmpty()) {
    if (machoFiles().isEmpty()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + corpusFolder()));
    return;
  }
  QFile opened(file);
  QVERIFY(opened.open(QIODevice::ReadOnly));
  const std::string content = opened.readAll().toStdString();
  std::string onlyTrie = content;
  uint64_t at = 32;
  for (uint64_t i = 0; i < container::numberAt(content, 16, 4, false); ++i) {
    if (container::numberAt(content, at, 4, false) == 2) onlyTrie.replace(at + 8, 16, 16, '\0');
    at += container::numberAt(content, at + 4, 4, false);
  }
  for (const std::string& version : {content, onlyTrie}) {
    const auto image = readText(version);
    QVERIFY(image);
    QCOMPARE(diagnosticsText(image->diagnostics), ""s);
    int carriers = 0;
    for (const container::Symbol& symbol : image->symbols) {
      const auto match = container::matchCarrier(image->plainName(symbol));
      if (!match) continue;
      ++carriers;
      QCOMPARE(std::string(match->prefix), ""s);
      QVERIFY(symbol.defined && symbol.dynamic && symbol.type == container::SymbolType::Object);
      const auto bytes = image->findBytesOf(symbol);
      QVERIFY(bytes);
      // Nothing else follows in the section of these files.
      QCOMPARE(container::numberAt(bytes->view(), 0, 8, false) + 8, bytes->size());
      QCOMPARE(std::string(image->findSectionOf(symbol)->name), "__TEXT,__const"s);
    }
    QCOMPARE(carriers, 1);
  }
}

BLOBSCOPE_TEST(TestMachO);
#include "test_macho.moc"
