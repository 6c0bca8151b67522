#include "core/payloads/elf/elf.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::hexagon_builder;
using namespace std::string_literals;

namespace {

ElfBuilder small() {
  ElfBuilder builder;
  builder.function("add").data("table", "0123").undefined("printf");
  return builder;
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
  void corpusHexagonFileIsRead();
};

void TestPayloadElf::sectionsAndSymbolsAreShown() {
  const view::PageList pages = resolvePages(payloads::kElf, bytes(small().build()));
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
  QCOMPARE(pageText(resolvePages(payloads::kHexagonElf, bytes(whole)), "ELF"),
           "class|"s + (is64 ? "64" : "32") + " bit\nbyte order|" + (bigEndian ? "big" : "little") +
               " endian\ntype|shared object\nmachine|Hexagon (164)\nDSP version|v68\nflags|0x68\n"
               "soname|libme.so\nneeded library|liba.so\nneeded library|libb.so\n");
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
  const std::size_t symbols = resolvePages(payloads::kElf, bytes(whole)).size();
  whole.resize((std::size_t{32} << 20) + 1);
  view::PageList list;
  const Bytes content = bytes(whole);
  payloads::kElf.pages(content, list);
  QCOMPARE(list.size(), symbols);
  NullMonitor monitor;
  for (std::size_t i = 1; i < list.size(); ++i) {
    QVERIFY(std::holds_alternative<view::DeferredPage>(list[i].content));
    const auto page = view::resolvePage(list[i], monitor);
    QVERIFY(page && std::get<view::TablePage>(page->content).source->rowCount() > 2);
    QCOMPARE(page->name, list[i].name);
  }
}

void TestPayloadElf::corpusHexagonFileIsRead() {
  const auto library = corpusLibrary("tvm-0.27-tir-hexagon.so");
  if (!library) QSKIP("corpus absent: tvm-0.27-tir-hexagon.so");
  const std::vector<Bytes> codes = codeIn(*library);
  QCOMPARE(codes.size(), std::size_t{1});
  const view::PageList pages = resolvePages(payloads::kHexagonElf, codes[0]);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
  QCOMPARE(pageText(pages, "ELF"), "class|32 bit\nbyte order|little endian\ntype|shared object\nmachine|Hexagon (164)\n"
                                   "DSP version|v68\nflags|0x68\n"s);
  QVERIFY(pageText(pages, "Symbols").find("__tvm_ffi_hex_add|function|global|.text|0x106e0|2460|dynamic\n") !=
          std::string::npos);
}

BLOBSCOPE_TEST(TestPayloadElf);
#include "test_payload_elf.moc"
