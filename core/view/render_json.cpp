#include "core/view/render.h"

#include "core/base/text.h"
#include "core/view/memory_fit.h"
#include "core/view/render_pictures.h"
#include "core/view/render_plan.h"
#include "core/view/report_page.h"
#include "core/view/table_extras.h"
#include "core/view/treemap_page.h"

namespace blobscope::view {
namespace {

constexpr uint64_t kCheckInterval = 4096;

Result<Done> renderFields(const FieldTree& tree, json::Writer& writer, Monitor& monitor) {
  std::vector<std::string> above; // path of the open row at each depth
  writer.key("fields").beginArray();
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    if (row % kCheckInterval == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Field& field = tree.rows[row];
    writer.beginObject();
    above.resize(field.depth);
    above.push_back(tree.pathBelow(above.empty() ? "" : above.back(), row));
    writer.member("path", above.back());
    writer.member("depth", uint64_t{field.depth});
    writer.member("offset", tree.bytes.offset() ? std::optional(*tree.bytes.offset() + field.offset) : std::nullopt);
    writer.member("size", field.size);
    writer.member("value", tree.value(row, 4096));
    writer.endObject();
  }
  writer.endArray();
  return Done{};
}

Result<Done> renderTable(const TablePage& page, json::Writer& writer, Monitor& monitor) {
  BLOBSCOPE_CHECK(renderRows(*page.source, writer, monitor));
  if (!page.extras) return Done{};
  writer.member("setting", page.extras->choice);
  writer.member("note", page.extras->note);
  writer.member("summary", page.extras->summary);
  renderPlots(page.extras->plots, writer);
  if (page.extras->fit) renderFit(*page.extras->fit, writer);
  return Done{};
}

void renderBars(const BarsPage& page, json::Writer& writer) {
  writer.key("groups").beginArray();
  for (const BarsPage::Group& group : page.groups) {
    writer.beginObject();
    writer.member("title", group.title);
    writer.member("budget", group.budget);
    writer.member("note", group.note);
    writer.key("bars").beginArray();
    for (const BarsPage::Bar& bar : group.bars) {
      writer.beginObject();
      writer.member("name", bar.name);
      writer.member("bytes", bar.bytes());
      writer.key("parts").beginArray();
      for (const BarsPage::Part& part : bar.parts) {
        writer.beginObject();
        writer.member("name", part.name);
        writer.member("bytes", part.bytes);
        writer.endObject();
      }
      writer.endArray();
      writer.member("note", bar.note);
      writer.endObject();
    }
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
}

void writeLinks(const std::vector<ChecklistPage::Link>& links, json::Writer& writer) {
  writer.key("links").beginArray();
  for (const ChecklistPage::Link& link : links) {
    writer.beginObject();
    writer.member("text", link.text);
    link.ref ? writer.member("ref", link.ref->toString()) : writer.nullMember("ref");
    link.choice.empty() ? writer.nullMember("choice") : writer.member("choice", link.choice);
    writer.endObject();
  }
  writer.endArray();
}

void writeSteps(const ChecklistPage& page, json::Writer& writer) {
  writer.key("steps").beginArray();
  for (const ChecklistPage::Step& step : page.steps) {
    writer.beginObject();
    writer.member("number", step.number);
    writer.member("title", step.title);
    writer.member("summary", step.summary);
    writer.member("state", ChecklistPage::stateName(step.state));
    writer.key("items").beginArray();
    for (const ChecklistPage::Item& item : step.items) {
      writer.beginObject();
      writer.member("state", ChecklistPage::stateName(item.state));
      writer.member("message", item.message);
      writer.member("verbatim", item.verbatim);
      writer.member("note", item.note);
      writeLinks(item.links, writer);
      writer.endObject();
    }
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
}

void writeTables(const ChecklistPage& page, json::Writer& writer) {
  writer.key("tables").beginArray();
  for (const ChecklistPage::Table& table : page.tables) {
    writer.beginObject();
    writer.member("title", table.title);
    writer.listMember("columns", table.columns);
    writer.key("rows").beginArray();
    for (const ChecklistPage::Table::Row& row : table.rows) {
      writer.beginObject();
      writer.listMember("cells", row.cells);
      writer.member("state", ChecklistPage::stateName(row.state));
      writer.endObject();
    }
    writer.endArray();
    writer.member("note", table.note);
    writer.endObject();
  }
  writer.endArray();
}

void renderChecklist(const ChecklistPage& page, json::Writer& writer) {
  writer.member("sentence", page.sentence);
  writer.member("detail", page.detail);
  writer.member("state", ChecklistPage::stateName(page.state));
  writer.key("choice").beginObject();
  writer.member("target", page.choice.target);
  page.choice.device.empty() ? writer.nullMember("device") : writer.member("device", page.choice.device);
  page.choice.driver.empty() ? writer.nullMember("driver") : writer.member("driver", page.choice.driver);
  page.choice.system.empty() ? writer.nullMember("system") : writer.member("system", page.choice.system);
  writer.endObject();
  writer.key("cells").beginArray();
  for (const ChecklistPage::Cell& cell : page.cells) {
    writer.beginObject();
    writer.member("label", cell.label);
    writer.member("target", cell.choice);
    writer.member("state", ChecklistPage::stateName(cell.state));
    writer.member("step", cell.step > 0 ? std::optional<uint64_t>(cell.step) : std::nullopt);
    writer.member("sentence", cell.sentence);
    writer.member("message", cell.message);
    writer.endObject();
  }
  writer.endArray();
  writer.member("met", page.met);
  writer.member("missing", page.missing);
  writer.member("unknown", page.unknown);
  writeSteps(page, writer);
  writeTables(page, writer);
}

} // namespace

Result<Done> renderRows(const TableSource& table, json::Writer& writer, Monitor& monitor) {
  const std::vector<Column> columns = table.columns();
  writer.key("columns").beginArray();
  for (const Column& column : columns) writer.value(column.title);
  writer.endArray();
  writer.key("rows").beginArray();
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    if (row % kCheckInterval == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    writer.beginArray();
    for (std::size_t c = 0; c < columns.size(); ++c) writer.value(table.cell(row, c));
    writer.endArray();
  }
  writer.endArray();
  return Done{};
}

Result<Done> renderJson(const Page& requested, json::Writer& writer, Monitor& monitor) {
  BLOBSCOPE_TRY(page, resolvePage(requested, monitor));
  writer.member("name", page.name);
  writer.member("kind", pageKind(page));
  if (const auto* fields = std::get_if<FieldsPage>(&page.content)) return renderFields(*fields->tree, writer, monitor);
  if (const auto* table = std::get_if<TablePage>(&page.content)) return renderTable(*table, writer, monitor);
  if (const auto* text = std::get_if<TextPage>(&page.content)) {
    writer.member("language", text->language);
    writer.member("text", text->text.view());
  } else if (const auto* hex = std::get_if<HexPage>(&page.content)) {
    writer.member("offset", hex->bytes.offset());
    writer.member("size", hex->bytes.size());
    // In steps, so that a file of gigabytes needs no memory of its size.
    constexpr uint64_t kStep = 1 << 16;
    writer.key("bytes").beginArray();
    for (uint64_t at = 0; at < hex->bytes.size(); at += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("writing bytes", at, hex->bytes.size());
      writer.value(hexDigits(hex->bytes.slice(at, kStep).view()));
    }
    writer.endArray();
  } else if (const auto* bars = std::get_if<BarsPage>(&page.content)) {
    renderBars(*bars, writer);
  } else if (const auto* checklist = std::get_if<ChecklistPage>(&page.content)) {
    renderChecklist(*checklist, writer);
  } else if (const auto* graph = std::get_if<GraphPage>(&page.content)) {
    return renderGraph(*graph, writer, monitor);
  } else if (const auto* report = std::get_if<ReportPagePtr>(&page.content)) {
    renderReportJson(**report, writer);
  } else if (const auto* plots = std::get_if<PlotPage>(&page.content)) {
    renderPlots(*plots, writer);
  } else if (const auto* plan = std::get_if<PlanPagePtr>(&page.content)) {
    renderPlan(**plan, writer);
  } else if (const auto* calls = std::get_if<CallsPagePtr>(&page.content)) {
    return renderCalls(**calls, writer, monitor);
  } else if (const auto* grid = std::get_if<GridPage>(&page.content)) {
    return renderGrid(*grid, writer, monitor);
  } else if (const auto* map = std::get_if<TreemapPagePtr>(&page.content)) {
    return renderTreemap(**map, writer, monitor);
  } else {
    writer.member("message", std::get<NoticePage>(page.content).text);
  }
  return Done{};
}

} // namespace blobscope::view
