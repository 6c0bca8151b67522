#include "core/container/pe/file.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
namespace pe = blobscope::container::pe;

namespace {

struct Section {
  std::string name;
  uint32_t memory = 0, address = 0, size = 0, offset = 0;
};

/// The headers of an image; every number can be wrong.
struct Headers {
  bool is64 = true;
  uint32_t signatureAt = 0x40;
  uint32_t directoryCount = 2;
  int optionalSize = -1; ///< -1: as the directories need it
  int sectionCount = -1; ///< -1: as there are sections
  std::vector<Extent> directories = {{0x1000, 0x10}, {0x2000, 0x20}};
  std::vector<Section> sections;

  std::string build() const {
    std::string out(signatureAt, '\0');
    out.replace(0, 2, "MZ");
    const auto put = [&](uint64_t value, unsigned size) {
      for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
    };
    const std::size_t fixed = is64 ? 112 : 96;
    put(0x4550, 4); // signature
    put(is64 ? 0x8664 : 0x14c, 2);
    put(sectionCount < 0 ? sections.size() : uint64_t(sectionCount), 2);
    put(0, 4);
    put(0x500, 4); // symbols
    put(7, 4);
    put(optionalSize < 0 ? fixed + 8 * directories.size() : uint64_t(optionalSize), 2);
    put(0x2022, 2);
    const std::size_t optional = out.size();
    put(is64 ? 0x20b : 0x10b, 2);
    out.resize(optional + 8);
    put(0x300, 4); // initialised data
    out.resize(optional + (is64 ? 24 : 28));
    put(0x1'8000'0000, is64 ? 8 : 4);
    put(0x1000, 4);
    put(0x200, 4);
    out.resize(optional + 56);
    put(0x5000, 4);
    put(0x400, 4);
    put(0xabcd, 4);
    out.resize(optional + fixed - 4);
    put(directoryCount, 4);
    for (const Extent& one : directories) {
      put(one.offset, 4);
      put(one.size, 4);
    }
    for (const Section& one : sections) {
      std::string name = one.name;
      name.resize(8);
      out += name;
      for (const uint32_t value : {one.memory, one.address, one.size, one.offset, 0u, 0u, 0u, 0x40000040u})
        put(value, 4);
    }
    for (unsigned i = 0; i < 4; ++i) out[0x3c + i] = static_cast<char>(signatureAt >> (8 * i));
    return out;
  }
};

} // namespace

class TestPeFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void headersOfBothKindsAreRead_data() {
    QTest::addColumn<bool>("is64");
    QTest::addColumn<uint>("signatureAt");
    QTest::newRow("PE32") << false << 0x40u;
    QTest::newRow("PE32+") << true << 0x40u;
    QTest::newRow("after a long DOS program") << true << 0x1234u;
  }
  void headersOfBothKindsAreRead() {
    QFETCH(bool, is64);
    QFETCH(uint, signatureAt);
    Headers headers;
    headers.is64 = is64;
    headers.signatureAt = signatureAt;
    headers.sections = {{".text", 1, 0x1000, 0x200, 0x400}, {"12345678", 2, 0x2000, 0x200, 0x600}};
    const pe::File file = pe::File::read(test::bytes(headers.build()));
    QCOMPARE(file.headerAt, uint64_t(signatureAt + 4));
    QCOMPARE(file.optionalAt, uint64_t(signatureAt + 24));
    QCOMPARE(file.machine, uint16_t(is64 ? 0x8664 : 0x14c));
    QCOMPARE(file.flags, uint16_t(0x2022));
    QCOMPARE(file.magic, uint16_t(is64 ? 0x20b : 0x10b));
    QCOMPARE(file.is64, is64);
    QCOMPARE(file.symbols.offset, uint64_t(0x500));
    QCOMPARE(file.symbols.count, uint64_t(7));
    QCOMPARE(file.imageBase, is64 ? uint64_t(0x1'8000'0000) : uint64_t(0x8000'0000));
    QCOMPARE(file.sectionAlignment, uint64_t(0x1000));
    QCOMPARE(file.fileAlignment, uint64_t(0x200));
    QCOMPARE(file.initializedSize, uint64_t(0x300));
    QCOMPARE(file.imageSize, uint64_t(0x5000));
    QCOMPARE(file.headersSize, uint64_t(0x400));
    QCOMPARE(file.checksum, 0xabcdu);
    QCOMPARE(file.checksumAt, file.optionalAt + 64);
    QCOMPARE(file.directories.size(), std::size_t(2));
    QCOMPARE(file.directoryAt(1), file.optionalAt + file.fixedSize() + 8);
    QCOMPARE(textOf(file.directory(1)), std::string("0x2000+0x20"));
    QCOMPARE(file.sections.size(), std::size_t(2));
    QCOMPARE(std::string(file.sections[0].name), std::string(".text"));
    QCOMPARE(std::string(file.sections[1].name), std::string("12345678"));
    QCOMPARE(file.sectionsEnd(), file.sectionsAt + 80);
    QCOMPARE(file.sections[1].at, file.sectionsAt + 40);
  }

  void aTruncatedFileNeverHasMoreThanItsBytes() {
    Headers headers;
    headers.sections = {{".text", 1, 0x1000, 0x200, 0x400}, {".data", 2, 0x2000, 0x200, 0x600}};
    const std::string whole = headers.build();
    const pe::File all = pe::File::read(test::bytes(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const pe::File file = pe::File::read(test::bytes(whole.substr(0, size)));
      const std::string at = std::to_string(size);
      QVERIFY2(file.directories.size() <= 2 && file.sections.size() < 2, at.c_str());
      for (std::size_t i = 0; i < file.directories.size(); ++i) {
        QVERIFY2(file.directoryAt(i) + 8 <= size, at.c_str());
        QCOMPARE(textOf(file.directories[i]), textOf(all.directories[i]));
      }
      if (!file.sections.empty()) QVERIFY2(file.sectionsEnd() <= size, at.c_str());
    }
  }

  void directoriesAreThoseThatAllNumbersAllow_data() {
    QTest::addColumn<uint>("count");
    QTest::addColumn<int>("optionalSize");
    QTest::addColumn<int>("inFile");
    QTest::addColumn<int>("read");
    const auto row = [](const char* name, uint count, int optionalSize, int inFile, int read) {
      QTest::newRow(name) << count << optionalSize << inFile << read;
    };
    row("none", 0, 112, 0, 0);
    row("16", 16, 240, 16, 16);
    row("more than there are", 17, 248, 17, 16);
    row("the largest count", UINT32_MAX, 240, 16, 16);
    row("the largest optional header", 16, 0xffff, 16, 16);
    row("the optional header has room for 3", 16, 112 + 24, 16, 3);
    row("the optional header has room for 3 and a half", 16, 112 + 28, 16, 3);
    row("the optional header ends before them", 16, 111, 16, 0);
    row("the optional header has only its magic number", 16, 2, 16, 0);
    row("the file ends after 5", 16, 240, 5, 5);
  }
  void directoriesAreThoseThatAllNumbersAllow() {
    QFETCH(uint, count);
    QFETCH(int, optionalSize);
    QFETCH(int, inFile);
    QFETCH(int, read);
    Headers headers;
    headers.directoryCount = count;
    headers.optionalSize = optionalSize;
    headers.directories.assign(std::size_t(inFile), {0x1000, 0x10});
    QCOMPARE(int(pe::File::read(test::bytes(headers.build())).directories.size()), read);
  }

  void anOptionalHeaderWithoutBytesHasNoMagic_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("magic");
    QTest::newRow("0") << 0 << 0;
    QTest::newRow("1") << 1 << 0;
    QTest::newRow("2") << 2 << 0x20b;
  }
  void anOptionalHeaderWithoutBytesHasNoMagic() {
    QFETCH(int, size);
    QFETCH(int, magic);
    Headers headers;
    headers.optionalSize = size;
    const pe::File file = pe::File::read(test::bytes(headers.build()));
    QCOMPARE(int(file.magic), magic);
    QCOMPARE(file.sectionsAt, file.optionalAt + uint64_t(size));
  }

  void sectionsAreThoseInTheFile_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("inFile");
    QTest::addColumn<int>("read");
    QTest::newRow("none") << 0 << 0 << 0;
    QTest::newRow("fewer than the headers") << 1 << 3 << 1;
    QTest::newRow("all") << 3 << 3 << 3;
    QTest::newRow("one more than the file has") << 4 << 3 << 3;
    QTest::newRow("the largest count") << 0xffff << 3 << 3;
  }
  void sectionsAreThoseInTheFile() {
    QFETCH(int, count);
    QFETCH(int, inFile);
    QFETCH(int, read);
    Headers headers;
    headers.sectionCount = count;
    headers.sections.assign(std::size_t(inFile), {".s", 1, 2, 3, 4});
    const pe::File file = pe::File::read(test::bytes(headers.build()));
    QCOMPARE(file.sectionCount, uint64_t(count));
    QCOMPARE(int(file.sections.size()), read);
  }

  void headersOutsideOfTheFileAreEmpty_data() {
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, uint32_t signatureAt) {
      std::string text(0x40, '\0');
      for (unsigned i = 0; i < 4; ++i) text[0x3c + i] = static_cast<char>(signatureAt >> (8 * i));
      QTest::newRow(name) << text;
    };
    QTest::newRow("empty file") << std::string();
    QTest::newRow("no e_lfanew") << std::string(0x3c, '\0');
    row("the signature is at the end", 0x40);
    row("the signature is after the end", 0x1000);
    row("the largest offset", UINT32_MAX);
  }
  void headersOutsideOfTheFileAreEmpty() {
    QFETCH(std::string, text);
    const pe::File file = pe::File::read(test::bytes(text));
    QCOMPARE(file.machine, uint16_t(0));
    QCOMPARE(file.magic, uint16_t(0));
    QVERIFY(file.sections.empty() && file.directories.empty());
    QVERIFY(!file.offsetOf(0, 1));
  }

  void directoriesAreFoundByNumber_data() {
    QTest::addColumn<qulonglong>("number");
    QTest::addColumn<std::string>("text");
    QTest::newRow("usual") << 0ull << std::string("0x1000+0x10");
    QTest::newRow("no address") << 1ull << std::string("0x0+0x0");
    QTest::newRow("no such directory") << 2ull << std::string("0x0+0x0");
    QTest::newRow("the largest number") << qulonglong(SIZE_MAX) << std::string("0x0+0x0");
  }
  void directoriesAreFoundByNumber() {
    QFETCH(qulonglong, number);
    QFETCH(std::string, text);
    Headers headers;
    headers.directories = {{0x1000, 0x10}, {0, 0x20}};
    QCOMPARE(textOf(pe::File::read(test::bytes(headers.build())).directory(number)), text);
  }

  void addressesLeadToOffsetsInSections_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::optional<uint64_t>>("offset");
    const auto row = [](const char* name, qulonglong address, qulonglong size, std::optional<uint64_t> offset) {
      QTest::newRow(name) << address << size << offset;
    };
    row("the first byte", 0x1000, 1, 0x400);
    row("all bytes", 0x1000, 0x100, 0x400);
    row("padding in the file is not in memory", 0x1000, 0x101, std::nullopt);
    row("before the first section", 0xfff, 1, std::nullopt);
    row("more in memory than in the file", 0x2000, 0x80, 0x600);
    row("zeros in memory", 0x2080, 1, std::nullopt);
    row("no bytes in the file", 0x3000, 1, std::nullopt);
    row("size in memory not stored", 0x4000, 0x20, 0x700);
    row("outside of the file", 0x5000, 1, std::nullopt);
    row("the largest size", 0x1000, UINT64_MAX, std::nullopt);
    row("the largest address", UINT64_MAX, 1, std::nullopt);
  }
  void addressesLeadToOffsetsInSections() {
    QFETCH(qulonglong, address);
    QFETCH(qulonglong, size);
    QFETCH(std::optional<uint64_t>, offset);
    Headers headers;
    headers.sections = {{"a", 0x100, 0x1000, 0x200, 0x400},
                        {"b", 0x100, 0x2000, 0x80, 0x600},
                        {"c", 0x100, 0x3000, 0x100, 0},
                        {"d", 0, 0x4000, 0x20, 0x700},
                        {"e", 0x10, 0x5000, 0x10, UINT32_MAX}};
    std::string text = headers.build();
    text.resize(0x800);
    QCOMPARE(pe::File::read(test::bytes(text)).offsetOf(address, size), offset);
  }
};

BLOBSCOPE_TEST(TestPeFile);

#include "test_pe_file.moc"
