#include "core/search/search.h"

#include "core/library/locator.h"
#include "core/search/regex.h"
#include "tests/core/library/library_file.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using library::PackagePtr;
using search::Hit;
using search::Syntax;

namespace {

constexpr uint64_t kStep = 1 << 20;

/// A library whose `.rodata` begins with `text` at `offset()`.
class Haystack {
public:
  explicit Haystack(const std::string& text) {
    m_elf.function("__tvm_ffi_run");
    m_elf.data("haystack", text);
    m_package = openOnDisk(m_elf.build());
  }
  const library::Package& operator*() const { return *m_package; }
  uint64_t offset() const { return m_elf.dataOffset(); }

private:
  ElfBuilder m_elf;
  PackagePtr m_package;
};

/// Hits as "offset+size" counted from the haystack.
QStringList hits(const Haystack& haystack, std::string_view pattern, Syntax syntax) {
  QStringList out;
  NullMonitor monitor;
  const auto done = search::find(*haystack, {std::string(pattern), syntax}, monitor, [&](const Hit& hit) {
    if (hit.offset >= haystack.offset())
      out << QString::number(hit.offset - haystack.offset()) + QLatin1Char('+') + QString::number(hit.size);
    return true;
  });
  if (!done) qFatal("searching failed: %s", done.error().message().c_str());
  return out;
}

} // namespace

class TestSearch : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void patternIsFound_data();
  void patternIsFound();
  void matchAcrossAStepIsFound_data();
  void matchAcrossAStepIsFound();
  void matchInsideALongRunIsFound_data();
  void matchInsideALongRunIsFound();
  void invalidPatternIsRefused_data();
  void invalidPatternIsRefused();
  void matchShowsItsPrintableContext_data();
  void matchShowsItsPrintableContext();
  void matchesBelongToTheirNodes();
  void caseCanBeIgnored_data();
  void caseCanBeIgnored();
  void searchCanBeLimitedToANode();
  void callbackCanEndTheSearch();
  void printableStringsAreFound_data();
  void printableStringsAreFound();
  void longStringsAreReturnedInPieces();
  void stringsOfAllNodesAreFoundInOrder();
  void nearMatchesTakeLinearTime_data();
  void nearMatchesTakeLinearTime();
  void searchCanBeCancelled_data();
  void searchCanBeCancelled();
};

void TestSearch::patternIsFound_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::addColumn<QStringList>("hits");
  const auto add = [](const char* name, const std::string& text, const std::string& pattern, Syntax syntax,
                      const QStringList& hits) {
    QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray::fromStdString(pattern)
                        << static_cast<int>(syntax) << hits;
  };
  add("text, none", "abc", "abd", Syntax::Text, {});
  add("text, first byte", "needle and thread", "needle", Syntax::Text, {"0+6"});
  add("text, last bytes of the file", "thread and needle", "needle", Syntax::Text, {"11+6"});
  add("text, twice", "ab..ab", "ab", Syntax::Text, {"0+2", "4+2"});
  add("text, overlapping", "aaaa", "aa", Syntax::Text, {"0+2", "1+2", "2+2"});
  add("text, case matters", "Needle needle", "needle", Syntax::Text, {"7+6"});
  add("text of other bytes", std::string("\0\x01\xff\0\x01\xff", 6), std::string("\xff\0", 2), Syntax::Text, {"2+2"});
  add("text that looks like a pattern", "a.c abc", "a.c", Syntax::Text, {"0+3"});
  add("text in UTF-8", "gr\xc3\xbc\xc3\x9f", "\xc3\xbc", Syntax::Text, {"2+2"});
  add("hex", std::string("\x10\x00\xde\xad\xbe\xef", 6), "deadbeef", Syntax::Hex, {"2+4"});
  add("hex, capitals and blanks", std::string("\x10\x00\xde\xad\xbe\xef", 6), "DE AD\tbe ef", Syntax::Hex, {"2+4"});
  add("hex, zeros", std::string("\xff\0\0\0\xff", 5), "0000", Syntax::Hex, {"1+2", "2+2"});
  add("hex, overlapping", std::string("\xde\xad\xde\xad\xde", 5), "deadde", Syntax::Hex, {"0+3", "2+3"});
  add("regex", "conv2d relu conv3d", "conv[0-9]d", Syntax::Regex, {"0+6", "12+6"});
  add("regex, alternatives", "conv2d relu", "relu|conv", Syntax::Regex, {"0+4", "7+4"});
  add("regex, counts at their limit", "aaaa", "^(a{1,20}){1,30}$", Syntax::Regex, {"0+4"});
  add("regex, classes of Perl", "a_1 b", "\\w+\\d\\s\\bb", Syntax::Regex, {"0+5"});
  add("regex, longest alternative", "abcd", "a|ab|abcd|abc", Syntax::Regex, {"0+4"});
  add("regex, long fixed count", std::string(2500, 'a'), "a{1000}", Syntax::Regex, {"0+1000", "1000+1000"});
  add("regex, braces that are no counts", "x{99999}", "[{]99999[}]|\\{1", Syntax::Regex, {"1+7"});
  add("regex, long optional part", std::string(900, 'a'), "(" + std::string(900, 'a') + "){0,1}", Syntax::Regex,
      {"0+900"});
  add("regex, longest", "aaaa b", "a+", Syntax::Regex, {"0+4"});
  add("regex, ends of a run", std::string("run\0run2\0", 9), "^run$", Syntax::Regex, {"0+3"});
  add("regex, only the first place is the beginning", "aaa", "^a", Syntax::Regex, {"0+1"});
  add("regex, does not reach over a byte that is not printable", std::string("ab\ncd\0ef", 8), "b.c|d.e", Syntax::Regex,
      {});
  add("regex, empty matches do not count", "xyx", "y*", Syntax::Regex, {"1+1"});
  add("regex, hits behind an empty match", "ab1c22", "[0-9]*", Syntax::Regex, {"2+1", "4+2"});
  add("regex, nothing else found behind an empty match", "ab", "z*", Syntax::Regex, {});
  add("regex, a tab is printable", "a\tb", "a\tb", Syntax::Regex, {"0+3"});
}

void TestSearch::patternIsFound() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, pattern);
  QFETCH(int, syntax);
  QFETCH(QStringList, hits);
  const Haystack haystack(text.toStdString());
  QCOMPARE(::hits(haystack, pattern.toStdString(), static_cast<Syntax>(syntax)), hits);
  QVERIFY(search::check({pattern.toStdString(), static_cast<Syntax>(syntax)}));
}

/// The file is searched in steps of 1 MiB; every match near their border is found once.
void TestSearch::matchAcrossAStepIsFound_data() {
  QTest::addColumn<int>("place"); ///< of the first byte of the match, from the border
  QTest::addColumn<int>("syntax");
  for (const int place : {-7, -6, -5, -3, -1, 0, 1}) {
    QTest::addRow("text at %d", place) << place << static_cast<int>(Syntax::Text);
    QTest::addRow("hex at %d", place) << place << static_cast<int>(Syntax::Hex);
    QTest::addRow("regex at %d", place) << place << static_cast<int>(Syntax::Regex);
  }
}

void TestSearch::matchAcrossAStepIsFound() {
  QFETCH(int, place);
  QFETCH(int, syntax);
  const uint64_t start = Haystack("").offset();
  std::string text(2 * kStep + 100, '\0');
  const uint64_t at = kStep - start + static_cast<uint64_t>(static_cast<int64_t>(place));
  text.replace(at, 6, "needle");
  text.replace(at + kStep, 6, "needle");
  const Haystack haystack(text);
  QCOMPARE(haystack.offset(), start);
  const std::string pattern = static_cast<Syntax>(syntax) == Syntax::Hex ? "6e6565646c65" : "needle";
  QCOMPARE(
      hits(haystack, pattern, static_cast<Syntax>(syntax)),
      (QStringList{QString::number(at) + QStringLiteral("+6"), QString::number(at + kStep) + QStringLiteral("+6")}));
}

/// JSON graphs are one line of megabytes.
void TestSearch::matchInsideALongRunIsFound_data() {
  QTest::addColumn<int>("place");
  for (const int place : {1000, 65'530, 65'533, 65'536, 131'069, 1'048'573, 1'099'990})
    QTest::addRow("at %d", place) << place;
}

void TestSearch::matchInsideALongRunIsFound() {
  QFETCH(int, place);
  std::string text(1'100'000, '.');
  text.replace(static_cast<std::size_t>(place), 6, "needle");
  const Haystack haystack(std::string(1, '\0') + text + std::string(1, '\0'));
  const QStringList expected = {QString::number(place + 1) + QStringLiteral("+6")};
  QCOMPARE(hits(haystack, "needle", Syntax::Text), expected);
  QCOMPARE(hits(haystack, "nee[a-e]le", Syntax::Regex), expected);
  QCOMPARE(hits(haystack, "^needle|needle$", Syntax::Regex), QStringList()); // neither beginning nor end
}

void TestSearch::invalidPatternIsRefused_data() {
  QTest::addColumn<QByteArray>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::addColumn<QString>("message");
  const auto add = [](const char* name, const QByteArray& pattern, Syntax syntax, const char* message) {
    QTest::newRow(name) << pattern << static_cast<int>(syntax) << QString::fromUtf8(message);
  };
  add("empty text", "", Syntax::Text, "invalid pattern '': it is empty");
  add("empty hex", "", Syntax::Hex, "invalid pattern '': it is empty");
  add("empty regex", "", Syntax::Regex, "invalid pattern '': it is empty");
  add("odd number of digits", "abc", Syntax::Hex, "invalid pattern 'abc': it does not consist of pairs of hex digits");
  add("no digits", "xy", Syntax::Hex, "invalid pattern 'xy': it does not consist of pairs of hex digits");
  add("only blanks", "  ", Syntax::Hex, "invalid pattern '  ': it does not consist of pairs of hex digits");
  add("hex with a prefix", "0xab", Syntax::Hex, "invalid pattern '0xab': it does not consist of pairs of hex digits");
  add("open bracket", "a[", Syntax::Regex, "invalid pattern 'a[': a '[' is not closed");
  add("open parenthesis", "(a", Syntax::Regex, "invalid pattern '(a': a '(' is not closed");
  add("closing parenthesis", "a)", Syntax::Regex, "invalid pattern 'a)': a ')' has no '(' before it");
  add("nothing to repeat", "*a", Syntax::Regex, "invalid pattern '*a': '*' has nothing before it to repeat");
  add("trailing backslash", "a\\", Syntax::Regex, "invalid pattern 'a\\\\': it ends with a backslash");
  add("too long", QByteArray(1001, 'a'), Syntax::Regex,
      ("invalid pattern '" + std::string(1000, 'a') + "… (1 more byte)': it is longer than 1000 characters").c_str());
  add("count above the limit", "a{1001}", Syntax::Regex,
      "invalid pattern 'a{1001}': invalid repetition count '{1001}'; counts are limited to 1,000, also multiplied with "
      "those around them");
  for (const char* pattern : {"a{1,255}{1,255}", "((a{0,20}b){0,60}|c){1,3}", "a{1,20000}", "(a{200}){200}",
                              "a{99999999999999999999}", "a{3,2}"})
    add(pattern, pattern, Syntax::Regex,
        ("invalid pattern '" + std::string(pattern) + "': invalid repetition count *").c_str());
  add("range in the wrong order", "[z-a]", Syntax::Regex, "invalid pattern '[z-a]': invalid range 'z-a'");
  add("unknown class", "[[:colour:]]", Syntax::Regex,
      "invalid pattern '[[:colour:]]': unknown character class '[:colour:]'");
  add("unknown escape", "a\\q", Syntax::Regex, "invalid pattern 'a\\\\q': unknown escape sequence '\\\\q'");
  add("Perl's groups", "(?i)a", Syntax::Regex, "invalid pattern '(?i)a': *");
  add("back-reference", "(a*)\\1", Syntax::Regex,
      "invalid pattern '(a*)\\\\1': back-references such as \\1 are not supported");
}

void TestSearch::invalidPatternIsRefused() {
  QFETCH(QByteArray, pattern);
  QFETCH(int, syntax);
  QFETCH(QString, message);
  const auto checked = search::check({pattern.toStdString(), static_cast<Syntax>(syntax)});
  QVERIFY(!checked);
  QCOMPARE(checked.error().id(), DiagnosticId::Pattern);
  const QString said = QString::fromStdString(checked.error().message());
  if (message.endsWith(QLatin1Char('*'))) {
    message.chop(1);
    QVERIFY2(said.startsWith(message) && said.size() > message.size(), qPrintable(said));
    message = said;
  }
  QCOMPARE(said, message);
  NullMonitor monitor;
  const Haystack haystack("abc");
  const auto found = search::find(*haystack, {pattern.toStdString(), static_cast<Syntax>(syntax)}, monitor,
                                  [](const Hit&) { return true; });
  QVERIFY(!found);
  QCOMPARE(QString::fromStdString(found.error().message()), message);
}

void TestSearch::matchShowsItsPrintableContext_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("pattern");
  QTest::addColumn<QByteArray>("around");
  const QByteArray zero(1, '\0');
  QTest::newRow("the run it stands in") << zero + "one needle two" + zero + "three" << QByteArray("needle")
                                        << QByteArray("one needle two");
  QTest::newRow("whole run") << zero + "needle" + zero << QByteArray("needle") << QByteArray("needle");
  QTest::newRow("bytes that are not printable")
      << zero + "ab\x01\x02" + "cd" << QByteArray("\x01\x02") << QByteArray("\x01\x02");
  QTest::newRow("end of the file") << zero + "the needle" << QByteArray("needle") << QByteArray("the needle");
  const QByteArray dots(500, '.');
  QTest::newRow("long run") << dots + "needle" + dots << QByteArray("needle")
                            << dots.left(77) + "needle" + dots.left(77);
  QTest::newRow("long hit") << QByteArray(400, 'n') << QByteArray(300, 'n') << QByteArray(160, 'n');
}

void TestSearch::matchShowsItsPrintableContext() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, pattern);
  QFETCH(QByteArray, around);
  const Haystack haystack(text.toStdString());
  NullMonitor monitor;
  int count = 0;
  QVERIFY(search::find(*haystack, {pattern.toStdString()}, monitor, [&](const Hit& hit) {
    if (hit.offset < haystack.offset()) return true;
    if (count++ == 0) {
      if (hit.around.view() != around.toStdString())
        QTest::qFail(qPrintable(QStringLiteral("around is ") + shown(hit.around.view())), __FILE__, __LINE__);
    }
    return true;
  }));
  QVERIFY(count > 0);
}

void TestSearch::matchesBelongToTheirNodes() {
  const std::vector<Function> one = {{"softmax_kernel"}};
  ElfBuilder elf;
  elf.function("softmax_host");
  elf.data("text", "softmax in front");
  elf.data("__tvm_dev_mblob",
           classicBlob({{"_lib", ""}, {"opencl", code3("cl", one, openclText(one), Info::Three)}}, {{{1}, {}}}));
  const PackagePtr package = openOnDisk(elf.build());
  const library::Locator locator(*package);
  QStringList refs;
  NullMonitor monitor;
  QVERIFY(search::find(*package, {"softmax"}, monitor, [&](const Hit& hit) {
    refs << QString::fromStdString(hit.ref.toString());
    return hit.ref == locator.at(hit.offset);
  }));
  QCOMPARE(refs, (QStringList{"section:.dynstr", "section:.rodata", "m1", "m1/kernel:softmax_kernel",
                              "m1/kernel:softmax_kernel"}));
}

void TestSearch::caseCanBeIgnored_data() {
  QTest::addColumn<QByteArray>("pattern");
  QTest::addColumn<int>("syntax");
  QTest::addColumn<int>("same"); // matches with and without case
  QTest::addColumn<int>("either");
  QTest::newRow("text") << QByteArray("Needle") << static_cast<int>(Syntax::Text) << 1 << 3;
  QTest::newRow("regex") << QByteArray("N[e]+dle") << static_cast<int>(Syntax::Regex) << 1 << 3;
  QTest::newRow("hex is bytes") << QByteArray("4e6565646c65") << static_cast<int>(Syntax::Hex) << 1 << 1;
  QTest::newRow("only letters are folded") << QByteArray("@[") << static_cast<int>(Syntax::Text) << 1 << 1;
}

void TestSearch::caseCanBeIgnored() {
  QFETCH(QByteArray, pattern);
  QFETCH(int, syntax);
  // The last match crosses the border of a step.
  std::string text = "Needle needle @[ `{ ";
  const Haystack probe(text);
  text.resize(kStep - probe.offset() % kStep - 3, '.');
  text += "NEEDLE";
  const Haystack haystack(text);
  for (const bool matchCase : {true, false}) {
    int count = 0;
    NullMonitor monitor;
    QVERIFY(search::find(*haystack, {pattern.toStdString(), static_cast<Syntax>(syntax), matchCase}, monitor,
                         [&](const Hit&) { return ++count < 100; }));
    QTEST(count, matchCase ? "same" : "either");
  }
}

void TestSearch::searchCanBeLimitedToANode() {
  const std::vector<Function> one = {{"softmax_kernel"}};
  ElfBuilder elf;
  elf.data("text", "softmax in front");
  elf.data("__tvm_dev_mblob",
           classicBlob({{"_lib", ""}, {"opencl", code3("cl", one, openclText(one), Info::Three)}}, {{{1}, {}}}));
  const PackagePtr package = openOnDisk(elf.build());
  NullMonitor monitor;
  const auto refsIn = [&](const char* node) {
    QStringList refs;
    search::Query query{"softmax"};
    query.in = Ref::parse(node);
    const auto done = search::find(*package, query, monitor, [&](const Hit& hit) {
      refs << QString::fromStdString(hit.ref.toString());
      return true;
    });
    return done ? refs : QStringList{QString::fromStdString(std::string(row(done.error().id()).id))};
  };
  QCOMPARE(refsIn("m1"), (QStringList{"m1", "m1/kernel:softmax_kernel", "m1/kernel:softmax_kernel"}));
  QCOMPARE(refsIn("section:.rodata").size(), 4);
  QCOMPARE(refsIn("m0"), QStringList{"REF-NO-BYTES"});
  QCOMPARE(refsIn("m9"), QStringList{"REF-NOT-FOUND"});
}

void TestSearch::callbackCanEndTheSearch() {
  const Haystack haystack("needle needle needle");
  NullMonitor monitor;
  for (const Syntax syntax : {Syntax::Text, Syntax::Regex}) {
    int count = 0;
    QVERIFY(search::find(*haystack, {"needle", syntax}, monitor, [&](const Hit&) { return ++count < 2; }));
    QCOMPARE(count, 2);
  }
  int count = 0;
  QVERIFY(search::strings(*haystack, 1, monitor, [&](const Hit&) { return ++count < 2; }));
  QCOMPARE(count, 2);
}

void TestSearch::printableStringsAreFound_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<int>("minimum");
  QTest::addColumn<QStringList>("strings");
  const auto add = [](const char* name, const std::string& text, int minimum, const QStringList& strings) {
    QTest::newRow(name) << QByteArray::fromStdString(text) << minimum << strings;
  };
  add("none", std::string("\0\x01\x02\x7f\x80\xff\n\r", 8), 1, {});
  add("at both ends", std::string("first\0\0last", 11), 4, {"0 first", "7 last"});
  add("shorter than the minimum", std::string("abc\0abcd\0", 9), 4, {"4 abcd"});
  add("exactly the minimum", "abcd", 4, {"0 abcd"});
  add("single characters", std::string("a\0b", 3), 1, {"0 a", "2 b"});
  add("blank and tab belong to it", "a b\tc", 4, {"0 a b\tc"});
  add("a line end does not", "abcd\nefgh\r\nijkl", 4, {"0 abcd", "5 efgh", "11 ijkl"});
  add("other bytes do not",
      "gr\xc3\xbc\xc3\x9f"
      "en",
      2, {"0 gr", "6 en"});
  add("all printable characters", " !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", 4,
      {"0  !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~"});
}

void TestSearch::printableStringsAreFound() {
  QFETCH(QByteArray, text);
  QFETCH(int, minimum);
  QFETCH(QStringList, strings);
  // An unprintable byte comes first, so that nothing before the data belongs to a string.
  const Haystack haystack(std::string(1, '\0') + text.toStdString());
  QStringList found;
  NullMonitor monitor;
  QVERIFY(search::strings(*haystack, static_cast<uint64_t>(minimum), monitor, [&](const Hit& hit) {
    if (hit.offset > haystack.offset())
      found << QString::number(hit.offset - haystack.offset() - 1) + QLatin1Char(' ') +
                   QString::fromStdString(std::string(hit.around.view()));
    return hit.size == hit.around.size();
  }));
  QCOMPARE(found, strings);
}

void TestSearch::longStringsAreReturnedInPieces() {
  const std::string text = std::string(1, '\0') + std::string(3 * kStep / 2, 'x') + "end" + std::string(1, '\0');
  const Haystack haystack(text);
  uint64_t at = haystack.offset() + 1;
  NullMonitor monitor;
  bool gap = false;
  uint64_t largest = 0;
  QVERIFY(search::strings(*haystack, 4, monitor, [&](const Hit& hit) {
    if (hit.offset < haystack.offset()) return true;
    gap |= hit.offset != at;
    at += hit.size;
    largest = std::max(largest, hit.size);
    return true;
  }));
  QVERIFY(!gap);
  QCOMPARE(at, haystack.offset() + text.size() - 1);
  QCOMPARE(largest, uint64_t{64 * 1024});
}

/// Names in the symbol table are strings of the file like any others.
void TestSearch::stringsOfAllNodesAreFoundInOrder() {
  const Haystack haystack("in the data");
  QStringList found;
  NullMonitor monitor;
  uint64_t before = 0;
  QVERIFY(search::strings(*haystack, 8, monitor, [&](const Hit& hit) {
    if (hit.offset < before) return false;
    before = hit.offset;
    found << QString::fromStdString(hit.ref.toString() + " " + std::string(hit.around.view()));
    return true;
  }));
  QVERIFY(found.contains(QStringLiteral("section:.dynstr __tvm_ffi_run")));
  QVERIFY(found.contains(QStringLiteral("section:.rodata in the data")));
}

/// A long line in which the pattern begins everywhere and ends nowhere.
void TestSearch::nearMatchesTakeLinearTime_data() {
  QTest::addColumn<QByteArray>("pattern");
  for (const char* pattern : {"a.*b", "(a|aa)+b", "a+a+a+b", "[a-z]{3,40}b"})
    QTest::newRow(pattern) << QByteArray(pattern);
}

void TestSearch::nearMatchesTakeLinearTime() {
  QFETCH(QByteArray, pattern);
  const auto nsOf = [&](std::size_t size) {
    const Haystack haystack(std::string(1, '\0') + std::string(size, 'a'));
    const int64_t before = threadNs();
    if (!hits(haystack, pattern.toStdString(), Syntax::Regex).isEmpty()) qFatal("it fits");
    return static_cast<double>(threadNs() - before);
  };
  nsOf(4'000); // work done only once
  const double before = nsOf(4'000);
  const double ratio = nsOf(32'000) / before;
  QVERIFY2(ratio < 24, qPrintable(QStringLiteral("%1 times the time for eight times the text").arg(ratio)));
}

void TestSearch::searchCanBeCancelled_data() {
  QTest::addColumn<int>("what");
  QTest::newRow("text") << static_cast<int>(Syntax::Text);
  QTest::newRow("hex") << static_cast<int>(Syntax::Hex);
  QTest::newRow("regex") << static_cast<int>(Syntax::Regex);
  QTest::newRow("strings") << -1;
}

void TestSearch::searchCanBeCancelled() {
  QFETCH(int, what);
  const Haystack haystack(std::string(4 * kStep, '.'));
  const auto run = [&](Monitor& monitor) {
    const auto sink = [](const Hit&) { return true; };
    return what < 0
               ? search::strings(*haystack, 4, monitor, sink)
               : search::find(*haystack,
                              {what == static_cast<int>(Syntax::Hex) ? "0102" : "needle", static_cast<Syntax>(what)},
                              monitor, sink);
  };
  int looks = 0;
  for (;; looks += 1 + looks / 2) { // a regular expression checks thousands of times
    StopAfter monitor(looks);
    const auto done = run(monitor);
    if (done) break;
    QCOMPARE(done.error().code(), ErrorCode::Cancelled);
  }
  QVERIFY2(looks >= 4, qPrintable(QString::number(looks)));
}

BLOBSCOPE_TEST(TestSearch);
#include "test_search.moc"
