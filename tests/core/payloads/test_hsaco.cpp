#include "core/payloads/hsaco/hsaco.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

// MessagePack of the small forms.
std::string text(const std::string& value) { return static_cast<char>(0xa0 | value.size()) + value; }
std::string longText(const std::string& value) { return "\xd9"s + static_cast<char>(value.size()) + value; }
std::string number(uint16_t value) { return "\xcd"s + static_cast<char>(value >> 8) + static_cast<char>(value); }
std::string list(const std::vector<std::string>& items) {
  std::string out(1, static_cast<char>(0x90 | items.size()));
  for (const std::string& item : items) out += item;
  return out;
}
std::string map(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out = "\xde"s + '\0' + static_cast<char>(members.size());
  for (const auto& [key, value] : members) out += longText(key) + value;
  return out;
}

std::string metadata() {
  const std::string argument = map({{".name", text("A")},
                                    {".offset", "\x08"},
                                    {".size", "\x08"},
                                    {".value_kind", text("global_buffer")},
                                    {".address_space", text("global")},
                                    {".actual_access", text("read_only")}});
  const std::string kernel = map({{".args", list({argument})},
                                  {".name", text("add_kernel")},
                                  {".symbol", text("add_kernel.kd")},
                                  {".vgpr_count", "\x05"},
                                  {".sgpr_count", "\x0c"},
                                  {".agpr_count", "\x04"},
                                  {".vgpr_spill_count", "\x01"},
                                  {".sgpr_spill_count", "\x02"},
                                  {".group_segment_fixed_size", number(4096)},
                                  {".private_segment_fixed_size", "\x10"},
                                  {".kernarg_segment_size", "\x14"},
                                  {".max_flat_workgroup_size", number(256)},
                                  {".wavefront_size", "\x40"},
                                  {".uses_dynamic_stack", "\xc2"}});
  return map({{"amdhsa.kernels", list({kernel})},
              {"amdhsa.target", longText("amdgcn-amd-amdhsa--gfx90a:xnack-")},
              {"amdhsa.version", list({"\x01", "\x02"})}});
}

std::string note(const std::string& owner, uint32_t type, const std::string& content) {
  const auto padded = [](std::string part) { return part + std::string(-part.size() % 4, '\0'); };
  return ByteBuilder()
             .u32(static_cast<uint32_t>(owner.size() + 1))
             .u32(static_cast<uint32_t>(content.size()))
             .u32(type)
             .take() +
         padded(owner + '\0') + padded(content);
}

/// A 64-bit ELF of one note segment and no sections.
std::string codeObject(uint32_t flags, uint8_t abiVersion, const std::string& notes) {
  return ByteBuilder()
      .raw("\x7f\x45\x4c\x46")
      .u8(2)
      .u8(1)
      .u8(1)
      .u8(64)
      .u8(abiVersion)
      .raw(std::string(7, '\0'))
      .u16(3)
      .u16(224)
      .u32(1)
      .u64(0)
      .u64(64)
      .u64(0)
      .u32(flags)
      .u16(64)
      .u16(56)
      .u16(1)
      .u16(64)
      .u16(0)
      .u16(0)
      .u32(4)
      .u32(4)
      .u64(120)
      .u64(0)
      .u64(0)
      .u64(notes.size())
      .u64(notes.size())
      .u64(4)
      .raw(notes)
      .take();
}

std::string whole() { return codeObject(0x63f, 2, note("Other", 32, "no") + note("AMDGPU", 32, metadata())); }

} // namespace

class TestHsaco : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void kernelsAndMetadataAreShown();
  void flagsDecideTheProcessor_data();
  void flagsDecideTheProcessor();
  void versionAndFlagsDecideTheTargetFeatures_data();
  void versionAndFlagsDecideTheTargetFeatures();
  void metadataInYamlIsShown();
  void packedMetadataIsRead_data();
  void packedMetadataIsRead();
  void packedMetadataIsLimited();
  void anyDamageIsSafeUnderSanitizers();
  void corpusCodeObjectIsRead();
};

void TestHsaco::kernelsAndMetadataAreShown() {
  const view::PageList pages = pagesNow(payloads::kHsaco, bytes(whole()));
  QCOMPARE(
      pageText(pages, "Code object"),
      "processor|gfx90a\nsystem|HSA\ncode object version|4\nXNACK|off\nSRAM ECC|any\ntype|shared object\nflags|0x63f\n"
      "target|amdgcn-amd-amdhsa--gfx90a:xnack-\nmetadata version|1.2\nkernels|1\n"s);
  QCOMPARE(pageText(pages, "Kernels"),
           "name|symbol|VGPRs|SGPRs|AGPRs|spilled VGPRs|spilled SGPRs|LDS bytes|scratch bytes|argument bytes|"
           "largest workgroup|wavefront|required workgroup|arguments\n"
           "add_kernel|add_kernel.kd|5|12|4|1|2|4096|16|20|256|64||1\n"s);
  QCOMPARE(pageText(pages, "Arguments"), "kernel|number|name|offset|bytes|kind|type|address space|access|real access\n"
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
  const view::PageList pages = pagesNow(payloads::kHsaco, bytes(codeObject(flags, static_cast<uint8_t>(abi), "")));
  QFETCH(QString, version);
  QFETCH(QString, xnack);
  QFETCH(QString, ecc);
  QCOMPARE(factOf(pages, "Code object", "code object version").value_or(""), version.toStdString());
  QCOMPARE(factOf(pages, "Code object", "XNACK").value_or(""), xnack.toStdString());
  QCOMPARE(factOf(pages, "Code object", "SRAM ECC").value_or(""), ecc.toStdString());
}

void TestHsaco::metadataInYamlIsShown() {
  const std::string yaml = "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: add_kernel\n";
  const view::PageList pages = pagesNow(payloads::kHsaco, bytes(codeObject(0x2c, 0, note("AMD", 10, yaml))));
  const auto* const page = std::get_if<view::TextPage>(&pages.at(1).content);
  QVERIFY(page && pages[1].name == "Metadata");
  QCOMPARE(std::string(page->text.view()), yaml);
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

void TestHsaco::anyDamageIsSafeUnderSanitizers() { QVERIFY(readDamaged(payloads::kHsaco, whole()) > 0); }

void TestHsaco::corpusCodeObjectIsRead() {
  const auto library = corpusLibrary("tvm-0.27-tir-rocm-two.so");
  if (!library) QSKIP("corpus absent: tvm-0.27-tir-rocm-two.so");
  const std::vector<Bytes> codes = codeIn(*library);
  QCOMPARE(codes.size(), std::size_t{1});
  QCOMPARE(payloads::kHsaco.words(codes[0]), std::vector{"hsaco gfx900"s});
  const view::PageList pages = pagesNow(payloads::kHsaco, codes[0]);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
  QCOMPARE(factOf(pages, "Code object", "code object version"), std::optional("6"s));
  QVERIFY(pageText(pages, "Kernels").find("\ntwo_kernel_1|two_kernel_1.kd|8|12||0|0|0|0|28|256|64||4\n") !=
          std::string::npos);
  QVERIFY(pageText(pages, "Symbols").find("two_kernel.kd|object|global|.rodata|0x880|64|dynamic\n") !=
          std::string::npos);
}

BLOBSCOPE_TEST(TestHsaco);
#include "test_hsaco.moc"
