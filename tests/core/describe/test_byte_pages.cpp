#include "core/describe/byte_pages.h"

#include "core/describe/node.h"
#include "core/view/page_id.h"
#include "core/view/render.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string textOf(const view::PageList& pages, std::string_view name) {
  NullMonitor monitor;
  std::string out;
  for (const view::Page& page : pages)
    if (page.name == name && !view::renderText(page, [&](std::string_view text) { out += text; }, monitor))
      return "cancelled";
  return out;
}

Bytes atOffset(const std::string& text, uint64_t place) {
  const Bytes copy = Bytes::copyOf(text);
  return {copy.owner(), copy.span(), place};
}

/// Pages with a Hex page of these bytes, which are at 0x1000 of a file.
view::PageList hexOnly(const std::string& text, std::vector<view::Span> spans = {}) {
  return {{view::page_id::kHex, view::HexPage{atOffset(text, 0x1000), nullptr, std::move(spans)}}};
}

} // namespace

class TestBytePages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void stringsAreListedWithTheirPlaces();
  void entropyIsListedByBlock();
  void nodesWithBytesHaveThePages();
  void rowsLeadToTheBytes();
};

void TestBytePages::stringsAreListedWithTheirPlaces() {
  using namespace std::string_literals;
  view::PageList pages = hexOnly("\0first text\0four\0second\0"s, {{"head", {0, 12}}, {"tail", {12, 12}}});
  describe::addBytePages(pages);
  QCOMPARE(pages.size(), std::size_t{3});
  QCOMPARE(QString::fromStdString(textOf(pages, view::page_id::kStrings)),
           QStringLiteral("offset  characters  text        part\n"
                          "0x1001          10  first text  head\n"
                          "0x1011           6  second      tail\n"));
  view::PageList none = hexOnly(std::string(100, '\0'));
  describe::addBytePages(none);
  QVERIFY(textOf(none, view::page_id::kStrings).starts_with("There is no text"));
  view::PageList empty = hexOnly("");
  describe::addBytePages(empty);
  QCOMPARE(empty.size(), std::size_t{1});
}

void TestBytePages::entropyIsListedByBlock() {
  std::string text(256, 'a');
  for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
  text += "ab";
  view::PageList pages = hexOnly(text, {{"head", {0, 300}}});
  describe::addBytePages(pages);
  QCOMPARE(QString::fromStdString(textOf(pages, view::page_id::kEntropy)),
           QStringLiteral("offset  bytes  bits per byte  part\n"
                          "0x1000    256           0.00  head\n"
                          "0x1100    256           8.00  head\n"
                          "0x1200      2           1.00  –\n"));
}

void TestBytePages::nodesWithBytesHaveThePages() {
  const auto package = openBytes(
      elfWith("__tvm_ffi__library_bin",
              ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"add"}}, "// some text", Info::Four)}}, {{1}, {}})));
  QVERIFY(package);
  NullMonitor monitor;
  const auto has = [&](const Ref& ref, std::string_view name) {
    const auto pages = describe::pagesOf(*package, ref, monitor);
    return pages && std::ranges::any_of(*pages, [&](const view::Page& page) { return page.name == name; });
  };
  for (const char* name : {view::page_id::kStrings, view::page_id::kEntropy}) {
    QVERIFY(has(Ref::file(), name));
    QVERIFY(has(Ref::moduleAt({}, 1), name));
    QVERIFY(!has(Ref::moduleAt({}, 0), name)); // no bytes
    QVERIFY(!has(Ref::moduleAt({}, 1).part(PartKind::Kernel, "add"), name));
    QVERIFY(!has(Ref::bytesAt(0, 64), name));
  }
  const auto pages = describe::pagesOf(*package, Ref::moduleAt({}, 1), monitor);
  QVERIFY(textOf(*pages, view::page_id::kStrings).find("// some text") != std::string::npos);
}

void TestBytePages::rowsLeadToTheBytes() {
  NullMonitor monitor;
  view::PageList pages = hexOnly("0123456789");
  describe::addBytePages(pages);
  for (std::size_t i = 1; i < pages.size(); ++i) {
    const auto page = view::resolvePage(pages[i], monitor);
    QVERIFY(page);
    const auto& table = *std::get<view::TablePage>(page->content).source;
    QCOMPARE(table.target(0, Ref::moduleAt({}, 1)), std::optional(Ref::moduleAt({}, 1).withBytes(0x1000, 10)));
  }
}

BLOBSCOPE_TEST(TestBytePages);

#include "test_byte_pages.moc"
