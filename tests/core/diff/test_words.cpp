#include "core/diff/words.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <random>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

/// The line with marks in brackets.
std::string marked(std::string_view line, const std::vector<Range>& marks) {
  std::string out;
  std::size_t at = 0;
  for (const Range& mark : marks) {
    out += line.substr(at, mark.begin - at);
    out += '[';
    out += line.substr(mark.begin, mark.count);
    out += ']';
    at = mark.end();
  }
  out += line.substr(at);
  return out;
}

QString pairsText(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::vector<std::string_view> first(a.begin(), a.end()), second(b.begin(), b.end());
  NullMonitor monitor;
  const auto pairs = pairLines(first, second, {}, monitor);
  if (!pairs) return QStringLiteral("error");
  QStringList out;
  const auto text = [](uint64_t line) { return line == LinePair::kNone ? QStringLiteral("-") : QString::number(line); };
  for (const LinePair& pair : *pairs) out << text(pair.a) + QLatin1Char('/') + text(pair.b);
  return out.join(QLatin1Char(' '));
}

} // namespace

class TestWordMarks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void changedWordsAreMarked_data();
  void changedWordsAreMarked();
  void maskedWordsAreNotMarked();
  void randomLinesGiveValidSymmetricMarks();
  void longLinesAreLimited();
  void similarityIsBetweenZeroAndOne();
  void similarLinesArePaired();
  void numberOfPairedLinesIsLimited();
  void pairingCanBeCancelled();
};

void TestWordMarks::changedWordsAreMarked_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<QString>("markedA");
  QTest::addColumn<QString>("markedB");
  const auto row = [](const char* name, const char* a, const char* b, const char* markedA, const char* markedB) {
    QTest::newRow(name) << QString::fromUtf8(a) << QString::fromUtf8(b) << QString::fromUtf8(markedA)
                        << QString::fromUtf8(markedB);
  };
  row("equal", "add r1, r2", "add r1, r2", "add r1, r2", "add r1, r2");
  row("a word", "add r1, r2;", "add r1, r3;", "add r1, [r2];", "add r1, [r3];");
  row("two words", "mad a, b, c, d, e;", "mad a, x, c, d, y;", "mad a, [b], c, d, [e];", "mad a, [x], c, d, [y];");
  row("added", "f(a)", "f(a, bb)", "f(a)", "f(a[, bb])");
  row("from nothing", "", "abc", "", "[abc]");
  row("neighbours are one", "x = a b c;", "x = d e f;", "x = [a b c];", "x = [d e f];");
  row("nothing in common", "return value;", "for (int i", "[return value;]", "[for (int i]");
  row("blanks", "a  b c d", "a b c d", "a[  ]b c d", "a[ ]b c d");
  row("characters are not cut", "x ä y", "x ö y", "x [ä] y", "x [ö] y");
}

void TestWordMarks::changedWordsAreMarked() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(QString, markedA);
  QFETCH(QString, markedB);
  const std::string first = a.toStdString(), second = b.toStdString();
  const WordMarks found = compareWords(first, second);
  QCOMPARE(QString::fromStdString(marked(first, found.a)), markedA);
  QCOMPARE(QString::fromStdString(marked(second, found.b)), markedB);
  const WordMarks other = compareWords(second, first);
  QVERIFY(other.a == found.b && other.b == found.a);
}

void TestWordMarks::maskedWordsAreNotMarked() {
  const std::string_view a = "add %rd12, %rd13, 7;", b = "add %rd1, %rd2, 8;";
  const WordMarks found = compareWords(a, b, Masks().with(Mask::Serials));
  QCOMPARE(marked(a, found.a), std::string("add %rd12, %rd13, [7];"));
  QCOMPARE(marked(b, found.b), std::string("add %rd1, %rd2, [8];"));
}

/// Marks are inside the lines and in order; unmarked text is also in the other line; the result is symmetric.
void TestWordMarks::randomLinesGiveValidSymmetricMarks() {
  std::mt19937 random(31);
  const std::vector<std::string> parts = {"a", "b", " ", "  ", ",", ";", "word", "ä", "\xff", "(", "7"};
  const auto line = [&] {
    std::string out;
    for (std::size_t n = random() % 12; n > 0; --n) out += parts[random() % parts.size()];
    return out;
  };
  const auto without = [](const std::string& text, const std::vector<Range>& marks) {
    std::string out;
    uint64_t at = 0;
    for (const Range& mark : marks) {
      out += text.substr(at, mark.begin - at);
      at = mark.end();
    }
    return out + text.substr(at);
  };
  const auto isIn = [](const std::string& part, const std::string& text) {
    std::size_t at = 0;
    for (const char c : text) at += at < part.size() && part[at] == c;
    return at == part.size();
  };
  for (int i = 0; i < 5'000; ++i) {
    const std::string a = line(), b = line();
    const WordMarks found = compareWords(a, b);
    for (const auto& [text, marks] : {std::pair(&a, &found.a), std::pair(&b, &found.b)}) {
      uint64_t at = 0;
      for (const Range& mark : *marks) {
        QVERIFY(mark.count > 0 && mark.begin >= at && mark.end() <= text->size());
        at = mark.end();
      }
    }
    if (a == b) QVERIFY(found.a.empty() && found.b.empty());
    if (a != b) QVERIFY(!found.a.empty() || !found.b.empty());
    QVERIFY(isIn(without(a, found.a), b));
    QVERIFY(isIn(without(b, found.b), a));
    const WordMarks other = compareWords(b, a);
    QVERIFY(other.a == found.b && other.b == found.a);
  }
}

void TestWordMarks::longLinesAreLimited() {
  std::string a(3 << 20, 'x'), b = a;
  b[1'000'000] = 'y';
  const WordMarks found = compareWords(a, b);
  QCOMPARE(found.a, (std::vector<Range>{{1'000'000, 1}}));
  // Many words of few kinds: the work is limited.
  std::mt19937 random(32);
  std::string c, d;
  while (c.size() < 60'000) {
    c += static_cast<char>('a' + random() % 3), c += ' ';
    d += static_cast<char>('a' + random() % 3), d += ' ';
  }
  const WordMarks many = compareWords(c, d);
  QVERIFY(!many.a.empty());
}

void TestWordMarks::similarityIsBetweenZeroAndOne() {
  QCOMPARE(similarity("", ""), 1.0);
  QCOMPARE(similarity("abc", ""), 0.0);
  QCOMPARE(similarity("add r1, r2", "add r1, r2"), 1.0);
  QVERIFY(similarity("add r1, r2", "add r1, r3") > 0.7);
  QVERIFY(similarity("return value;", "for (int i") < 0.2);
  QCOMPARE(similarity("a_1 x", "a_2 x", Masks::all()), 1.0);
}

void TestWordMarks::similarLinesArePaired() {
  QCOMPARE(pairsText({}, {}), QString());
  QCOMPARE(pairsText({"add a, b"}, {"add a, c"}), QStringLiteral("0/0"));
  QCOMPARE(pairsText({"return value"}, {"for (int i"}), QStringLiteral("0/- -/0"));
  QCOMPARE(pairsText({"add a, b", "mul c, d"}, {"mul c, e"}), QStringLiteral("0/- 1/0"));
  QCOMPARE(pairsText({"mul c, e"}, {"add a, b", "mul c, d"}), QStringLiteral("-/0 0/1"));
  // Each line once, in order: the better pair wins.
  QCOMPARE(pairsText({"add a, b, c, d", "x"}, {"x", "add a, b, c, e"}), QStringLiteral("-/0 0/1 1/-"));
}

void TestWordMarks::numberOfPairedLinesIsLimited() {
  std::vector<std::string> a, b;
  for (int i = 0; i < 3'000; ++i) {
    a.push_back("line " + std::to_string(i) + " of a");
    b.push_back("line " + std::to_string(i) + " of b");
  }
  const std::vector<std::string_view> first(a.begin(), a.end()), second(b.begin(), b.end() - 1'000);
  NullMonitor monitor;
  const auto found = pairLines(first, second, {}, monitor);
  QVERIFY(found.hasValue());
  QCOMPARE(found->size(), std::size_t{3'000});
  QVERIFY(((*found)[1'999] == LinePair{1'999, 1'999}));
  QVERIFY(((*found)[2'000] == LinePair{2'000, LinePair::kNone}));
}

void TestWordMarks::pairingCanBeCancelled() {
  const std::vector<std::string> lines(100, std::string(2'000, 'x') + " y");
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  StopAfter monitor(1);
  const auto found = pairLines(views, views, {}, monitor);
  QVERIFY(!found);
  QCOMPARE(found.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestWordMarks);

#include "test_words.moc"
