#include "core/view/csv.h"

#include "core/base/csv.h"

namespace blobscope::view {

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
