#include "core/base/writer.h"

#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

constexpr uint64_t kLarge = 4096; ///< from this size on, bytes are taken by reference
constexpr uint64_t kStep = 1 << 20;

enum class ByteMode : uint8_t { Seven = 7 };

/// The same byte never occurs at two places that a mistake could confuse.
std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  uint32_t state = 1;
  for (char& c : out) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return out;
}

std::string changedAt(std::string text, std::size_t offset) {
  text[offset] = static_cast<char>(text[offset] ^ 0x80);
  return text;
}

/// Counts how often it was called.
class Counting final : public Monitor {
public:
  bool stopRequested() const override {
    ++looks;
    return false;
  }
  void progress(std::string_view, uint64_t done, uint64_t total) override {
    rising = rising && done >= last && done <= total;
    last = done;
  }
  mutable int looks = 0;
  bool rising = true;
  uint64_t last = 0;
};

} // namespace

class TestWriter : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void numbersAreWrittenLittleEndian();
  void stringsAreWrittenWithTheirLength();
  void smallBytesShareOnePiece();
  void largeBytesAreNotCopied();
  void appendedWriterKeepsItsPieces();
  void writerIsEmptyAfterTakingThePieces();
  void piecesAreJoined_data();
  void piecesAreJoined();
  void firstDifferenceIsFound_data();
  void firstDifferenceIsFound();
  void differenceIsFoundInEverySplit();
  void identicalBytesAreNotRead();
  void comparisonCanBeCancelled_data();
  void comparisonCanBeCancelled();
};

void TestWriter::numbersAreWrittenLittleEndian() {
  Writer writer;
  writer.number(uint8_t{0xfe});
  writer.number(uint16_t{0x1234});
  writer.number(uint32_t{0x89abcdef});
  writer.number(uint64_t{0x0123456789abcdef});
  writer.number(int32_t{-2});
  writer.number(int64_t{-3});
  writer.number(-0.5);
  writer.number(ByteMode::Seven);
  QCOMPARE(writer.size(), uint64_t{1 + 2 + 4 + 8 + 4 + 8 + 8 + 1});
  const std::string expected = ByteBuilder()
                                   .u8(0xfe)
                                   .u16(0x1234)
                                   .u32(0x89abcdef)
                                   .u64(0x0123456789abcdef)
                                   .u32(0xfffffffe)
                                   .u64(0xfffffffffffffffd)
                                   .u64(0xbfe0000000000000)
                                   .u8(7)
                                   .take();
  QCOMPARE(std::string(joined(writer.takePieces()).view()), expected);
}

void TestWriter::stringsAreWrittenWithTheirLength() {
  Writer writer;
  writer.string(bytes(""));
  writer.string(bytes("a\0b"s));
  writer.raw(bytes("\xff"));
  QCOMPARE(writer.size(), uint64_t{20});
  QCOMPARE(std::string(joined(writer.takePieces()).view()), ByteBuilder().str("").str("a\0b"s).u8(0xff).take());
}

void TestWriter::smallBytesShareOnePiece() {
  Writer writer;
  const Bytes small = bytes(pattern(kLarge - 1));
  writer.number(uint32_t{1});
  writer.raw(small);
  writer.raw(small);
  const auto pieces = writer.takePieces();
  QCOMPARE(pieces.size(), std::size_t{1});
  QCOMPARE(pieces[0].size(), 4 + 2 * (kLarge - 1));
  QVERIFY(!pieces[0].offset());
}

void TestWriter::largeBytesAreNotCopied() {
  const auto owner = source(pattern(3 * kLarge));
  const Bytes large(owner, owner->view().subspan(kLarge, kLarge), 0x5000);
  Writer writer;
  writer.number(uint32_t{1});
  writer.raw(large);
  writer.string(large);
  writer.number(uint32_t{2});
  QCOMPARE(writer.size(), 4 + kLarge + 8 + kLarge + 4);
  const auto pieces = writer.takePieces();
  QCOMPARE(pieces.size(), std::size_t{5});
  for (const std::size_t at : {1, 3}) {
    QVERIFY(pieces[at].data() == large.data());
    QCOMPARE(pieces[at].size(), kLarge);
    QVERIFY(pieces[at].owner() == owner);
    QCOMPARE(pieces[at].offset(), std::optional<uint64_t>(0x5000));
  }
  const std::string text(large.view());
  QCOMPARE(std::string(joined(pieces).view()), ByteBuilder().u32(1).raw(text).str(text).u32(2).take());
}

void TestWriter::appendedWriterKeepsItsPieces() {
  const Bytes large = bytes(pattern(kLarge));
  Writer inner;
  inner.number(uint16_t{2});
  inner.raw(large);
  inner.number(uint16_t{3});
  Writer writer;
  writer.number(uint16_t{1});
  writer.append(std::move(inner));
  writer.number(uint16_t{4});
  QCOMPARE(writer.size(), kLarge + 8);
  const auto pieces = writer.takePieces();
  QCOMPARE(pieces.size(), std::size_t{3});
  QVERIFY(pieces[1].data() == large.data());
  QCOMPARE(std::string(joined(pieces).view()), ByteBuilder().u16(1).u16(2).raw(large.view()).u16(3).u16(4).take());

  writer.append(Writer());
  QCOMPARE(writer.size(), uint64_t{0});
  QVERIFY(writer.takePieces().empty());
}

void TestWriter::writerIsEmptyAfterTakingThePieces() {
  Writer writer;
  writer.number(uint32_t{1});
  writer.raw(bytes(pattern(kLarge)));
  QCOMPARE(writer.takePieces().size(), std::size_t{2});
  QCOMPARE(writer.size(), uint64_t{0});
  QVERIFY(writer.takePieces().empty());
  writer.number(uint32_t{2});
  QCOMPARE(std::string(joined(writer.takePieces()).view()), ByteBuilder().u32(2).take());
}

void TestWriter::piecesAreJoined_data() {
  QTest::addColumn<int>("count");
  for (const int count : {0, 1, 2, 5}) QTest::addRow("%d pieces", count) << count;
}

void TestWriter::piecesAreJoined() {
  QFETCH(int, count);
  std::vector<Bytes> pieces;
  std::string expected;
  for (int i = 0; i < count; ++i) {
    pieces.push_back(bytes(pattern(static_cast<std::size_t>(i) * 3)));
    expected += pattern(static_cast<std::size_t>(i) * 3);
  }
  QCOMPARE(std::string(joined(pieces).view()), expected);
}

void TestWriter::firstDifferenceIsFound_data() {
  QTest::addColumn<std::string>("pieces"); // one text; cut below
  QTest::addColumn<int>("cut");
  QTest::addColumn<std::string>("whole");
  QTest::addColumn<std::optional<uint64_t>>("difference");
  const auto row = [](const char* name, std::string pieces, uint64_t cut, std::string whole,
                      std::optional<uint64_t> difference) {
    QTest::newRow(name) << std::move(pieces) << static_cast<int>(cut) << std::move(whole) << difference;
  };
  const std::string text = pattern(100), large = pattern(3 * kStep + 7);
  row("equal", text, 40, text, std::nullopt);
  row("equal, first piece empty", text, 0, text, std::nullopt);
  row("equal, last piece empty", text, 100, text, std::nullopt);
  row("equal and large", large, kStep + 1, large, std::nullopt);
  row("both empty", "", 0, "", std::nullopt);
  row("first byte", changedAt(text, 0), 40, text, 0);
  row("last byte", changedAt(text, 99), 40, text, 99);
  row("last byte of the first piece", changedAt(text, 39), 40, text, 39);
  row("first byte of the second piece", changedAt(text, 40), 40, text, 40);
  row("two bytes, the first counts", changedAt(changedAt(text, 90), 10), 40, text, 10);
  row("one byte shorter", text.substr(0, 99), 40, text, 99);
  row("one byte longer", text + "x", 40, text, 100);
  row("no bytes", "", 0, text, 0);
  row("all bytes too many", text, 40, "", 0);
  row("second piece missing", text.substr(0, 40), 40, text, 40);
  row("second piece too much", text, 40, text.substr(0, 40), 40);
  row("longer and different", changedAt(text, 5) + "x", 40, text, 5);
  row("large, first byte", changedAt(large, 0), kStep + 1, large, 0);
  row("large, last byte", changedAt(large, large.size() - 1), kStep + 1, large, large.size() - 1);
  row("large, last byte of a step", changedAt(large, kStep - 1), 3 * kStep, large, kStep - 1);
  row("large, first byte of a step", changedAt(large, kStep), 3 * kStep, large, kStep);
  row("large, second step of the second piece", changedAt(large, 2 * kStep + 9), kStep + 1, large, 2 * kStep + 9);
}

void TestWriter::firstDifferenceIsFound() {
  QFETCH(std::string, pieces);
  QFETCH(int, cut);
  QFETCH(std::string, whole);
  QFETCH(std::optional<uint64_t>, difference);
  const auto at = static_cast<std::size_t>(cut);
  Counting monitor;
  const auto found = findDifference({bytes(pieces.substr(0, at)), bytes(pieces.substr(at))}, bytes(whole), monitor);
  QVERIFY(found);
  QCOMPARE(*found, difference);
  QVERIFY(monitor.rising);
}

void TestWriter::differenceIsFoundInEverySplit() {
  const std::string text = pattern(24);
  NullMonitor monitor;
  for (std::size_t place = 0; place < text.size(); ++place)
    for (std::size_t first = 0; first <= text.size(); ++first)
      for (std::size_t second = first; second <= text.size(); ++second) {
        const std::string changed = changedAt(text, place);
        const std::vector<Bytes> pieces = {bytes(changed.substr(0, first)),
                                           bytes(changed.substr(first, second - first)), bytes(changed.substr(second))};
        const auto found = findDifference(pieces, bytes(text), monitor);
        QVERIFY(found);
        QCOMPARE(*found, std::optional<uint64_t>(place));
      }
}

void TestWriter::identicalBytesAreNotRead() {
  const Bytes whole = bytes(pattern(3 * kStep));
  Counting monitor;
  const auto same = findDifference({whole.slice(0, kStep), whole.slice(kStep)}, whole, monitor);
  QVERIFY(same);
  QVERIFY(!*same);
  QCOMPARE(monitor.looks, 0);
  // The same bytes at another place are read.
  const auto moved = findDifference({whole.slice(kStep), whole.slice(0, kStep)}, whole, monitor);
  QVERIFY(moved);
  QVERIFY(*moved);
  QVERIFY(monitor.looks > 0);
}

void TestWriter::comparisonCanBeCancelled_data() {
  QTest::addColumn<int>("looks");
  QTest::newRow("at once") << 0;
  QTest::newRow("in the middle of a piece") << 2;
  QTest::newRow("in the second piece") << 4;
}

void TestWriter::comparisonCanBeCancelled() {
  QFETCH(int, looks);
  const std::string large = pattern(6 * kStep);
  StopAfter monitor(looks);
  const auto found =
      findDifference({bytes(large.substr(0, 3 * kStep)), bytes(large.substr(3 * kStep))}, bytes(large), monitor);
  QVERIFY(!found);
  QVERIFY(found.error().code() == ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestWriter);
#include "test_writer.moc"
