#include "core/payloads/elf/elf.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

ElfBuilder small() {
  ElfBuilder builder;
  builder.function("add").data("table", "0123").undefined("printf");
  return builder;
}

/// An ELF of either class and byte order with one loaded segment, which contains a dynamic section and its names.
std::string withDynamic(bool is64, bool bigEndian) {
  std::string out = "\x7f\x45\x4c\x46";
  const auto put = [&](uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * (bigEndian ? size - 1 - i : i)));
  };
  const unsigned wide = is64 ? 8 : 4;
  const std::string names = "\0liba.so\0libb.so\0libme.so\0"s;
  const uint64_t header = is64 ? 64 : 52, program = is64 ? 56 : 32;
  const uint64_t dynamic = header + 2 * program, dynamicSize = 6 * 2 * wide, strings = dynamic + dynamicSize;
  const uint64_t end = strings + names.size(), base = 0x1000;
  out += is64 ? '\2' : '\1';
  out += bigEndian ? '\2' : '\1';
  out += "\1" + std::string(9, '\0');
  put(3, 2), put(164, 2), put(1, 4), put(0, wide), put(header, wide), put(0, wide), put(0x68, 4);
  put(header, 2), put(program, 2), put(2, 2), put(0, 2), put(0, 2), put(0, 2);
  const auto segment = [&](uint32_t type, uint64_t offset, uint64_t size) {
    put(type, 4);
    if (is64) put(5, 4);
    put(offset, wide), put(base + offset, wide), put(base + offset, wide), put(size, wide), put(size, wide);
    if (!is64) put(5, 4);
    put(4, wide);
  };
  segment(1, 0, end);
  segment(2, dynamic, dynamicSize);
  for (const auto& [tag, value] :
       {std::pair<uint64_t, uint64_t>{1, 1}, {1, 9}, {14, 17}, {5, base + strings}, {10, names.size()}, {0, 0}})
    put(tag, wide), put(value, wide);
  return out + names;
}

} // namespace

class TestPayloadElf : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void sectionsAndSymbolsAreShown();
  void dynamicEntriesAreShown_data();
  void dynamicEntriesAreShown();
  void flagsDecideTheHexagonVersion_data();
  void flagsDecideTheHexagonVersion();
  void pagesOfLargeFilesAreDeferred();
  void anyDamageIsSafeUnderSanitizers();
  void corpusHexagonFileIsRead();
};

void TestPayloadElf::sectionsAndSymbolsAreShown() {
  const view::PageList pages = pagesNow(payloads::kElf, bytes(small().build()));
  QCOMPARE(pageText(pages, "ELF").substr(0, 77),
           "class|64 bit\nbyte order|little endian\ntype|shared object\nmachine|x86-64 (62)\n"s);
  const std::string symbols = pageText(pages, "Symbols");
  QVERIFY(symbols.starts_with("name|type|binding|section|value|bytes|table\n"));
  QVERIFY(symbols.find("\nadd|function|global|.text|") != std::string::npos);
  QVERIFY(symbols.find("|4|dynamic\n") != std::string::npos);
  QVERIFY(symbols.find("|global|undefined|0x0|0|dynamic\n") != std::string::npos);
  QVERIFY(pageText(pages, "Sections").find("\n.rodata|PROGBITS|") != std::string::npos);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
}

void TestPayloadElf::dynamicEntriesAreShown_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::newRow("64 little") << true << false;
  QTest::newRow("64 big") << true << true;
  QTest::newRow("32 little") << false << false;
  QTest::newRow("32 big") << false << true;
}

void TestPayloadElf::dynamicEntriesAreShown() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  const std::string whole = withDynamic(is64, bigEndian);
  QCOMPARE(pageText(pagesNow(payloads::kHexagonElf, bytes(whole)), "ELF"),
           "class|"s + (is64 ? "64" : "32") + " bit\nbyte order|" + (bigEndian ? "big" : "little") +
               " endian\ntype|shared object\nmachine|Hexagon (164)\nDSP version|v68\nflags|0x68\n"
               "soname|libme.so\nneeded library|liba.so\nneeded library|libb.so\n");
  QVERIFY(readDamaged(payloads::kHexagonElf, whole) > 0);
}

void TestPayloadElf::flagsDecideTheHexagonVersion_data() {
  QTest::addColumn<uint>("flags");
  QTest::addColumn<QString>("name");
  QTest::newRow("none") << 0U << "nothing";
  QTest::newRow("v5") << 4U << "v5";
  QTest::newRow("v55") << 5U << "v55";
  QTest::newRow("no version") << 6U << "nothing";
  QTest::newRow("v60") << 0x60U << "v60";
  QTest::newRow("v68") << 0x68U << "v68";
  QTest::newRow("v67t") << 0x8067U << "v67t";
  QTest::newRow("v79") << 0x79U << "v79";
}

void TestPayloadElf::flagsDecideTheHexagonVersion() {
  QFETCH(uint, flags);
  QFETCH(QString, name);
  QCOMPARE(payloads::hexagonVersion(flags).value_or("nothing"), name.toStdString());
}

void TestPayloadElf::pagesOfLargeFilesAreDeferred() {
  std::string whole = small().build();
  const std::size_t symbols = pagesNow(payloads::kElf, bytes(whole)).size();
  whole.resize((std::size_t{32} << 20) + 1);
  view::PageList list;
  const Bytes content = bytes(whole);
  payloads::kElf.pages(content, list);
  QCOMPARE(list.size(), symbols);
  NullMonitor monitor;
  for (std::size_t i = 1; i < list.size(); ++i) {
    QVERIFY(std::holds_alternative<view::LaterPage>(list[i].content));
    const auto page = view::pageNow(list[i], monitor);
    QVERIFY(page && std::get<view::TablePage>(page->content).source->rowCount() > 2);
    QCOMPARE(page->name, list[i].name);
  }
}

void TestPayloadElf::anyDamageIsSafeUnderSanitizers() {
  for (const bool is64 : {true, false}) {
    ElfBuilder builder = small();
    builder.is64 = is64;
    builder.staticSymbols = true;
    QVERIFY(readDamaged(payloads::kElf, builder.build()) > 0);
  }
}

void TestPayloadElf::corpusHexagonFileIsRead() {
  const auto library = corpusLibrary("tvm-0.27-tir-hexagon.so");
  if (!library) QSKIP("corpus absent: tvm-0.27-tir-hexagon.so");
  const std::vector<Bytes> codes = codeIn(*library);
  QCOMPARE(codes.size(), std::size_t{1});
  const view::PageList pages = pagesNow(payloads::kHexagonElf, codes[0]);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
  QCOMPARE(pageText(pages, "ELF"), "class|32 bit\nbyte order|little endian\ntype|shared object\nmachine|Hexagon (164)\n"
                                   "DSP version|v68\nflags|0x68\n"s);
  QVERIFY(pageText(pages, "Symbols").find("__tvm_ffi_hex_add|function|global|.text|0x106e0|2460|dynamic\n") !=
          std::string::npos);
}

BLOBSCOPE_TEST(TestPayloadElf);
#include "test_payload_elf.moc"
