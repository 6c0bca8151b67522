#include "core/syntax/line_index.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::syntax;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// The lines of a complete index, "|" between them.
std::string joined(const LineIndex& index) {
  std::string out;
  for (uint64_t line = 0; line < index.lineCount(); ++line) {
    const Extent extent = index.line(line);
    out += (line > 0 ? "|"s : ""s) + std::string(index.text().view().substr(extent.offset, extent.size));
  }
  return out;
}

struct Line {
  uint64_t start, size;
};

/// The expected index, found by the simplest method.
std::vector<Line> linesOf(std::string_view text) {
  std::vector<Line> lines;
  uint64_t start = 0;
  do {
    uint64_t end = text.find('\n', start);
    const uint64_t next = end == std::string_view::npos ? text.size() : end + 1;
    end = std::min<uint64_t>(end, text.size());
    if (end > start && text[end - 1] == '\r') --end;
    lines.push_back({start, end - start});
    start = next;
  } while (start < text.size());
  return lines;
}

} // namespace

class TestLineIndex : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void linesAreFound_data();
  void linesAreFound();
  void lastEndCanBeginALine();
  void everyOffsetFindsItsLine_data();
  void everyOffsetFindsItsLine();
  void indexGrowsWithTheKnownBytes();
  void lookUpDoesNotReadLongLines();
  void indexNeedsLittleMemory();
  void indexingCanBeCancelled();
};

void TestLineIndex::linesAreFound_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("lines");
  QTest::newRow("empty") << "" << "";
  QTest::newRow("one") << "a" << "a";
  QTest::newRow("ended") << "a\n" << "a";
  QTest::newRow("two") << "a\nb" << "a|b";
  QTest::newRow("empty ones") << "\n\n\n" << "||";
  QTest::newRow("windows") << "a\r\nb\r\n" << "a|b";
  QTest::newRow("return alone") << "a\rb\n\r" << "a\rb|";
}

void TestLineIndex::linesAreFound() {
  QFETCH(QString, text);
  QFETCH(QString, lines);
  LineIndex index(bytes(text.toStdString()));
  QCOMPARE(index.advance(UINT64_MAX), true);
  QCOMPARE(QString::fromStdString(joined(index)), lines);
}

void TestLineIndex::lastEndCanBeginALine() {
  for (const auto& [text, lines] : {std::pair("a\n"s, "a|"s), {"a\r\n\n"s, "a||"s}, {"a\nb"s, "a|b"s}, {""s, ""s}}) {
    LineIndex index(bytes(text), LineIndex::LastEnd::BeginsLine);
    while (!index.advance(1)) {}
    QCOMPARE(joined(index), lines);
    QCOMPARE(index.lineAt(text.size()), index.lineCount() - 1);
  }
}

void TestLineIndex::everyOffsetFindsItsLine_data() {
  QTest::addColumn<int>("longest");
  QTest::addColumn<int>("step");
  QTest::newRow("short lines") << 8 << 1000;
  QTest::newRow("short lines, byte by byte") << 3 << 1;
  QTest::newRow("middle lines") << 900 << 4096;
  QTest::newRow("long lines") << 200'000 << 70'000;
}

void TestLineIndex::everyOffsetFindsItsLine() {
  QFETCH(int, longest);
  QFETCH(int, step);
  std::mt19937 random(static_cast<unsigned>(longest));
  std::string text;
  for (int line = 0; line < 700; ++line) {
    text += std::string(random() % static_cast<unsigned>(longest), 'x');
    if (random() % 3 == 0) text += '\r';
    text += '\n';
    if (text.size() > 4'000'000) break;
  }
  LineIndex index(bytes(text));
  while (!index.advance(static_cast<uint64_t>(step))) {}
  const std::vector<Line> expected = linesOf(text);
  QCOMPARE(index.lineCount(), uint64_t{expected.size()});
  uint64_t widest = 0;
  for (uint64_t line = 0; line < expected.size(); ++line) {
    QCOMPARE(index.line(line), (Extent{expected[line].start, expected[line].size}));
    QCOMPARE(index.lineStart(line), expected[line].start);
    const uint64_t next = line + 1 < expected.size() ? expected[line + 1].start : text.size();
    for (const uint64_t offset : {expected[line].start, (expected[line].start + next) / 2, next - 1})
      QCOMPARE(index.lineAt(offset), line);
    widest = std::max(widest, next - 1 - expected[line].start);
  }
  QCOMPARE(index.longestLine(), widest);
  QCOMPARE(index.lineAt(text.size() + 10), uint64_t{expected.size() - 1});
}

void TestLineIndex::indexGrowsWithTheKnownBytes() {
  const std::string text = "first\nsecond\nthird";
  LineIndex index(bytes(text));
  QCOMPARE(index.lineCount(), uint64_t{1});
  QCOMPARE(index.line(0), (Extent{0, 0}));
  for (uint64_t known = 1; known <= text.size(); ++known) {
    QCOMPARE(index.advance(1), known == text.size());
    // Always the lines of the bytes read so far, except that a line end may still begin a line.
    const std::vector<Line> expected = linesOf(text.substr(0, known));
    const bool ended = text[known - 1] == '\n';
    QCOMPARE(index.lineCount(), uint64_t{expected.size() + (ended ? 1 : 0)});
    QCOMPARE(index.line(0).size, expected[0].size);
    QCOMPARE(index.lineAt(known), index.lineCount() - 1);
  }
  QCOMPARE(QString::fromStdString(joined(index)), QStringLiteral("first|second|third"));
}

void TestLineIndex::lookUpDoesNotReadLongLines() {
  // A look-up must not read the long line, which would take a thousand times as long as for a line beside it.
  const std::string text = "a\n" + std::string(5'000'000, 'x') + "\nb\nc\n";
  LineIndex index(bytes(text));
  index.advance(UINT64_MAX);
  QCOMPARE(index.lineCount(), uint64_t{4});
  QElapsedTimer timer;
  timer.start();
  for (int round = 0; round < 1'000; ++round) {
    QCOMPARE(index.line(1).size, uint64_t{5'000'000});
    QCOMPARE(index.line(3).offset, text.size() - 2);
    QCOMPARE(index.lineAt(4'000'000), uint64_t{1});
  }
  const qint64 lookedUp = timer.nsecsElapsed();
  timer.restart();
  for (int round = 0; round < 4; ++round) QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{4});
  QVERIFY2(lookedUp < 250 * timer.nsecsElapsed(), "3,000 look-ups took as long as reading the text 1,000 times");
}

void TestLineIndex::indexNeedsLittleMemory() {
  std::string text;
  for (int line = 0; line < 1'000'000; ++line) text += "\tmov.u32 \t%r30, %tid.x;\n";
  LineIndex index(bytes(text));
  index.advance(UINT64_MAX);
  QCOMPARE(index.lineCount(), uint64_t{1'000'000});
  QVERIFY2(index.memoryBytes() < 200'000, std::to_string(index.memoryBytes()).c_str());
  QCOMPARE(index.lineStart(999'999), text.size() - text.size() / 1'000'000);
}

void TestLineIndex::indexingCanBeCancelled() {
  const std::string text(5'000'000, '\n');
  StopAfter monitor(2);
  const auto stopped = LineIndex::compute(bytes(text), monitor);
  QVERIFY(!stopped);
  QCOMPARE(stopped.error().code(), ErrorCode::Cancelled);
  NullMonitor patient;
  const auto whole = LineIndex::compute(bytes(text), patient);
  QVERIFY(whole);
  QCOMPARE((*whole)->lineCount(), uint64_t{5'000'000});
}

BLOBSCOPE_TEST(TestLineIndex);

#include "test_line_index.moc"
