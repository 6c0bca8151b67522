#pragma once

#include "core/graph/scene.h"
#include "core/view/render.h"

namespace blobscope::graph {

/// Writes the whole graph as one SVG 1.1 document of its own with the colours of light or dark systems: boxes with
/// their texts, edges, and the meaning of the colours. Each box has a title with the node's name for tool tips and
/// screen readers. `name`: title of the document. Texts are placed by estimated widths. Error: only Cancelled.
Result<Done> writeSvg(const view::GraphPage& page, const PictureOptions& options, Colouring colouring,
                      std::string_view name, const view::TextSink& sink, Monitor& monitor);

} // namespace blobscope::graph
