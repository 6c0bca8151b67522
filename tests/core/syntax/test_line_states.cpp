#include "core/syntax/line_states.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::syntax;
using namespace blobscope::test;

class TestLineStates : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void statesEqualThoseOfAFullRead();
  void unknownStateIsTakenForCode();
  void statesAreComputedInSteps();
  void lastKnownLineMayGrow();
  void languageWithoutCommentsNeedsNoStates();
  void changedTextIsReadAgain();
};

void TestLineStates::statesEqualThoseOfAFullRead() {
  std::mt19937 random(3);
  constexpr std::array<std::string_view, 8> kPieces = {"int a;", "/*", "*/", "// b", "\\", "\"", "\r", " "};
  std::string text;
  for (int line = 0; line < 5'000; ++line) {
    for (unsigned i = random() % 4; i > 0; --i) text += kPieces[random() % kPieces.size()];
    if (line % 1'000 == 999) text += std::string(100'000, 'x');
    text += '\n';
  }
  LineIndex index(bytes(text));
  index.advance(UINT64_MAX);
  LineStates states(language("cuda"));
  QVERIFY(states.advance(index, index.lineCount(), UINT64_MAX));

  LineState state = LineState::Code;
  std::vector<Token> tokens;
  for (uint64_t line = 0; line < index.lineCount(); ++line) {
    QCOMPARE(states.before(index, line), state);
    const Extent extent = index.line(line);
    state = lexLine(language("cuda"), text.substr(extent.offset, extent.size), state, tokens);
  }
}

void TestLineStates::unknownStateIsTakenForCode() {
  std::string text = "/*\n";
  for (int line = 0; line < 1'000; ++line) text += "int\n";
  LineIndex index(bytes(text));
  index.advance(UINT64_MAX);
  LineStates states(language("opencl"));
  QVERIFY(states.knows(0));
  QVERIFY(!states.knows(900));
  QCOMPARE(states.before(index, 900), LineState::Code);
  QVERIFY(states.advance(index, 900, UINT64_MAX));
  QCOMPARE(states.before(index, 900), LineState::BlockComment);
  QVERIFY(!states.knows(901));
}

void TestLineStates::statesAreComputedInSteps() {
  const std::string text(100'000, '\n');
  LineIndex index(bytes(text));
  index.advance(UINT64_MAX);
  LineStates states(language("ptx"));
  int steps = 1;
  while (!states.advance(index, 90'000, 1'000)) ++steps;
  QCOMPARE(steps, 90);
}

void TestLineStates::lastKnownLineMayGrow() {
  // The last known line may still grow, so its state counts only when the next one begins.
  LineIndex index(bytes("a /\n* b /* c\nd"));
  LineStates states(language("cuda"));
  index.advance(9);
  QVERIFY(!states.advance(index, 2, UINT64_MAX));
  QVERIFY(states.knows(1));
  index.advance(UINT64_MAX);
  QVERIFY(states.advance(index, 2, UINT64_MAX));
  QCOMPARE(states.before(index, 2), LineState::BlockComment);
}

void TestLineStates::languageWithoutCommentsNeedsNoStates() {
  LineIndex index(bytes("{\n\"/*\"\n}"));
  index.advance(UINT64_MAX);
  const LineStates states(language("json"));
  QVERIFY(states.knows(UINT64_MAX));
  QCOMPARE(states.before(index, 2), LineState::Code);
}

void TestLineStates::changedTextIsReadAgain() {
  std::string text;
  for (int line = 0; line < 1'000; ++line) text += "int\n";
  LineIndex before(bytes(text));
  before.advance(UINT64_MAX);
  LineStates states(language("cuda"));
  QVERIFY(states.advance(before, 900, UINT64_MAX));
  text.replace(4 * 500, 3, "/* ");
  LineIndex after(bytes(text));
  after.advance(UINT64_MAX);
  states.forgetAfter(500);
  QVERIFY(!states.knows(501));
  QCOMPARE(states.before(after, 100), LineState::Code);
  QVERIFY(states.advance(after, 900, UINT64_MAX));
  QCOMPARE(states.before(after, 500), LineState::Code);
  QCOMPARE(states.before(after, 501), LineState::BlockComment);
  states.forgetAfter(990); // not known yet
  QVERIFY(states.knows(900));
}

BLOBSCOPE_TEST(TestLineStates);

#include "test_line_states.moc"
