#include "core/view/page.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using view::Span;

namespace {

/// "name 0+4, not explained? 4+8": the parts, unknown ones with a question mark.
QString textOf(const std::vector<Span>& spans) {
  QStringList out;
  for (const Span& span : spans)
    out << QStringLiteral("%1%2 %3+%4")
               .arg(QString::fromStdString(span.name), span.unknown ? QStringLiteral("?") : QString())
               .arg(span.extent.offset)
               .arg(span.extent.size);
  return out.join(QStringLiteral(", "));
}

/// Leaves of the given sizes, named a, b, …, over `total` bytes.
FieldTree leaves(const std::vector<uint64_t>& sizes, std::size_t total) {
  FieldTreeBuilder builder;
  static constexpr std::array kNames = {"a", "b", "c", "d", "e", "f"};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    builder.leaf(kNames[i % kNames.size()], FieldType::Data, FieldRole::Payload, sizes[i], 0);
  return builder.take(bytes(std::string(total, 'x')));
}

} // namespace

class TestCoverageSpans : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void spansAreTheTopmostFields();
  void remainingBytesAreNotExplained();
  void unknownFieldsAreMarked();
  void smallNeighboursAreMerged();
  void itemsOfARootListAreSpans();
  void spansAreClampedToTheEnd();
  void emptyFieldsHaveNoSpans();
  void spansCoverTheBytesWithoutGaps();
};

void TestCoverageSpans::spansAreTheTopmostFields() {
  FieldTreeBuilder builder;
  builder.leaf("fmt", FieldType::String, FieldRole::Text, 400, 0);
  builder.open("fmap", FieldType::List, FieldRole::Structure, 8, 1);
  builder.nextIndex(0);
  builder.leaf("", FieldType::Data, FieldRole::Payload, 592, 0);
  builder.close();
  const FieldTree tree = builder.take(bytes(std::string(1'000, 'x')));
  QCOMPARE(textOf(view::spansOf(tree)), QStringLiteral("fmt 0+400, fmap 400+600"));
}

void TestCoverageSpans::remainingBytesAreNotExplained() {
  QCOMPARE(textOf(view::spansOf(leaves({300, 200}, 1'000))),
           QStringLiteral("a 0+300, b 300+200, not explained? 500+500"));
}

void TestCoverageSpans::unknownFieldsAreMarked() {
  FieldTreeBuilder builder;
  builder.leaf("head", FieldType::Data, FieldRole::Payload, 100, 0);
  builder.leaf("rest", FieldType::Unknown, FieldRole::Unknown, 100, 0);
  const auto spans = view::spansOf(builder.take(bytes(std::string(200, 'x'))));
  QCOMPARE(textOf(spans), QStringLiteral("head 0+100, rest? 100+100"));
}

/// Below 1/256 of the whole, neighbours are merged; a large one between them separates them.
void TestCoverageSpans::smallNeighboursAreMerged() {
  QCOMPARE(textOf(view::spansOf(leaves({1, 1, 9'997, 1}, 10'000))),
           QStringLiteral("other fields 0+2, c 2+9997, d 9999+1"));
  // Unknown bytes, however few, are never merged with known ones.
  QCOMPARE(textOf(view::spansOf(leaves({9'999}, 10'000))), QStringLiteral("a 0+9999, not explained? 9999+1"));
}

void TestCoverageSpans::itemsOfARootListAreSpans() {
  FieldTreeBuilder builder;
  for (uint32_t i = 0; i < 2; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::Data, FieldRole::Payload, 50, 0);
  }
  QCOMPARE(textOf(view::spansOf(builder.take(bytes(std::string(100, 'x'))))), QStringLiteral("[0] 0+50, [1] 50+50"));
}

void TestCoverageSpans::spansAreClampedToTheEnd() {
  QCOMPARE(textOf(view::spansOf(leaves({60, 100}, 100))), QStringLiteral("a 0+60, b 60+40"));
  QCOMPARE(textOf(view::spansOf(leaves({100, 50}, 100))), QStringLiteral("a 0+100"));
}

void TestCoverageSpans::emptyFieldsHaveNoSpans() {
  QCOMPARE(textOf(view::spansOf(leaves({}, 0))), QString());
  QCOMPARE(textOf(view::spansOf(leaves({}, 10))), QStringLiteral("not explained? 0+10"));
  QCOMPARE(textOf(view::spansOf(leaves({0, 10, 0}, 10))), QStringLiteral("b 0+10"));
}

/// Whatever the sizes are, the parts follow one another from the first byte to the last.
void TestCoverageSpans::spansCoverTheBytesWithoutGaps() {
  for (uint64_t seed = 1; seed < 200; ++seed) {
    std::vector<uint64_t> sizes;
    uint64_t state = seed * 0x9e3779b97f4a7c15, sum = 0;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      sizes.push_back((state >> 33) % (i % 3 == 0 ? 3 : 700));
      sum += sizes.back();
    }
    const uint64_t total = sum + seed % 5;
    uint64_t end = 0;
    for (const Span& span : view::spansOf(leaves(sizes, total))) {
      QCOMPARE(span.extent.offset, end);
      QVERIFY(span.extent.size > 0 && !span.name.empty());
      end = span.extent.end();
    }
    QCOMPARE(end, total);
  }
}

BLOBSCOPE_TEST(TestCoverageSpans);

#include "test_spans.moc"
