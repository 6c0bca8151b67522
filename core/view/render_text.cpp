#include "core/view/render.h"

#include "core/base/text.h"
#include "core/view/memory_fit.h"
#include "core/view/render_pictures.h"
#include "core/view/render_plan.h"
#include "core/view/report_page.h"
#include "core/view/table_extras.h"
#include "core/view/treemap_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace blobscope::view {
namespace {

constexpr uint64_t kCheckInterval = 4096; // rows between two checks of the monitor

/// The number of characters that a terminal shows for well-formed UTF-8; wide characters count as one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t wanted, bool right) {
  const std::size_t has = width(text);
  const std::string fill(wanted > has ? wanted - has : 0, ' ');
  return right ? fill + std::string(text) : std::string(text) + fill;
}

Result<Done> renderFields(const FieldTree& tree, const TextSink& sink, Monitor& monitor) {
  const uint64_t base = tree.bytes.offset().value_or(0);
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    if (row % kCheckInterval == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Field& field = tree.rows[row];
    std::array<char, 48> place;
    std::snprintf(place.data(), place.size(), "%#10llx %9llu  ", static_cast<unsigned long long>(base + field.offset),
                  static_cast<unsigned long long>(field.size));
    std::string line = place.data() + std::string(2 * field.depth, ' ');
    line += field.index != Field::kNoIndex ? "[" + std::to_string(field.index) + "]" : escaped(field.name);
    const std::string value = tree.value(row);
    if (!value.empty()) line += ": " + value;
    sink(line + "\n");
  }
  return Done{};
}

Result<Done> renderTable(const TableSource& table, const TextSink& sink, Monitor& monitor) {
  const std::vector<Column> columns = table.columns();
  // Widths are measured from the first rows, so that a table of a million rows is shown at once; a longer cell in a
  // later row shifts its line.
  constexpr uint64_t kMeasured = 1000;
  constexpr std::size_t kWidest = 80;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t widest = width(columns[c].title);
    for (uint64_t row = 0; row < std::min(table.rowCount(), kMeasured); ++row)
      widest = std::max(widest, width(table.cell(row, c)));
    widths.push_back(std::min(widest, kWidest));
  }
  const auto line = [&](const auto& cellOf) {
    std::string out;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out += "  ";
      out += padded(cellOf(c), widths[c], columns[c].number);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    sink(out + "\n");
  };
  line([&](std::size_t c) { return columns[c].title; });
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    if (row % kCheckInterval == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    line([&](std::size_t c) { return table.cell(row, c); });
  }
  return Done{};
}

/// The rows, between what limits their numbers and what they say together.
Result<Done> renderTable(const TablePage& table, const TextSink& sink, Monitor& monitor) {
  const TableExtras* const extras = table.extras.get();
  if (extras && !extras->choice.empty())
    sink(extras->choiceTitle + ": " + extras->choice + (extras->note.empty() ? "" : "; " + extras->note) + "\n");
  if (extras && extras->fit) renderFit(*extras->fit, sink);
  BLOBSCOPE_CHECK(renderTable(*table.source, sink, monitor));
  if (extras && !extras->summary.empty()) sink("\n" + extras->summary + "\n");
  if (extras && !extras->summaryNote.empty()) sink(extras->summaryNote + "\n");
  return Done{};
}

Result<Done> renderLines(const Bytes& text, const TextSink& sink, Monitor& monitor) {
  const std::string_view all = text.view();
  uint64_t line = 0;
  for (std::size_t from = 0; from < all.size(); ++line) {
    if (line % kCheckInterval == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::size_t end = std::min(all.find('\n', from), all.size());
    // Tabs stay; every other character that could control a terminal is escaped.
    std::string_view rest = all.substr(from, end - from);
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    std::string out;
    while (!rest.empty()) {
      const std::size_t stop = std::min(rest.find_first_of("\t\\"), rest.size());
      out += escapedWhole(rest.substr(0, stop));
      if (stop < rest.size()) out += rest[stop];
      rest.remove_prefix(std::min(stop + 1, rest.size()));
    }
    sink(out + "\n");
    from = end + 1;
  }
  return Done{};
}

/// Names the fields that begin in each row of a hex listing, or the parts of the bytes where they have no fields.
class RowNames {
public:
  explicit RowNames(const HexPage& page) : m_page(page) {}
  /// Returns the names of those that begin in `[from, to)`; the calls are in order. Rows with many name only some.
  std::string take(uint64_t from, uint64_t to) {
    std::string out;
    std::size_t count = 0;
    const auto add = [&](const std::string& name) {
      constexpr std::size_t kShown = 3;
      if (count < kShown) out += (count == 0 ? "" : ", ") + name;
      if (count == kShown) out += ", …";
      ++count;
    };
    if (!m_page.fields) {
      for (; m_span < m_page.spans.size() && m_page.spans[m_span].extent.offset < to; ++m_span)
        if (m_page.spans[m_span].extent.offset >= from) add(escaped(m_page.spans[m_span].name));
      return out;
    }
    const std::vector<Field>& rows = m_page.fields->rows;
    for (; m_row < rows.size() && rows[m_row].offset < to; ++m_row) {
      m_above.resize(rows[m_row].depth);
      m_above.push_back(m_page.fields->pathBelow(m_above.empty() ? "" : m_above.back(), m_row));
      const bool isLeaf = rows[m_row].after == m_row + 1;
      if (isLeaf && rows[m_row].size > 0 && rows[m_row].offset >= from) add(escapedWithin(m_above.back(), 80));
    }
    return out;
  }

private:
  const HexPage& m_page;
  std::size_t m_span = 0;
  uint32_t m_row = 0;
  std::vector<std::string> m_above; ///< path of the open row at each depth
};

Result<Done> renderHex(const HexPage& page, const TextSink& sink, Monitor& monitor) {
  const Bytes& bytes = page.bytes;
  RowNames names(page);
  const uint64_t base = bytes.offset().value_or(0);
  const std::string_view all = bytes.view();
  for (uint64_t at = 0; at < all.size(); at += 16) {
    if (at / 16 % kCheckInterval == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("writing bytes", at, all.size());
    }
    const std::string_view row = all.substr(at, 16);
    std::array<char, 24> place;
    std::snprintf(place.data(), place.size(), "%08llx ", static_cast<unsigned long long>(base + at));
    std::string line = place.data(), text;
    for (std::size_t i = 0; i < 16; ++i) {
      if (i == 8) line += ' ';
      line += i < row.size() ? " " + hexDigits(row.substr(i, 1)) : "   ";
      if (i < row.size()) text += row[i] >= 0x20 && row[i] < 0x7f ? row[i] : '.';
    }
    const std::string begin = names.take(at, at + 16);
    if (!begin.empty()) text = padded(text, 16, false) + "  " + begin;
    sink(line + "  " + text + "\n");
  }
  return Done{};
}

void renderBars(const BarsPage& page, const TextSink& sink) {
  constexpr std::size_t kWidest = 60;
  constexpr uint64_t kBar = 30;
  bool first = true;
  for (const BarsPage::Group& group : page.groups) {
    sink((first ? "" : "\n") + group.title + "\n");
    first = false;
    std::size_t names = 0, numbers = 0;
    uint64_t most = 1;
    for (const BarsPage::Bar& bar : group.bars) {
      names = std::max(names, std::min(width(bar.name), kWidest));
      numbers = std::max(numbers, groupedText(bar.bytes()).size());
      most = std::max(most, bar.bytes());
    }
    for (const BarsPage::Bar& bar : group.bars) {
      const auto share = static_cast<std::size_t>(
          std::llround(static_cast<double>(bar.bytes()) / static_cast<double>(most) * static_cast<double>(kBar)));
      std::string line = "  " + padded(bar.name, names, false) + "  " +
                         padded(groupedText(bar.bytes()), numbers, true) + "  " +
                         padded(std::string(share, '#'), kBar, false);
      for (const BarsPage::Part& part : bar.parts)
        if (bar.parts.size() > 1) line += "  " + part.name + " " + groupedText(part.bytes);
      if (!bar.note.empty()) line += "  " + bar.note;
      line.erase(line.find_last_not_of(' ') + 1);
      sink(line + "\n");
    }
    if (!group.note.empty()) sink("  " + group.note + "\n");
  }
}

/// How a target or a step ends, in a word or two.
std::string stateWords(ChecklistPage::State state, unsigned step) {
  const std::string at = step > 0 ? " at " + std::to_string(step) : "";
  switch (state) {
  case ChecklistPage::State::Good: return "ok";
  case ChecklistPage::State::Empty: return "no modules";
  case ChecklistPage::State::Later: return "fails later" + at;
  case ChecklistPage::State::Fails: return "fails" + at;
  case ChecklistPage::State::Crashes: return "crashes" + at;
  case ChecklistPage::State::Unknown: return "not certain";
  case ChecklistPage::State::NotNeeded: return "not needed";
  }
  return {};
}

/// Each line of the text, indented.
void writeIndented(std::string_view text, std::size_t spaces, const TextSink& sink) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    sink(std::string(spaces, ' ') + std::string(text.substr(from, end - from)) + "\n");
    from = end + 1;
  }
}

/// A line of aligned cells; the last one has no spaces after it.
void writeAligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, const TextSink& sink) {
  std::string line = " ";
  for (std::size_t c = 0; c < cells.size(); ++c) line += " " + padded(cells[c], widths[c], false) + " ";
  line.erase(line.find_last_not_of(' ') + 1);
  sink(line + "\n");
}

void writeAligned(const std::vector<std::vector<std::string>>& rows, const TextSink& sink) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  for (const std::vector<std::string>& row : rows) writeAligned(row, widths, sink);
}

/// One line per target; equal neighbours share a line.
void renderCells(const ChecklistPage& page, const TextSink& sink) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t first = 0, next = 0; first < page.cells.size(); first = next) {
    const ChecklistPage::Cell& cell = page.cells[first];
    for (next = first + 1; next < page.cells.size(); ++next)
      if (const ChecklistPage::Cell& other = page.cells[next]; other.state != cell.state || other.step != cell.step ||
                                                               other.sentence != cell.sentence ||
                                                               other.message != cell.message)
        break;
    const std::string& last = page.cells[next - 1].label;
    rows.push_back(
        {next - first > 1 ? cell.label + " – " + last : last, stateWords(cell.state, cell.step), cell.sentence});
  }
  writeAligned(rows, sink);
}

void renderSteps(const ChecklistPage& page, const TextSink& sink) {
  std::size_t titles = 0, states = 0;
  for (const ChecklistPage::Step& step : page.steps) {
    titles = std::max(titles, width(step.title));
    states = std::max(states, stateWords(step.state, 0).size());
  }
  constexpr std::size_t kIndent = 6;
  for (const ChecklistPage::Step& step : page.steps) {
    writeAligned({std::to_string(step.number), step.title, stateWords(step.state, 0), step.summary},
                 {2, titles, states, 0}, sink);
    for (const ChecklistPage::Item& item : step.items) {
      writeIndented(item.message, kIndent, sink);
      writeIndented(item.note, kIndent, sink);
      for (const ChecklistPage::Link& link : item.links)
        sink(std::string(kIndent, ' ') + "- " + link.text + (link.ref ? " (" + link.ref->shown() + ")" : "") + "\n");
    }
  }
}

void renderChecklist(const ChecklistPage& page, const TextSink& sink) {
  sink(page.sentence + "\n");
  if (!page.detail.empty()) sink(page.detail + "\n");
  if (!page.cells.empty()) {
    sink("\n" + page.stripTitle + (page.stripNote.empty() ? "" : ": " + page.stripNote) + "\n");
    renderCells(page, sink);
  }
  if (!page.steps.empty()) {
    sink("\n" + page.stepsTitle + ": " + groupedText(page.met) + " met, " + groupedText(page.missing) + " missing, " +
         groupedText(page.unknown) + " not certain\n");
    renderSteps(page, sink);
  }
  for (const ChecklistPage::Table& table : page.tables) {
    sink("\n" + table.title + "\n");
    std::vector<std::vector<std::string>> rows;
    if (!table.columns.empty()) rows.push_back(table.columns);
    for (const ChecklistPage::Table::Row& row : table.rows) rows.push_back(row.cells);
    writeAligned(rows, sink);
    writeIndented(table.note, 2, sink);
  }
}

} // namespace

Result<Done> renderText(const Page& requested, const TextSink& sink, Monitor& monitor) {
  BLOBSCOPE_TRY(page, resolvePage(requested, monitor));
  if (const auto* fields = std::get_if<FieldsPage>(&page.content)) return renderFields(*fields->tree, sink, monitor);
  if (const auto* table = std::get_if<TablePage>(&page.content)) return renderTable(*table, sink, monitor);
  if (const auto* text = std::get_if<TextPage>(&page.content)) return renderLines(text->text, sink, monitor);
  if (const auto* hex = std::get_if<HexPage>(&page.content)) return renderHex(*hex, sink, monitor);
  if (const auto* bars = std::get_if<BarsPage>(&page.content)) {
    renderBars(*bars, sink);
    return Done{};
  }
  if (const auto* checklist = std::get_if<ChecklistPage>(&page.content)) {
    renderChecklist(*checklist, sink);
    return Done{};
  }
  if (const auto* graph = std::get_if<GraphPage>(&page.content)) return renderGraph(*graph, sink, monitor);
  if (const auto* report = std::get_if<ReportPagePtr>(&page.content)) {
    renderReportText(**report, sink);
    return Done{};
  }
  if (const auto* plots = std::get_if<PlotPage>(&page.content)) {
    renderPlots(*plots, sink);
    return Done{};
  }
  if (const auto* plan = std::get_if<PlanPagePtr>(&page.content)) {
    renderPlan(**plan, sink);
    return Done{};
  }
  if (const auto* calls = std::get_if<CallsPagePtr>(&page.content)) return renderCalls(**calls, sink, monitor);
  if (const auto* grid = std::get_if<GridPage>(&page.content)) return renderGrid(*grid, sink, monitor);
  if (const auto* map = std::get_if<TreemapPagePtr>(&page.content)) return renderTreemap(**map, sink, monitor);
  sink(std::get<NoticePage>(page.content).text + "\n");
  return Done{};
}

} // namespace blobscope::view
