#pragma once

#include "core/graph/picture.h"
#include "core/view/details.h"

namespace blobscope::graph {

/// What the Details panel shows about a node of the page: what it computes, its output, and the nodes that it reads and
/// that read it, each with a link to the part that it opens. At most 16 nodes are listed of each.
view::Details nodeDetails(const view::GraphPage& page, uint32_t node);

/// One sentence about a box for tool tips and screen readers: "conv, 1×16, Convolution, 256 bytes, 2 in, 1 out".
std::string boxText(const view::GraphPage& page, const Picture& picture, uint32_t box);

/// "68 of 190 nodes drawn as 45 boxes, 26 folded into 3 stacks, 118 parameters hidden, 19 layers"
std::string summaryText(const view::GraphPage& page, const Picture& picture, uint32_t layers);

} // namespace blobscope::graph
