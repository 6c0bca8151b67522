#include "core/host/text_runs.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using container::Format;
using container::Image;
using container::Section;
using host::TextPlaces;
using namespace std::string_literals;

namespace {

/// Runs of at least `least` bytes, a line each; those that nothing ended have a "…" behind them.
std::string runsOf(const Image& image, TextPlaces places, std::size_t least = 3) {
  std::string out;
  NullMonitor monitor;
  const auto done = host::forEachText(
      image, places, least,
      [&](std::string_view text, bool ended) { out += std::string(text) + (ended ? "" : "…") + "|"; }, monitor);
  if (!done) qFatal("reading texts failed");
  return out;
}

Image imageOf(const std::string& text, Format format = Format::Elf) {
  Image image;
  image.file = bytes(text);
  image.format = format;
  return image;
}

enum class Use { Constants, Variables, Code, Unmapped };

Section section(Extent file, Use use) {
  Section out;
  out.file = file;
  out.size = file.size;
  out.allocated = use != Use::Unmapped;
  out.writable = use == Use::Variables;
  out.executable = use == Use::Code;
  return out;
}

} // namespace

class TestTextRuns : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void printableRunsAreFound_data();
  void printableRunsAreFound();
  void longerRunsAreOmitted();
  void stringsOfSourceAreFound_data();
  void stringsOfSourceAreFound();
  void sourceHasNoSections();
  void placesAreReadOnceInFileOrder_data();
  void placesAreReadOnceInFileOrder();
  void everyTruncationIsRead();
  void readingCanBeCancelled_data();
  void readingCanBeCancelled();
};

void TestTextRuns::printableRunsAreFound_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string file, std::string expected) {
    QTest::newRow(name) << std::move(file) << std::move(expected);
  };
  row("nothing", "", "");
  row("only zeros", "\0\0\0\0"s, "");
  row("ended by NUL", "abc\0"s, "abc|");
  row("ended by the file", "abc", "abc|");
  row("ended by another byte", "abc\1"s, "abc…|");
  row("shorter than wanted", "ab\0cd\0"s, "");
  row("exactly as long as wanted", "ab\0cde\0fg"s, "cde|");
  row("two in a row", "abc\0def\0"s, "abc|def|");
  row("tab and line feed are part of it", "a\tb\nc\0"s, "a\tb\nc|");
  row("carriage return is not", "abc\rdef\0"s, "abc…|def|");
  row("the first and last printable byte", " ~~\x7f\x1f   \0"s, " ~~…|   |");
  row("bytes above ASCII end it", "abc\xc3\xa4xyz\0"s, "abc…|xyz|");
}

void TestTextRuns::printableRunsAreFound() {
  QFETCH(std::string, file);
  QFETCH(std::string, expected);
  QCOMPARE(runsOf(imageOf(file), TextPlaces::All), expected);
}

void TestTextRuns::longerRunsAreOmitted() {
  const std::string longest(host::kTextRun, 'x');
  QCOMPARE(runsOf(imageOf(longest), TextPlaces::All), longest + "|");
  QCOMPARE(runsOf(imageOf(longest + "x\0after\0"s), TextPlaces::All), std::string("after|"));
  QCOMPARE(runsOf(imageOf('"' + longest + '"', Format::CSource), TextPlaces::All), longest + "|");
  QCOMPARE(runsOf(imageOf('"' + longest + "x\" \"after\"", Format::CSource), TextPlaces::All), std::string("after|"));
}

void TestTextRuns::stringsOfSourceAreFound_data() {
  QTest::addColumn<std::string>("source");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string source, std::string expected) {
    QTest::newRow(name) << std::move(source) << std::move(expected);
  };
  row("what is not in quotes", "int main();", "");
  row("a string", "f(\"text\");", "text|");
  row("two strings", "f(\"one\", \"two\");", "one|two|");
  row("an empty one and a short one", "f(\"\", \"ab\", \"abc\");", "abc|");
  row("escapes as they are", R"(f("a\"b\\");)", R"(a\"b\\|)");
  row("a quote as a character", "c = '\"'; f(\"text\");", "text|");
  row("other characters", "c = 'x'; f(\"text\");", "text|");
  row("one that does not end ends with its line", "f(\"text\n\"more\"", "text|more|");
  row("one that does not end at all", "f(\"text", "text|");
  row("an escape at the end of the file", "f(\"text\\", "text\\|");
}

void TestTextRuns::stringsOfSourceAreFound() {
  QFETCH(std::string, source);
  QFETCH(std::string, expected);
  QCOMPARE(runsOf(imageOf(source, Format::CSource), TextPlaces::All), expected);
}

void TestTextRuns::sourceHasNoSections() {
  Image image = imageOf("\"text\"", Format::CSource);
  image.sections = {section({0, 6}, Use::Constants)};
  QCOMPARE(runsOf(image, TextPlaces::ReadOnly), std::string());
  QCOMPARE(runsOf(image, TextPlaces::Writable), std::string());
}

void TestTextRuns::placesAreReadOnceInFileOrder_data() {
  QTest::addColumn<std::vector<Section>>("sections");
  QTest::addColumn<std::string>("readOnly");
  QTest::addColumn<std::string>("writable");
  const auto row = [](const char* name, std::vector<Section> sections, std::string readOnly, std::string writable) {
    QTest::newRow(name) << std::move(sections) << std::move(readOnly) << std::move(writable);
  };
  row("no sections", {}, "", "");
  row("constants", {section({0, 4}, Use::Constants)}, "aaaa|", "");
  row("variables", {section({4, 4}, Use::Variables)}, "", "bbbb|");
  row("code has no texts", {section({0, 12}, Use::Code)}, "", "");
  row("nor has what is not mapped", {section({0, 12}, Use::Unmapped)}, "", "");
  row("a section without bytes of the file", {section({4, 0}, Use::Constants)}, "", "");
  row("in file order, each alone", {section({8, 4}, Use::Constants), section({0, 4}, Use::Constants)}, "aaaa|cccc|",
      "");
  row("both kinds", {section({0, 4}, Use::Constants), section({4, 4}, Use::Variables)}, "aaaa|", "bbbb|");
  row("bytes of two sections are read once", {section({0, 8}, Use::Constants), section({4, 8}, Use::Constants)},
      "aaaabbbb|cccc|", "");
  row("one inside of another", {section({0, 12}, Use::Constants), section({4, 4}, Use::Constants)}, "aaaabbbbcccc|",
      "");
  row("past the end of the file", {section({8, 100}, Use::Constants)}, "cccc|", "");
  row("behind the end of the file", {section({100, 4}, Use::Constants)}, "", "");
  row("a size that wraps", {section({8, UINT64_MAX}, Use::Constants)}, "cccc|", "");
}

void TestTextRuns::placesAreReadOnceInFileOrder() {
  QFETCH(std::vector<Section>, sections);
  QFETCH(std::string, readOnly);
  QFETCH(std::string, writable);
  Image image = imageOf("aaaabbbbcccc");
  image.sections = sections;
  QCOMPARE(runsOf(image, TextPlaces::ReadOnly), readOnly);
  QCOMPARE(runsOf(image, TextPlaces::Writable), writable);
  QCOMPARE(runsOf(image, TextPlaces::All), std::string("aaaabbbbcccc|"));
}

void TestTextRuns::everyTruncationIsRead() {
  const std::string binary = "abc\0\1xyz\xffpqr\n\0"s, source = "f(\"a\\\"b\", '\"', \"xyz\");";
  for (std::size_t size = 0; size <= binary.size(); ++size)
    (void)runsOf(imageOf(binary.substr(0, size)), TextPlaces::All, 1);
  for (std::size_t size = 0; size <= source.size(); ++size)
    (void)runsOf(imageOf(source.substr(0, size), Format::CSource), TextPlaces::All, 1);
}

void TestTextRuns::readingCanBeCancelled_data() {
  QTest::addColumn<int>("format");
  QTest::addColumn<int>("looks");
  for (const int looks : {0, 2}) {
    QTest::addRow("binary, look %d", looks) << static_cast<int>(Format::Elf) << looks;
    QTest::addRow("source, look %d", looks) << static_cast<int>(Format::CSource) << looks;
  }
}

void TestTextRuns::readingCanBeCancelled() {
  QFETCH(int, format);
  QFETCH(int, looks);
  StopAfter monitor(looks);
  const auto done = host::forEachText(
      imageOf(std::string(4 << 20, '\1'), static_cast<Format>(format)), TextPlaces::All, 1,
      [](std::string_view, bool) {}, monitor);
  QVERIFY(!done);
  QCOMPARE(done.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestTextRuns);
#include "test_text_runs.moc"
