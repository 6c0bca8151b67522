#include "core/payloads/sniff.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// The beginning of an ELF file for that machine.
std::string elf(unsigned machine, bool bigEndian = false) {
  std::string out = "\x7f\x45\x4c\x46\x02"s + (bigEndian ? '\2' : '\1') + std::string(14, '\0');
  out[bigEndian ? 19 : 18] = static_cast<char>(machine);
  out[bigEndian ? 18 : 19] = static_cast<char>(machine >> 8);
  return out;
}

} // namespace

class TestSniff : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void contentIsRecognised_data();
  void contentIsRecognised();
  void truncatedHeaderIsAnElf();
  void textContentsAreKnown();
};

void TestSniff::contentIsRecognised_data() {
  QTest::addColumn<std::string>("content");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string content, const char* expected) {
    QTest::newRow(name) << std::move(content) << std::string(expected);
  };
  row("nothing", "", "");
  row("zeros", std::string(64, '\0'), "");
  row("fat binary", "\x50\xed\x55\xba", "fatbin");
  row("cubin", elf(190), "cubin");
  row("code object of AMD", elf(224), "hsaco");
  row("Hexagon", elf(164), "hexagon-elf");
  row("Hexagon, big-endian", elf(164, true), "hexagon-elf");
  row("x86-64", elf(62), "elf");
  row("a machine with that low byte only", elf(0x1be), "elf");
  row("SPIR-V", "\x03\x02\x23\x07", "spirv");
  row("SPIR-V in the other byte order", "\x07\x23\x02\x03", "");
  row("Metal library", "MTLB", "metallib");
  row("bundle", "__CLANG_OFFLOAD_BUNDLE__", "bundle");
  row("compressed bundle", "CCOB\2\0\1\0"s, "bundle");
  row("text like a compressed bundle", "CCOB is a magic number", "text");
  row("bitcode", "BC\xc0\xde", "llvm-bitcode");
  row("bitcode with a wrapper", "\xde\xc0\x17\x0b", "llvm-bitcode");
  row("PTX", ".version 8.0\n", "ptx");
  row("PTX behind comments and blank lines", "\n// a\n \t\n  .version 8.0\n", "ptx");
  row("a comment alone", "// .version 8.0\n", "text");
  row("a directive behind other text", "x\n.version 8.0\n", "text");
  row("an object", "{\"a\": 1}", "json");
  row("a list behind white space", " \t\r\n[1]", "json");
  row("what only begins like JSON", "{ not JSON", "json");
  row("text", "kernel void add() {}\n", "text");
  row("text in UTF-8", "µs\n", "text");
  row("white space", " \n\t", "text");
  row("a NUL in text", "a\0b"s, "");
  row("a control character in text", "a\x1b[0m", "");
  row("bytes that are no UTF-8", "a\xff", "");
  row("a character that is cut off", "a\xc2", "");
  row("4,096 bytes that end inside a character that goes on", std::string(4'095, 'a') + "µ", "text");
  row("a wrong byte behind 4,096", std::string(4'096, 'a') + "\xff", "text");
  row("a wrong byte as the 4,096th", std::string(4'095, 'a') + "\xff" + "a", "text");
}

void TestSniff::contentIsRecognised() {
  QFETCH(std::string, content);
  QFETCH(std::string, expected);
  QCOMPARE(std::string(payloads::sniff(bytes(content))), expected);
}

void TestSniff::truncatedHeaderIsAnElf() {
  const std::string whole = elf(190);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string_view found = payloads::sniff(bytes(whole.substr(0, size)));
    // Four bytes make it an ELF; what it is for stands at the end of the header.
    QCOMPARE(std::string(found), std::string(size < 4 ? "" : "elf"));
  }
}

void TestSniff::textContentsAreKnown() {
  for (const char* text : {"ptx", "json", "text"}) QVERIFY(payloads::isText(text));
  for (const char* other : {"", "elf", "spirv", "Text"}) QVERIFY(!payloads::isText(other));
}

BLOBSCOPE_TEST(TestSniff);
#include "test_sniff.moc"
