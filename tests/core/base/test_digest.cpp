#include "core/base/digest.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QCryptographicHash>

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

BLOBSCOPE_TEST(TestDigest);
#include "test_digest.moc"
