#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"
#include "core/view/render.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace blobscope::view {

/// The rows of a page for CSV and comparisons: those of a table, the points of plots, the leaves of a
/// treemap. Null for other pages.
std::shared_ptr<const TableSource> rowsOf(const Page& page);

/// Writes a table as comma-separated values, titles first. `rows`: rows of the source in this order; nothing: all.
/// Cells are as stored, without separators in numbers. Error: only Cancelled.
Result<Done> writeCsv(const TableSource& table, const std::optional<std::vector<uint32_t>>& rows, const TextSink& sink,
                      Monitor& monitor);

} // namespace blobscope::view
