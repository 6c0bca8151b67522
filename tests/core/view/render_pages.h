#pragma once

#include "core/view/memory_fit.h"
#include "core/view/page.h"
#include "core/view/report_page.h"
#include "core/view/table_extras.h"
#include "tests/support/builders.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Pages of each kind for the tests of the renderers.
namespace blobscope::test {

inline Bytes placed(std::string_view text, uint64_t place) {
  const Bytes copy = Bytes::copyOf(text);
  return {copy.owner(), copy.span(), place};
}

/// count 1; fmap: [0] { key "ab" }; the bytes lie at 0x1000 of a file.
inline view::Page fieldsPage(std::optional<uint64_t> place = 0x1000) {
  FieldTreeBuilder builder;
  builder.leaf("count", FieldType::U64, FieldRole::Number, 8, 1);
  builder.open("fmap", FieldType::List, FieldRole::Structure, 8, 1);
  builder.nextIndex(0);
  builder.open("", FieldType::Group, FieldRole::Structure, 0, 0);
  builder.leaf("key", FieldType::String, FieldRole::Text, 10, 2);
  builder.close();
  builder.close();
  const std::string content = ByteBuilder().u64(1).u64(1).str("ab").take();
  const Bytes stored = place ? placed(content, *place) : Bytes::copyOf(content);
  return {"Fields", view::FieldsPage{std::make_shared<FieldTree>(builder.take(stored))}};
}

inline view::Page tableOf(std::vector<view::Column> columns, std::vector<std::vector<std::string>> rows) {
  return view::tablePage("Table", std::move(columns), std::move(rows));
}

inline view::Page textOf(std::string_view text) { return {"Source", view::TextPage{Bytes::copyOf(text), "cuda"}}; }

inline view::Page hexOf(const Bytes& bytes) { return {"Hex", view::HexPage{bytes, nullptr, {}}}; }

/// An input and two operators.
inline view::Page graphPage() {
  using Kind = view::GraphPage::Kind;
  view::GraphPage page;
  page.unit = "nodes";
  page.bytesOf = "output";
  page.nodes = {{"x", "x", "1×4", "Input, output", {}, Kind::Input, 16},
                {"conv, relu", "fused_conv_relu", "1×2", "Convolution", "cuda", Kind::Operator, 1024,
                 Ref::named(Ref::Kind::Host, "fused_conv_relu")},
                {"add", "add", "", "Other operators"}};
  page.edges = {{0, 1, {}}, {0, 2, "2 ×"}, {1, 2, {}}};
  page.omitted = 7;
  return {"Graph", page};
}

/// The same fields as bytes.
inline view::Page hexWithFields() {
  const view::Page fields = fieldsPage();
  const auto& tree = std::get<view::FieldsPage>(fields.content).tree;
  return {"Hex", view::HexPage{tree->bytes, tree, {}}};
}

inline view::Page barsPage() {
  view::BarsPage page;
  page.groups = {{"RAM", "RAM", "all of it", {{"one", "", {{"a", 30}}}, {"second", "a note", {{"a", 5}, {"b", 10}}}}},
                 {"ROM", "", "", {{"empty", "", {}}}}};
  return {"Memory", page};
}

/// A board with too little RAM and unknown flash.
inline view::Page fitPage() {
  auto fit = std::make_shared<view::MemoryFit>();
  fit->sentence = "It does not fit.";
  fit->detail = "Stack";
  fit->state = view::ChecklistPage::State::Fails;
  fit->groups = {{"RAM", {{"workspace", "metadata.json", 64}, {"data", "objects", 32}}, 64, "rounded"},
                 {"Flash", {}, std::nullopt, ""}};
  auto extras = std::make_shared<view::TableExtras>();
  extras->choiceTitle = "Board";
  extras->choice = "B";
  extras->fit = fit;
  view::Page page = tableOf({{"board"}}, {{"B"}});
  page.name = "Will it fit?";
  std::get<view::TablePage>(page.content).extras = extras;
  return page;
}

/// Two series and two reference lines.
inline view::PlotPage plots() {
  using Draw = view::PlotPage::Draw;
  view::PlotPage::Plot plot;
  plot.title = "Registers";
  plot.subject = "k";
  plot.legend = "limited by";
  plot.note = "An estimate.";
  plot.x = {"threads", "", view::PlotPage::Scale::Log2, 32.0, 1024.0};
  plot.y = {"occupancy", "%", {}, {}, {}};
  plot.series = {{"registers", Draw::Points, {{64, 12.5, "a", 1, Ref::moduleAt("", 3)}, {1024, 100, "2 kernels", 2}}},
                 {"none", Draw::Bars, {}}};
  plot.lines = {{false, 50, "half"}, {true, 128, ""}};
  return {{plot}};
}
inline view::Page plotPage() { return {"Plot", plots()}; }

/// Elements 0, 1, 2 … of an array; those in `odd` are NaN.
class CountingGrid final : public view::GridSource {
public:
  explicit CountingGrid(uint64_t count, std::vector<uint64_t> odd = {}) : m_count(count), m_odd(std::move(odd)) {}
  uint64_t stored() const override { return m_count; }
  std::string text(uint64_t index) const override { return index < m_count ? std::to_string(index) : std::string(); }
  void numbers(uint64_t first, uint64_t step, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const uint64_t index = first + i * step;
      const bool none = index >= m_count || std::find(m_odd.begin(), m_odd.end(), index) != m_odd.end();
      out[i] = none ? std::nan("") : static_cast<double>(index);
    }
  }

private:
  uint64_t m_count;
  std::vector<uint64_t> m_odd;
};

/// Six numbers in two rows.
inline view::Page gridPage() {
  view::GridPage page;
  page.type = "int8";
  page.shape = {2, 3};
  page.facts = {{"type", "int8"}};
  page.values = std::make_shared<CountingGrid>(6);
  page.table = view::sliceTable(page.values, view::GridMap(page.shape, view::slicesOf(page.shape).front()));
  page.summarize = [](bool exact, Monitor&) -> Result<view::GridSummary> {
    view::GridSummary out;
    out.facts = {{"mean", "2.5"}};
    out.histogram.title = "Histogram";
    out.histogram.series = {{"values", view::PlotPage::Draw::Bars, {{0.5, 2, "0 to 1", 2}, {1.5, 0, "1 to 2", 0}}}};
    out.read = exact ? 6 : 5;
    out.count = 6;
    return out;
  };
  return {"Values", page};
}

/// A table with a choice, a summary and a plot.
inline view::Page extrasPage() {
  const auto extras = std::make_shared<view::TableExtras>();
  extras->choiceTitle = "GPU";
  extras->choice = "sm_90";
  extras->note = "estimate";
  extras->summary = "1 kernel";
  extras->summaryNote = "launches: static";
  extras->plots = {{{"Empty", "", "", "", {}, {}, {}, {}}}};
  view::Page page = tableOf({{"name"}}, {{"a"}});
  std::get<view::TablePage>(page.content).extras = extras;
  return page;
}

/// Two equal releases and one that fails later, a step that is met and one with an item, two tables.
inline view::Page checklistPage() {
  using State = view::ChecklistPage::State;
  view::ChecklistPage page;
  page.sentence = "v0.27 crashes.";
  page.detail = "v0.22 loads it.";
  page.state = State::Crashes;
  page.choice = {"v0.27", "sm_90", ""};
  page.stripTitle = "All releases";
  page.stripNote = "3 checked";
  page.cells = {{"0.6", "v0.6", State::Empty, 0, "opens without modules.", ""},
                {"0.7", "v0.7", State::Empty, 0, "opens without modules.", ""},
                {"0.22", "v0.22", State::Later, 8, "main fails.", "Expected 4 but got 5 arguments"}};
  page.stepsTitle = "What this target must have";
  page.met = 1'352;
  page.missing = 1;
  page.steps = {{1, "File", "ELF", State::Good, {}},
                {10,
                 "Slots",
                 "6 of 7",
                 State::Crashes,
                 {{State::Crashes,
                   "slot __A\nis not filled",
                   true,
                   "44 functions call it.",
                   {{"Use v0.22", std::nullopt, "v0.22"}, {"Slot", Ref::moduleAt("", 3), ""}}}}}};
  page.tables = {{"GPUs", {"GPU", "Driver"}, {{{"sm_90", "525"}, State::Good, "sm_90"}}, "Linux"},
                 {"Limits", {}, {{{"Block", "512"}, State::Good, ""}}, ""}};
  return {"Will it load?", page};
}

/// A row as expected, and one with a path, a line and a link; details.
inline view::Page reportPage() {
  using Mark = view::ReportPage::Mark;
  view::ReportPage page;
  page.sentence = "One piece of code.";
  page.detail = "Read only.";
  page.mark = Mark::Error;
  view::ReportPage::Row row{Mark::Error, "ctor", "0x10", Ref::bytesAt(16), "not known"};
  row.remark = "unexpected";
  row.paths = {{{"0x10", Ref::bytesAt(16)}, {"fopen"}}};
  row.lines = {"A line."};
  row.links = {{"Bytes", Ref::bytesAt(16)}};
  page.sections = {{"Runs", "2 calls", {{Mark::Good, "init", {}, {}, "known"}, row}}};
  page.details = {{"Identity", {{"SHA-256", "00ff", true, {}, {}}}, {}, "A note."}};
  return {"Safety", std::make_shared<const view::ReportPage>(std::move(page))};
}

/// An answer without targets and steps.
inline view::Page answerPage(std::string sentence) {
  view::ChecklistPage page;
  page.sentence = std::move(sentence);
  return {"Will it load?", page};
}

inline view::Page noticePage(std::string text) { return {"Notice", view::NoticePage{std::move(text)}}; }

/// Becomes `made` when somebody looks.
inline view::Page laterPage(view::Page made) {
  return {made.name, view::DeferredPage{"text", [made](Monitor&) { return Result<view::Page>(made); }}};
}

/// A table of so many rows.
class LongTable final : public view::TableSource {
public:
  explicit LongTable(uint64_t rows) : m_rows(rows) {}
  std::vector<view::Column> columns() const override { return {{"row"}}; }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t) const override { return std::to_string(row); }

private:
  uint64_t m_rows;
};

} // namespace blobscope::test
