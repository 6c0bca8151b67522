#include "core/view/csv.h"

#include "core/base/csv.h"
#include "core/view/treemap_page.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace blobscope::view {
namespace {

/// Plot, x, y, series and label of each point.
std::shared_ptr<const TableSource> plotTable(const PlotPage& page) {
  std::vector<std::vector<std::string>> rows;
  for (const PlotPage::Plot& plot : page.plots) {
    struct Placed {
      const PlotPage::Point* point;
      const PlotPage::Series* series;
    };
    std::vector<Placed> points;
    for (const PlotPage::Series& series : plot.series)
      for (const PlotPage::Point& point : series.points) points.push_back({&point, &series});
    // Along the axis: which series a point belongs to is one of its values.
    std::stable_sort(points.begin(), points.end(), [](const Placed& a, const Placed& b) {
      return std::tuple(a.point->x, a.point->y) < std::tuple(b.point->x, b.point->y);
    });
    for (const Placed& placed : points)
      rows.push_back({plot.title, plotNumber(placed.point->x), plotNumber(placed.point->y), placed.series->name,
                      placed.point->label});
  }
  return std::make_shared<FixedTable>(std::vector<Column>{{"plot"}, {"x", true}, {"y", true}, {"series"}, {"label"}},
                                      std::move(rows));
}

} // namespace

std::shared_ptr<const TableSource> rowsOf(const Page& page) {
  if (const auto* const table = std::get_if<TablePage>(&page.content)) return table->source;
  if (const auto* const map = std::get_if<TreemapPagePtr>(&page.content)) return treemapTable(*map).source;
  const auto* const plots = std::get_if<PlotPage>(&page.content);
  return plots ? plotTable(*plots) : nullptr;
}

Result<Done> writeCsv(const TableSource& table, const std::optional<std::vector<uint32_t>>& rows, const TextSink& sink,
                      Monitor& monitor) {
  constexpr uint64_t kLookEvery = 1024;
  constexpr std::string_view kNothing = "–"; // what tables show where there is no value
  const std::vector<Column> columns = table.columns();
  std::vector<std::string> line;
  line.reserve(columns.size());
  for (const Column& column : columns) line.push_back(column.title);
  sink(csvLine(line));
  const uint64_t count = rows ? rows->size() : table.rowCount();
  for (uint64_t i = 0; i < count; ++i) {
    if (i % kLookEvery == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("writing", i, count);
    }
    const uint64_t row = rows ? (*rows)[i] : i;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      line[column] = table.cell(row, column);
      if (line[column] == kNothing) line[column].clear();
    }
    sink(csvLine(line));
  }
  return Done{};
}

} // namespace blobscope::view
