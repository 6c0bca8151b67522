#pragma once

#include "core/graph/layout.h"
#include "core/view/treemap_page.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::graph {

/// A rectangle of a treemap.
struct TreemapCell {
  uint32_t item = 0;   ///< of a merged cell, the first and largest of its items
  uint32_t merged = 0; ///< items that are too small to be drawn, in one cell; 0: one item
  Rect place;
  uint32_t depth = 0;   ///< 0: directly in the level
  bool isFrame = false; ///< further cells lie inside
  double header = 0;    ///< height of the line with its name at the top of a frame; 0: there is no room for one
};

struct TreemapOptions {
  uint32_t level = 0;  ///< the item whose parts fill the picture
  unsigned levels = 3; ///< levels that are laid out below it
  double header = 20;  ///< height of the name of a frame
  double padding = 2;  ///< between a frame and its cells
  double least = 3;    ///< cells whose area is below the square of it become one cell
};

/// Places the items below a level, each frame before its cells. Sizes are areas; frames give room to their names, so
/// areas of cells in different frames are only nearly in proportion. The time depends on the cells that are drawn and
/// on the number of items directly below each frame.
std::vector<TreemapCell> layoutTreemap(const view::TreemapPage& page, const Rect& whole, const TreemapOptions& options);

/// The cell to which an arrow key leads: the nearest one in that direction, by (dx, dy) of which one is 0; the same
/// cell when there is none. Frames are passed over.
std::size_t neighbourOf(const std::vector<TreemapCell>& cells, std::size_t cell, int dx, int dy);

/// The whole page as one SVG 1.1 document of its own, for light and dark systems, with a legend. `name`: its title.
/// Error: only Cancelled.
Result<std::string> treemapSvg(const view::TreemapPage& page, std::string_view name, Monitor& monitor);

} // namespace blobscope::graph
