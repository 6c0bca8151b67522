#pragma once

#include "core/base/json.h"
#include "core/view/pictures.h"
#include "core/view/render.h"

#include <memory>

namespace blobscope::view {

class TableSource;

/// Write a picture as lines, or as members of the open JSON object. Error: only Cancelled.
Result<Done> renderGraph(const GraphPage& page, const TextSink& sink, Monitor& monitor);
Result<Done> renderGraph(const GraphPage& page, json::Writer& writer, Monitor& monitor);

/// The rows of a picture as a table, for windows, comparisons and CSV: one row per node.
std::shared_ptr<const TableSource> tableOf(std::shared_ptr<const GraphPage> page);

} // namespace blobscope::view
