#include "core/write/macho/signature.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using write::macho::Signature;

namespace {

constexpr uint64_t kCode = 0x1800; ///< bytes before the signature: two pages of 4 KiB

void put(std::string& text, std::size_t at, uint64_t value, unsigned size = 4) {
  if (at + size > text.size()) text.resize(at + size);
  for (unsigned i = 0; i < size; ++i) text[at + i] = static_cast<char>(value >> (8 * (size - 1 - i)));
}

constexpr std::size_t kDirectory = 20, kHashes = kDirectory + 88 + 5, kSignatureSize = kHashes + 64;

/// An ad-hoc signature for kCode bytes with the identifier "name".
std::string signature() {
  std::string out(kSignatureSize, '\0');
  put(out, 0, 0xfade0cc0);
  put(out, 4, kSignatureSize);
  put(out, 8, 1);
  put(out, 12, 0);
  put(out, 16, kDirectory);
  put(out, kDirectory, 0xfade0c02);
  put(out, kDirectory + 4, kSignatureSize - kDirectory);
  put(out, kDirectory + 8, 0x20400);
  put(out, kDirectory + 12, 2); // ad hoc
  put(out, kDirectory + 16, kHashes - kDirectory);
  put(out, kDirectory + 20, 88);
  put(out, kDirectory + 28, 2);
  put(out, kDirectory + 32, kCode);
  put(out, kDirectory + 36, 32, 1);
  put(out, kDirectory + 37, 2, 1);
  put(out, kDirectory + 39, 12, 1);
  out.replace(kDirectory + 88, 4, "name");
  return out;
}

/// Bytes of the signature that a test changes.
struct FieldChange {
  std::size_t at;
  uint64_t value;
  unsigned size = 4;
};

std::string textOf(const Signature& signature) {
  switch (signature.kind) {
  case Signature::Kind::AdHoc: return "ad hoc";
  case Signature::Kind::Identity: return "identity";
  case Signature::Kind::Damaged: break;
  }
  return signature.reason;
}
std::string textOf(Extent extent) { return hexText(extent.offset) + "+" + hexText(extent.size); }

} // namespace

class TestMachoSignature : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void anAdHocSignatureIsRead() {
    const std::string text = std::string(kCode, 'c') + signature();
    const Signature found = write::macho::readSignature(text, {kCode, kSignatureSize});
    QCOMPARE(textOf(found), std::string("ad hoc"));
    QCOMPARE(textOf(found.place), hexText(kCode) + "+" + hexText(kSignatureSize));
    QCOMPARE(found.size, uint64_t(kSignatureSize));
    QCOMPARE(textOf(found.directory), hexText(kCode + kDirectory) + "+" + hexText(kSignatureSize - kDirectory));
    QCOMPARE(found.version, uint64_t(0x20400));
    QCOMPARE(found.hashesAt, uint64_t(kCode + kHashes));
    QCOMPARE(found.pages, uint64_t(2));
    QCOMPARE(found.limit, kCode);
    QCOMPARE(found.pageBits, 12u);
    QCOMPARE(std::string(found.identifier), std::string("name"));
  }

  void aTruncatedSignatureIsDamaged() {
    const std::string text = std::string(kCode, 'c') + signature();
    for (std::size_t size = 0; size < kSignatureSize; ++size) {
      const Signature cut = write::macho::readSignature(text.substr(0, kCode + size), {kCode, kSignatureSize});
      QCOMPARE(textOf(cut), std::string("its code signature at 0x1800 is truncated"));
      const Signature smaller = write::macho::readSignature(text, {kCode, size});
      QCOMPARE(int(smaller.kind), int(Signature::Kind::Damaged));
      QVERIFY(smaller.size <= size);
    }
  }

  void placesOutsideOfTheFileAreTruncated_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("size");
    QTest::newRow("one byte too long") << qulonglong(kCode) << qulonglong(kSignatureSize + 1);
    QTest::newRow("at the end") << qulonglong(kCode + kSignatureSize) << 1ull;
    QTest::newRow("the largest size") << qulonglong(kCode) << qulonglong(UINT64_MAX);
    QTest::newRow("the largest offset") << qulonglong(UINT64_MAX) << 1ull;
  }
  void placesOutsideOfTheFileAreTruncated() {
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, size);
    const Signature found = write::macho::readSignature(std::string(kCode, 'c') + signature(), Extent{offset, size});
    QCOMPARE(textOf(found), "its code signature at " + hexText(offset) + " is truncated");
  }

  void eachFieldIsChecked_data() {
    QTest::addColumn<std::vector<FieldChange>>("changes");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, std::vector<FieldChange> changes, const char* text) {
      QTest::newRow(name) << std::move(changes)
                          << (std::string(text).starts_with("has ") ? "its code signature at 0x1800 " : "") +
                                 std::string(text);
    };
    row("the magic number", {{0, 0xfade0cc1}}, "has an unknown format");
    row("no part", {{8, 0}}, "has no code directory");
    row("more parts than fit", {{8, (kSignatureSize - 12) / 8 + 1}}, "has an unknown format");
    row("the largest number of parts", {{8, UINT32_MAX}}, "has an unknown format");
    row("a part at the end", {{16, kSignatureSize}}, "has a truncated part");
    row("a part with 7 bytes", {{16, kSignatureSize - 7}}, "has a truncated part");
    row("a part at the largest offset", {{16, UINT32_MAX}}, "has a truncated part");
    row("a part one byte too long", {{kDirectory + 4, kSignatureSize - kDirectory + 1}}, "has a truncated part");
    row("a part of the largest size", {{kDirectory + 4, UINT32_MAX}}, "has a truncated part");
    row("the magic number of the directory", {{kDirectory, 0xfade0c03}}, "has no code directory");
    row("a directory of 43 bytes", {{kDirectory + 4, 43}}, "has no code directory");
    row("another slot", {{12, 2}}, "has no code directory");
    row("an alternate slot", {{12, 0x1000}}, "ad hoc");
    row("the last alternate slot", {{12, 0x1004}}, "ad hoc");
    row("after the last alternate slot", {{12, 0x1005}}, "has no code directory");
    row("a declared size that is smaller", {{4, 20}}, "ad hoc");
    row("a declared size that is larger", {{4, UINT32_MAX}}, "ad hoc");
    row("not ad hoc", {{kDirectory + 12, 0x10000}}, "identity");
    row("SHA-1", {{kDirectory + 37, 1, 1}}, "identity");
    row("hashes of 20 bytes", {{kDirectory + 36, 20, 1}}, "identity");
    row("a team", {{kDirectory + 48, 1}}, "identity");
    row("a team in a version without teams", {{kDirectory + 48, 1}, {kDirectory + 8, 0x20100}}, "ad hoc");
    row("scattered hashes", {{kDirectory + 44, 1}}, "has scattered or pre-encryption hashes");
    row("scattered hashes in a version without them", {{kDirectory + 44, 1}, {kDirectory + 8, 0x20000}}, "ad hoc");
    row("pre-encryption hashes", {{kDirectory + 8, 0x20500}, {kDirectory + 92, 1}},
        "has scattered or pre-encryption hashes");
    row("pages of 2 KiB", {{kDirectory + 39, 11, 1}}, "has pages of 2^11 bytes");
    row("one page of 64 KiB", {{kDirectory + 39, 16, 1}, {kDirectory + 28, 1}}, "ad hoc");
    row("pages of 128 KiB", {{kDirectory + 39, 17, 1}}, "has pages of 2^17 bytes");
    row("the largest pages", {{kDirectory + 39, 255, 1}}, "has pages of 2^255 bytes");
    row("hashes one byte later", {{kDirectory + 16, kHashes - kDirectory + 1}},
        "has hashes outside its code directory");
    row("hashes at the largest offset", {{kDirectory + 16, UINT32_MAX}}, "has hashes outside its code directory");
    row("one hash more", {{kDirectory + 28, 3}}, "has hashes outside its code directory");
    row("the largest number of hashes", {{kDirectory + 28, UINT32_MAX}}, "has hashes outside its code directory");
    row("one hash fewer", {{kDirectory + 28, 1}}, "has 1 hash for 6.0 KiB (6,144 bytes)");
    row("one byte of a third page", {{kDirectory + 32, 0x2001}}, "has 2 hashes for 8.0 KiB (8,193 bytes)");
    row("the last byte of the first page", {{kDirectory + 32, 0x1000}}, "has 2 hashes for 4.0 KiB (4,096 bytes)");
    row("the first byte of the second page", {{kDirectory + 32, 0x1001}}, "ad hoc");
    row("more than 4 GiB", {{kDirectory + 56, 0x1700, 8}}, "ad hoc");
    row("the largest limit", {{kDirectory + 56, UINT64_MAX, 8}},
        "has 2 hashes for 16.0 EiB (18,446,744,073,709,551,615 bytes)");
  }
  void eachFieldIsChecked() {
    QFETCH(std::vector<FieldChange>, changes);
    QFETCH(std::string, text);
    std::string bytes = signature();
    for (const FieldChange& change : changes) put(bytes, change.at, change.value, change.size);
    QCOMPARE(bytes.size(), kSignatureSize);
    QCOMPARE(textOf(write::macho::readSignature(std::string(kCode, 'c') + bytes, {kCode, kSignatureSize})), text);
  }

  void aSignatureOfAnIdentityHasASecondPart_data() {
    QTest::addColumn<uint>("slot");
    QTest::addColumn<uint>("size");
    QTest::addColumn<std::string>("text");
    QTest::newRow("a signature") << 0x10000u << 9u << std::string("identity");
    QTest::newRow("an empty signature") << 0x10000u << 8u << std::string("ad hoc");
    QTest::newRow("a second code directory") << 0x1000u << 9u << std::string("identity");
    QTest::newRow("requirements") << 2u << 9u << std::string("ad hoc");
  }
  void aSignatureOfAnIdentityHasASecondPart() {
    QFETCH(uint, slot);
    QFETCH(uint, size);
    QFETCH(std::string, text);
    // The list of parts takes 8 bytes more.
    const std::string old = signature();
    std::string bytes = old.substr(0, 20) + std::string(8, '\0') + old.substr(20);
    put(bytes, 8, 2);
    put(bytes, 16, kDirectory + 8);
    put(bytes, 20, slot);
    put(bytes, 24, bytes.size());
    put(bytes, bytes.size(), 0xfade0b01);
    put(bytes, bytes.size(), size);
    bytes += "x";
    QCOMPARE(textOf(write::macho::readSignature(std::string(kCode, 'c') + bytes, {kCode, bytes.size()})), text);
  }

  void theIdentifierEndsInItsDirectory_data() {
    QTest::addColumn<uint>("offset");
    QTest::addColumn<std::string>("identifier");
    QTest::newRow("usual") << 88u << std::string("name");
    QTest::newRow("its last letter") << 91u << std::string("e");
    QTest::newRow("at the end of the directory") << uint(kSignatureSize - kDirectory) << std::string();
    QTest::newRow("after the end") << UINT32_MAX << std::string();
  }
  void theIdentifierEndsInItsDirectory() {
    QFETCH(uint, offset);
    QFETCH(std::string, identifier);
    std::string bytes = signature();
    put(bytes, kDirectory + 20, offset);
    const std::string text = std::string(kCode, 'c') + bytes;
    QCOMPARE(std::string(write::macho::readSignature(text, {kCode, kSignatureSize}).identifier), identifier);
  }
};

BLOBSCOPE_TEST(TestMachoSignature);

#include "test_macho_signature.moc"
