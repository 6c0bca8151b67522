#include "core/write/function_starts.h"

#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Image;
using container::Symbol;
using container::SymbolType;

namespace {

/// "0x10 0x20".
std::string text(const std::vector<uint64_t>& starts) {
  std::string out;
  for (const uint64_t start : starts) out += (out.empty() ? "" : " ") + hexText(start);
  return out;
}

std::string startsOf(const Image& image) {
  NullMonitor monitor;
  const auto starts = write::functionStarts(image, monitor);
  return starts ? text(*starts) : std::string(starts.error().diagnostic().idText());
}

Symbol symbol(uint64_t value, SymbolType type = SymbolType::Function, bool defined = true, bool absolute = false) {
  Symbol out;
  out.value = value;
  out.type = type;
  out.defined = defined;
  out.absolute = absolute;
  return out;
}

/// The table of a section at 0x1000; each pair leads to a function and its description.
std::string frameTable(const std::vector<int32_t>& functions, const std::string& head = "\x01\x1b\x03\x3b"s,
                       std::optional<uint32_t> count = std::nullopt) {
  ByteBuilder out;
  out.raw(head).u32(0).u32(count.value_or(static_cast<uint32_t>(functions.size())));
  for (const int32_t function : functions) out.u32(static_cast<uint32_t>(function)).u32(0);
  return out.take();
}

Image imageWith(const std::string& table, std::string_view name = ".eh_frame_hdr") {
  Image image;
  image.file = bytes(table);
  container::Section section;
  section.name = name;
  section.address = 0x1000;
  section.file = {0, table.size()};
  image.sections.push_back(section);
  return image;
}

} // namespace

/// Where functions begin, by what each format lists.
class TestFunctionStarts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void definedFunctionsAreStarts();
  void frameTableIsRead_data();
  void frameTableIsRead();
  void onlyWholeFramesAreRead();
  void symbolsAndFramesAreMerged();
  void exceptionTableIsRead_data();
  void exceptionTableIsRead();
  void distancesAreAdded_data();
  void distancesAreAdded();
  void startsAreSortedOnce();
  void readingCanBeCancelled();
};

void TestFunctionStarts::definedFunctionsAreStarts() {
  Image image;
  image.symbols = {symbol(0x30),
                   symbol(0x10),
                   symbol(0x30),
                   symbol(0x40, SymbolType::Object),
                   symbol(0x50, SymbolType::Function, false),
                   symbol(0x60, SymbolType::Function, true, true),
                   symbol(0)};
  QCOMPARE(startsOf(image), std::string("0x0 0x10 0x30"));
  QCOMPARE(startsOf(Image()), std::string());
}

void TestFunctionStarts::frameTableIsRead_data() {
  QTest::addColumn<Image>("image");
  QTest::addColumn<std::string>("starts");
  const auto row = [](const char* name, Image image, const char* starts) {
    QTest::newRow(name) << std::move(image) << std::string(starts);
  };
  row("none", imageWith(frameTable({})), "");
  row("behind the section", imageWith(frameTable({0x100, 0x200})), "0x1100 0x1200");
  row("in front of it", imageWith(frameTable({-0x800})), "0x800");
  row("more counted than there are", imageWith(frameTable({0x100}, "\x01\x1b\x03\x3b"s, UINT32_MAX)), "0x1100");
  row("fewer counted than there are", imageWith(frameTable({0x100, 0x200}, "\x01\x1b\x03\x3b"s, 1)), "0x1100");
  row("another version", imageWith(frameTable({0x100}, "\x02\x1b\x03\x3b"s)), "");
  row("another form of pairs", imageWith(frameTable({0x100}, "\x01\x1b\x03\x1b"s)), "");
  row("no table", imageWith(frameTable({0x100}, "\x01\x1b\xff\xff"s)), "");
  row("another section", imageWith(frameTable({0x100}), ".eh_frame"), "");
  Image big = imageWith(frameTable({0x100}));
  big.bigEndian = true;
  row("big-endian, which is not read", big, "");
  Image beyond = imageWith(frameTable({0x100}));
  beyond.sections[0].file.size += 1;
  row("past the end of the file", beyond, "");
}

void TestFunctionStarts::frameTableIsRead() {
  QFETCH(Image, image);
  QFETCH(std::string, starts);
  QCOMPARE(startsOf(image), starts);
}

void TestFunctionStarts::onlyWholeFramesAreRead() {
  const std::string whole = frameTable({0x100, 0x200});
  for (std::size_t size = 0; size < whole.size(); ++size)
    QCOMPARE(startsOf(imageWith(whole.substr(0, size))), std::string(size < 20 ? "" : "0x1100"));
}

void TestFunctionStarts::symbolsAndFramesAreMerged() {
  Image image = imageWith(frameTable({0x200, 0x100}));
  image.symbols = {symbol(0x1200), symbol(0x1180)};
  QCOMPARE(startsOf(image), std::string("0x1100 0x1180 0x1200"));
}

void TestFunctionStarts::exceptionTableIsRead_data() {
  QTest::addColumn<std::string>("table");
  QTest::addColumn<std::string>("starts");
  const auto entry = [](uint32_t begin) { return ByteBuilder().u32(begin).u32(begin + 8).u32(0x500).take(); };
  QTest::newRow("none") << std::string() << std::string();
  QTest::newRow("one") << entry(0x10) << std::string("0x140000010");
  QTest::newRow("two") << entry(0x10) + entry(0x20) << std::string("0x140000010 0x140000020");
  QTest::newRow("zeros that fill up the section") << entry(0x10) + std::string(24, '\0') << std::string("0x140000010");
  QTest::newRow("a last one that is cut off") << entry(0x10) + entry(0x20).substr(0, 11) << std::string("0x140000010");
  QTest::newRow("one byte short") << entry(0x10).substr(0, 11) << std::string();
}

void TestFunctionStarts::exceptionTableIsRead() {
  QFETCH(std::string, table);
  QFETCH(std::string, starts);
  std::vector<uint64_t> found;
  write::addExceptionTable(table, 0x1'4000'0000, found);
  QCOMPARE(text(found), starts);
}

void TestFunctionStarts::distancesAreAdded_data() {
  QTest::addColumn<std::string>("table");
  QTest::addColumn<std::string>("starts");
  const auto row = [](const char* name, std::string table, const char* starts) {
    QTest::newRow(name) << std::move(table) << std::string(starts);
  };
  row("none", "", "");
  row("one", uleb(0x10), "0x1010");
  row("each counts from the one before", uleb(0x10) + uleb(0x20) + uleb(0x80), "0x1010 0x1030 0x10b0");
  row("a 0 ends them", uleb(0x10) + uleb(0) + uleb(0x20), "0x1010");
  row("a 0 of several bytes, too", uleb(0x10) + "\x80\x80\0"s + uleb(0x20), "0x1010");
  row("a number that does not end", uleb(0x10) + "\x80", "0x1010");
  row("the largest number", uleb(UINT64_MAX - 0xfff), "0x0");
  row("bits beyond the largest number are lost", std::string(10, '\x80') + "\x01"s + uleb(0x10), "");
}

void TestFunctionStarts::distancesAreAdded() {
  QFETCH(std::string, table);
  QFETCH(std::string, starts);
  std::vector<uint64_t> found;
  write::addFunctionStarts(table, 0x1000, found);
  QCOMPARE(text(found), starts);
}

void TestFunctionStarts::startsAreSortedOnce() {
  std::vector<uint64_t> starts = {3, 1, 3, 2, UINT64_MAX, 0, 1};
  write::sortStarts(starts);
  QCOMPARE(text(starts), "0x0 0x1 0x2 0x3 " + hexText(UINT64_MAX));
  starts.clear();
  write::sortStarts(starts);
  QVERIFY(starts.empty());
}

void TestFunctionStarts::readingCanBeCancelled() {
  Image image;
  image.symbols = {symbol(1)};
  StopAfter monitor(0);
  const auto starts = write::functionStarts(image, monitor);
  QVERIFY(!starts);
  QCOMPARE(starts.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestFunctionStarts);
#include "test_function_starts.moc"
