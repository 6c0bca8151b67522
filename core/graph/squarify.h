#pragma once

#include "core/graph/layout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace blobscope::graph {

/// Divides a rectangle into one for each size, with areas in proportion, as square as possible while the order is kept:
/// rows along the shorter side, each of which takes sizes as long as its worst ratio of sides improves. Sizes of 0 give
/// empty rectangles. Sizes should descend. Linear.
///
/// Source: Bruls, Huizing, van Wijk, "Squarified Treemaps", Data Visualization 2000.
std::vector<Rect> squarify(std::span<const uint64_t> sizes, const Rect& whole);

} // namespace blobscope::graph
