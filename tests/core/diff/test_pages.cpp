#include "core/diff/pages.h"

#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;
using view::Page;

namespace {

Page textPage(std::string_view text) { return {"Source", view::TextPage{bytes(text), "cuda"}}; }
Page hexPage(std::string_view text) { return {"Hex", view::HexPage{bytes(text), nullptr, {}}}; }
Page laterPage(Page made) {
  return {made.name,
          view::DeferredPage{std::string(view::pageKind(made)), [made](Monitor&) -> Result<Page> { return made; }}};
}

PageDiff compared(const Page& a, const Page& b, const PageOptions& options = {}) {
  NullMonitor monitor;
  auto found = comparePages(a, b, options, monitor);
  return found ? std::move(*found) : PageDiff{};
}

} // namespace

class TestPageDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void textPagesAreComparedByLine();
  void hostCodeIsNormalised();
  void tablesAreComparedByRow();
  void plotsAreComparedByPoint();
  void factsAreComparedByLabel();
  void fieldTreesAreCompared();
  void hexPagesAreComparedByByte();
  void noticesExplainMissingPages();
  void deferredPagesAreLoaded();
  void comparisonCanBeCancelled();
  void pagesArePairedByName();
};

void TestPageDiff::textPagesAreComparedByLine() {
  QVERIFY(compared(textPage("a\nb\n"), textPage("a\nb\n")).same);
  const PageDiff found = compared(textPage("a_1\nb\n"), textPage("a_2\nc\n"));
  QVERIFY(!found.same);
  QCOMPARE(found.name, std::string("Source"));
  QCOMPARE(hunksText(std::get<LineDiff>(found.content).hunks), QStringLiteral("~0+2,0+2"));
  PageOptions options;
  options.masks = Masks::all();
  QCOMPARE(hunksText(std::get<LineDiff>(compared(textPage("a_1\nb\n"), textPage("a_2\nc\n"), options).content).hunks),
           QStringLiteral("=0+1,0+1 ~1+1,1+1"));
}

void TestPageDiff::hostCodeIsNormalised() {
  const Page a = textPage("f:\n1000  c3  ret\n"), b = textPage("g:\n2000  c3  ret\n");
  const PageDiff found = compared(a, b);
  QVERIFY(found.same && found.hostCode);
  PageOptions options;
  options.hostCode = false;
  QVERIFY(!compared(a, b, options).same);
  // One of them is other text.
  QVERIFY(!compared(a, textPage("f\n")).hostCode);
}

void TestPageDiff::tablesAreComparedByRow() {
  const Page a = view::tablePage("Functions", {{"name"}, {"size"}}, {{"f", "1"}, {"g", "2"}});
  const Page b = view::tablePage("Functions", {{"name"}, {"size"}}, {{"g", "2"}, {"f", "3"}});
  QVERIFY(compared(a, a).same);
  const PageDiff found = compared(a, b);
  QVERIFY(!found.same);
  const auto& rows = std::get<RowDiff>(found.content);
  QVERIFY(rows.changed == 1 && rows.equal == 1 && rows.moved == 1);
}

/// A point at the same place of the axis is the same one, whichever series it belongs to.
void TestPageDiff::plotsAreComparedByPoint() {
  const auto plotOf = [](std::vector<view::PlotPage::Point> first, std::vector<view::PlotPage::Point> second) {
    view::PlotPage::Plot plot;
    plot.title = "Occupancy";
    plot.series = {{"registers", view::PlotPage::Draw::Bars, std::move(first)},
                   {"threads", view::PlotPage::Draw::Bars, std::move(second)}};
    return Page{"Occupancy", view::PlotPage{{plot}}};
  };
  const Page a = plotOf({{32, 50, ""}, {64, 75, ""}}, {{96, 100, ""}});
  QVERIFY(compared(a, a).same);
  const PageDiff found = compared(a, plotOf({{32, 50, ""}}, {{64, 75, ""}, {128, 20, ""}}));
  QVERIFY(!found.same);
  const auto& rows = std::get<RowDiff>(found.content);
  QCOMPARE(rows.equal, uint64_t{1});
  QCOMPARE(rows.changed, uint64_t{1}); // 64 is limited by something else
  QCOMPARE(rows.removed, uint64_t{1});
  QCOMPARE(rows.added, uint64_t{1});
  QVERIFY(std::holds_alternative<view::TablePage>(found.a.content));
}

/// By label, whatever the keys of tables are.
void TestPageDiff::factsAreComparedByLabel() {
  const Page a = view::factsPage("Module", {{"kind", "cuda"}, {"size", "1"}}),
             b = view::factsPage("Module", {{"kind", "cuda"}, {"size", "2"}, {"more", "x"}});
  PageOptions options;
  options.rows.keys = {1};
  const PageDiff found = compared(a, b, options);
  const auto& rows = std::get<RowDiff>(found.content);
  QVERIFY(rows.equal == 1 && rows.changed == 1 && rows.added == 1 && rows.removed == 0);
}

void TestPageDiff::fieldTreesAreCompared() {
  const auto tree = [](uint64_t value) {
    FieldTreeBuilder builder;
    builder.leaf("x", FieldType::U64, FieldRole::Number, 8, value);
    return Page{"Fields", view::FieldsPage{std::make_shared<FieldTree>(builder.take(bytes(std::string(8, 'x'))))}};
  };
  QVERIFY(compared(tree(1), tree(1)).same);
  QCOMPARE(std::get<FieldDiff>(compared(tree(1), tree(2)).content).changes.at(0).path, std::string("x"));
}

void TestPageDiff::hexPagesAreComparedByByte() {
  QVERIFY(compared(hexPage("abc"), hexPage("abc")).same);
  const PageDiff found = compared(hexPage("abc"), hexPage("abd"));
  QVERIFY(!found.same);
  QCOMPARE(std::get<ByteDiff>(found.content).ranges, (std::vector<Extent>{{2, 1}}));
}

void TestPageDiff::noticesExplainMissingPages() {
  const Page a{"Source", view::NoticePage{"no source"}}, b{"Source", view::NoticePage{"no tool"}};
  QVERIFY(compared(a, a).same);
  const PageDiff found = compared(a, b);
  QVERIFY(!found.same);
  QCOMPARE(found.note, std::string("no source; no tool"));
  QCOMPARE(compared(a, textPage("x")).note, std::string("no source"));
  QCOMPARE(compared(textPage("x"), hexPage("x")).note, std::string("the pages have different kinds: 'text' and 'hex'"));
}

void TestPageDiff::deferredPagesAreLoaded() {
  const PageDiff found = compared(laterPage(textPage("a\n")), textPage("b\n"));
  QVERIFY(!found.same);
  QVERIFY(std::holds_alternative<view::TextPage>(found.a.content));
  const Page broken{"Source", view::DeferredPage{"text", [](Monitor&) -> Result<Page> {
                                                   return Error(DiagnosticId::FileNotFound, {arg("path", "x")});
                                                 }}};
  NullMonitor monitor;
  const auto failed = comparePages(textPage("a"), broken, {}, monitor);
  QVERIFY(!failed);
  QCOMPARE(failed.error().id(), DiagnosticId::FileNotFound);
}

void TestPageDiff::comparisonCanBeCancelled() {
  StopAfter monitor(0);
  const auto found = comparePages(textPage("a"), textPage("b"), {}, monitor);
  QVERIFY(!found);
  QCOMPARE(found.error().code(), ErrorCode::Cancelled);
}

void TestPageDiff::pagesArePairedByName() {
  const auto named = [](const char* name) { return Page{name, view::NoticePage{}}; };
  Page text = textPage("x");
  const auto none = PagePair::kNone;
  QCOMPARE(pairPages({named("A"), named("B"), text}, {named("A"), named("C"), laterPage(text)}),
           (std::vector<PagePair>{{0, 0}, {1, none}, {none, 1}, {2, 2}}));
  // A page of another kind is different.
  text.name = "A";
  QCOMPARE(pairPages({named("A")}, {text}), (std::vector<PagePair>{{0, none}, {none, 0}}));
  QVERIFY(pairPages({}, {}).empty());
}

BLOBSCOPE_TEST(TestPageDiff);

#include "test_pages.moc"
