#include "core/base/digest.h"

#include "core/base/source.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QCryptographicHash>
#include <QTemporaryDir>

#include <array>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

using namespace blobscope;
using namespace std::string_literals;

class TestDigest : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void digestEqualsKnownVectors_data();
  void digestEqualsKnownVectors();
  void digestEqualsTheOneOfQt_data();
  void digestEqualsTheOneOfQt();
  void digestOfASliceCoversOnlyTheSlice();
  void digestCanBeCancelled_data();
  void digestCanBeCancelled();
  void digestOfPiecesIsThatOfTheWhole();
  void bytesOfLargeFilesAreReleased();
  void releasedBytesStayReadable();
};

/// Source: FIPS 180-4 and the examples that NIST publishes with it.
void TestDigest::digestEqualsKnownVectors_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("digest");
  QTest::newRow("nothing") << ""s << "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"s;
  QTest::newRow("abc") << "abc"s << "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"s;
  QTest::newRow("two blocks") << "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"s
                              << "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"s;
  QTest::newRow("1,000,000 times a") << std::string(1'000'000, 'a')
                                     << "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"s;
}

void TestDigest::digestEqualsKnownVectors() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, digest);
  NullMonitor monitor;
  const auto result = computeSha256(test::bytes(bytes), monitor);
  QVERIFY(result);
  QCOMPARE(*result, digest);
}

void TestDigest::digestEqualsTheOneOfQt_data() {
  QTest::addColumn<int>("size");
  constexpr int kStep = 1 << 20;
  for (const int size : {1, 55, 56, 63, 64, 65, 127, 128, kStep - 1, kStep, kStep + 1, 3 * kStep + 17})
    QTest::addRow("%d bytes", size) << size;
}

void TestDigest::digestEqualsTheOneOfQt() {
  QFETCH(int, size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + (i >> 8));
  NullMonitor monitor;
  const auto result = computeSha256(test::bytes(bytes), monitor);
  QVERIFY(result);
  const QByteArray expected = QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256);
  QCOMPARE(*result, expected.toHex().toStdString());
}

void TestDigest::digestOfASliceCoversOnlyTheSlice() {
  NullMonitor monitor;
  const auto result = computeSha256(test::bytes("xxabcxx").slice(2, 3), monitor);
  QVERIFY(result);
  QCOMPARE(*result, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"s);
}

void TestDigest::digestCanBeCancelled_data() {
  QTest::addColumn<int>("looks");
  QTest::newRow("at once") << 0;
  QTest::newRow("in the middle") << 2;
}

void TestDigest::digestCanBeCancelled() {
  QFETCH(int, looks);
  test::StopAfter monitor(looks);
  const auto result = computeSha256(test::bytes(std::string(4 << 20, 'x')), monitor);
  QVERIFY(!result);
  QVERIFY(result.error().code() == ErrorCode::Cancelled);
}

void TestDigest::digestOfPiecesIsThatOfTheWhole() {
  NullMonitor monitor;
  const std::array<Bytes, 4> pieces = {test::bytes("ab"), Bytes(), test::bytes("c"), test::bytes("")};
  QCOMPARE(*computeSha256(pieces, monitor), *computeSha256(test::bytes("abc"), monitor));
}

namespace {

/// Says that it is a mapped file, and remembers what was released.
class Recorder final : public ByteSource {
public:
  explicit Recorder(uint64_t size) : m_bytes(size) {}
  std::span<const std::byte> view() const override { return m_bytes; }
  bool isFile() const override { return true; }
  int descriptor() const override { return 0; }
  void release(Extent bytes) const override { released.push_back(bytes); }

  mutable std::vector<Extent> released;

private:
  std::vector<std::byte> m_bytes;
};

} // namespace

/// A digest of a file of gigabytes does not keep it in memory.
void TestDigest::bytesOfLargeFilesAreReleased() {
  NullMonitor monitor;
  constexpr uint64_t kMega = 1 << 20;
  const auto large = std::make_shared<Recorder>(80 * kMega);
  QVERIFY(computeSha256(ByteSource::all(large).slice(3 * kMega), monitor));
  uint64_t end = 3 * kMega;
  for (const Extent& one : large->released) {
    QCOMPARE(one.offset, end);
    end = one.end();
  }
  QVERIFY(end <= 81 * kMega && end + 8 * kMega >= 80 * kMega);
  const auto small = std::make_shared<Recorder>(60 * kMega);
  QVERIFY(computeSha256(ByteSource::all(small), monitor));
  QVERIFY(small->released.empty());
}

void TestDigest::releasedBytesStayReadable() {
  const QTemporaryDir folder;
  const std::filesystem::path path = folder.filePath(QStringLiteral("a.bin")).toStdString();
  std::string content(100'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7);
  std::ofstream(path, std::ios::binary) << content;
  const auto source = ByteSource::openFile(path);
  QVERIFY(source);
  const Bytes all = ByteSource::all(*source);
  QVERIFY(all.view() == content);
  for (const Extent& range : {Extent{0, 100'000}, Extent{5'000, 50'000}, Extent{99'000, 1'000'000}, Extent{10, 10}}) {
    (*source)->release(range);
    QVERIFY(all.view() == content);
  }
  QVERIFY(!(*source)->damage() && !(*source)->findChange());
}

BLOBSCOPE_TEST(TestDigest);
#include "test_digest.moc"
