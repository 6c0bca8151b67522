#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/graph/layout.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace blobscope::graph {

/// For each vertex, the vertices at the other ends of its edges, in the order of the edges.
class Adjacency {
public:
  using Pair = std::pair<uint32_t, uint32_t>;
  Adjacency() = default;
  /// Lists `second` of each pair for its `first`.
  Adjacency(std::size_t vertices, std::span<const Pair> pairs);
  std::span<const uint32_t> of(std::size_t vertex) const {
    return std::span(m_ends).subspan(m_first[vertex], m_first[vertex + 1] - m_first[vertex]);
  }

private:
  std::vector<uint32_t> m_first, m_ends;
};

/// Edges that all lead from earlier to later layers.
struct Layering {
  std::vector<uint32_t> layers;     ///< one per box
  uint32_t count = 0;               ///< number of layers
  std::vector<uint8_t> isBackwards; ///< one per edge: it leads to an earlier layer, because it closes a cycle
};

/// Assigns layers; see computeLayout(). Error: only Cancelled.
Result<Layering> computeLayers(std::size_t boxes, std::span<const Edge> edges, Monitor& monitor);

} // namespace blobscope::graph
