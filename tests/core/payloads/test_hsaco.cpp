#include "core/payloads/hsaco/hsaco.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::hsaco_builder;
using namespace std::string_literals;

class TestHsaco : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void kernelsAndMetadataAreShown();
  void flagsDecideTheProcessor_data();
  void flagsDecideTheProcessor();
  void versionAndFlagsDecideTheTargetFeatures_data();
  void versionAndFlagsDecideTheTargetFeatures();
  void metadataInYamlIsShown();
  void targetHasItsFeatures();
  void packedMetadataIsRead_data();
  void packedMetadataIsRead();
  void packedMetadataIsLimited();
  void corpusCodeObjectIsRead();
};

void TestHsaco::kernelsAndMetadataAreShown() {
  const view::PageList pages = resolvePages(payloads::kHsaco, bytes(whole()));
  QCOMPARE(
      pageText(pages, "Code object"),
      "processor|gfx90a\nsystem|HSA\ncode object version|4\nXNACK|off\nSRAM ECC|any\ntype|shared object\nflags|0x63f\n"
      "target|amdgcn-amd-amdhsa--gfx90a:xnack-\nmetadata version|1.2\nkernels|1\n"s);
  QCOMPARE(pageText(pages, "Kernels"),
           "name|symbol|VGPRs|SGPRs|AGPRs|spilled VGPRs|spilled SGPRs|LDS bytes|scratch bytes|argument bytes|"
           "largest workgroup|wavefront|required workgroup|arguments\n"
           "add_kernel|add_kernel.kd|5|12|4|1|2|4096|16|20|256|64||1\n"s);
  QCOMPARE(pageText(pages, "Arguments"),
           "kernel|number|name|offset|bytes|kind|type|address space|access|actual access\n"
           "add_kernel|0|A|8|8|global_buffer||global||read_only\n"s);
  QCOMPARE(payloads::kHsaco.words(bytes(whole())), std::vector{"hsaco gfx90a"s});
}

void TestHsaco::flagsDecideTheProcessor_data() {
  QTest::addColumn<uint>("flags");
  QTest::addColumn<QString>("name");
  QTest::newRow("gfx900") << 0x2cU << "hsaco gfx900";
  QTest::newRow("gfx906") << 0x2fU << "hsaco gfx906";
  QTest::newRow("gfx942") << 0x14cU << "hsaco gfx942";
  QTest::newRow("gfx1030") << 0x36U << "hsaco gfx1030";
  QTest::newRow("gfx1100") << 0x41U << "hsaco gfx1100";
  QTest::newRow("gfx1201") << 0x4eU << "hsaco gfx1201";
  QTest::newRow("generic") << 0x01000054U << "hsaco gfx11-generic";
  QTest::newRow("unknown") << 0xffU << "hsaco";
}

void TestHsaco::flagsDecideTheProcessor() {
  QFETCH(uint, flags);
  QFETCH(QString, name);
  QCOMPARE(payloads::kHsaco.words(bytes(codeObject(flags, 2, ""))), std::vector{name.toStdString()});
}

void TestHsaco::versionAndFlagsDecideTheTargetFeatures_data() {
  QTest::addColumn<uint>("flags");
  QTest::addColumn<int>("abi");
  QTest::addColumn<QString>("version");
  QTest::addColumn<QString>("xnack");
  QTest::addColumn<QString>("ecc");
  QTest::newRow("V2") << 0x2cU << 0 << "2" << "" << "";
  QTest::newRow("V3 on") << 0x32cU << 1 << "3" << "on" << "on";
  QTest::newRow("V3 off") << 0x2cU << 1 << "3" << "off" << "off";
  QTest::newRow("V4 not supported") << 0x2cU << 2 << "4" << "not supported" << "not supported";
  QTest::newRow("V5 on and off") << 0xb2cU << 3 << "5" << "on" << "off";
  QTest::newRow("V6 any") << 0x52cU << 4 << "6" << "any" << "any";
  QTest::newRow("later") << 0x52cU << 9 << "" << "" << "";
}

void TestHsaco::versionAndFlagsDecideTheTargetFeatures() {
  QFETCH(uint, flags);
  QFETCH(int, abi);
  const view::PageList pages = resolvePages(payloads::kHsaco, bytes(codeObject(flags, static_cast<uint8_t>(abi), "")));
  QFETCH(QString, version);
  QFETCH(QString, xnack);
  QFETCH(QString, ecc);
  QCOMPARE(factOf(pages, "Code object", "code object version").value_or(""), version.toStdString());
  QCOMPARE(factOf(pages, "Code object", "XNACK").value_or(""), xnack.toStdString());
  QCOMPARE(factOf(pages, "Code object", "SRAM ECC").value_or(""), ecc.toStdString());
}

void TestHsaco::metadataInYamlIsShown() {
  const std::string yaml = "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: add_kernel\n";
  const view::PageList pages = resolvePages(payloads::kHsaco, bytes(codeObject(0x2c, 0, note("AMD", 10, yaml))));
  const auto* const page = std::get_if<view::TextPage>(&pages.at(1).content);
  QVERIFY(page && pages[1].name == "Metadata");
  QCOMPARE(std::string(page->text.view()), yaml);
}

void TestHsaco::targetHasItsFeatures() {
  QCOMPARE(payloads::hsacoTarget(bytes(whole())), "gfx90a:xnack-"s);
  QCOMPARE(payloads::hsacoTarget(bytes(codeObject(0xf3f, 2, ""))), "gfx90a:sramecc+:xnack+"s);
  QCOMPARE(payloads::hsacoTarget(bytes(codeObject(0x53f, 2, ""))), "gfx90a"s); // any setting of both
  QCOMPARE(payloads::hsacoTarget(bytes(codeObject(0x13f, 1, ""))), "gfx90a"s); // V3 has other bits
  QCOMPARE(payloads::hsacoTarget(bytes(codeObject(0xff, 2, ""))), ""s);
  QCOMPARE(payloads::hsacoTarget(bytes("no ELF")), ""s);
}

void TestHsaco::packedMetadataIsRead_data() {
  QTest::addColumn<QByteArray>("packed");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, const char* packed, const char* value) {
    QTest::newRow(name) << QByteArray::fromHex(packed) << value;
  };
  row("small number", "7f", "127");
  row("small negative", "e0", "-32");
  row("u8", "ccff", "255");
  row("u16", "cd0100", "256");
  row("u32", "ceffffffff", "4294967295");
  row("u64", "cfffffffffffffffff", "18446744073709551615");
  row("i8", "d080", "-128");
  row("i16", "d18000", "-32768");
  row("i32", "d2ffffffff", "-1");
  row("i64", "d38000000000000000", "-9223372036854775808");
  row("half", "ca3f000000", "0.500000");
  row("double", "cb3fe0000000000000", "0.500000");
  row("nothing", "c0", "");
  row("yes", "c3", "yes");
  row("text", "a3616263", "abc");
  row("bytes", "c402610a", "a\\n");
  row("extension", "d50141420a", "AB");
  row("list", "93010203", "[1, 2, 3]");
  row("list of 16-bit count", "dc000101", "[1]");
  row("map", "81a16101", "1 members");
  row("unused", "c1", "unreadable");
  row("cut", "cd01", "unreadable");
  row("cut text", "a36162", "unreadable");
  row("count of 4 billion", "ddffffffff01", "unreadable");
  row("map of 4 billion", "dfffffffff01", "unreadable");
  row("text of 4 GiB", "dbffffffff41", "unreadable");
}

void TestHsaco::packedMetadataIsRead() {
  QFETCH(QByteArray, packed);
  QFETCH(QString, text);
  const auto value = payloads::readMetadata(bytes(packed.toStdString()));
  QCOMPARE(value ? payloads::metadataText(*value) : "unreadable"s, text.toStdString());
}

void TestHsaco::packedMetadataIsLimited() {
  QVERIFY(payloads::readMetadata(bytes(std::string(payloads::kMetadataDepth, '\x91') + '\x01')));
  QVERIFY(!payloads::readMetadata(bytes(std::string(payloads::kMetadataDepth + 1, '\x91') + '\x01')));
  QVERIFY(!payloads::readMetadata(bytes(std::string(1'000'000, '\x91'))));
  const std::string many = "\xdd\x00\x10\x00\x00"s + std::string(1 << 20, '\x01');
  QVERIFY(!payloads::readMetadata(bytes(many)));
}

void TestHsaco::corpusCodeObjectIsRead() {
  const auto library = corpusLibrary("tvm-0.27-tir-rocm-two.so");
  if (!library) QSKIP("corpus absent: tvm-0.27-tir-rocm-two.so");
  const std::vector<Bytes> codes = codeIn(*library);
  QCOMPARE(codes.size(), std::size_t{1});
  QCOMPARE(payloads::kHsaco.words(codes[0]), std::vector{"hsaco gfx900"s});
  const view::PageList pages = resolvePages(payloads::kHsaco, codes[0]);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
  QCOMPARE(factOf(pages, "Code object", "code object version"), std::optional("6"s));
  QVERIFY(pageText(pages, "Kernels").find("\ntwo_kernel_1|two_kernel_1.kd|8|12||0|0|0|0|28|256|64||4\n") !=
          std::string::npos);
  QVERIFY(pageText(pages, "Symbols").find("two_kernel.kd|object|global|.rodata|0x880|64|dynamic\n") !=
          std::string::npos);
}

BLOBSCOPE_TEST(TestHsaco);
#include "test_hsaco.moc"
