#include "core/base/bytes.h"

#include "core/base/source.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace std::string_literals;

class TestBytes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void sliceIsClampedToTheBytes_data();
  void sliceIsClampedToTheBytes();
  void sliceOfASliceStaysWithinTheFirst();
  void sliceKeepsItsOwnerAlive();
  void copyIsIndependentOfTheOriginal();
  void defaultBytesAreEmpty();
  void equalityComparesContent();
};

void TestBytes::sliceIsClampedToTheBytes_data() {
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<std::string>("text");
  QTest::addColumn<uint64_t>("place");
  const auto row = [](const char* name, uint64_t offset, uint64_t size, const char* text, uint64_t place) {
    QTest::newRow(name) << offset << size << std::string(text) << place;
  };
  row("all", 0, UINT64_MAX, "12345678", 0x1000);
  row("all by its size", 0, 8, "12345678", 0x1000);
  row("first", 0, 1, "1", 0x1000);
  row("middle", 2, 3, "345", 0x1002);
  row("last", 7, 1, "8", 0x1007);
  row("size cut to what is there", 6, 3, "78", 0x1006);
  row("size that wraps", 6, UINT64_MAX - 2, "78", 0x1006);
  row("none in the middle", 3, 0, "", 0x1003);
  row("at the end", 8, 4, "", 0x1008);
  row("after the end", 9, 4, "", 0x1008);
  row("far after the end", UINT64_MAX, UINT64_MAX, "", 0x1008);
}

void TestBytes::sliceIsClampedToTheBytes() {
  QFETCH(uint64_t, offset);
  QFETCH(uint64_t, size);
  QFETCH(std::string, text);
  QFETCH(uint64_t, place);
  const auto source = test::source("12345678");
  const Bytes bytes(source, source->view(), 0x1000);
  const Bytes slice = bytes.slice(offset, size);
  QCOMPARE(std::string(slice.view()), text);
  QCOMPARE(slice.size(), uint64_t{text.size()});
  QCOMPARE(slice.empty(), text.empty());
  QCOMPARE(slice.offset(), std::optional(place));
  QVERIFY(!test::bytes("12345678").slice(offset, size).offset());
}

void TestBytes::sliceOfASliceStaysWithinTheFirst() {
  const auto source = test::source("12345678");
  const Bytes slice = Bytes(source, source->view(), 0x1000).slice(2, 5).slice(1, 2);
  QCOMPARE(std::string(slice.view()), "45"s);
  QCOMPARE(slice.offset(), std::optional<uint64_t>(0x1003));
  QVERIFY(slice.data() == source->view().data() + 3);
  // The slice does not reach beyond the bytes it was cut from.
  QCOMPARE(std::string(slice.slice(1).view()), "5"s);
}

void TestBytes::sliceKeepsItsOwnerAlive() {
  Bytes slice;
  {
    const Bytes whole = test::bytes(std::string(100'000, 'x') + "end");
    slice = whole.slice(100'000);
  }
  QCOMPARE(std::string(slice.view()), "end"s);
}

void TestBytes::copyIsIndependentOfTheOriginal() {
  std::string text = "a\0b"s;
  const Bytes copy = Bytes::copyOf(text);
  text = "xyz";
  QCOMPARE(std::string(copy.view()), "a\0b"s);
  QVERIFY(!copy.offset());
  QVERIFY(Bytes::copyOf("").empty());
}

void TestBytes::defaultBytesAreEmpty() {
  const Bytes bytes;
  QVERIFY(bytes.empty());
  QVERIFY(!bytes.offset());
  QVERIFY(!bytes.owner());
  QVERIFY(bytes.view().empty());
  QVERIFY(bytes.slice(0, 1).empty());
  QVERIFY(bytes.slice(UINT64_MAX).empty());
}

void TestBytes::equalityComparesContent() {
  const auto source = test::source("aXaa");
  const Bytes all(source, source->view(), 0);
  QVERIFY(all.slice(0, 1) == all.slice(2, 1));
  QVERIFY(all == test::bytes("aXaa"));
  QVERIFY(!(all.slice(0, 1) == all.slice(1, 1)));
  QVERIFY(!(all.slice(2) == all.slice(2, 1)));
  QVERIFY(Bytes() == test::bytes(""));
}

BLOBSCOPE_TEST(TestBytes);
#include "test_bytes.moc"
