#include "core/base/wire.h"

#include "tests/core/base/compare.h"
#include "tests/core/base/sample.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

class TestWireFormat : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void structureIsRead();
  void writingGivesTheSameBytes();
  void descriptionCoversTheSameBytes();
  void descriptionIsRepeatable();
  void fieldsFollowWithoutGapOrOverlap();
  void everyTruncationIsReported();
  void damagedFieldIsReported_data();
  void damagedFieldIsReported();
  void fieldsBeforeTheDamageAreKept();
  void contextIsPassedToTheStructure();
};

void TestWireFormat::structureIsRead() {
  Reader reader(bytes(sampleBytes()));
  const Sample sample = readSample(reader);
  QVERIFY(reader.ok());
  QCOMPARE(reader.left(), uint64_t{0});
  QCOMPARE(std::string(sample.format.view()), "ptx"s);
  QVERIFY(sample.mode == SampleMode::Second);
  QCOMPARE(sample.delta, int32_t{-2});
  QCOMPARE(sample.wide, int64_t{-3});
  QCOMPARE(sample.scale, -0.15625);
  QCOMPARE(sample.address, uint64_t{0x2b30c1});
  QCOMPARE(sample.entries.size(), std::size_t{2});
  QCOMPARE(std::string(sample.entries[0].key.view()), "k0"s);
  QVERIFY(sample.entries[0].types == (std::vector<uint32_t>{0x00014003, 0x00041002}));
  QCOMPARE(int{sample.entries[0].kind}, 7);
  QCOMPARE(sample.entries[0].flag, uint32_t{1});
  QCOMPARE(std::string(sample.entries[0].words.view()), "\x03\x02\x23\x07\x05\0\0\0"s);
  QVERIFY(sample.entries[1].types.empty());
  QVERIFY(sample.entries[1].words.empty());
  QCOMPARE(std::string(sample.data.view()), "12\0"
                                            "45"s);
}

void TestWireFormat::writingGivesTheSameBytes() {
  Reader reader(bytes(sampleBytes()));
  const Sample sample = readSample(reader);
  Writer writer;
  WriteArchive archive(writer);
  wire(archive, sample);
  QCOMPARE(writer.size(), kSampleSize);
  QCOMPARE(std::string(joined(writer.takePieces()).view()), sampleBytes());
}

void TestWireFormat::descriptionCoversTheSameBytes() {
  Reader reader(bytes(sampleBytes()));
  const FieldTree tree = describeSample(readSample(reader), reader.bytes());
  std::string text;
  for (uint32_t row = 0; row < tree.rows.size(); ++row)
    text += tree.path(row) + " " + std::to_string(tree.rows[row].offset) + " " + std::to_string(tree.rows[row].size) +
            " " + tree.value(row) + "\n";
  QCOMPARE(text, std::string(kSampleFields));
}

void TestWireFormat::descriptionIsRepeatable() {
  Reader reader(bytes(sampleBytes()));
  const Sample sample = readSample(reader);
  FieldTreeBuilder builder;
  DescribeArchive archive(builder);
  wire(archive, sample);
  const FieldTree first = builder.take(reader.bytes());
  QCOMPARE(first.rows.size(), std::size_t{24});
  const FieldTree second = describeSample(sample, reader.bytes());
  QCOMPARE(second.rows.size(), first.rows.size());
  for (uint32_t row = 0; row < first.rows.size(); ++row) {
    QCOMPARE(second.path(row), first.path(row));
    QCOMPARE(second.value(row), first.value(row));
    QCOMPARE(second.rows[row].offset, first.rows[row].offset);
    QCOMPARE(second.rows[row].size, first.rows[row].size);
    QCOMPARE(second.rows[row].after, first.rows[row].after);
    QVERIFY(second.rows[row].role == first.rows[row].role && second.rows[row].type == first.rows[row].type);
  }
}

/// Child rows follow one another without gap or overlap, from after the length word of the row up to its end.
void TestWireFormat::fieldsFollowWithoutGapOrOverlap() {
  Reader reader(bytes(sampleBytes()));
  const FieldTree tree = describeSample(readSample(reader), reader.bytes());
  const auto count = static_cast<uint32_t>(tree.rows.size());
  uint64_t at = 0;
  for (uint32_t row = 0; row < count; row = tree.rows[row].after) {
    QCOMPARE(tree.rows[row].offset, at);
    QCOMPARE(tree.rows[row].depth, uint16_t{0});
    at += tree.rows[row].size;
  }
  QCOMPARE(at, kSampleSize);
  for (uint32_t parent = 0; parent < count; ++parent) {
    const Field& above = tree.rows[parent];
    QVERIFY(above.after > parent && above.after <= count);
    if (above.after == parent + 1) continue;
    at = above.offset + (above.type == FieldType::Group ? 0 : 8);
    for (uint32_t row = parent + 1; row < above.after; row = tree.rows[row].after) {
      QCOMPARE(tree.rows[row].offset, at);
      QCOMPARE(int{tree.rows[row].depth}, above.depth + 1);
      at += tree.rows[row].size;
    }
    QCOMPARE(at, above.offset + above.size);
  }
}

void TestWireFormat::everyTruncationIsReported() {
  const std::string whole = sampleBytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Reader reader(bytes(whole.substr(0, size)));
    (void)readSample(reader);
    const std::string cut = "cut at " + std::to_string(size);
    QVERIFY2(!reader.ok(), cut.c_str());
    QVERIFY2(reader.failedAt() <= size, cut.c_str());
    QVERIFY2(!reader.error().message().empty(), cut.c_str());
  }
}

void TestWireFormat::damagedFieldIsReported_data() {
  QTest::addColumn<int>("offset");
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* name, int offset, uint64_t value, const char* message) {
    QTest::newRow(name) << offset << value << std::string(message);
  };
  row("first length", 0, 147, "fmt length 147 at 0x0 exceeds the 146 bytes left");
  row("count, one item too many for the bytes", 41, 3, "entries count 3 at 0x29 cannot fit into the 105 bytes left");
  row("count of 2^64 - 1", 41, UINT64_MAX,
      "entries count 18,446,744,073,709,551,615 at 0x29 cannot fit into the 105 bytes left");
  row("length in an item", 49, 1ull << 63,
      "entries[0].key length 9,223,372,036,854,775,808 at 0x31 exceeds the 97 bytes left");
  row("count in an item", 59, 23, "entries[0].types count 23 at 0x3b cannot fit into the 87 bytes left");
  row("sized, one byte too few", 76, 19,
      "entries[0].shader at 0x4c is 0x13, expected the length of the structure it holds");
  row("sized, one byte too many", 76, 21,
      "entries[0].shader at 0x4c is 0x15, expected the length of the structure it holds");
  row("sized, zero", 76, 0, "entries[0].shader at 0x4c is 0x0, expected the length of the structure it holds");
  row("sized, up to the end of the bytes", 76, 70,
      "entries[0].shader at 0x4c is 0x46, expected the length of the structure it holds");
  row("sized, beyond the end of the bytes", 76, 71, "entries[0].shader length 71 at 0x4c exceeds the 70 bytes left");
  row("sized, 2^64 - 8", 76, UINT64_MAX - 7,
      "entries[0].shader length 18,446,744,073,709,551,608 at 0x4c exceeds the 70 bytes left");
  row("words that leave the sized structure", 88, 3,
      "entries[0].shader at 0x4c is 0x14, expected the length of the structure it holds");
  row("words beyond the end of the bytes", 88, 1ull << 62,
      "entries[0].shader.words count 4,611,686,018,427,387,904 at 0x58 cannot fit into the 58 bytes left");
  row("sized, in the second item", 121, 13,
      "entries[1].shader at 0x79 is 0xd, expected the length of the structure it holds");
  row("last length", 141, 6, "data length 6 at 0x8d exceeds the 5 bytes left");
}

void TestWireFormat::damagedFieldIsReported() {
  QFETCH(int, offset);
  QFETCH(uint64_t, value);
  QFETCH(std::string, message);
  Reader reader(bytes(patched(sampleBytes(), static_cast<std::size_t>(offset), value)));
  (void)readSample(reader);
  QVERIFY(!reader.ok());
  QCOMPARE(reader.error().message(), message);
  QVERIFY(message.find(" at " + hexText(reader.failedAt()) + " ") != std::string::npos);
}

void TestWireFormat::fieldsBeforeTheDamageAreKept() {
  Reader reader(bytes(patched(sampleBytes(), 121, 13)));
  const Sample sample = readSample(reader);
  QVERIFY(!reader.ok());
  QCOMPARE(std::string(sample.format.view()), "ptx"s);
  QCOMPARE(sample.entries.size(), std::size_t{2});
  QCOMPARE(std::string(sample.entries[0].key.view()), "k0"s);
  QVERIFY(sample.data.empty());
}

void TestWireFormat::contextIsPassedToTheStructure() {
  Reader reader(bytes(""));
  const ReadArchive plain(reader, {});
  QVERIFY(!plain.context().extraTags && !plain.context().dlpack);
  const ReadArchive newer(reader, {.extraTags = true, .dlpack = true});
  QVERIFY(newer.context().extraTags && newer.context().dlpack);
}

BLOBSCOPE_TEST(TestWireFormat);
#include "test_wire.moc"
