#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <functional>
#include <string_view>

/// Pages as text for a terminal and as JSON. Both stream: no output is collected in memory.
namespace blobscope::view {

using TextSink = std::function<void(std::string_view)>;

/// Fields as an indented list with offsets, tables with aligned columns, texts unchanged, bytes as hex lines,
/// a checklist as its answer, targets, steps and tables, a report as its answer, rows and details.tables, plots as rows
/// of numbers.tables; a memory plan and a call tree as in render_plan.h, a grid as its
/// statistics and values, a treemap as indented rows. Error: only Cancelled.
Result<Done> renderText(const Page& page, const TextSink& sink, Monitor& monitor);

/// The members of a page's object: "name", "kind" and the members of the kind ("fields", "columns" and "rows", "text",
/// "offset", "size" and "bytes" in hex, "groups" of bars, "plots", those of a checklist and a report,
/// a memory plan, a call tree, a grid and a treemap, "message"). Error: only Cancelled.
Result<Done> renderJson(const Page& page, json::Writer& writer, Monitor& monitor);

/// The members "columns" and "rows" of a table. Error: only Cancelled.
Result<Done> renderRows(const TableSource& table, json::Writer& writer, Monitor& monitor);

} // namespace blobscope::view
