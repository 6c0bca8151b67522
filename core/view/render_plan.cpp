#include "core/view/render_plan.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::view {
namespace {

constexpr uint64_t kRowsBetweenChecks = 4096;

std::size_t shownWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Rows of cells with aligned columns; the columns in `right` are aligned to the right.
void writeColumns(const std::vector<std::vector<std::string>>& rows, std::string_view right, const TextSink& sink) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], shownWidth(row[c]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string fill(widths[c] - shownWidth(row[c]), ' ');
      line += "  " + (c < right.size() && right[c] == 'r' ? fill + row[c] : row[c] + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    sink(line + "\n");
  }
}

std::string bytesOr(const std::optional<uint64_t>& bytes, const char* other) {
  return bytes ? groupedText(*bytes) : other;
}

std::string sizeOf(const PlanPage::Storage& storage) {
  return storage.isDerived ? "by its largest tensor: " + storage.size : storage.size;
}

void writeAmount(json::Writer& writer, std::string_view name, const std::optional<uint64_t>& value) {
  writer.member(name, value);
}

} // namespace

void renderPlan(const PlanPage& page, const TextSink& sink) {
  sink("peak of " + page.function + ": " + (page.complete ? "" : "at least ") + sizeText(page.peak) +
       ", at instruction " + groupedText(page.peakAt) + " of " + groupedText(page.instructions) + "\n");
  std::vector<std::vector<std::string>> rows;
  for (const PlanPage::Part& part : page.parts) rows.push_back({part.name, bytesOr(part.bytes, "–"), part.note});
  writeColumns(rows, "lr", sink);
  if (!page.symbols.empty()) sink("\nsizes\n");
  rows.clear();
  for (const PlanPage::Symbol& symbol : page.symbols)
    rows.push_back({symbol.name, symbol.value ? std::to_string(*symbol.value) : "not known",
                    symbol.note + (symbol.planned ? ", planned for at most " + std::to_string(symbol.most) : "")});
  writeColumns(rows, "lr", sink);
  if (!page.storages.empty())
    sink("\n" + countText(page.storages.size(), "storage") + " for " + countText(page.tensors, "tensor") + ", " +
         groupedText(page.total) + " bytes together\n");
  rows.clear();
  for (const PlanPage::Storage& storage : page.storages)
    rows.push_back({storage.name, bytesOr(storage.bytes, "not known"),
                    groupedText(storage.first) + " – " + groupedText(storage.last),
                    countText(storage.uses.size(), "tensor"), storage.holds, sizeOf(storage)});
  if (!rows.empty()) rows.insert(rows.begin(), {"storage", "bytes", "instructions", "holds", "largest from", "size"});
  writeColumns(rows, "lrr", sink);
  if (!page.notes.empty()) sink("\n");
  for (const std::string& note : page.notes) sink(note + "\n");
}

void renderPlan(const PlanPage& page, json::Writer& writer) {
  writer.member("function", page.function);
  page.ref ? writer.member("ref", page.ref->toString()) : writer.nullMember("ref");
  writer.listMember("functions", page.functions);
  writer.member("instructions", page.instructions);
  writer.member("peak", page.peak);
  writer.member("peak_at", page.peakAt);
  writer.member("complete", page.complete);
  writer.member("reserved", page.reserved);
  writer.member("storages_total", page.total);
  writer.member("in_use", page.mostInUse);
  writer.member("in_use_at", page.mostInUseAt);
  writer.member("tensors", page.tensors);
  writer.key("sizes").beginArray();
  for (const PlanPage::Symbol& symbol : page.symbols) {
    writer.beginObject();
    writer.member("name", symbol.name);
    symbol.value ? writer.member("value", *symbol.value) : writer.nullMember("value");
    symbol.planned ? writer.member("planned", symbol.most) : writer.nullMember("planned");
    writer.member("note", symbol.note);
    writer.endObject();
  }
  writer.endArray();
  writer.key("parts").beginArray();
  for (const PlanPage::Part& part : page.parts) {
    writer.beginObject();
    writer.member("kind", PlanPage::kindName(part.kind));
    writer.member("name", part.name);
    writeAmount(writer, "bytes", part.bytes);
    writer.member("note", part.note);
    writer.endObject();
  }
  writer.endArray();
  writer.key("storages").beginArray();
  for (const PlanPage::Storage& storage : page.storages) {
    writer.beginObject();
    writer.member("name", storage.name);
    writeAmount(writer, "bytes", storage.bytes);
    writer.member("size", storage.size);
    writer.member("derived", storage.isDerived);
    writer.member("cache", storage.isCache);
    writer.member("first", storage.first);
    writer.member("last", storage.last);
    writer.member("tensors", uint64_t{storage.uses.size()});
    writer.member("holds", storage.holds);
    writer.endObject();
  }
  writer.endArray();
  writer.key("timeline").beginArray();
  for (const PlanPage::Step& step : page.steps) {
    writer.beginObject();
    writer.member("instruction", step.instruction);
    writer.member("reserved", step.reserved);
    writer.member("in_use", step.inUse);
    writer.endObject();
  }
  writer.endArray();
  writer.listMember("notes", page.notes);
}

Result<Done> renderCalls(const CallsPage& page, const TextSink& sink, Monitor& monitor) {
  constexpr std::size_t kWidest = 80;
  std::size_t names = 0;
  const auto nameOf = [](const CallsPage::Row& row) {
    return std::string(2 * std::size_t{row.depth}, ' ') + row.name + (row.recursive ? " ↻" : "");
  };
  for (const CallsPage::Row& row : page.rows) names = std::max(names, std::min(shownWidth(nameOf(row)), kWidest));
  const auto line = [&](const std::string& name, const std::string& calls, const std::string& launches,
                        const std::string& flop, const std::string& bytes) {
    const auto space = [](std::size_t wanted, const std::string& text) {
      const std::size_t has = shownWidth(text);
      return std::string(wanted > has ? wanted - has : 0, ' ');
    };
    sink(name + space(names, name) + space(16, calls) + calls + space(16, launches) + launches + space(22, flop) +
         flop + space(12, bytes) + bytes + "\n");
  };
  sink(page.summary + "\n");
  if (!page.rows.empty()) line("name", "calls", "launches", "estimated FLOP", "code bytes");
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    if (i % kRowsBetweenChecks == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const CallsPage::Row& row = page.rows[i];
    line(nameOf(row), CallsPage::countText(row, row.calls),
         row.launches > 0 ? CallsPage::countText(row, row.launches) : "–", CallsPage::flopText(row),
         bytesOr(row.bytes, "–"));
  }
  if (!page.sizes.empty()) sink("FLOP are estimated for " + page.sizes + "\n");
  if (page.omitted > 0) sink(countText(page.omitted, "more row") + "\n");
  return Done{};
}

Result<Done> renderCalls(const CallsPage& page, json::Writer& writer, Monitor& monitor) {
  writer.member("summary", page.summary);
  writer.member("estimated_for", page.sizes);
  writer.member("omitted", page.omitted);
  writer.key("tree").beginArray();
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    if (i % kRowsBetweenChecks == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const CallsPage::Row& row = page.rows[i];
    writer.beginObject();
    writer.member("name", row.name);
    writer.member("kind", CallsPage::kindName(row.kind));
    writer.member("depth", uint64_t{row.depth});
    writer.member("recursive", row.recursive);
    writer.member("count", CallsPage::countName(row.count));
    writer.member("calls", row.calls);
    writer.member("launches", row.launches);
    if (row.flop)
      writer.key("flop").value(json::Value{*row.flop});
    else
      writer.nullMember("flop");
    writeAmount(writer, "code_bytes", row.bytes);
    row.ref ? writer.member("ref", row.ref->toString()) : writer.nullMember("ref");
    writeAmount(writer, "first_instruction", row.first);
    writer.endObject();
  }
  writer.endArray();
  return Done{};
}

} // namespace blobscope::view
