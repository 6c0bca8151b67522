#include "core/container/coff/coff.h"

#include "core/base/limits.h"
#include "core/container/carrier.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/core/container/image_touch.h"
#include "tests/support/coff_builder.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Image;

namespace {

Result<Image> read(std::string_view file) {
  NullMonitor monitor;
  return container::readCoff(bytes(file), monitor);
}

constexpr uint32_t kCode = 0x60500020, kReadOnly = 0x40300040, kZeros = 0xc0300080, kTls = 0xc0300040,
                   kDirectives = 0x00100a00, kDebugInfo = 0x42100040;
constexpr uint8_t kStatic = 3, kFile = 103, kWeak = 105;

std::string word(uint32_t value) { return ByteBuilder().u32(value).take(); }

/// One of everything. Without `big`, symbol records have 18 bytes.
CoffBuilder full(bool big) {
  CoffBuilder coff;
  coff.big = big;
  coff.sections = {{".text", kCode, "\x31\xc0\xc3\x90"},
                   {".rdata", kReadOnly, "1234BLOB5678"},
                   {".bss", kZeros, "", 0, 64},
                   {".tls$", kTls, "t"},
                   {".drectve", kDirectives, "/EXPORT:run"},
                   {".debug_info_and_more", kDebugInfo, "dwarf"}};
  coff.symbols = {{".file", 0, -2, 0, kFile, {"source.c"}},
                  {".text", 0, 1, 0, kStatic, {word(4)}},
                  {"run", 0, 1, 0x20},
                  {"label", 2, 1},
                  {"__tvm_dev_mblob", 4, 2},
                  {"hidden", 1, 2, 0, kStatic},
                  {"zeros", 8, 3},
                  {"local_to_thread", 0, 4},
                  {"malloc", 0, 0, 0x20},
                  {"common", 16, 0},
                  {"@feat.00", 1, -1, 0, kStatic},
                  {"weak", 0, 0, 0, kWeak, {word(4)}}, // run
                  {"weak_and_missing", 0, 0, 0, kWeak, {word(12)}}};
  return coff;
}

} // namespace

class TestCoff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void symbolsAreRead_data();
  void symbolsAreRead();
  void sectionsAreRead_data();
  void sectionsAreRead();
  void carrierIsFound_data();
  void carrierIsFound();
  void machineDecidesTheArchitecture_data();
  void machineDecidesTheArchitecture();
  void sectionNumbersAboveInt16AreRead();
  void importMembersAreRead_data();
  void importMembersAreRead();
  void importTextNamesTheImport_data();
  void importTextNamesTheImport();
  void onlyCoffIsClaimed_data();
  void onlyCoffIsClaimed();
  void damagedHeaderIsRefused_data();
  void damagedHeaderIsRefused();
  void damagedTableKeepsTheOthers_data();
  void damagedTableKeepsTheOthers();
  void circularWeakSymbolsEnd();
  void numberOfSectionsIsLimited();
  void everyTruncationIsSafe_data();
  void everyTruncationIsSafe();
  void everyChangedByteIsSafeUnderSanitizers_data();
  void everyChangedByteIsSafeUnderSanitizers();
  void readingCanBeCancelled();
};

void TestCoff::symbolsAreRead_data() {
  QTest::addColumn<bool>("big");
  QTest::newRow("object") << false;
  QTest::newRow("bigobj") << true;
}

void TestCoff::symbolsAreRead() {
  QFETCH(bool, big);
  const auto image = read(full(big).build());
  QVERIFY(image);
  QVERIFY(image->format == container::Format::Coff);
  QVERIFY(image->kind == container::Kind::Object);
  std::string text;
  for (const container::Symbol& symbol : image->symbols)
    text += std::string(symbol.name) + " " + std::string(symbolTypeName(symbol.type)) + " " +
            std::string(bindingName(symbol.binding)) +
            (!symbol.defined   ? " undefined"
             : symbol.absolute ? " absolute"
                               : " defined") +
            " " + std::to_string(symbol.value) + "+" + std::to_string(symbol.size) +
            (symbol.section == container::Symbol::kNoSection ? " -" : " " + std::to_string(symbol.section)) + "\n";
  QCOMPARE(text, "source.c file local absolute 0+0 -\n"
                 ".text section local defined 0+0 0\n"
                 "run function global defined 0+0 0\n"
                 "label none global defined 2+0 0\n"
                 "__tvm_dev_mblob object global defined 4+0 1\n"
                 "hidden object local defined 1+0 1\n"
                 "zeros object global defined 8+0 2\n"
                 "local_to_thread tls global defined 0+0 3\n"
                 "malloc function global undefined 0+0 -\n"
                 "common none global absolute 0+16 -\n"
                 "@feat.00 none local absolute 1+0 -\n"
                 "weak function weak defined 0+0 0\n"
                 "weak_and_missing none weak undefined 0+0 -\n"s);
  QCOMPARE(diagnosticsText(image->diagnostics), ""s);
  QVERIFY(
      std::none_of(image->symbols.begin(), image->symbols.end(), [](const auto& symbol) { return symbol.dynamic; }));
}

void TestCoff::sectionsAreRead_data() { symbolsAreRead_data(); }

void TestCoff::sectionsAreRead() {
  QFETCH(bool, big);
  const auto image = read(full(big).build());
  QVERIFY(image);
  QCOMPARE(sectionsText(*image), ".text code a-x\n"
                                 ".rdata data a--\n"
                                 ".bss bss aw-\n"
                                 ".tls$ data aw-\n"
                                 ".drectve info ---\n"
                                 ".debug_info_and_more debug ---\n"s);
  QCOMPARE(image->sections[2].size, uint64_t{64});
  QCOMPARE(image->sections[2].file.size, uint64_t{0});
  QVERIFY(image->segments.empty());
}

void TestCoff::carrierIsFound_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<std::string>("symbol");
  QTest::newRow("x64") << 0x8664 << "__tvm_dev_mblob"s;
  QTest::newRow("arm64") << 0xaa64 << "__tvm_dev_mblob"s;
  QTest::newRow("x86 has underscores") << 0x14c << "___tvm_dev_mblob"s;
}

void TestCoff::carrierIsFound() {
  QFETCH(int, machine);
  QFETCH(std::string, symbol);
  CoffBuilder coff = full(false);
  coff.machine = static_cast<uint16_t>(machine);
  coff.symbols[4].name = symbol;
  const auto image = read(coff.build());
  QVERIFY(image);
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const auto carriers = container::findCarriers(*image, diagnostics, monitor);
  QVERIFY(carriers);
  QCOMPARE(carriers->size(), std::size_t{1});
  QCOMPARE(carriers->front().section, ".rdata"s);
  QCOMPARE(carriers->front().prefix, ""s);
  QCOMPARE(carriers->front().available.view(), std::string_view("BLOB5678"));
}

void TestCoff::machineDecidesTheArchitecture_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<std::string>("arch");
  QTest::addColumn<int>("bits");
  QTest::newRow("x64") << 0x8664 << "x86_64"s << 64;
  QTest::newRow("x86") << 0x14c << "i386"s << 32;
  QTest::newRow("arm64") << 0xaa64 << "aarch64"s << 64;
  QTest::newRow("arm64ec") << 0xa641 << "aarch64"s << 64;
  QTest::newRow("armnt") << 0x1c4 << "arm"s << 32;
  QTest::newRow("riscv64") << 0x5064 << "riscv64"s << 64;
  QTest::newRow("any, as resources have it") << 0 << ""s << 64;
}

void TestCoff::machineDecidesTheArchitecture() {
  QFETCH(int, machine);
  QFETCH(std::string, arch);
  QFETCH(int, bits);
  CoffBuilder coff = full(false);
  coff.machine = static_cast<uint16_t>(machine);
  const auto image = read(coff.build());
  QVERIFY(image);
  QCOMPARE(image->arch, arch);
  QCOMPARE(static_cast<int>(image->bits), bits);
  QCOMPARE(image->underscores, machine == 0x14c);
}

/// Section numbers above 32,767 are not negative.
void TestCoff::sectionNumbersAboveInt16AreRead() {
  for (const bool big : {false, true}) {
    CoffBuilder coff;
    coff.big = big;
    coff.sections.assign(big ? 70'000 : 40'000, {".s", kReadOnly, {}});
    coff.sections.back().content = "last";
    coff.symbols = {{"last", 0, static_cast<int32_t>(coff.sections.size())}};
    const auto image = read(coff.build());
    QVERIFY(image);
    QCOMPARE(image->sections.size(), coff.sections.size());
    QCOMPARE(image->findBytesOf(image->symbols[0])->view(), std::string_view("last"));
    QVERIFY(container::looksLikeCoff(coff.build().substr(0, 512)));
  }
}

void TestCoff::importMembersAreRead_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("expected");
  QTest::addColumn<std::string>("diagnostics");
  const std::string member = importMember(0x8664, "TVMFuncCall", "tvm_runtime.dll");
  QTest::newRow("x64") << member << "TVMFuncCall none global undefined static 0\n"s << ""s;
  QTest::newRow("x86") << importMember(0x14c, "_TVMFuncCall", "tvm_runtime.dll")
                       << "_TVMFuncCall none global undefined static 0\n"s << ""s;
  QTest::newRow("cut")
      << member.substr(0, 24) << "TVMF none global undefined static 0\n"s
      << "FILE-PART: import names needs 28 bytes at 0x14, but the file has only 24 bytes; it may be truncated\n"s;
}

void TestCoff::importMembersAreRead() {
  QFETCH(std::string, file);
  QFETCH(std::string, expected);
  QFETCH(std::string, diagnostics);
  QVERIFY(container::looksLikeCoff(file));
  const auto image = read(file);
  QVERIFY(image);
  QCOMPARE(symbolsText(*image), expected);
  QCOMPARE(image->sections.size(), std::size_t{0});
  QCOMPARE(diagnosticsText(image->diagnostics), diagnostics);
}

void TestCoff::importTextNamesTheImport_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("expected");
  const std::string member = importMember(0x8664, "TVMFuncCall", "tvm_runtime.dll");
  const std::string decorated = importMember(0x14c, "_TVMFuncCall@8", "tvm_runtime.dll");
  const auto typed = [](const std::string& file, uint64_t nameType) { return withNumber(file, 18, nameType << 2, 2); };
  QTest::newRow("name") << member << "imports 'TVMFuncCall' from 'tvm_runtime.dll'"s;
  QTest::newRow("ordinal") << typed(withNumber(member, 16, 7, 2), 0)
                           << "imports 'TVMFuncCall' from 'tvm_runtime.dll' as ordinal 7"s;
  QTest::newRow("without prefix") << typed(decorated, 2)
                                  << "imports '_TVMFuncCall@8' from 'tvm_runtime.dll' as 'TVMFuncCall@8'"s;
  QTest::newRow("undecorated") << typed(decorated, 3)
                               << "imports '_TVMFuncCall@8' from 'tvm_runtime.dll' as 'TVMFuncCall'"s;
  QTest::newRow("exported as") << typed(importMember(0x8664, "one", "a.dll\0two"s), 4)
                               << "imports 'one' from 'a.dll' as 'two'"s;
  QTest::newRow("not a prefix") << typed(member, 2) << "imports 'TVMFuncCall' from 'tvm_runtime.dll'"s;
  QTest::newRow("no printable name") << importMember(0x8664, "a\nb", "c.dll") << "imports 'a\\nb' from 'c.dll'"s;
  QTest::newRow("cut") << member.substr(0, 24) << "imports 'TVMF' from ''"s;
  QTest::newRow("cut in the header") << member.substr(0, 20) << ""s;
  QTest::newRow("object") << full(false).build() << ""s;
  QTest::newRow("nothing") << ""s << ""s;
}

void TestCoff::importTextNamesTheImport() {
  QFETCH(std::string, file);
  QFETCH(std::string, expected);
  QCOMPARE(container::importText(file), expected);
}

void TestCoff::onlyCoffIsClaimed_data() {
  QTest::addColumn<std::string>("head");
  QTest::addColumn<bool>("claimed");
  const std::string object = full(false).build(), big = full(true).build();
  QTest::newRow("object") << object << true;
  QTest::newRow("bigobj") << big << true;
  QTest::newRow("header and first section") << object.substr(0, 60) << true;
  QTest::newRow("cut in the first section") << object.substr(0, 59) << false;
  QTest::newRow("empty") << ""s << false;
  QTest::newRow("zeros") << std::string(512, '\0') << false;
  QTest::newRow("ones") << std::string(512, '\xff') << false;
  QTest::newRow("text that begins with a machine") << "d\x86"
                                                      "a text that goes on and on and on and on and on and on"s
                                                   << false;
  QTest::newRow("machine") << withNumber(object, 0, 0x1234, 2) << false;
  QTest::newRow("any machine") << withNumber(object, 0, 0, 2) << false;
  QTest::newRow("no sections") << withNumber(object, 2, 0, 2) << false;
  QTest::newRow("optional header") << withNumber(object, 16, 240, 2) << false;
  QTest::newRow("image") << withNumber(object, 18, 0x2022, 2) << false;
  QTest::newRow("symbols inside the sections") << withNumber(object, 8, 40, 4) << false;
  QTest::newRow("symbols nowhere") << withNumber(object, 8, 0, 4) << false;
  QTest::newRow("section without a name") << withNumber(object, 20, 0, 8) << false;
  QTest::newRow("unprintable section name") << withNumber(object, 20, 0x07, 1) << false;
  QTest::newRow("bytes after the section name") << withNumber(object, 27, 1, 1) << false;
  QTest::newRow("contents inside the headers") << withNumber(object, 40, 30, 4) << false;
  QTest::newRow("anonymous of another class") << withNumber(big, 12, 0, 8) << false;
  QTest::newRow("anonymous version 1") << withNumber(big, 4, 1, 2) << false;
  const std::string member = importMember(0x8664, "a", "b.dll");
  QTest::newRow("import without names") << withNumber(member, 12, 0, 4) << false;
  QTest::newRow("import of an unknown machine") << withNumber(member, 6, 1, 2) << false;
  QTest::newRow("import of an unknown type") << withNumber(member, 18, 3, 2) << false;
}

void TestCoff::onlyCoffIsClaimed() {
  QFETCH(std::string, head);
  QFETCH(bool, claimed);
  QCOMPARE(container::looksLikeCoff(std::string_view(head).substr(0, 512)), claimed);
}

void TestCoff::damagedHeaderIsRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("reason");
  const std::string object = full(false).build(), big = full(true).build();
  QTest::newRow("empty") << ""s << "the file ends at 0x0, inside its 20 bytes"s;
  QTest::newRow("cut") << object.substr(0, 19) << "the file ends at 0x13, inside its 20 bytes"s;
  QTest::newRow("bigobj cut") << big.substr(0, 55) << "the file ends at 0x37, inside its 56 bytes"s;
  QTest::newRow("machine") << withNumber(object, 0, 0x1234, 2) << "machine 0x1234 is not known"s;
  QTest::newRow("for the linker")
      << withNumber(big, 4, 1, 2)
      << "version 1 at 0x4 belongs to no object with machine code; compilers write such for "
         "link-time code generation (/GL)"s;
  QTest::newRow("import cut") << importMember(0x8664, "a", "b").substr(0, 12)
                              << "the file ends at 0xc, inside the 20 bytes of an import library's member"s;
}

void TestCoff::damagedHeaderIsRefused() {
  QFETCH(std::string, file);
  QFETCH(std::string, reason);
  const auto image = read(file);
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileHeader);
  QCOMPARE(image.error().message(), "invalid COFF header: " + reason);
}

void TestCoff::damagedTableKeepsTheOthers_data() {
  QTest::addColumn<int>("offset");
  QTest::addColumn<uint32_t>("value");
  QTest::addColumn<std::string>("id");
  QTest::newRow("section count") << 2 << 0x0000ffffU << "FILE-PART"s;
  QTest::newRow("symbol table outside") << 8 << 0xffffff00U << "FILE-PART"s;
  QTest::newRow("symbol count") << 12 << 0xffffffffU << "FILE-PART"s;
  QTest::newRow("section outside") << 20 + 20 << 0xffffff00U << "FILE-PART"s;
  QTest::newRow("section too long") << 20 + 16 << 0xffffffffU << "FILE-PART"s;
}

void TestCoff::damagedTableKeepsTheOthers() {
  QFETCH(int, offset);
  QFETCH(uint32_t, value);
  QFETCH(std::string, id);
  const auto image = read(withNumber(full(false).build(), static_cast<std::size_t>(offset), value, 4));
  QVERIFY(image);
  touch(*image);
  const std::string text = diagnosticsText(image->diagnostics);
  QVERIFY2(text.starts_with(id + ": "), text.c_str());
  QVERIFY(findSection(*image, ".rdata"));
}

/// Weak symbols that resolve to one another, to themselves, or to nothing.
void TestCoff::circularWeakSymbolsEnd() {
  CoffBuilder coff;
  coff.sections = {{".text", kCode, "1234"}};
  coff.symbols = {{"a", 0, 0, 0, kWeak, {word(2)}},
                  {"b", 0, 0, 0, kWeak, {word(0)}},
                  {"self", 0, 0, 0, kWeak, {word(4)}},
                  {"far", 0, 0, 0, kWeak, {word(0xffffffff)}},
                  {"none", 0, 0, 0, kWeak}};
  const auto image = read(coff.build());
  QVERIFY(image);
  QCOMPARE(symbolsText(*image), "a none weak undefined static 0\nb none weak undefined static 0\n"
                                "self none weak undefined static 0\nfar none weak undefined static 0\n"
                                "none none weak undefined static 0\n"s);
}

void TestCoff::numberOfSectionsIsLimited() {
  CoffBuilder coff;
  coff.big = true;
  coff.sections.assign(limits::kSections + 1, {".s", kReadOnly, {}});
  const auto image = read(coff.build());
  QVERIFY(image);
  QCOMPARE(image->sections.size(), std::size_t{limits::kSections});
  QCOMPARE(diagnosticsText(image->diagnostics), "FILE-LIMIT: 200,001 sections, more than the limit of 200,000\n"s);
}

void TestCoff::everyTruncationIsSafe_data() { symbolsAreRead_data(); }

void TestCoff::everyTruncationIsSafe() {
  QFETCH(bool, big);
  for (const std::string& file : {full(big).build(), importMember(0x8664, "name", "library.dll")})
    for (std::size_t size = 0; size < file.size(); ++size) {
      const std::string part = file.substr(0, size);
      container::looksLikeCoff(part);
      if (const auto image = read(part))
        touch(*image);
      else
        QVERIFY(image.error().id() == DiagnosticId::FileHeader);
    }
}

void TestCoff::everyChangedByteIsSafeUnderSanitizers_data() { symbolsAreRead_data(); }

void TestCoff::everyChangedByteIsSafeUnderSanitizers() {
  QFETCH(bool, big);
  for (std::string file : {full(big).build(), importMember(0x8664, "name", "library.dll")})
    for (std::size_t at = 0; at < file.size(); ++at) {
      const char before = file[at];
      for (const int change : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        for (const int value : {change, before ^ change}) {
          file[at] = static_cast<char>(value);
          container::looksLikeCoff(file);
          if (const auto image = read(file)) touch(*image);
        }
      }
      file[at] = before;
    }
}

void TestCoff::readingCanBeCancelled() {
  CoffBuilder coff;
  coff.big = true;
  coff.sections.assign(9'000, {".s", kReadOnly, {}});
  coff.symbols.assign(9'000, {"x", 0, 1});
  const std::string file = coff.build();
  int looks = 0;
  for (;; ++looks) {
    StopAfter monitor(looks);
    const auto image = container::readCoff(bytes(file), monitor);
    if (image) break;
    QVERIFY(image.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 100);
  }
  QCOMPARE(looks, 6);
}

BLOBSCOPE_TEST(TestCoff);
#include "test_coff.moc"
