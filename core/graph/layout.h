#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <vector>

/// Pictures of pages: where the boxes and edges of a graph lie. No fonts and no colours.
namespace blobscope::graph {

/// A box to be placed. Layers are rows, or columns with LayoutOptions::sideways; "along" means along a layer.
struct Box {
  double half = 40;  ///< half of its extent along the layer
  double depth = 20; ///< its extent across the layer
  double margin = 0; ///< room after it along the layer, for a text
};

struct Edge {
  uint32_t from = 0, to = 0; ///< numbers of boxes
};

struct Point {
  double x = 0, y = 0;
};
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
};

struct LayoutOptions {
  bool sideways = false; ///< layers are columns from left to right instead of rows from top to bottom
  double boxGap = 14;    ///< between boxes of a layer
  double layerGap = 14;  ///< between layers; it grows where edges go far
  unsigned sweeps = 6;   ///< that order the boxes of the layers
};

/// Where everything lies, in the unit of the boxes, from (0, 0) on.
struct Layout {
  std::vector<Rect> boxes;           ///< one per box, without its margin
  std::vector<uint32_t> layers;      ///< the layer of each box
  std::vector<uint32_t> order;       ///< the boxes by layer, and along each layer
  std::vector<uint32_t> layerStarts; ///< index in `order` of the first box of each layer, and the end
  std::vector<Point> points;         ///< of all routes
  std::vector<uint32_t> routes;      ///< index in `points` of the first point of each edge, and the end
  double width = 0, height = 0;

  uint32_t layerCount() const { return layerStarts.empty() ? 0 : static_cast<uint32_t>(layerStarts.size() - 1); }
  /// From the box where the edge begins to the one where it ends; no points for an edge from a box to itself.
  std::span<const Point> route(std::size_t edge) const {
    return std::span(points).subspan(routes[edge], routes[edge + 1] - routes[edge]);
  }
};

/// Places boxes in layers so that edges lead to later layers, as far as the graph has no cycles: a box lies one layer
/// after the last of its predecessors, one without predecessors just before its first successor. Boxes of a layer are
/// ordered by the medians of their neighbours, for few crossings, and moved towards them. Edges across several layers
/// keep room in each of them, except edges across more than 64 and when there are very many. The same input gives the
/// same layout.
///
/// Each step is linear in boxes and edges, apart from sorting the boxes of a layer. Edges must name existing boxes.
/// Error: only Cancelled.
Result<Layout> computeLayout(std::span<const Box> boxes, std::span<const Edge> edges, const LayoutOptions& options,
                             Monitor& monitor);

} // namespace blobscope::graph
