#include "core/write/plan_parts.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using write::Part;
using write::Plan;
using write::PlanRange;

namespace {

const std::string kInput = "0123456789";

Part input(uint64_t offset, uint64_t size) { return {Part::From::Input, {offset, size}, {}, 0}; }
Part literal(const std::string& text) { return {Part::From::Literal, {}, bytes(text), 0}; }
Part zeros(uint64_t count) { return {Part::From::Zeros, {}, {}, count}; }

/// "2345abc\0\0\0" and "89", with a part without bytes in between.
Plan somePlan() {
  Plan plan;
  plan.parts = {input(2, 4), literal("abc"), literal(""), zeros(3), input(8, 2)};
  return plan;
}
const std::string kOutput = "2345abc\0\0\0"s + "89";

std::string rangesText(const std::vector<PlanRange>& ranges) {
  std::string out;
  for (const PlanRange& range : ranges)
    out += std::to_string(range.size) + (range.kind == PlanRange::Kind::Blob ? " blob " : " other ");
  return out;
}

} // namespace

class TestPlanParts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void outputIsReadInAnyPieces();
  void outputIsReadInAnyOrder();
  void outputOfOnePartIsNotCopied();
  void partsOutsideTheInputGiveNoBytes();
  void differencesAreRuns_data();
  void differencesAreRuns();
  void outputIsCut_data();
  void outputIsCut();
  void rangesOfOneKindAreOne();
  void placesOfSlicesAreFound();
  void numbersAreWrittenInEitherByteOrder();
};

void TestPlanParts::outputIsReadInAnyPieces() {
  const Plan plan = somePlan();
  for (uint64_t offset = 0; offset <= kOutput.size() + 2; ++offset)
    for (uint64_t size = 0; size <= kOutput.size() + 2; ++size) {
      write::OutputReader reader(plan, bytes(kInput));
      const std::string expected = offset < kOutput.size() ? kOutput.substr(offset, size) : std::string();
      QCOMPARE(std::string(reader.read(offset, size).view()), expected);
    }
}

void TestPlanParts::outputIsReadInAnyOrder() {
  const Plan plan = somePlan();
  write::OutputReader reader(plan, bytes(kInput));
  QCOMPARE(reader.size(), uint64_t{kOutput.size()});
  for (const uint64_t offset : {0, 11, 4, 4, 9, 0, 6, 2})
    QCOMPARE(std::string(reader.read(offset, 2).view()), kOutput.substr(offset, 2));
  QVERIFY(reader.read(UINT64_MAX, UINT64_MAX).empty());
  QCOMPARE(std::string(reader.read(0, UINT64_MAX).view()), kOutput);
}

void TestPlanParts::outputOfOnePartIsNotCopied() {
  const Plan plan = somePlan();
  const Bytes all = bytes(kInput);
  write::OutputReader reader(plan, all);
  QCOMPARE(static_cast<const void*>(reader.read(1, 3).data()), static_cast<const void*>(all.data() + 3));
}

/// That is our own mistake; no bytes are made up.
void TestPlanParts::partsOutsideTheInputGiveNoBytes() {
  Plan plan;
  plan.parts = {literal("ab"), input(8, 5), literal("cd")};
  write::OutputReader reader(plan, bytes(kInput));
  QCOMPARE(std::string(reader.read(0, 9).view()), std::string("ab"));
}

void TestPlanParts::differencesAreRuns_data() {
  QTest::addColumn<std::string>("old");
  QTest::addColumn<std::string>("made");
  QTest::addColumn<std::string>("expected"); ///< "OFFSET:BYTES " of each
  const auto row = [](const char* name, const char* old, const char* made, const char* expected) {
    QTest::newRow(name) << std::string(old) << std::string(made) << std::string(expected);
  };
  row("none", "abcdef", "abcdef", "");
  row("nothing", "", "", "");
  row("all", "abc", "xyz", "100:xyz ");
  row("the first byte", "abc", "xbc", "100:x ");
  row("the last byte", "abc", "abx", "102:x ");
  row("with seven bytes in between they are one", "a1234567b", "x1234567y", "100:x1234567y ");
  row("with eight they are two", "a12345678b", "x12345678y", "100:x 109:y ");
  row("a run that goes on", "aaaa1234567bbb", "xxxx1234567yyb", "100:xxxx1234567yy ");
  row("the shorter one counts", "abc", "abcdef", "");
}

void TestPlanParts::differencesAreRuns() {
  QFETCH(std::string, old);
  QFETCH(std::string, made);
  QFETCH(std::string, expected);
  std::vector<write::Overwrite> overwrites;
  write::addDifferences(overwrites, old, made, 100, "why");
  std::string found;
  for (const write::Overwrite& one : overwrites)
    found += std::to_string(one.offset) + ":" + std::string(one.bytes.view()) + " ";
  QCOMPARE(found, expected);
}

void TestPlanParts::outputIsCut_data() {
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<uint64_t>("left");
  QTest::newRow("nothing") << uint64_t{12} << uint64_t{12};
  QTest::newRow("beyond the end") << uint64_t{99} << uint64_t{12};
  QTest::newRow("a byte") << uint64_t{11} << uint64_t{11};
  QTest::newRow("a whole part") << uint64_t{10} << uint64_t{10};
  QTest::newRow("only what is copied from the input") << uint64_t{3} << uint64_t{10};
}

void TestPlanParts::outputIsCut() {
  QFETCH(uint64_t, size);
  QFETCH(uint64_t, left);
  Plan plan = somePlan();
  plan.after = {{PlanRange::Kind::Blob, 4}, {PlanRange::Kind::Other, 8}};
  write::cutOutput(plan, size);
  QCOMPARE(plan.size(), left);
  QCOMPARE(rangesText(plan.after), "4 blob " + std::to_string(left - 4) + " other ");
}

void TestPlanParts::rangesOfOneKindAreOne() {
  std::vector<PlanRange> ranges;
  write::addRange(ranges, PlanRange::Kind::Other, 2);
  write::addRange(ranges, PlanRange::Kind::Blob, 0);
  write::addRange(ranges, PlanRange::Kind::Other, 3);
  write::addRange(ranges, PlanRange::Kind::Blob, 4);
  QCOMPARE(rangesText(ranges), std::string("5 other 4 blob "));
}

void TestPlanParts::placesOfSlicesAreFound() {
  const Bytes outer = bytes(kInput);
  const auto place = [&](const Bytes& inner) { return write::placeIn(outer, inner); };
  QVERIFY(place(outer) == (Extent{0, 10}));
  QVERIFY(place(outer.slice(3, 4)) == (Extent{3, 4}));
  QVERIFY(place(outer.slice(9)) == (Extent{9, 1}));
  QVERIFY(!place(outer.slice(10))); // no bytes lie nowhere
  QVERIFY(!place(bytes(kInput)));   // a copy
  QVERIFY(!write::placeIn(outer.slice(0, 4), outer.slice(3, 2)));
  QVERIFY(!write::placeIn({}, outer));
}

void TestPlanParts::numbersAreWrittenInEitherByteOrder() {
  QCOMPARE(write::numberText(0x0102, 4, false), "\x02\x01\0\0"s);
  QCOMPARE(write::numberText(0x0102, 4, true), "\0\0\x01\x02"s);
  QCOMPARE(write::numberText(0x010203, 2, false), "\x03\x02"s);
  QCOMPARE(write::numberText(UINT64_MAX, 8, true), std::string(8, '\xff'));
}

BLOBSCOPE_TEST(TestPlanParts);
#include "test_plan_parts.moc"
