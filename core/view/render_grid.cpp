#include "core/base/text.h"
#include "core/view/grid.h"
#include "core/view/page.h"
#include "core/view/render.h"

#include <algorithm>

namespace blobscope::view {
namespace {

/// The rows of a slice. Columns that do not fit in a line follow in further rows.
class SliceTable final : public TableSource {
public:
  SliceTable(std::shared_ptr<const GridSource> source, GridMap map)
      : m_source(std::move(source)), m_map(std::move(map)) {
    m_shown = std::clamp<uint64_t>(m_map.columns(), 1, kColumns);
    m_blocks = m_map.columns() / m_shown + (m_map.columns() % m_shown != 0);
    // Rows without a stored value are left out; they are the last ones.
    uint64_t stored = 0, end = m_map.rows();
    while (stored < end) {
      const uint64_t middle = stored + (end - stored) / 2;
      m_map.index(middle, 0) < m_source->stored() ? stored = middle + 1 : end = middle;
    }
    m_rows = stored;
  }
  std::vector<Column> columns() const override {
    std::vector<Column> out = {{"index"}};
    for (uint64_t i = 0; i < m_shown; ++i) out.push_back({(m_blocks > 1 ? "+" : "") + std::to_string(i), true});
    return out;
  }
  uint64_t rowCount() const override { return m_rows * m_blocks; }
  std::string cell(uint64_t row, std::size_t column) const override {
    const uint64_t first = row % m_blocks * m_shown;
    if (column == 0) return placeText(m_map.place(row / m_blocks, first));
    const uint64_t index = m_map.index(row / m_blocks, first + column - 1);
    return index == GridMap::kNone ? std::string() : m_source->text(index);
  }

private:
  static constexpr uint64_t kColumns = 64;
  std::shared_ptr<const GridSource> m_source;
  GridMap m_map;
  uint64_t m_shown = 1, m_blocks = 1, m_rows = 0;
};

void writeFacts(const GridSummary::Facts& facts, const TextSink& sink) {
  std::size_t widest = 0;
  for (const auto& [label, value] : facts) widest = std::max(widest, label.size());
  for (const auto& [label, value] : facts) sink(label + std::string(widest - label.size() + 2, ' ') + value + "\n");
}

/// The bars as lines of "#", about as long as a terminal is wide.
void writeHistogram(const PlotPage::Plot& plot, const TextSink& sink) {
  constexpr double kLongest = 50;
  if (plot.series.empty()) return;
  const std::vector<PlotPage::Point>& points = plot.series.front().points;
  double most = 1;
  std::size_t widest = 0, widestCount = 0;
  for (const PlotPage::Point& point : points) {
    most = std::max(most, point.y);
    widest = std::max(widest, point.label.size());
    widestCount = std::max(widestCount, plotNumber(point.y).size());
  }
  sink(plot.title + (plot.note.empty() ? "" : " (" + plot.note + ")") + "\n");
  for (const PlotPage::Point& point : points) {
    const std::string count = plotNumber(point.y);
    const auto bar = static_cast<std::size_t>(point.y / most * kLongest + 0.5);
    std::string line = "  " + point.label + std::string(widest - point.label.size() + 2, ' ') +
                       std::string(widestCount - count.size(), ' ') + count + "  " +
                       std::string(point.y > 0 ? std::max<std::size_t>(bar, 1) : 0, '#');
    line.erase(line.find_last_not_of(' ') + 1);
    sink(line + "\n");
  }
}

TablePage valuesOf(const GridPage& page) {
  return TablePage{page.slice ? sliceTable(page.values, mapOf(page)) : page.table};
}

void writeHeatMap(const HeatMap& heat, const GridMap& map, json::Writer& writer) {
  writer.key("heatMap").beginObject();
  writer.member("slice", sliceText(map.slice()));
  const auto side = [&](std::string_view name, const std::vector<std::size_t>& axes, uint64_t count) {
    writer.key(name).beginObject();
    writer.key("axes").beginArray();
    for (const std::size_t axis : axes) writer.value(axis);
    writer.endArray();
    writer.member("count", count);
    writer.endObject();
  };
  side("rows", map.slice().rows, map.rows());
  side("columns", map.slice().columns, map.columns());
  writer.member("sampled", heat.isSampled());
  writer.key("cells").beginArray();
  for (uint32_t row = 0; row < heat.rows; ++row) {
    writer.beginArray();
    for (uint32_t column = 0; column < heat.columns; ++column) {
      const HeatMap::Cell& cell = heat.at(row, column);
      cell.empty ? writer.null() : writer.raw(plotNumber(static_cast<double>(cell.mean)));
    }
    writer.endArray();
  }
  writer.endArray();
  writer.endObject();
}

} // namespace

std::shared_ptr<const TableSource> sliceTable(std::shared_ptr<const GridSource> source, const GridMap& map) {
  return std::make_shared<SliceTable>(std::move(source), map);
}

Result<Done> renderGrid(const GridPage& page, const std::function<void(std::string_view)>& sink, Monitor& monitor) {
  writeFacts(page.facts, sink);
  if (page.summarize) {
    BLOBSCOPE_TRY(summary, page.summarize(page.exact, monitor));
    sink("\n");
    writeFacts(summary.facts, sink);
    sink("\n");
    writeHistogram(summary.histogram, sink);
  }
  sink("\nvalues" + (page.slice ? " " + sliceText(*page.slice) : "") + "\n");
  return renderText(Page{{}, valuesOf(page)}, sink, monitor);
}

Result<Done> renderGrid(const GridPage& page, json::Writer& writer, Monitor& monitor) {
  constexpr uint32_t kCells = 64;
  const auto writeMembers = [&](std::string_view name, const GridSummary::Facts& facts) {
    writer.key(name).beginArray();
    for (const auto& [label, value] : facts) {
      writer.beginObject();
      writer.member("label", label);
      writer.member("value", value);
      writer.endObject();
    }
    writer.endArray();
  };
  writer.member("type", page.type);
  writer.key("shape").beginArray();
  for (const uint64_t extent : page.shape) writer.value(extent);
  writer.endArray();
  writeMembers("facts", page.facts);
  if (page.summarize) {
    BLOBSCOPE_TRY(summary, page.summarize(page.exact, monitor));
    writer.member("sampled", summary.isSampled());
    writeMembers("statistics", summary.facts);
    renderPlots(PlotPage{{summary.histogram}}, writer);
    const GridMap map = mapOf(page);
    BLOBSCOPE_TRY(heat, computeHeatMap(*page.values, map, {0, 0, map.rows(), map.columns()}, kCells, kCells, page.exact,
                                       monitor));
    writeHeatMap(heat, map, writer);
  }
  return renderRows(*valuesOf(page).source, writer, monitor);
}

} // namespace blobscope::view
