#include "ui/widgets/find/find_search.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

FindMonitor collecting(FindHits& hits) {
  FindMonitor monitor;
  monitor.stopRequested = [] { return false; };
  monitor.progress = [](uint64_t, uint64_t) {};
  monitor.found = [&hits](const FindHits& more) { hits.insert(hits.end(), more.begin(), more.end()); };
  return monitor;
}

FindHits found(std::string_view text, const FindQuery& query, FindEnd* end = nullptr) {
  FindHits hits;
  const FindEnd result = findAll(bytes(text), query, collecting(hits));
  if (end) *end = result;
  return hits;
}

/// "0+2@0 7+2@1": offset, size and line of each.
QString text(const FindHits& hits) {
  QStringList out;
  for (const FindHit& hit : hits) out << QStringLiteral("%1+%2@%3").arg(hit.offset).arg(hit.size).arg(hit.line);
  return out.join(QLatin1Char(' '));
}

/// Flags: c match case, w whole word, r regular expression, x hex, b bytes without lines.
FindQuery queryOf(const QString& pattern, const QString& flags) {
  FindQuery query;
  query.pattern = pattern;
  query.matchCase = flags.contains(QLatin1Char('c'));
  query.wholeWord = flags.contains(QLatin1Char('w'));
  query.lines = !flags.contains(QLatin1Char('b')) && !flags.contains(QLatin1Char('x'));
  if (flags.contains(QLatin1Char('r'))) query.kind = FindQuery::Kind::Regex;
  if (flags.contains(QLatin1Char('x'))) query.kind = FindQuery::Kind::Hex;
  return query;
}

} // namespace

class TestFindSearch : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void matchesAreFound_data();
  void matchesAreFound();
  void invalidPatternsAreRefused_data();
  void invalidPatternsAreRefused();
  void matchesAcrossChunksAreFound_data();
  void matchesAcrossChunksAreFound();
  void resultEqualsANaiveSearch();
  void numberOfMatchesIsLimited();
  void searchCanBeCancelled();
  void costlyLineIsSkipped();
};

void TestFindSearch::matchesAreFound_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("flags");
  QTest::addColumn<QString>("hits");
  QTest::newRow("text") << QByteArray("ab ab\nAB") << "ab" << "c" << "0+2@0 3+2@0";
  QTest::newRow("any case") << QByteArray("ab ab\nAB") << "Ab" << "" << "0+2@0 3+2@0 6+2@1";
  QTest::newRow("no expression") << QByteArray("ldxparam ld.param") << "ld.param" << "c" << "9+8@0";
  QTest::newRow("whole word") << QByteArray("ab abc a.ab_ ab") << "ab" << "cw" << "0+2@0 13+2@0";
  QTest::newRow("whole word with signs") << QByteArray("%r1 %r12 (%r1)") << "%r1" << "cw" << "0+3@0 10+3@0";
  QTest::newRow("expression") << QByteArray("r1, r22,\nr333") << "r\\d+$" << "r" << "9+4@1";
  QTest::newRow("line starts") << QByteArray("a\na\n\na") << "^a" << "r" << "0+1@0 2+1@1 5+1@3";
  QTest::newRow("windows line ends") << QByteArray("a\r\nba\r\n") << "a$" << "r" << "0+1@0 4+1@1";
  QTest::newRow("empty matches") << QByteArray("aab") << "x*" << "r" << "";
  QTest::newRow("not over line ends") << QByteArray("a b\nc;d\ne;") << "[^;]+" << "r" << "0+3@0 4+1@1 6+1@1 8+1@2";
  QTest::newRow("space over line ends") << QByteArray("a \n b") << "a\\s+" << "r" << "0+2@0";
  QTest::newRow("no overlaps") << QByteArray("aaaaa") << "aa" << "c" << "0+2@0 2+2@0";
  QTest::newRow("umlauts") << QByteArray("\xc3\xa4 \xc3\x84 x") << QStringLiteral("ä") << "" << "0+2@0 3+2@0";
  QTest::newRow("after umlauts") << QByteArray("\xc3\xa4\xe4\xb8\xad\xf0\x9d\x84\x9ex") << "x" << "c" << "9+1@0";
  QTest::newRow("after invalid UTF-8") << QByteArray("\xff\xfe\xc3x") << "x" << "c" << "3+1@0";
  QTest::newRow("byte order mark") << QByteArray("\xef\xbb\xbfx\n\xef\xbb\xbfx") << "x" << "c" << "3+1@0 8+1@1";
  QTest::newRow("nul") << QByteArray("a\0b", 3) << "b" << "c" << "2+1@0";
  QTest::newRow("empty text") << QByteArray() << "b" << "c" << "";
  QTest::newRow("bytes") << QByteArray("\0\1\2\1\2", 5) << "01 02" << "x" << "1+2@0 3+2@0";
  QTest::newRow("text in bytes") << QByteArray("cuda CUDA") << "CUda" << "b" << "0+4@0 5+4@0";
  QTest::newRow("text in bytes, case") << QByteArray("cuda CUDA") << "CUDA" << "bc" << "5+4@0";
  QTest::newRow("one byte") << QByteArray("aba") << "61" << "x" << "0+1@0 2+1@0";
}

void TestFindSearch::matchesAreFound() {
  QFETCH(QByteArray, text);
  QFETCH(QString, pattern);
  QFETCH(QString, flags);
  QFETCH(QString, hits);
  QCOMPARE(::text(found({text.constData(), static_cast<std::size_t>(text.size())}, queryOf(pattern, flags))), hits);
}

void TestFindSearch::invalidPatternsAreRefused_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("flags");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("empty") << "" << "" << "Enter a search pattern.";
  QTest::newRow("odd digits") << "012" << "x" << "Enter two hexadecimal digits for each byte.";
  QTest::newRow("no digits") << "xy" << "x" << "Enter two hexadecimal digits for each byte.";
  QTest::newRow("expression") << "a(b" << "r" << "Character 4: missing closing parenthesis.";
  QTest::newRow("fine") << "a(b" << "" << "";
}

void TestFindSearch::invalidPatternsAreRefused() {
  QFETCH(QString, pattern);
  QFETCH(QString, flags);
  QFETCH(QString, sentence);
  QCOMPARE(queryProblem(queryOf(pattern, flags)), sentence);
  if (!sentence.isEmpty()) QVERIFY(found("a(b 01", queryOf(pattern, flags)).empty());
}

void TestFindSearch::matchesAcrossChunksAreFound_data() {
  QTest::addColumn<int>("lineLength");
  QTest::addColumn<bool>("umlauts");
  QTest::newRow("lines") << 61 << false;
  QTest::newRow("lines with umlauts") << 61 << true;
  QTest::newRow("one line") << 0 << false;
  QTest::newRow("one line with umlauts") << 0 << true;
}

void TestFindSearch::matchesAcrossChunksAreFound() {
  QFETCH(int, lineLength);
  QFETCH(bool, umlauts);
  std::mt19937 random(9);
  std::string content;
  while (content.size() < 1'500'000) {
    content += random() % 500 == 0 ? "needle" : umlauts && random() % 50 == 0 ? "\xc3\xa4" : "x";
    if (lineLength > 0 && random() % static_cast<unsigned>(lineLength) == 0) content += '\n';
  }
  FindHits expected;
  uint64_t line = 0, counted = 0;
  for (std::size_t at = content.find("needle"); at != std::string::npos; at = content.find("needle", at + 6)) {
    line += static_cast<uint64_t>(std::count(content.begin() + static_cast<std::ptrdiff_t>(counted),
                                             content.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    expected.push_back({at, 6, line});
  }
  QVERIFY(expected.size() > 1'000);
  QVERIFY(found(content, queryOf(QStringLiteral("needle"), QStringLiteral("c"))) == expected);
  QVERIFY(found(content, queryOf(QStringLiteral("ne+dle"), QStringLiteral("r"))) == expected);
  for (FindHit& hit : expected) hit.line = 0;
  QVERIFY(found(content, queryOf(QStringLiteral("6e6565646c65"), QStringLiteral("x"))) == expected);
}

void TestFindSearch::resultEqualsANaiveSearch() {
  std::mt19937 random(2);
  for (int round = 0; round < 2'000; ++round) {
    std::string content(random() % 60, 'a');
    for (char& c : content) c = "abAB"[random() % 4];
    const std::string needle = std::string(1 + random() % 4, 'a').replace(0, 1, 1, "abAB"[random() % 4]);
    FindHits expected;
    for (std::size_t at = content.find(needle); at != std::string::npos; at = content.find(needle, at + needle.size()))
      expected.push_back({at, needle.size(), 0});
    QVERIFY(found(content, queryOf(QString::fromStdString(needle), QStringLiteral("bc"))) == expected);
  }
}

void TestFindSearch::numberOfMatchesIsLimited() {
  const std::string content(kFindHits + 5, 'a');
  FindEnd end;
  QCOMPARE(found(content, queryOf(QStringLiteral("a"), QStringLiteral("c")), &end).size(), kFindHits);
  QVERIFY(end.capped);
  QCOMPARE(found(content, queryOf(QStringLiteral("61"), QStringLiteral("x")), &end).size(), kFindHits);
  QVERIFY(end.capped);
  QCOMPARE(found(content.substr(5), queryOf(QStringLiteral("a"), QStringLiteral("c")), &end).size(), kFindHits);
  QVERIFY(!end.capped);
}

void TestFindSearch::searchCanBeCancelled() {
  const Bytes content = bytes(std::string(20'000'000, 'a'));
  for (const char* flags : {"c", "x"}) {
    FindHits hits;
    FindMonitor monitor = collecting(hits);
    int looks = 0;
    uint64_t reached = 0;
    monitor.stopRequested = [&] { return ++looks > 3; };
    monitor.progress = [&](uint64_t done, uint64_t total) {
      reached = done;
      QCOMPARE(total, content.size());
    };
    const bool hex = flags[0] == 'x';
    findAll(content, queryOf(hex ? QStringLiteral("62") : QStringLiteral("b"), QLatin1String(flags)), monitor);
    QVERIFY2(reached > 0 && reached < 2'000'000, flags);
  }
}

void TestFindSearch::costlyLineIsSkipped() {
  // Endless backtracking in the second line; the others are searched all the same.
  const std::string content = "aa\n" + std::string(40, 'a') + "!\naa\n";
  FindEnd end;
  const FindHits hits = found(content, queryOf(QStringLiteral("^(a+)+$"), QStringLiteral("r")), &end);
  QCOMPARE(text(hits), QStringLiteral("0+2@0 45+2@2"));
  QCOMPARE(end.skippedLines, uint64_t{1});
}

BLOBSCOPE_TEST(TestFindSearch);

#include "test_find_search.moc"
