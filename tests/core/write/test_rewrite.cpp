#include "core/write/rewrite.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using write::PlanRange;
using write::Rewrite;

namespace {

const std::string kInput = "0123456789";

/// The output of a plan for kInput.
std::string outputOf(const write::Plan& plan) {
  std::string out;
  for (const write::Part& part : plan.parts) {
    if (part.from == write::Part::From::Input)
      out += kInput.substr(part.input.offset, part.input.size);
    else if (part.from == write::Part::From::Zeros)
      out += std::string(part.zeros, '0');
    else
      out += part.bytes.view();
  }
  return out;
}

/// "5 other, 2 blob", one after the other.
std::string rangesText(const std::vector<PlanRange>& ranges) {
  std::string out;
  for (const PlanRange& range : ranges)
    out += (out.empty() ? "" : ", ") + std::to_string(range.size) +
           (range.kind == PlanRange::Kind::Blob       ? " blob"
            : range.kind == PlanRange::Kind::DeadBlob ? " dead"
                                                      : " other");
  return out;
}

std::string changesText(const write::Plan& plan) {
  std::string out;
  for (const write::Change& change : plan.changes)
    out += (out.empty() ? "" : ", ") + std::to_string(change.offset) + "+" + std::to_string(change.size) + " " +
           change.why;
  return out;
}

/// A rewrite with the blob at "345", settled.
Rewrite settled(const std::function<void(Rewrite&)>& change) {
  Rewrite rewrite(bytes(kInput), {{3, 3}});
  change(rewrite);
  if (!rewrite.settle(library::Package())) qFatal("the parts overlap");
  return rewrite;
}

} // namespace

class TestRewrite : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void outputHasTheReplacedParts_data();
  void outputHasTheReplacedParts();
  void remainingBytesAreWhereOutputOfSays();
  void sizesIncludeWhatIsInserted();
  void overlappingPartsAreRefused_data();
  void overlappingPartsAreRefused();
  void rangesBeforeAndAfter_data();
  void rangesBeforeAndAfter();
  void movedBytesAreReported();
};

void TestRewrite::outputHasTheReplacedParts_data() {
  QTest::addColumn<std::string>("found");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::function<void(Rewrite&)>& change, const char* expected) {
    QTest::newRow(name) << outputOf(settled(change).plan(write::Strategy::Resize)) << std::string(expected);
  };
  row("nothing", [](Rewrite&) {}, "0123456789");
  row("as many bytes", [](Rewrite& it) { it.replace({3, 3}, "abc", "why"); }, "012abc6789");
  row("more", [](Rewrite& it) { it.replace({3, 3}, "abcde", "why"); }, "012abcde6789");
  row("fewer", [](Rewrite& it) { it.replace({3, 3}, "a", "why"); }, "012a6789");
  row("none", [](Rewrite& it) { it.remove({3, 3}); }, "0126789");
  row("put in", [](Rewrite& it) { it.replace({3, 0}, "abc", "why"); }, "012abc3456789");
  row(
      "put in at both ends",
      [](Rewrite& it) {
        it.replace({0, 0}, "a", "why");
        it.replace({10, 0}, "b", "why");
      },
      "a0123456789b");
  row(
      "put in twice at one place, in order",
      [](Rewrite& it) {
        it.replace({3, 0}, "a", "why");
        it.replace({3, 0}, "b", "why");
      },
      "012ab3456789");
  row(
      "put in before what is replaced there, whatever came first",
      [](Rewrite& it) {
        it.replace({3, 1}, "R", "why");
        it.replace({3, 0}, "i", "why");
      },
      "012iR456789");
  row(
      "in any order",
      [](Rewrite& it) {
        it.replace({8, 1}, "B", "why");
        it.replace({1, 1}, "A", "why");
      },
      "0A234567B9");
  row(
      "side by side",
      [](Rewrite& it) {
        it.replace({2, 2}, "A", "why");
        it.replace({4, 2}, "B", "why");
      },
      "01AB6789");
  row("all of it", [](Rewrite& it) { it.replace({0, 10}, "x", "why"); }, "x");
  row("zeros", [](Rewrite& it) { it.zeros({3, 3}, 5, "why"); }, "012000006789");
  row("no zeros for something", [](Rewrite& it) { it.zeros({3, 3}, 0, "why"); }, "0126789");
  row("no zeros for nothing", [](Rewrite& it) { it.zeros({3, 0}, 0, "why"); }, "0123456789");
  row(
      "a blob in pieces", [](Rewrite& it) { it.blob({3, 3}, write::NewBlob{{bytes("ab"), bytes("cd")}, 4}); },
      "012abcd6789");
  row("a blob in another form", [](Rewrite& it) { it.blob({3, 3}, bytes("xyz"), "encoded"); }, "012xyz6789");
  row("a number", [](Rewrite& it) { it.set(8, "AB", "why"); }, "01234567AB");
}

void TestRewrite::outputHasTheReplacedParts() {
  QFETCH(std::string, found);
  QFETCH(std::string, expected);
  QCOMPARE(found, expected);
}

/// Each byte that is still there is where outputOf() says.
void TestRewrite::remainingBytesAreWhereOutputOfSays() {
  const Rewrite rewrite = settled([](Rewrite& it) {
    it.replace({0, 0}, "ab", "why");
    it.replace({2, 1}, "", "why");
    it.replace({5, 2}, "cdefg", "why");
    it.replace({9, 0}, "h", "why");
  });
  const std::string out = outputOf(rewrite.plan(write::Strategy::Resize));
  QCOMPARE(out, std::string("ab0134cdefg78h9"));
  for (const uint64_t offset : {0, 1, 3, 4, 7, 8, 9})
    QCOMPARE(out.substr(rewrite.outputOf(offset), 1), kInput.substr(offset, 1));
  QCOMPARE(rewrite.outputOf(10), uint64_t{out.size()});
  QCOMPARE(rewrite.outputOf(5), uint64_t{6}); // the first byte of what replaces it
}

void TestRewrite::sizesIncludeWhatIsInserted() {
  const Rewrite rewrite = settled([](Rewrite& it) {
    it.replace({2, 0}, "ab", "why");
    it.replace({3, 3}, "x", "why");
    it.zeros({6, 0}, 4, "why");
  });
  QCOMPARE(rewrite.sizeOf({0, 10}), uint64_t{14});
  QCOMPARE(rewrite.sizeOf({2, 4}), uint64_t{8}); // with what is put at its borders
  QCOMPARE(rewrite.sizeOf({3, 3}), uint64_t{5});
  QCOMPARE(rewrite.sizeOf({7, 3}), uint64_t{3});
  QCOMPARE(rewrite.sizeOf({0, 2}), uint64_t{4});
}

void TestRewrite::overlappingPartsAreRefused_data() {
  QTest::addColumn<std::vector<Extent>>("parts");
  QTest::addColumn<bool>("fits");
  const auto row = [](const char* name, std::vector<Extent> parts, bool fits) {
    QTest::newRow(name) << std::move(parts) << fits;
  };
  row("side by side", {{2, 3}, {5, 1}}, true);
  row("one byte in common", {{2, 3}, {4, 1}}, false);
  row("one inside of another", {{2, 5}, {3, 1}}, false);
  row("put in within what is replaced", {{2, 5}, {3, 0}}, false);
  row("put in behind it", {{2, 5}, {7, 0}}, true);
  row("to the end", {{8, 2}}, true);
  row("put in at the end", {{10, 0}}, true);
  row("past the end", {{8, 3}}, false);
  row("behind the end", {{11, 0}}, false);
  row("a size that wraps", {{8, UINT64_MAX}}, false);
}

void TestRewrite::overlappingPartsAreRefused() {
  QFETCH(std::vector<Extent>, parts);
  QFETCH(bool, fits);
  Rewrite rewrite(bytes(kInput), {});
  for (const Extent part : parts) rewrite.replace(part, "x", "why");
  const auto done = rewrite.settle(library::Package());
  QCOMPARE(done.hasValue(), fits);
  if (!done) QCOMPARE(done.error().diagnostic().idText(), std::string_view("REP-SHAPE"));
}

void TestRewrite::rangesBeforeAndAfter_data() {
  QTest::addColumn<std::string>("found");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::function<void(Rewrite&)>& change, const char* expected) {
    const write::Plan plan = settled(change).plan(write::Strategy::Resize);
    QTest::newRow(name) << rangesText(plan.before) + "; " + rangesText(plan.after) << std::string(expected);
  };
  row("the blob stays and is dead", [](Rewrite&) {}, "3 other, 3 blob, 4 other; 3 other, 3 dead, 4 other");
  row(
      "another blob in its place", [](Rewrite& it) { it.blob({3, 3}, write::NewBlob{{bytes("abcd")}, 4}); },
      "3 other, 3 blob, 4 other; 3 other, 4 blob, 4 other");
  row(
      "the blob elsewhere", [](Rewrite& it) { it.blob({10, 0}, write::NewBlob{{bytes("abcd")}, 4}); },
      "3 other, 3 blob, 4 other; 3 other, 3 dead, 4 other, 4 blob");
  row(
      "zeros in its place", [](Rewrite& it) { it.zeros({3, 3}, 3, "why"); },
      "3 other, 3 blob, 4 other; 3 other, 3 dead, 4 other");
  row("its place is closed", [](Rewrite& it) { it.remove({3, 3}); }, "3 other, 3 blob, 4 other; 7 other");
}

void TestRewrite::rangesBeforeAndAfter() {
  QFETCH(std::string, found);
  QFETCH(std::string, expected);
  QCOMPARE(found, expected);
}

void TestRewrite::movedBytesAreReported() {
  const auto changes = [](const std::function<void(Rewrite&)>& change) {
    return changesText(settled(change).plan(write::Strategy::Resize));
  };
  QCOMPARE(changes([](Rewrite&) {}), std::string());
  QCOMPARE(changes([](Rewrite& it) { it.set(2, "2345", "same"); }), std::string()); // it is there already
  QCOMPARE(changes([](Rewrite& it) { it.set(2, "23xx", "number"); }), std::string("2+4 number"));
  QCOMPARE(changes([](Rewrite& it) { it.replace({3, 3}, "abcd", "name"); }), std::string("3+4 name, 7+4 moved"));
  QCOMPARE(changes([](Rewrite& it) {
             it.replace({1, 1}, "ab", "name");
             it.remove({8, 1});
           }),
           std::string("1+2 name, 3+6 moved")); // what follows the removed byte is where it was
}

BLOBSCOPE_TEST(TestRewrite);
#include "test_rewrite.moc"
