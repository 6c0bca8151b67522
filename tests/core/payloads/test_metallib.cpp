#include "core/payloads/metallib/metallib.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::metallib_builder;
using namespace std::string_literals;

class TestMetallib : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void functionsAndPlatformAreShown();
  void wrongFunctionCountKeepsTheRest();
  void wrongSizeIsReported();
};

void TestMetallib::functionsAndPlatformAreShown() {
  const std::string whole = metallib();
  const view::PageList list = resolvePages(payloads::kMetallib, bytes(whole));
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
  QCOMPARE(pageText(resolvePages(payloads::kMetallib, bytes(metallib(0xffffffff))), "Damage").substr(0, 41),
           "4,294,967,295 functions at 0x58 cannot fi"s);
  // There is no third function: the two existing ones are kept.
  const view::PageList list = resolvePages(payloads::kMetallib, bytes(metallib(3)));
  QCOMPARE(factOf(list, "Metal library", "functions"), std::optional("2"s));
  QVERIFY(pageText(list, "Damage") != "no page Damage\n");
}

void TestMetallib::wrongSizeIsReported() {
  const view::PageList list = resolvePages(payloads::kMetallib, bytes(metallib() + "more"));
  QVERIFY(pageText(list, "Damage").starts_with("the header says that the library has "));
  QCOMPARE(pageText(resolvePages(payloads::kMetallib, bytes("MTLB\x01\x80"s)), "Metal library"),
           "no page Metal library\n"s);
}

BLOBSCOPE_TEST(TestMetallib);
#include "test_metallib.moc"
