#include "core/library/key_scan.h"

#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;

class TestKeyScan : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void keyTextsAreRecognised_data();
  void keyTextsAreRecognised();
  void keysAreFound_data();
  void keysAreFound();
  void scanEqualsALoopOverEveryOffset();
  void callbackCanEndTheScan();
  void scanCanBeCancelled();
};

void TestKeyScan::keyTextsAreRecognised_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<bool>("key");
  for (const char* key : {"c", "_lib", "relax.VMExecutable", "ethos-n", "aocl_sw_emu", "A9"})
    QTest::newRow(key) << QByteArray(key) << true;
  QTest::newRow("64 characters") << QByteArray(64, 'k') << true;
  QTest::newRow("65 characters") << QByteArray(65, 'k') << false;
  QTest::newRow("nothing") << QByteArray() << false;
  for (const char* text : {"9a", ".a", "-a", "a b", "a/b", "a:b", "\xc3\xa4"})
    QTest::newRow(text) << QByteArray(text) << false;
  QTest::newRow("NUL") << QByteArray("a\0b", 3) << false;
}

void TestKeyScan::keyTextsAreRecognised() {
  QFETCH(QByteArray, text);
  QFETCH(bool, key);
  QCOMPARE(library::isKeyText(text.toStdString()), key);
}

namespace {

QStringList found(const Bytes& bytes, uint64_t from) {
  QStringList out;
  NullMonitor monitor;
  const auto done = library::scanKeys(bytes, from, monitor, [&](uint64_t position, std::string_view key) {
    out << QString::number(position) + QLatin1Char(' ') + shown(key);
    return true;
  });
  if (!done) qFatal("scanning for keys failed");
  return out;
}

} // namespace

void TestKeyScan::keysAreFound_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<quint64>("from");
  QTest::addColumn<QStringList>("keys");
  const auto add = [](const char* name, const std::string& bytes, quint64 from, const QStringList& keys) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << from << keys;
  };
  add("nothing", "", 0, {});
  add("eight zeros", std::string(8, '\0'), 0, {});
  add("one, exactly to the end", ByteBuilder().str("cuda").take(), 0, {"0 cuda"});
  add("one character", ByteBuilder().str("c").take(), 0, {"0 c"});
  add("cut by one byte", ByteBuilder().str("cuda").take().substr(0, 11), 0, {});
  add("two side by side", ByteBuilder().str("c").str("json").take(), 0, {"0 c", "9 json"});
  add("odd place", "xyz" + ByteBuilder().str("json").take(), 0, {"3 json"});
  add("behind zeros", std::string(20, '\0') + ByteBuilder().str("json").take(), 0, {"20 json"});
  add("from behind the first", ByteBuilder().str("c").str("json").take(), 1, {"9 json"});
  add("from behind the end", ByteBuilder().str("c").take(), 100, {});
  add("one inside another's text is none", ByteBuilder().str(ByteBuilder().str("c").take()).take(), 0, {"8 c"});
}

void TestKeyScan::keysAreFound() {
  QFETCH(QByteArray, bytes);
  QFETCH(quint64, from);
  QFETCH(QStringList, keys);
  QCOMPARE(found(test::bytes(bytes.toStdString()), from), keys);
}

/// The scan skips bytes that cannot be part of a length; a loop over every offset finds the same keys.
void TestKeyScan::scanEqualsALoopOverEveryOffset() {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    while (text.size() < 200) {
      switch (random() % 5) {
      case 0: text += ByteBuilder().str(std::string(random() % 5, 'k')).take(); break;
      case 1: text += std::string(random() % 12, '\0'); break;
      case 2: text += static_cast<char>(random() % 4); break;
      case 3: text += static_cast<char>(random()); break;
      default: text += "ab";
      }
    }
    QStringList expected;
    for (std::size_t at = 0; at + 8 < text.size(); ++at) {
      uint64_t length = 0;
      std::memcpy(&length, text.data() + at, 8);
      if (length > text.size() - at - 8 || !library::isKeyText(std::string_view(text).substr(at + 8, length))) continue;
      expected << QString::number(at) + QLatin1Char(' ') + shown(std::string_view(text).substr(at + 8, length));
    }
    QCOMPARE(found(bytes(text), 0), expected);
  }
}

void TestKeyScan::callbackCanEndTheScan() {
  NullMonitor monitor;
  int seen = 0;
  const auto done = library::scanKeys(bytes(ByteBuilder().str("a").str("b").str("c").take()), 0, monitor,
                                      [&](uint64_t, std::string_view) { return ++seen < 2; });
  QVERIFY(done);
  QCOMPARE(seen, 2);
}

void TestKeyScan::scanCanBeCancelled() {
  const Bytes zeros = bytes(std::string(5u << 20, '\0'));
  for (const int looks : {0, 1, 4}) {
    StopAfter monitor(looks);
    const auto done = library::scanKeys(zeros, 0, monitor, [](uint64_t, std::string_view) { return true; });
    QVERIFY(!done);
    QCOMPARE(done.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestKeyScan);
#include "test_key_scan.moc"
