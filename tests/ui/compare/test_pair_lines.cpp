#include "ui/compare/pair_lines.h"

#include "tests/support/test_main.h"
#include "tests/ui/compare/compare_test.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

class TestPairLines : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void runsCoverBothTexts_data();
  void runsCoverBothTexts();
  void similarLinesShareARow();
  void equalLinesAreFolded();
  void foldedLinesCanBeUnfolded();
  void everyLineHasItsRow();
  void changesAreCounted();
  void equalTextsAreNotFolded();
  void longLinesAreWrapped_data();
  void longLinesAreWrapped();
  void wrappedRowsAreLimited();
};

void TestPairLines::runsCoverBothTexts_data() {
  QTest::addColumn<QByteArray>("a");
  QTest::addColumn<QByteArray>("b");
  QTest::newRow("equal") << QByteArray("a\nb\n") << QByteArray("a\nb\n");
  QTest::newRow("empty") << QByteArray() << QByteArray();
  QTest::newRow("from nothing") << QByteArray() << QByteArray("a\nb\nc");
  QTest::newRow("to nothing") << QByteArray("a\nb\nc") << QByteArray();
  QTest::newRow("changed") << QByteArray("a\nb\nc\n") << QByteArray("a\nx\nc\n");
  QTest::newRow("more in B") << QByteArray("a\nfoo(1)\nc\n") << QByteArray("a\nq\nfoo(2)\nz\nc\n");
  QTest::newRow("more in A") << QByteArray("a\nq\nfoo(1)\nz\n") << QByteArray("foo(2)\n");
  QTest::newRow("nothing in common") << QByteArray("1\n2\n3\n4\n") << QByteArray("x\ny\n");
}

void TestPairLines::runsCoverBothTexts() {
  QFETCH(QByteArray, a);
  QFETCH(QByteArray, b);
  const TextPairPtr pair = textPair(a.toStdString(), b.toStdString());
  uint64_t atA = 0, atB = 0;
  for (const LineRun& run : pair->runs) {
    QCOMPARE(run.a, atA);
    QCOMPARE(run.b, atB);
    QVERIFY(run.count > 0);
    if (run.kind != diff::HunkKind::Added) atA += run.count;
    if (run.kind != diff::HunkKind::Removed) atB += run.count;
  }
  QCOMPARE(atA, pair->indexA->lineCount());
  QCOMPARE(atB, pair->indexB->lineCount());
  QCOMPARE(pair->same(), a == b);
}

void TestPairLines::similarLinesShareARow() {
  const TextPairPtr pair = textPair("begin\nfloat value = load(first, 1);\nend\n",
                                    "begin\nint unrelated;\nfloat value = load(first, 2);\nend\n");
  PairLines lines;
  lines.setText(pair);
  const PairLines::Row row = lines.row(lines.rowOfLine(true, 2));
  QCOMPARE(row.kind, diff::HunkKind::Changed);
  QCOMPARE(row.a, 1U);
}

void TestPairLines::equalLinesAreFolded() {
  PairLines lines;
  lines.setText(textPair(manyLines(100), manyLines(100, 50)));
  // 49 equal lines, 5 of them near the change.
  QCOMPARE(lines.rowCount(), 1U + 5 + 1 + 5 + 1);
  QCOMPARE(lines.row(0).folds, 44U);
  QCOMPARE(lines.row(1).a, 44U);
  QCOMPARE(lines.row(6).kind, diff::HunkKind::Changed);
  QCOMPARE(lines.row(6).b, 49U);
  QCOMPARE(lines.row(12).folds, 45U);
  lines.setFolding(false);
  QCOMPARE(lines.rowCount(), 100U);
  QCOMPARE(lines.row(99).b, 99U);
}

void TestPairLines::foldedLinesCanBeUnfolded() {
  PairLines lines;
  lines.setText(textPair(manyLines(100), manyLines(100, 50)));
  lines.toggle(lines.row(0).part);
  QCOMPARE(lines.rowCount(), 13U + 44);
  QVERIFY(lines.row(0).open);
  QCOMPARE(lines.row(0).folds, 44U);
  QCOMPARE(lines.row(1).a, 0U);
  QCOMPARE(lines.row(44).a, 43U);
  QCOMPARE(lines.row(45).a, 44U);
  lines.toggle(lines.row(0).part);
  QCOMPARE(lines.rowCount(), 13U);
  lines.toggle(lines.row(3).part); // unfolds lines; there is nothing to fold
  QCOMPARE(lines.rowCount(), 13U);
}

void TestPairLines::everyLineHasItsRow() {
  PairLines lines;
  lines.setText(textPair("a\nb\nc\nd\n", "a\nc\nx\nd\n"));
  for (const bool sideB : {false, true})
    for (uint64_t line = 0; line < lines.lineCount(sideB); ++line) {
      const PairLines::Row row = lines.row(lines.rowOfLine(sideB, line));
      QCOMPARE(sideB ? row.b : row.a, line);
    }
  lines.setText(textPair(manyLines(100), manyLines(100, 50)));
  QCOMPARE(lines.rowOfLine(true, 3), 0U); // folded
  QCOMPARE(lines.rowOfLine(true, 49), 6U);
}

void TestPairLines::changesAreCounted() {
  PairLines lines;
  lines.setText(textPair("a\nb\nc\nd\ne\n", "a\nx\ny\nc\nd\n"));
  QCOMPARE(lines.changeCount(), 2U);
  QVERIFY(!lines.changeAt(0));
  QCOMPARE(*lines.changeAt(lines.changeRow(0)), 0U);
  QCOMPARE(lines.changeSize(0), 2U);
  QCOMPARE(*lines.changeAt(lines.rowCount() - 1), 1U);
  QCOMPARE(lines.changeKind(1), diff::HunkKind::Removed);
}

void TestPairLines::equalTextsAreNotFolded() {
  PairLines lines;
  lines.setText(textPair(manyLines(60), manyLines(60)));
  QCOMPARE(lines.rowCount(), 60U);
  QCOMPARE(lines.changeCount(), 0U);
  lines.setText(nullptr);
  QCOMPARE(lines.rowCount(), 0U);
}

void TestPairLines::longLinesAreWrapped_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QStringList>("rows");
  QTest::newRow("empty") << "" << QStringList{QString()};
  QTest::newRow("fits") << "short" << QStringList{QStringLiteral("short")};
  QTest::newRow("after blanks") << "one two three four five"
                                << QStringList{QStringLiteral("one two three four "), QStringLiteral("five")};
  QTest::newRow("between words") << "aaaaaaaaaa(bbbbbbbbbb)cccc"
                                 << QStringList{QStringLiteral("aaaaaaaaaa("), QStringLiteral("bbbbbbbbbb)"),
                                                QStringLiteral("cccc")};
  QTest::newRow("not before a bracket") << "aaaaaaaaaa[12345678]"
                                           "]x"
                                        << QStringList{QStringLiteral("aaaaaaaaaa["), QStringLiteral("12345678]]x")};
  QTest::newRow("one word") << "abcdefghijklmnopqrstuvwxyz"
                            << QStringList{QStringLiteral("abcdefghijklmnopqrst"), QStringLiteral("uvwxyz")};
}

void TestPairLines::longLinesAreWrapped() {
  QFETCH(QString, line);
  QFETCH(QStringList, rows);
  const QByteArray bytes = line.toUtf8();
  const WrappedLine wrapped = wrapLine(bytes.toStdString(), 20, 11);
  QStringList shown;
  uint64_t at = 0;
  for (const WrappedLine::Piece& piece : wrapped.pieces) {
    QCOMPARE(piece.from, at);
    at = piece.to;
    shown << QString::fromUtf8(
        bytes.mid(static_cast<qsizetype>(piece.from), static_cast<qsizetype>(piece.to - piece.from)));
  }
  QCOMPARE(shown, rows);
  QCOMPARE(at, static_cast<uint64_t>(bytes.size()));
  QCOMPARE(wrapped.rest, 0U);
}

void TestPairLines::wrappedRowsAreLimited() {
  const std::string line(3'000, 'x');
  const WrappedLine wrapped = wrapLine(line, 60, 11);
  QCOMPARE(wrapped.pieces.size(), 11U);
  QCOMPARE(wrapped.rest + wrapped.pieces.back().to, 3'000U);
  const std::string huge(50'000'000, 'y');
  QCOMPARE(wrapLine(huge, 60, 11).pieces.size(), 11U);
}

BLOBSCOPE_TEST(TestPairLines);
#include "test_pair_lines.moc"
