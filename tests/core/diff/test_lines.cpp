#include "core/diff/lines.h"

#include "core/syntax/line_index.h"
#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

LineDiff comparedLines(std::string_view a, std::string_view b, const LineOptions& options = {}) {
  NullMonitor monitor;
  auto found = compareLines(bytes(a), bytes(b), options, monitor);
  return found ? std::move(*found) : LineDiff{};
}

/// Lines with their ends; an empty text has an empty one.
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  if (out.empty()) out.emplace_back();
  return out;
}

uint64_t lineCount(std::string_view text) {
  NullMonitor monitor;
  const auto index = syntax::LineIndex::compute(bytes(text), monitor);
  return index ? (*index)->lineCount() : 0;
}

LineOptions with(Masks masks) {
  LineOptions options;
  options.masks = masks;
  return options;
}

} // namespace

class TestLineDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void changedLinesAreFound_data();
  void changedLinesAreFound();
  void randomTextsGiveValidSymmetricResults();
  void maskedLinesAreEqual();
  void normalisedLinesAreCompared();
  void fewChangesInALargeTextAreFound();
  void unrelatedTextsAreCompared();
  void comparisonCanBeCancelled();
};

void TestLineDiff::changedLinesAreFound_data() {
  QTest::addColumn<QByteArray>("a");
  QTest::addColumn<QByteArray>("b");
  QTest::addColumn<QString>("hunks");
  const auto row = [](const char* name, const char* a, const char* b, const char* hunks) {
    QTest::newRow(name) << QByteArray(a) << QByteArray(b) << QString::fromLatin1(hunks);
  };
  row("both empty", "", "", "=0+1,0+1");
  row("from nothing", "", "a\nb\n", "~0+1,0+2");
  row("to nothing", "a", "", "~0+1,0+1");
  row("a line's end alone", "", "\n", "~0+1,0+1");
  row("equal", "a\nb\n", "a\nb\n", "=0+2,0+2");
  row("equal without end", "a\nb", "a\nb", "=0+2,0+2");
  row("changed", "a\nb\nc\n", "a\nx\nc\n", "=0+1,0+1 ~1+1,1+1 =2+1,2+1");
  row("longer line", "a\nb\nc\n", "a\nbb\nc\n", "=0+1,0+1 ~1+1,1+1 =2+1,2+1");
  row("prefix of a line", "a\nbc", "a\nb", "=0+1,0+1 ~1+1,1+1");
  row("end added", "a\nb", "a\nb\n", "=0+1,0+1 ~1+1,1+1");
  row("carriage return", "a\nb\nc\n", "a\nb\r\nc\n", "=0+1,0+1 ~1+1,1+1 =2+1,2+1");
  row("added at the end", "a\n", "a\nb\n", "=0+1,0+1 +1+0,1+1");
  row("added at the start", "b\n", "a\nb\n", "+0+0,0+1 =0+1,1+1");
  row("removed at the start", "a\nb\n", "b\n", "-0+1,0+0 =1+1,0+1");
  row("same tail, other start of line", "xb\nc\n", "b\nc\n", "~0+1,0+1 =1+1,1+1");
  row("tail without an end", "x\nb", "y\nb", "~0+1,0+1 =1+1,1+1");
  row("empty lines", "\n\n\n", "\n\n", "=0+2,0+2 -2+1,2+0");
  row("last of equal places", "f\n}\ng\n}\n", "f\n}\nh\n}\ng\n}\n", "=0+2,0+2 +2+0,2+2 =2+2,4+2");
  row("doubled", "a\n", "a\na\n", "=0+1,0+1 +1+0,1+1");
}

void TestLineDiff::changedLinesAreFound() {
  QFETCH(QByteArray, a);
  QFETCH(QByteArray, b);
  QFETCH(QString, hunks);
  const std::string first = a.toStdString(), second = b.toStdString();
  const LineDiff found = comparedLines(first, second);
  QCOMPARE(hunksText(found.hunks), hunks);
  QCOMPARE(breachOf(found.hunks, linesOf(first), linesOf(second)), QString());
  QCOMPARE(found.same(), first == second);
  QCOMPARE(found.linesA, lineCount(first));
  QCOMPARE(found.linesB, lineCount(second));
}

/// Valid, symmetric, empty for a text and itself, and lines counted as everywhere else.
void TestLineDiff::randomTextsGiveValidSymmetricResults() {
  std::mt19937 random(11);
  const std::vector<std::string> parts = {"a\n", "b\n",           "\n",           "b\r\n", "c c\n", "}\n",
                                          "a",   "long line 1\n", "long line 2\n"};
  const auto text = [&](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += parts[random() % parts.size()];
    return out;
  };
  for (int i = 0; i < 1'500; ++i) {
    const std::string shared = text(random() % 6), end = text(random() % 4);
    const std::string a = shared + text(random() % 12) + end, b = shared + text(random() % 12) + end;
    const LineDiff found = comparedLines(a, b);
    QCOMPARE(breachOf(found.hunks, linesOf(a), linesOf(b)), QString());
    QCOMPARE(found.same(), a == b);
    QCOMPARE(found.linesA, lineCount(a));
    QCOMPARE(found.linesB, lineCount(b));
    LineDiff other = comparedLines(b, a);
    for (Hunk& hunk : other.hunks) hunk = mirrored(hunk);
    QCOMPARE(hunksText(other.hunks), hunksText(found.hunks));
    QCOMPARE(other.removed, found.added);
    QVERIFY(comparedLines(a, a).same());
  }
}

void TestLineDiff::maskedLinesAreEqual() {
  const std::string a = "$L__BB0_3:\n\tadd %rd12, 1;\n\tret;\n", b = "$L__BB0_4:\n\tadd %rd13, 1;\n\tret;\n";
  QCOMPARE(comparedLines(a, b).removed, uint64_t{2});
  const LineDiff all = comparedLines(a, b, with(Masks::all()));
  QVERIFY(all.same());
  QCOMPARE(all.masked, uint64_t{2});
  const LineDiff labels = comparedLines(a, b, with(Masks().with(Mask::Labels)));
  QCOMPARE(hunksText(labels.hunks), QStringLiteral("=0+1,0+1 ~1+1,1+1 =2+1,2+1"));
  QCOMPARE(labels.masked, uint64_t{1});
  // Ends of lines count unless they are masked.
  QVERIFY(!comparedLines("a\nb\n", "a\r\nb", with(Masks().with(Mask::Labels))).same());
  QVERIFY(comparedLines("a\nb\n", "a\r\nb", with(Masks().with(Mask::LineEnds))).same());
  QVERIFY(comparedLines("", "\n", with(Masks().with(Mask::LineEnds))).same());
  QVERIFY(!comparedLines("", "x\n", with(Masks().with(Mask::LineEnds))).same());
}

void TestLineDiff::normalisedLinesAreCompared() {
  LineOptions options;
  options.normaliseA = [](std::string_view line, std::string& out) { out = line.substr(0, 1); };
  options.normaliseB = [](std::string_view line, std::string& out) {
    out = line.substr(std::min<std::size_t>(1, line.size()), 1);
  };
  const LineDiff found = comparedLines("ax\nbx\ncx\n", "ya\nyd\nyc\n", options);
  QCOMPARE(hunksText(found.hunks), QStringLiteral("=0+1,0+1 ~1+1,1+1 =2+1,2+1"));
  QCOMPARE(found.masked, uint64_t{2});
  // Equal bytes may have different normalised forms on the two sides.
  QVERIFY(!comparedLines("ab\n", "ab\n", options).same());
}

void TestLineDiff::fewChangesInALargeTextAreFound() {
  std::string a;
  for (int i = 0; i < 200'000; ++i) a += "\tmov.u32 %r" + std::to_string(i % 977) + ", " + std::to_string(i) + ";\n";
  std::string b = a;
  b.insert(b.find("977;"), "x");
  b.insert(b.size() / 2, "inserted\n");
  b += "end\n";
  const LineDiff found = comparedLines(a, b);
  QCOMPARE(breachOf(found.hunks, linesOf(a), linesOf(b)), QString());
  QVERIFY(found.removed <= 2 && found.added <= 4);
  QVERIFY(!found.capped);
}

void TestLineDiff::unrelatedTextsAreCompared() {
  std::mt19937 random(12);
  std::string a, b;
  for (int i = 0; i < 100'000; ++i) {
    a += "line " + std::to_string(random() % 500) + "\n";
    b += "line " + std::to_string(random() % 500) + "\n";
  }
  const LineDiff found = comparedLines(a, b);
  QCOMPARE(breachOf(found.hunks, linesOf(a), linesOf(b)), QString());
  QVERIFY(found.capped);
  LineDiff other = comparedLines(b, a);
  for (Hunk& hunk : other.hunks) hunk = mirrored(hunk);
  QVERIFY(other.hunks == found.hunks);
}

void TestLineDiff::comparisonCanBeCancelled() {
  std::string a, b;
  for (int i = 0; i < 30'000; ++i) {
    a += std::to_string(i) + "\n";
    b += std::to_string(i * 2) + "\n";
  }
  for (const int looks : {0, 1, 2, 3, 5, 10}) {
    StopAfter monitor(looks);
    const auto found = compareLines(bytes(a), bytes(b), {}, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestLineDiff);

#include "test_lines.moc"
