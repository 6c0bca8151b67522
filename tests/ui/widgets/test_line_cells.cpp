#include "ui/widgets/text/line_cells.h"

#include "tests/support/test_main.h"

#include <random>

using namespace blobscope::ui;
using namespace std::string_literals;

namespace {

/// The drawn text, with "|" before each cell and a number after cells whose width is not one.
QString drawnCells(std::string_view line, uint64_t column = 0) {
  QString out;
  CellWalker walker(line, column);
  for (Cell cell{}; walker.next(cell);) {
    out += QLatin1Char('|') + cellText(line, cell);
    if (cell.width != 1) out += QString::number(cell.width);
  }
  return out;
}

} // namespace

class TestLineCells : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void charactersBecomeCells_data();
  void charactersBecomeCells();
  void columnsAndOffsetsAgree_data();
  void columnsAndOffsetsAgree();
  void nearestOffsetIsFound();
  void longLinesHaveOneCellPerByte();
  void randomBytesAreCoveredByCells();
};

void TestLineCells::charactersBecomeCells_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("drawn");
  QTest::newRow("ascii") << QByteArray("ab") << "|a|b";
  QTest::newRow("tabs") << QByteArray("\ta\tb") << "| 8|a| 7|b";
  QTest::newRow("control characters") << QByteArray("a\x01\x7f\r") << QStringLiteral("|a|·|·|·");
  QTest::newRow("umlaut") << QByteArray("\xc3\xa4x") << QStringLiteral("|ä|x");
  QTest::newRow("wide") << QByteArray("\xe4\xb8\xad\xe6\x96\x87") << QStringLiteral("|中2|文2");
  QTest::newRow("combining") << QByteArray("e\xcc\x81x") << QStringLiteral("|e\u0301|x");
  QTest::newRow("four bytes") << QByteArray("\xf0\x9d\x84\x9e") << QStringLiteral("|𝄞");
  QTest::newRow("not utf-8") << QByteArray("a\xff\xc3(") << QStringLiteral("|a|\uFFFD|\uFFFD|(");
  QTest::newRow("cut") << QByteArray("\xe4\xb8") << QStringLiteral("|\uFFFD|\uFFFD");
  QTest::newRow("overlong") << QByteArray("\xc0\xaf") << QStringLiteral("|\uFFFD|\uFFFD");
  QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QStringLiteral("|\uFFFD|\uFFFD|\uFFFD");
  QTest::newRow("right to left mark") << QByteArray("a\xe2\x80\xae") << QStringLiteral("|a|·");
  QTest::newRow("nul") << QByteArray("a\0b", 3) << QStringLiteral("|a|·|b");
}

void TestLineCells::charactersBecomeCells() {
  QFETCH(QByteArray, line);
  QFETCH(QString, drawn);
  QCOMPARE(drawnCells({line.constData(), static_cast<std::size_t>(line.size())}), drawn);
}

void TestLineCells::columnsAndOffsetsAgree_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::newRow("ascii") << QByteArray("mov.u32 %r30;");
  QTest::newRow("tabs") << QByteArray("\tld.param\t%r1");
  QTest::newRow("mixed") << QByteArray("a\t\xe4\xb8\xad\xff e\xcc\x81\tz");
  QTest::newRow("empty") << QByteArray();
}

void TestLineCells::columnsAndOffsetsAgree() {
  QFETCH(QByteArray, line);
  const std::string_view bytes(line.constData(), static_cast<std::size_t>(line.size()));
  uint64_t column = 0, offset = 0;
  CellWalker walker(bytes);
  for (Cell cell{}; walker.next(cell); column = cell.column + cell.width, offset = cell.offset + cell.size) {
    QCOMPARE(cell.column, column);
    QCOMPARE(cell.offset, offset);
    for (uint64_t i = 0; i < cell.size; ++i) QCOMPARE(columnOf(bytes, cell.offset + i), cell.column);
    for (uint64_t i = 0; i < cell.width; ++i) {
      QCOMPARE(offsetOf(bytes, static_cast<double>(cell.column + i)), cell.offset);
      Cell found{};
      QVERIFY(CellWalker(bytes, cell.column + i).next(found));
      QCOMPARE(found.offset, cell.offset);
    }
  }
  QCOMPARE(offset, uint64_t{bytes.size()});
  QCOMPARE(columnCount(bytes), column);
  QCOMPARE(columnOf(bytes, bytes.size() + 5), column);
  QCOMPARE(offsetOf(bytes, static_cast<double>(column + 5)), uint64_t{bytes.size()});
}

void TestLineCells::nearestOffsetIsFound() {
  QCOMPARE(offsetOf("ab", 0.4, true), uint64_t{0});
  QCOMPARE(offsetOf("ab", 0.6, true), uint64_t{1});
  QCOMPARE(offsetOf("\tb", 3.9, true), uint64_t{0});
  QCOMPARE(offsetOf("\tb", 4.1, true), uint64_t{1});
  QCOMPARE(offsetOf("ab", -3, true), uint64_t{0});
  QCOMPARE(offsetOf("ab", 90, true), uint64_t{2});
}

void TestLineCells::longLinesHaveOneCellPerByte() {
  const std::string line = "\t\xc3\xa4" + std::string(kLongLine, 'x') + "end";
  QCOMPARE(columnCount(line), uint64_t{line.size()});
  QCOMPARE(columnOf(line, 70), uint64_t{70});
  QCOMPARE(offsetOf(line, 70), uint64_t{70});
  QCOMPARE(drawnCells(line, line.size() - 3), QStringLiteral("|e|n|d"));
  QCOMPARE(drawnCells(line).left(6), QStringLiteral("| |\uFFFD|\uFFFD"));
}

void TestLineCells::randomBytesAreCoveredByCells() {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string line(random() % 12, ' ');
    for (char& c : line) c = static_cast<char>(random() % 3 == 0 ? 0x80 + random() % 0x80 : random());
    uint64_t offset = 0;
    CellWalker walker(line);
    for (Cell cell{}; walker.next(cell); offset += cell.size) {
      QCOMPARE(cell.offset, offset);
      QVERIFY(cell.size > 0 && cell.width > 0);
    }
    QCOMPARE(offset, uint64_t{line.size()});
  }
}

BLOBSCOPE_TEST(TestLineCells);

#include "test_line_cells.moc"
