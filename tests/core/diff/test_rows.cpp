#include "core/diff/rows.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>
#include <set>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

using Cells = std::vector<std::vector<std::string>>;

view::FixedTable table(const std::vector<std::string>& titles, Cells rows) {
  std::vector<view::Column> columns;
  for (const std::string& title : titles) columns.push_back({title});
  return view::FixedTable(std::move(columns), std::move(rows));
}

RowDiff compared(const view::TableSource& a, const view::TableSource& b, const RowOptions& options = {}) {
  NullMonitor monitor;
  auto found = compareRows(a, b, options, monitor);
  return found ? std::move(*found) : RowDiff{};
}

/// "0/0 1/2! 2/- -/1 3/3:1": rows, "!" for moved rows, columns that differ.
QString text(const RowDiff& diff) {
  QStringList out;
  for (const RowPair& row : diff.rows) {
    QString one = (row.a == RowPair::kNone ? QStringLiteral("-") : QString::number(row.a)) + QLatin1Char('/') +
                  (row.b == RowPair::kNone ? QStringLiteral("-") : QString::number(row.b));
    if (row.moved) one += QLatin1Char('!');
    for (std::size_t i = 0; i < 64; ++i)
      if (row.changed >> i & 1) one += QStringLiteral(":%1").arg(i);
    out << one;
  }
  return out.join(QLatin1Char(' '));
}

/// A table of letters: the key is the letter, its value the following digit, if any.
view::FixedTable letterTable(const std::string& letters) {
  Cells rows;
  for (const char c : letters) {
    if (c >= '0' && c <= '9')
      rows.back()[1] = c;
    else
      rows.push_back({std::string(1, c), ""});
  }
  return table({"name", "value"}, std::move(rows));
}

class Numbered final : public view::TableSource {
public:
  Numbered(uint64_t rows, uint64_t skipped) : m_rows(rows), m_skipped(skipped) {}
  std::vector<view::Column> columns() const override { return {{"name"}, {"value"}}; }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t column) const override {
    const uint64_t number = row < m_skipped ? row : row + 1;
    return std::to_string(column == 0 ? number : number * 7 % 1000);
  }

private:
  uint64_t m_rows, m_skipped;
};

} // namespace

class TestRowDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void rowsAreMatchedByKey_data();
  void rowsAreMatchedByKey();
  void columnsAreMatchedByName();
  void keysCanSpanSeveralColumns();
  void randomTablesGiveValidSymmetricResults();
  void numberOfReportedRowsIsLimited();
  void comparisonCanBeCancelled();
};

void TestRowDiff::rowsAreMatchedByKey_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<QString>("rows");
  const auto row = [](const char* name, const char* a, const char* b, const char* rows) {
    QTest::newRow(name) << a << b << rows;
  };
  row("both empty", "", "", "");
  row("equal", "abc", "abc", "0/0 1/1 2/2");
  row("from nothing", "", "ab", "-/0 -/1");
  row("to nothing", "ab", "", "0/- 1/-");
  row("a value", "a1b2", "a1b3", "0/0 1/1:1");
  row("removed and added", "abc", "axc", "0/0 1/- -/1 2/2");
  row("moved", "abcd", "bcda", "1/0 2/1 3/2 0/3!");
  row("moved and changed", "a1bcd", "bcda2", "1/0 2/1 3/2 0/3!:1");
  row("removed at the end", "abc", "a", "0/0 1/- 2/-");
  row("duplicates by order", "a1a2b", "a1a3b", "0/0 1/1:1 2/2");
  row("fewer duplicates", "aaab", "ab", "0/0 1/- 2/- 3/1");
  row("more duplicates", "ab", "aab", "0/0 -/1 1/2");
  row("removed after a moved one", "abcx", "bca", "1/0 2/1 3/- 0/2!");
}

void TestRowDiff::rowsAreMatchedByKey() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(QString, rows);
  const auto first = letterTable(a.toStdString()), second = letterTable(b.toStdString());
  const RowDiff found = compared(first, second);
  QCOMPARE(text(found), rows);
  QCOMPARE(found.same(), a == b);
  QVERIFY(compared(first, first).same());
}

void TestRowDiff::columnsAreMatchedByName() {
  const auto a = table({"name", "old", "size"}, {{"x", "1", "2"}, {"y", "3", "4"}});
  const auto b = table({"size", "name", "new"}, {{"2", "x", "9"}, {"5", "y", "9"}});
  const RowDiff found = compared(a, b);
  QCOMPARE(found.columns,
           (std::vector<ColumnPair>{
               {2, 0, "size"}, {0, 1, "name"}, {1, ColumnPair::kNone, "old"}, {ColumnPair::kNone, 2, "new"}}));
  QCOMPARE(text(found), QStringLiteral("0/0 1/1:0"));
  QVERIFY(!found.same());
}

void TestRowDiff::keysCanSpanSeveralColumns() {
  const auto a = table({"x", "y", "z"}, {{"1", "1", "a"}, {"1", "2", "b"}, {"11", "", "c"}});
  const auto b = table({"x", "y", "z"}, {{"1", "2", "b"}, {"1", "1", "d"}, {"1", "1", "c"}});
  RowOptions options;
  options.keys = {0, 1};
  QCOMPARE(text(compared(a, b, options)), QStringLiteral("1/0 2/- 0/1!:2 -/2"));
  // Without a key by position.
  options.keys = {};
  QCOMPARE(text(compared(a, b, options)), QStringLiteral("0/0:1:2 1/1:1:2 2/2:0:1"));
  // A key that the other table lacks is not a key.
  const auto c = table({"q", "z"}, {{"7", "a"}});
  options.keys = {0};
  QCOMPARE(text(compared(a, c, options)), QStringLiteral("0/0 1/- 2/-"));
}

/// Each row of each table occurs once; rows of `b` are in order; numbers add up; the numbers are symmetric.
void TestRowDiff::randomTablesGiveValidSymmetricResults() {
  std::mt19937 random(51);
  for (int i = 0; i < 500; ++i) {
    const auto letters = [&] {
      std::string out;
      for (std::size_t n = random() % 12; n > 0; --n) {
        out += static_cast<char>('a' + random() % 6);
        if (random() % 2 == 0) out += static_cast<char>('0' + random() % 3);
      }
      return out;
    };
    const auto a = letterTable(letters()), b = letterTable(letters());
    const RowDiff found = compared(a, b);
    std::set<uint64_t> rowsA;
    uint64_t nextB = 0;
    for (const RowPair& row : found.rows) {
      if (row.a != RowPair::kNone) QVERIFY(rowsA.insert(row.a).second);
      if (row.b != RowPair::kNone) QCOMPARE(row.b, nextB++);
      if (!row.both()) continue;
      QCOMPARE(a.cell(row.a, 0), b.cell(row.b, 0));
      QCOMPARE(a.cell(row.a, 1) != b.cell(row.b, 1), row.changed == 2);
    }
    QCOMPARE(rowsA.size(), a.rowCount());
    QCOMPARE(nextB, b.rowCount());
    QCOMPARE(found.equal + found.changed + found.removed, a.rowCount());
    QCOMPARE(found.equal + found.changed + found.added, b.rowCount());
    const RowDiff other = compared(b, a);
    QVERIFY(other.equal == found.equal && other.changed == found.changed && other.removed == found.added &&
            other.added == found.removed && other.moved == found.moved);
  }
}

void TestRowDiff::numberOfReportedRowsIsLimited() {
  const Numbered a(100'000, UINT64_MAX), b(100'000, 500);
  const RowDiff found = compared(a, b);
  QVERIFY(found.removed == 1 && found.added == 1 && found.equal == 99'999 && found.moved == 0);
  RowOptions options;
  options.rows = 1'000;
  const RowDiff few = compared(a, Numbered(1'500, UINT64_MAX), options);
  QVERIFY(few.leftOutA == 99'000 && few.leftOutB == 500);
  QCOMPARE(few.rows.size(), std::size_t{1'000});
  QVERIFY(!few.same());
}

void TestRowDiff::comparisonCanBeCancelled() {
  const Numbered a(10'000, UINT64_MAX);
  for (const int looks : {0, 5, 15, 25}) {
    StopAfter monitor(looks);
    const auto found = compareRows(a, a, {}, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestRowDiff);

#include "test_rows.moc"
