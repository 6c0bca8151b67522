#include "core/graph/layering.h"

#include <algorithm>
#include <cmath>

namespace blobscope::graph {
namespace {

constexpr std::size_t kLayeringStep = 4096; // items between two checks of the monitor

/// Marks the edges that close a cycle: those to a box whose visit is not finished yet.
std::vector<uint8_t> backwardEdges(std::size_t boxes, std::span<const Edge> edges) {
  std::vector<uint32_t> first(boxes + 1, 0), byBox(edges.size());
  for (const Edge& edge : edges) ++first[edge.from + 1];
  for (std::size_t i = 1; i <= boxes; ++i) first[i] += first[i - 1];
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < edges.size(); ++i) byBox[next[edges[i].from]++] = i;

  enum : uint8_t { New, Open, Done };
  std::vector<uint8_t> state(boxes, New), out(edges.size(), 0);
  std::vector<uint32_t> at(first.begin(), first.end() - 1), stack;
  for (uint32_t root = 0; root < boxes; ++root) {
    if (state[root] != New) continue;
    stack.push_back(root);
    state[root] = Open;
    while (!stack.empty()) {
      const uint32_t box = stack.back();
      if (at[box] == first[box + 1]) {
        state[box] = Done;
        stack.pop_back();
        continue;
      }
      const uint32_t edge = byBox[at[box]++], to = edges[edge].to;
      if (state[to] == Open) out[edge] = 1; // an edge to itself, too
      if (state[to] != New) continue;
      state[to] = Open;
      stack.push_back(to);
    }
  }
  return out;
}

/// Spreads boxes without successors over further layers where one layer would be very wide.
void spreadLeaves(std::size_t boxes, const Adjacency& out, const Adjacency& in, Layering& layering) {
  const auto most = static_cast<std::size_t>(12 + 2 * std::sqrt(static_cast<double>(boxes)));
  std::vector<uint32_t> sizes(layering.count, 0);
  const auto isLeaf = [&](uint32_t box) { return out.of(box).empty(); };
  for (uint32_t box = 0; box < boxes; ++box)
    if (!isLeaf(box)) ++sizes[layering.layers[box]];
  for (const bool isolated : {false, true})
    for (uint32_t box = 0; box < boxes; ++box) {
      if (!isLeaf(box) || in.of(box).empty() != isolated) continue;
      // Boxes without any edge come last.
      uint32_t layer =
          isolated && layering.count > 1 ? std::max(layering.layers[box], layering.count - 1) : layering.layers[box];
      while (layer < sizes.size() && sizes[layer] >= most) ++layer;
      if (layer >= sizes.size()) sizes.resize(layer + 1, 0);
      ++sizes[layer];
      layering.layers[box] = layer;
    }
  layering.count = static_cast<uint32_t>(sizes.size());
}

} // namespace

Adjacency::Adjacency(std::size_t vertices, std::span<const Pair> pairs)
    : m_first(vertices + 1, 0), m_ends(pairs.size()) {
  for (const Pair& pair : pairs) ++m_first[pair.first + 1];
  for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
  std::vector<uint32_t> next(m_first.begin(), m_first.end() - 1);
  for (const Pair& pair : pairs) m_ends[next[pair.first]++] = pair.second;
}

Result<Layering> computeLayers(std::size_t boxes, std::span<const Edge> edges, Monitor& monitor) {
  Layering layering;
  layering.isBackwards = backwardEdges(boxes, edges);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});

  std::vector<Adjacency::Pair> forwards, backwards;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].from == edges[i].to) continue;
    Adjacency::Pair pair(edges[i].from, edges[i].to);
    if (layering.isBackwards[i]) std::swap(pair.first, pair.second);
    forwards.push_back(pair);
    backwards.emplace_back(pair.second, pair.first);
  }
  const Adjacency out(boxes, forwards), in(boxes, backwards);

  // 1. One layer after the last predecessor, in an order in which predecessors come first.
  layering.layers.assign(boxes, 0);
  std::vector<uint32_t> open(boxes), order;
  order.reserve(boxes);
  for (uint32_t box = 0; box < boxes; ++box) {
    open[box] = static_cast<uint32_t>(in.of(box).size());
    if (open[box] == 0) order.push_back(box);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kLayeringStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    for (const uint32_t to : out.of(order[i])) {
      layering.layers[to] = std::max(layering.layers[to], layering.layers[order[i]] + 1);
      if (--open[to] == 0) order.push_back(to);
    }
  }
  // 2. Boxes without predecessors lie just before their first successor.
  for (uint32_t box = 0; box < boxes; ++box) {
    if (!in.of(box).empty() || out.of(box).empty()) continue;
    uint32_t nearest = UINT32_MAX;
    for (const uint32_t to : out.of(box)) nearest = std::min(nearest, layering.layers[to]);
    layering.layers[box] = nearest - 1;
  }
  for (const uint32_t layer : layering.layers) layering.count = std::max(layering.count, layer + 1);
  spreadLeaves(boxes, out, in, layering);
  return layering;
}

} // namespace blobscope::graph
