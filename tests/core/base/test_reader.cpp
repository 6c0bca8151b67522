#include "core/base/reader.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace std::string_literals;
using test::ByteBuilder;

namespace {

constexpr uint64_t kPlace = 0x2b30c0;

/// The bytes as part of a file, starting at kPlace.
Bytes placed(std::string_view text) {
  const auto source = test::source(text);
  return {source, source->view(), kPlace};
}

enum class WordMode : uint16_t { First = 1, Second = 0x1234 };

} // namespace

class TestReader : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void numbersAreReadLittleEndian();
  void readsEndAtTheLastByte_data();
  void readsEndAtTheLastByte();
  void readBeyondTheEndFails_data();
  void readBeyondTheEndFails();
  void rawBytesKeepTheirOffset();
  void stringsAreReadByTheirLength();
  void wrongLengthFails_data();
  void wrongLengthFails();
  void countThatCannotFitFails_data();
  void countThatCannotFitFails();
  void countsAreLimited();
  void arraysAreNotLimited();
  void arrayThatCannotFitFails_data();
  void arrayThatCannotFitFails();
  void firstErrorStays();
  void messagesNameFieldAndOffset_data();
  void messagesNameFieldAndOffset();
  void messagesNameThePathOfTheField();
  void bytesOutsideAFileCountFromTheirStart();
  void seekIsClampedToTheEnd();
  void unexpectedValueIsReported();
  void errorWithoutFailureIsInternal();
  void costDependsOnReadsNotOnSizes();
};

void TestReader::numbersAreReadLittleEndian() {
  const double fraction = -0.15625;
  uint64_t fractionBits = 0;
  std::memcpy(&fractionBits, &fraction, 8);
  Reader reader(test::bytes(ByteBuilder()
                                .u8(0xfe)
                                .u16(0x1234)
                                .u32(0x89abcdef)
                                .u64(0x0123456789abcdef)
                                .u32(0xfffffffe)
                                .u64(0xfffffffffffffffd)
                                .u64(fractionBits)
                                .u16(0x1234)
                                .take()));
  QCOMPARE(int{reader.number<uint8_t>("a")}, 0xfe);
  QCOMPARE(int{reader.number<uint16_t>("b")}, 0x1234);
  QCOMPARE(reader.number<uint32_t>("c"), uint32_t{0x89abcdef});
  QCOMPARE(reader.number<uint64_t>("d"), uint64_t{0x0123456789abcdef});
  QCOMPARE(reader.position(), uint64_t{15});
  QCOMPARE(reader.number<int32_t>("e"), int32_t{-2});
  QCOMPARE(reader.number<int64_t>("f"), int64_t{-3});
  QCOMPARE(reader.number<double>("g"), fraction);
  QVERIFY(reader.number<WordMode>("h") == WordMode::Second);
  QVERIFY(reader.ok());
  QCOMPARE(reader.left(), uint64_t{0});
}

void TestReader::readsEndAtTheLastByte_data() {
  QTest::addColumn<int>("size");
  for (const int size : {1, 2, 4, 8}) QTest::addRow("%d bytes", size) << size;
}

/// The last byte can be read, and nothing beyond it. The bytes end at the end of the heap block, so the address
/// sanitizer also sees a read beyond it.
void TestReader::readsEndAtTheLastByte() {
  QFETCH(int, size);
  for (int left = 0; left <= size + 1; ++left) {
    Reader reader(test::bytes(std::string(static_cast<std::size_t>(left), '\xff')));
    uint64_t value = 0;
    switch (size) {
    case 1: value = reader.number<uint8_t>("n"); break;
    case 2: value = reader.number<uint16_t>("n"); break;
    case 4: value = reader.number<uint32_t>("n"); break;
    default: value = reader.number<uint64_t>("n"); break;
    }
    const bool enough = left >= size;
    QCOMPARE(reader.ok(), enough);
    QCOMPARE(value, enough ? UINT64_MAX >> (64 - 8 * size) : uint64_t{0});
    QCOMPARE(reader.position(), static_cast<uint64_t>(enough ? size : 0));
    if (!enough)
      QCOMPARE(reader.error().message(), "n at 0x0 needs " + countText(size, "byte") + ", but only " +
                                             groupedText(left) + (left == 1 ? " is" : " are") + " left");
  }
}

void TestReader::readBeyondTheEndFails_data() {
  QTest::addColumn<uint64_t>("size");
  QTest::newRow("one more") << uint64_t{5};
  QTest::newRow("2^63") << uint64_t{1ull << 63};
  QTest::newRow("2^64 - 4, which wraps to the start") << uint64_t{UINT64_MAX - 3};
  QTest::newRow("2^64 - 1") << uint64_t{UINT64_MAX};
}

void TestReader::readBeyondTheEndFails() {
  QFETCH(uint64_t, size);
  Reader reader(test::bytes("12345678"));
  QCOMPARE(std::string(reader.raw("head", 4).view()), "1234"s);
  QVERIFY(reader.raw("code", size).empty());
  QVERIFY(!reader.ok());
  QCOMPARE(reader.position(), uint64_t{4});
  QCOMPARE(reader.error().message(), "code at 0x4 needs " + groupedText(size) + " bytes, but only 4 are left");
}

void TestReader::rawBytesKeepTheirOffset() {
  Reader reader(placed("12345678"));
  QVERIFY(reader.raw("none", 0).empty());
  const Bytes first = reader.raw("first", 3);
  QCOMPARE(std::string(first.view()), "123"s);
  QCOMPARE(first.offset(), std::optional(kPlace));
  const Bytes rest = reader.raw("rest", 5);
  QCOMPARE(std::string(rest.view()), "45678"s);
  QCOMPARE(rest.offset(), std::optional(kPlace + 3));
  QVERIFY(rest.owner() == reader.bytes().owner());
  QVERIFY(reader.raw("none", 0).empty());
  QVERIFY(reader.ok());
  QVERIFY(reader.raw("more", 1).empty());
  QVERIFY(!reader.ok());
}

void TestReader::stringsAreReadByTheirLength() {
  Reader reader(placed(ByteBuilder().str("").str("a\0b"s).str("\xff\xfe").take()));
  QCOMPARE(std::string(reader.string("a").view()), ""s);
  const Bytes text = reader.string("b");
  QCOMPARE(std::string(text.view()), "a\0b"s);
  QCOMPARE(text.offset(), std::optional(kPlace + 16));
  QCOMPARE(std::string(reader.string("c").view()), "\xff\xfe"s);
  QVERIFY(reader.ok());
  QCOMPARE(reader.left(), uint64_t{0});
}

void TestReader::wrongLengthFails_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* name, std::string bytes, std::string message) {
    QTest::newRow(name) << std::move(bytes) << std::move(message);
  };
  const auto claims = [](uint64_t length) { return ByteBuilder().u64(length).raw("12345").take(); };
  row("one more than is left", claims(6), "key length 6 at 0x2b30c0 exceeds the 5 bytes left");
  row("2^31", claims(1ull << 31), "key length 2,147,483,648 at 0x2b30c0 exceeds the 5 bytes left");
  row("2^32", claims(1ull << 32), "key length 4,294,967,296 at 0x2b30c0 exceeds the 5 bytes left");
  row("2^63", claims(1ull << 63), "key length 9,223,372,036,854,775,808 at 0x2b30c0 exceeds the 5 bytes left");
  row("2^64 - 8, which wraps to the length word", claims(UINT64_MAX - 7),
      "key length 18,446,744,073,709,551,608 at 0x2b30c0 exceeds the 5 bytes left");
  row("2^64 - 1", claims(UINT64_MAX), "key length 18,446,744,073,709,551,615 at 0x2b30c0 exceeds the 5 bytes left");
  row("length word cut", std::string(7, '\0'), "key at 0x2b30c0 needs 8 bytes, but only 7 are left");
  row("nothing at all", "", "key at 0x2b30c0 needs 8 bytes, but only 0 are left");
}

void TestReader::wrongLengthFails() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, message);
  Reader reader(placed(bytes));
  QVERIFY(reader.string("key").empty());
  QVERIFY(!reader.ok());
  QCOMPARE(reader.failedAt(), kPlace);
  QCOMPARE(reader.error().message(), message);
}

void TestReader::countThatCannotFitFails_data() {
  QTest::addColumn<uint64_t>("count");
  QTest::addColumn<uint64_t>("minimum");
  QTest::addColumn<bool>("fits");
  const auto row = [](const char* name, uint64_t count, uint64_t minimum, bool fits) {
    QTest::newRow(name) << count << minimum << fits;
  };
  // 24 bytes are left after the count.
  row("none", 0, 8, true);
  row("exactly", 3, 8, true);
  row("one more", 4, 8, false);
  row("the last one does not fit", 3, 9, false);
  row("single bytes", 24, 1, true);
  row("one byte more", 25, 1, false);
  row("items larger than all", 1, 25, false);
  row("2^61, times 8 is 0", 1ull << 61, 8, false);
  row("2^63", 1ull << 63, 8, false);
  row("2^63, times 2 is 0", 1ull << 63, 2, false);
  row("2^64 - 1", UINT64_MAX, 8, false);
  row("2^64 - 1 of one byte", UINT64_MAX, 1, false);
}

void TestReader::countThatCannotFitFails() {
  QFETCH(uint64_t, count);
  QFETCH(uint64_t, minimum);
  QFETCH(bool, fits);
  Reader reader(placed(ByteBuilder().u64(count).raw(std::string(24, 'x')).take()));
  QCOMPARE(reader.count("fmap", minimum), fits ? count : 0);
  QCOMPARE(reader.ok(), fits);
  if (!fits) {
    QVERIFY(reader.error().id() == DiagnosticId::FieldCount);
    QCOMPARE(reader.error().message(),
             "fmap count " + groupedText(count) + " at 0x2b30c0 cannot fit into the 24 bytes left");
  }
}

void TestReader::countsAreLimited() {
  const auto countOf = [](uint64_t count) { return ByteBuilder().u64(count).raw(std::string(count, 'x')).take(); };
  Reader most(test::bytes(countOf(limits::kListItems)));
  QCOMPARE(most.count("fmap", 1), limits::kListItems);
  QVERIFY(most.ok());

  Reader reader(test::bytes(countOf(limits::kListItems + 1)));
  QCOMPARE(reader.count("fmap", 1), uint64_t{0});
  QVERIFY(reader.error().id() == DiagnosticId::FieldLimit);
  QVERIFY(reader.error().code() == ErrorCode::Limit);
  QCOMPARE(reader.error().message(), "fmap count " + groupedText(limits::kListItems + 1) +
                                         " at 0x0 exceeds the limit of " + groupedText(limits::kListItems) + " items");
}

void TestReader::arraysAreNotLimited() {
  const uint64_t count = limits::kListItems + 1;
  Reader reader(test::bytes(ByteBuilder().u64(count).raw(std::string(count, 'x')).take()));
  QCOMPARE(reader.array("words", 1).size(), count);
  QVERIFY(reader.ok());
}

void TestReader::arrayThatCannotFitFails_data() {
  QTest::addColumn<uint64_t>("count");
  QTest::addColumn<std::string>("bytes");
  QTest::newRow("none") << uint64_t{0} << ""s;
  QTest::newRow("part") << uint64_t{2} << "12345678"s;
  QTest::newRow("all but three bytes") << uint64_t{3} << "123456789abc"s;
  QTest::newRow("one more") << uint64_t{4} << ""s;
  QTest::newRow("2^62, times 4 is 0") << uint64_t{1ull << 62} << ""s;
  QTest::newRow("2^63") << uint64_t{1ull << 63} << ""s;
  QTest::newRow("2^64 - 1") << uint64_t{UINT64_MAX} << ""s;
}

void TestReader::arrayThatCannotFitFails() {
  QFETCH(uint64_t, count);
  QFETCH(std::string, bytes);
  Reader reader(placed(ByteBuilder().u64(count).raw("123456789abcdef").take()));
  QCOMPARE(std::string(reader.array("words", 4).view()), bytes);
  QCOMPARE(reader.ok(), count < 4);
  if (reader.ok())
    QCOMPARE(reader.position(), 8 + 4 * count);
  else
    QCOMPARE(reader.error().message(),
             "words count " + groupedText(count) + " at 0x2b30c0 cannot fit into the 15 bytes left");
}

void TestReader::firstErrorStays() {
  Reader reader(placed(ByteBuilder().u32(7).str("name").str("data").take()));
  QCOMPARE(reader.number<uint32_t>("flag"), uint32_t{7});
  QVERIFY(reader.raw("first", 1000).empty());
  QVERIFY(!reader.ok());

  // All of these reads would succeed on their own; the first failure stays.
  QCOMPARE(int{reader.number<uint8_t>("second")}, 0);
  QVERIFY(reader.raw("second", 1).empty());
  QVERIFY(reader.raw("second", 0).empty());
  QVERIFY(reader.string("second").empty());
  QCOMPARE(reader.count("second", 1), uint64_t{0});
  QVERIFY(reader.array("second", 1).empty());
  reader.failValue("second", 0, 1, "0");
  reader.failLeftOver("second");
  QCOMPARE(reader.position(), uint64_t{4});
  reader.seek(0);
  QVERIFY(!reader.ok());
  QCOMPARE(reader.number<uint32_t>("second"), uint32_t{0});
  QCOMPARE(reader.position(), uint64_t{0});
  QCOMPARE(reader.failedAt(), kPlace + 4);
  QCOMPARE(reader.error().message(), "first at 0x2b30c4 needs 1,000 bytes, but only 24 are left"s);
}

void TestReader::messagesNameFieldAndOffset_data() {
  QTest::addColumn<int>("failure");
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* name, int failure, const char* id, const char* message) {
    QTest::newRow(name) << failure << std::string(id) << std::string(message);
  };
  row("number beyond the end", 0, "BLOB-FIELD-TRUNCATED", "fmap[3].key at 0x2b30c8 needs 8 bytes, but only 3 are left");
  row("length beyond the end", 1, "BLOB-FIELD-LENGTH", "fmap[3].key length 66 at 0x2b30c0 exceeds the 3 bytes left");
  row("count beyond the end", 2, "BLOB-FIELD-COUNT",
      "fmap[3].key count 66 at 0x2b30c0 cannot fit into the 3 bytes left");
  row("array beyond the end", 3, "BLOB-FIELD-COUNT",
      "fmap[3].key count 66 at 0x2b30c0 cannot fit into the 3 bytes left");
  row("wrong value", 4, "BLOB-FIELD-VALUE", "fmap[3].key at 0x2b30c0 is 0x42, expected 0 or 1");
  row("bytes left over", 5, "BLOB-FIELD-LEFT-OVER",
      "the last field ends at 0x2b30c8, 3 bytes before the end of the data");
}

void TestReader::messagesNameFieldAndOffset() {
  QFETCH(int, failure);
  QFETCH(std::string, id);
  QFETCH(std::string, message);
  Reader reader(placed(ByteBuilder().u64(66).raw("abc").take()));
  reader.enter("fmap");
  reader.enterItem(3);
  switch (failure) {
  case 0:
    (void)reader.number<uint64_t>("before");
    (void)reader.number<uint64_t>("key");
    break;
  case 1: (void)reader.string("key"); break;
  case 2: (void)reader.count("key", 2); break;
  case 3: (void)reader.array("key", 2); break;
  case 4: reader.failValue("key", 0, reader.number<uint64_t>("key"), "0 or 1"); break;
  default:
    (void)reader.number<uint64_t>("key");
    reader.failLeftOver("key");
    break;
  }
  reader.leave();
  reader.leave();
  const Error error = reader.error();
  QCOMPARE(std::string(error.diagnostic().idText()), id);
  QCOMPARE(error.message(), message);
  QCOMPARE(error.place().at, std::optional(reader.failedAt()));
  QVERIFY(error.diagnostic().severity() == Severity::Error);
}

void TestReader::messagesNameThePathOfTheField() {
  const auto pathOf = [](const std::function<void(Reader&)>& enter, const char* field) {
    Reader reader(test::bytes(""));
    enter(reader);
    (void)reader.number<uint8_t>(field);
    const std::string message = reader.error().message();
    return message.substr(0, message.find(" at "));
  };
  QCOMPARE(pathOf([](Reader&) {}, "flag"), "flag"s);
  QCOMPARE(pathOf([](Reader& r) { r.enter("info"); }, "flag"), "info.flag"s);
  QCOMPARE(pathOf([](Reader& r) { r.enter("fmap"), r.enterItem(0); }, ""), "fmap[0]"s);
  QCOMPARE(pathOf([](Reader& r) { r.enter("fmap"), r.enterItem(0), r.enter(""), r.enter("info"); }, "flag"),
           "fmap[0].info.flag"s);
  QCOMPARE(pathOf([](Reader& r) { r.enter("a"), r.enterItem(1), r.enterItem(2); }, "x"), "a[1][2].x"s);
  QCOMPARE(pathOf([](Reader& r) { r.enter("a"), r.leave(), r.enter("b"), r.enterItem(7), r.leave(); }, "x"), "b.x"s);
}

/// Bytes that are not in the file as they are: offsets count from their start, and there is no place to go to.
void TestReader::bytesOutsideAFileCountFromTheirStart() {
  Reader reader(test::bytes(ByteBuilder().u64(1).u64(99).take()));
  (void)reader.number<uint64_t>("first");
  (void)reader.string("key");
  QCOMPARE(reader.failedAt(), uint64_t{8});
  QCOMPARE(reader.error().message(), "key length 99 at 0x8 exceeds the 0 bytes left"s);
  QVERIFY(reader.error().place() == Ref::file());
}

void TestReader::seekIsClampedToTheEnd() {
  Reader reader(placed("12345678"));
  reader.seek(6);
  QCOMPARE(reader.left(), uint64_t{2});
  QCOMPARE(std::string(reader.raw("a", 2).view()), "78"s);
  reader.seek(0);
  QCOMPARE(std::string(reader.raw("a", 2).view()), "12"s);
  reader.seek(8);
  QCOMPARE(reader.left(), uint64_t{0});
  reader.seek(9);
  QCOMPARE(reader.position(), uint64_t{8});
  reader.seek(UINT64_MAX);
  QCOMPARE(reader.left(), uint64_t{0});
  QVERIFY(reader.ok());
  QCOMPARE(reader.failedAt(), kPlace + 8);
}

void TestReader::unexpectedValueIsReported() {
  Reader reader(placed(ByteBuilder().u32(1).u32(2).take()));
  (void)reader.number<uint32_t>("a");
  const uint64_t at = reader.position();
  const auto value = reader.number<uint32_t>("b");
  reader.failValue("b", at, value, "0 or 1");
  QVERIFY(!reader.ok());
  QCOMPARE(reader.failedAt(), kPlace + 4);
  QCOMPARE(reader.error().message(), "b at 0x2b30c4 is 0x2, expected 0 or 1"s);
}

void TestReader::errorWithoutFailureIsInternal() {
  Reader reader(placed("1"));
  QVERIFY(reader.ok());
  QVERIFY(reader.error().code() == ErrorCode::Internal);
}

/// The cost of decoding does not depend on the size of the values.
void TestReader::costDependsOnReadsNotOnSizes() {
  const auto costOf = [](std::string_view text) {
    Reader reader(test::bytes(ByteBuilder().u32(1).str(text).u64(text.size()).raw(text).take()));
    (void)reader.number<uint32_t>("a");
    (void)reader.string("b");
    (void)reader.array("c", 1);
    const uint64_t cost = reader.operations();
    (void)reader.number<uint8_t>("behind the end");
    const uint64_t failed = reader.operations();
    for (int i = 0; i < 10; ++i) (void)reader.number<uint8_t>("after the failure");
    return reader.ok() || reader.operations() != failed ? uint64_t{0} : cost;
  };
  QCOMPARE(Reader(test::bytes("x")).operations(), uint64_t{0});
  QVERIFY(costOf("short") >= 3);
  QCOMPARE(costOf(std::string(100'000, 'x')), costOf("short"));
}

BLOBSCOPE_TEST(TestReader);
#include "test_reader.moc"
