#include "ui/widgets/hex/field_segments.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Adds up to `count` rows that cover the bytes they describe.
void addRows(FieldTreeBuilder& builder, std::mt19937& random, int count, int depth) {
  for (int i = 0; i < count; ++i) {
    builder.nextIndex(static_cast<uint32_t>(i));
    const uint64_t size = random() % 9;
    switch (random() % (depth > 0 ? 6 : 4)) {
    case 0: builder.leaf("", FieldType::U32, FieldRole::Number, 4, 1); break;
    case 1: builder.leaf("", FieldType::String, FieldRole::Text, 8 + size, size); break;
    case 2: builder.leaf("", FieldType::Data, FieldRole::Payload, size, size); break;
    case 3: builder.leaf("", FieldType::Unknown, FieldRole::Unknown, size, 0); break;
    case 4:
      builder.open("", FieldType::List, FieldRole::Structure, 8, 1);
      addRows(builder, random, static_cast<int>(random() % 4), depth - 1);
      builder.close();
      break;
    default:
      builder.open("", FieldType::Group, FieldRole::Structure, 0, 0);
      addRows(builder, random, static_cast<int>(random() % 4), depth - 1);
      builder.close();
    }
  }
}

} // namespace

class TestFieldSegments : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void segmentsEqualTheFieldTree();
  void lengthWordsAreSeparateSegments();
  void gapsBelongToNoField();
  void overlappingFieldsAreSafe();
  void emptyTreesHaveNoOwner();
  void millionFieldsAreFast();
};

void TestFieldSegments::segmentsEqualTheFieldTree() {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    FieldTreeBuilder builder;
    addRows(builder, random, 6, 4);
    const uint64_t size = builder.position();
    const FieldTree tree = builder.take(bytes(std::string(size, 'x')));
    const FieldSegments segments(tree);
    for (uint64_t offset = 0; offset < size; ++offset) {
      const FieldSegments::Segment found = segments.at(offset);
      QVERIFY(found.bytes.contains(offset));
      QCOMPARE(std::optional(found.row), tree.rowAt(offset));
    }
    uint64_t end = 0;
    for (std::size_t i = 0; i < segments.count() && size > 0; ++i) {
      QCOMPARE(segments.segment(i).bytes.offset, end);
      end = segments.segment(i).bytes.end();
    }
    QCOMPARE(end, size);
  }
}

void TestFieldSegments::lengthWordsAreSeparateSegments() {
  FieldTreeBuilder builder;
  builder.leaf("key", FieldType::String, FieldRole::TypeKey, 12, 4);
  builder.leaf("code", FieldType::Data, FieldRole::Payload, 10, 2);
  builder.leaf("raw", FieldType::Data, FieldRole::Payload, 3, 3);
  builder.leaf("none", FieldType::List, FieldRole::Structure, 8, 0);
  const FieldTree tree = builder.take(bytes(std::string(33, 'x')));
  const FieldSegments segments(tree);
  QString text;
  for (std::size_t i = 0; i < segments.count(); ++i) {
    const auto segment = segments.segment(i);
    text += QStringLiteral("%1+%2:%3:%4 ")
                .arg(segment.bytes.offset)
                .arg(segment.bytes.size)
                .arg(segment.row)
                .arg(static_cast<int>(segment.role));
  }
  // Role 0 is Length, 2 TypeKey, 7 Payload.
  QCOMPARE(text, QStringLiteral("0+8:0:0 8+4:0:2 12+8:1:0 20+2:1:7 22+3:2:7 25+8:3:0 "));
}

void TestFieldSegments::gapsBelongToNoField() {
  FieldTree tree{bytes(std::string(20, 'x')), {}};
  Field field;
  field.type = FieldType::U32;
  field.role = FieldRole::Number;
  field.size = 4;
  for (const uint64_t offset : {2, 10}) {
    field.offset = offset;
    field.after = static_cast<uint32_t>(tree.rows.size() + 1);
    tree.rows.push_back(field);
  }
  const FieldSegments segments(tree);
  QString owners;
  for (uint64_t offset = 0; offset < 20; ++offset) {
    const uint32_t row = segments.at(offset).row;
    owners += row == FieldSegments::kNoRow ? QStringLiteral("-") : QString::number(row);
  }
  QCOMPARE(owners, QStringLiteral("--0000----1111------"));
}

void TestFieldSegments::overlappingFieldsAreSafe() {
  // Not a tree that we make, but it must not crash.
  FieldTree tree{bytes("0123456789"), {}};
  Field field;
  field.type = FieldType::U32;
  field.role = FieldRole::Number;
  for (const auto& [offset, size] : {std::pair{0, 4}, {2, 4}, {1, 2}, {8, 400}}) {
    field.offset = static_cast<uint64_t>(offset);
    field.size = static_cast<uint64_t>(size);
    field.after = static_cast<uint32_t>(tree.rows.size() + 1);
    tree.rows.push_back(field);
  }
  tree.rows.back().after = 99;
  const FieldSegments segments(tree);
  QString owners;
  for (uint64_t offset = 0; offset < 10; ++offset) {
    const uint32_t row = segments.at(offset).row;
    owners += row == FieldSegments::kNoRow ? QStringLiteral("-") : QString::number(row);
  }
  QCOMPARE(owners, QStringLiteral("000011--33"));
}

void TestFieldSegments::emptyTreesHaveNoOwner() {
  const FieldSegments none(FieldTree{});
  QCOMPARE(none.at(0).row, FieldSegments::kNoRow);
  const FieldSegments noRows(FieldTree{bytes("abc"), {}});
  QCOMPARE(noRows.at(2).row, FieldSegments::kNoRow);
  QCOMPARE(noRows.segment(0).bytes, (Extent{0, 3}));
}

void TestFieldSegments::millionFieldsAreFast() {
  FieldTreeBuilder builder;
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::U32, FieldRole::Number, 4, i);
  }
  const FieldTree tree = builder.take(bytes(std::string(4'000'000, 'x')));
  QElapsedTimer timer;
  timer.start();
  const FieldSegments segments(tree);
  const qint64 made = timer.nsecsElapsed();
  timer.restart();
  uint64_t sum = 0;
  for (uint64_t offset = 0; offset < 4'000'000; offset += 40) sum += segments.at(offset).row;
  QCOMPARE(sum, uint64_t{100'000} * 99'999 / 2 * 10);
  qInfo("1,000,000 rows: segments made in %.1f ms, a look-up takes %.0f ns", static_cast<double>(made) / 1e6,
        static_cast<double>(timer.nsecsElapsed()) / 1e5);
}

BLOBSCOPE_TEST(TestFieldSegments);

#include "test_field_segments.moc"
