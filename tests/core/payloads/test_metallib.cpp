#include "core/payloads/metallib/metallib.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string tag(const std::string& name, const std::string& content) {
  return ByteBuilder().raw(name).u16(static_cast<uint16_t>(content.size())).raw(content).take();
}

/// The tags of a function, preceded by their size.
std::string function(const std::string& name, uint8_t type, uint64_t offset, uint64_t size) {
  const std::string tags = tag("NAME", name + '\0') + tag("TYPE", std::string(1, static_cast<char>(type))) +
                           tag("HASH", std::string(32, '\x5a')) + tag("ABCD", "of no known meaning") +
                           tag("MDSZ", ByteBuilder().u64(size).take()) +
                           tag("OFFT", ByteBuilder().u64(7).u64(8).u64(offset).take()) +
                           tag("VERS", ByteBuilder().u16(2).u16(6).u16(3).u16(1).take()) + "ENDT";
  return ByteBuilder().u32(static_cast<uint32_t>(tags.size() + 4)).raw(tags).take();
}

/// Two functions whose code is not bitcode.
std::string metallib(uint32_t count = 2) {
  const std::string functions = ByteBuilder()
                                    .u32(count)
                                    .raw(function("add_kernel", 2, 0, 16))
                                    .raw(function("shade", 9, 16, 8))
                                    .raw("ENDT")
                                    .take();
  const uint64_t metadata = 88 + functions.size(), code = metadata + 16;
  return ByteBuilder()
      .raw("MTLB")
      .u16(0x8001)
      .u16(2)
      .u16(7)
      .u8(0)
      .u8(0x81)
      .u16(14)
      .u16(0)
      .u64(code + 24)
      .u64(88)
      .u64(functions.size() - 8)
      .u64(metadata)
      .u64(8)
      .u64(metadata + 8)
      .u64(8)
      .u64(code)
      .u64(24)
      .raw(functions)
      .raw(std::string(40, 'x'))
      .take();
}

} // namespace

class TestMetallib : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void functionsAndPlatformAreShown();
  void wrongFunctionCountKeepsTheRest();
  void wrongSizeIsReported();
  void anyDamageIsSafeUnderSanitizers();
};

void TestMetallib::functionsAndPlatformAreShown() {
  const std::string whole = metallib();
  const view::PageList list = pagesNow(payloads::kMetallib, bytes(whole));
  QCOMPARE(list.size(), std::size_t{2});
  QCOMPARE(factOf(list, "Metal library", "platform"), std::optional("macOS"s));
  QCOMPARE(factOf(list, "Metal library", "version"), std::optional("2.7"s));
  QCOMPARE(factOf(list, "Metal library", "type"), std::optional("executable"s));
  QCOMPARE(factOf(list, "Metal library", "system"), std::optional("macOS 14"s));
  QCOMPARE(factOf(list, "Metal library", "functions"), std::optional("2"s));
  QCOMPARE(factOf(list, "Metal library", "file size"), std::optional(sizeText(whole.size())));
  const std::string hash = hexDigits(std::string(32, '\x5a'));
  QCOMPARE(pageText(list, "Library functions"), "name|type|AIR|Metal|bitcode at|bitcode bytes|SHA-256\n"
                                                "add_kernel|kernel|2.6|3.1|" +
                                                    hexText(whole.size() - 24) + "|16|" + hash + "\n" +
                                                    "shade|9|2.6|3.1|" + hexText(whole.size() - 8) + "|8|" + hash +
                                                    "\n");
}

void TestMetallib::wrongFunctionCountKeepsTheRest() {
  QCOMPARE(pageText(pagesNow(payloads::kMetallib, bytes(metallib(0xffffffff))), "Damage").substr(0, 41),
           "4,294,967,295 functions at 0x58 cannot fi"s);
  // There is no third function: the two existing ones are kept.
  const view::PageList list = pagesNow(payloads::kMetallib, bytes(metallib(3)));
  QCOMPARE(factOf(list, "Metal library", "functions"), std::optional("2"s));
  QVERIFY(pageText(list, "Damage") != "no page Damage\n");
}

void TestMetallib::wrongSizeIsReported() {
  const view::PageList list = pagesNow(payloads::kMetallib, bytes(metallib() + "more"));
  QVERIFY(pageText(list, "Damage").starts_with("the header says that the library has "));
  QCOMPARE(pageText(pagesNow(payloads::kMetallib, bytes("MTLB\x01\x80"s)), "Metal library"),
           "no page Metal library\n"s);
}

void TestMetallib::anyDamageIsSafeUnderSanitizers() { QVERIFY(readDamaged(payloads::kMetallib, metallib()) > 0); }

BLOBSCOPE_TEST(TestMetallib);
#include "test_metallib.moc"
