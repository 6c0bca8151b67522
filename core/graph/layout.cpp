#include "core/graph/layout.h"

#include "core/graph/layering.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace blobscope::graph {
namespace {

constexpr std::size_t kLayoutStep = 4096; // items between two checks of the monitor
/// Edges across more layers have no room in them.
constexpr uint32_t kLongest = 64;
/// The extent of an edge along a layer that it passes.
constexpr double kLineHalf = 3;
/// Distance of the ends of edges at a box.
constexpr double kPortGap = 9;
constexpr double kLineWeight = 4; ///< of a passing edge against a box: lines are straight first
constexpr unsigned kMoves = 4;    ///< passes that move boxes towards their neighbours, in both directions

/// Boxes, and one vertex for each layer that an edge passes.
class LayeredGraph {
public:
  LayeredGraph(std::span<const Box> boxes, std::span<const Edge> edges, const LayoutOptions& options, Layering layering,
               Monitor& monitor)
      : m_boxes(boxes), m_edges(edges), m_options(options), m_layering(std::move(layering)), m_monitor(monitor) {}

  Result<Layout> place() {
    addLines();
    startOrder();
    BLOBSCOPE_CHECK(reorder());
    BLOBSCOPE_CHECK(move());
    return result();
  }

private:
  using Pairs = std::vector<Adjacency::Pair>;
  Error cancelled() const { return Error(DiagnosticId::Cancelled, {}); }
  bool isBox(uint32_t vertex) const { return vertex < m_boxes.size(); }
  double before(uint32_t vertex) const { return isBox(vertex) ? m_boxes[vertex].half : kLineHalf; }
  double behind(uint32_t vertex) const {
    return isBox(vertex) ? m_boxes[vertex].half + m_boxes[vertex].margin : kLineHalf;
  }
  double gap(uint32_t left, uint32_t right) const {
    return isBox(left) || isBox(right) ? m_options.boxGap : m_options.boxGap / 2;
  }

  /// Adds vertices for long edges, and connects the vertices of neighbouring layers.
  void addLines() {
    m_layers = m_layering.layers;
    m_firstLine.assign(m_edges.size(), 0);
    Pairs down, up;
    const std::size_t most = 4 * (m_boxes.size() + m_edges.size()) + 1000;
    const auto connect = [&](uint32_t a, uint32_t b) {
      down.emplace_back(a, b);
      up.emplace_back(b, a);
    };
    for (std::size_t i = 0; i < m_edges.size(); ++i) {
      auto [from, to] = m_edges[i];
      if (from == to) continue;
      if (m_layering.isBackwards[i]) std::swap(from, to);
      const uint32_t span = m_layers[to] - m_layers[from];
      if (span == 1) connect(from, to);
      if (span <= 1 || span > kLongest || m_layers.size() - m_boxes.size() + span > most) continue;
      m_firstLine[i] = static_cast<uint32_t>(m_layers.size());
      uint32_t last = from;
      for (uint32_t layer = m_layers[from] + 1; layer < m_layers[to]; ++layer) {
        const auto line = static_cast<uint32_t>(m_layers.size());
        m_layers.push_back(layer);
        connect(last, line);
        last = line;
      }
      connect(last, to);
    }
    m_down = Adjacency(m_layers.size(), down);
    m_up = Adjacency(m_layers.size(), up);
  }

  /// Puts what belongs together side by side: depth first, from the first layer on.
  void startOrder() {
    m_rows.assign(m_layering.count, {});
    std::vector<uint8_t> seen(m_layers.size(), 0);
    std::vector<uint32_t> stack, roots(m_layers.size());
    std::iota(roots.begin(), roots.end(), 0);
    std::ranges::stable_sort(roots, std::ranges::less(), [this](uint32_t vertex) { return m_layers[vertex]; });
    for (const uint32_t root : roots) {
      if (seen[root]) continue;
      stack.push_back(root);
      while (!stack.empty()) {
        const uint32_t vertex = stack.back();
        stack.pop_back();
        if (seen[vertex]) continue;
        seen[vertex] = 1;
        m_rows[m_layers[vertex]].push_back(vertex);
        const auto next = m_down.of(vertex);
        for (auto at = next.rbegin(); at != next.rend(); ++at)
          if (!seen[*at]) stack.push_back(*at);
      }
    }
    m_place.assign(m_layers.size(), 0);
    for (const auto& row : m_rows) number(row);
  }
  void number(const std::vector<uint32_t>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) m_place[row[i]] = static_cast<uint32_t>(i);
  }

  /// Sorts each layer by the medians of the neighbours in the layer before or after it, in turn, and keeps the order
  /// with the fewest crossings.
  Result<Done> reorder() {
    auto best = m_rows;
    uint64_t fewest = crossings();
    for (unsigned sweep = 0; sweep < m_options.sweeps && fewest > 0; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_monitor.stopRequested()) return cancelled();
        auto& row = m_rows[downwards ? i : m_rows.size() - 1 - i];
        sortByMedian(row, downwards ? m_up : m_down);
        number(row);
      }
      const uint64_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = m_rows;
    }
    m_rows = std::move(best);
    for (const auto& row : m_rows) number(row);
    return Done{};
  }
  void sortByMedian(std::vector<uint32_t>& row, const Adjacency& neighbours) {
    m_keys.resize(m_layers.size());
    for (const uint32_t vertex : row) {
      const auto ends = neighbours.of(vertex);
      m_keys[vertex] = ends.empty() ? m_place[vertex] : medianPlace(ends);
    }
    std::ranges::stable_sort(row, std::ranges::less(), [this](uint32_t vertex) { return m_keys[vertex]; });
  }
  double medianPlace(std::span<const uint32_t> ends) {
    if (ends.size() == 1) return m_place[ends[0]];
    m_places.clear();
    for (const uint32_t end : ends) m_places.push_back(m_place[end]);
    const auto middle = m_places.begin() + static_cast<std::ptrdiff_t>(m_places.size() / 2);
    std::nth_element(m_places.begin(), middle, m_places.end());
    if (m_places.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(m_places.begin(), middle)) / 2.0;
  }
  /// Counts the pairs of edges between neighbouring layers that cross, with a tree of sums per layer.
  uint64_t crossings() {
    uint64_t count = 0;
    for (std::size_t i = 0; i + 1 < m_rows.size(); ++i) {
      const std::size_t size = m_rows[i + 1].size();
      m_sums.assign(size + 1, 0);
      uint64_t seen = 0;
      for (const uint32_t vertex : m_rows[i]) {
        for (const uint32_t end : m_down.of(vertex)) {
          uint64_t atMost = 0;
          for (std::size_t at = m_place[end] + 1; at > 0; at -= at & (~at + 1)) atMost += m_sums[at];
          count += seen - atMost;
        }
        for (const uint32_t end : m_down.of(vertex)) {
          for (std::size_t at = m_place[end] + 1; at <= size; at += at & (~at + 1)) ++m_sums[at];
          ++seen;
        }
      }
    }
    return count;
  }

  /// Moves the vertices of each layer towards their neighbours without changing the order.
  Result<Done> move() {
    m_x.assign(m_layers.size(), 0);
    for (const auto& row : m_rows) {
      double x = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) x += behind(row[i - 1]) + gap(row[i - 1], row[i]) + before(row[i]);
        m_x[row[i]] = x;
      }
      for (const uint32_t vertex : row) m_x[vertex] -= x / 2;
    }
    for (unsigned pass = 0; pass < 2 * kMoves + 1; ++pass) {
      const bool both = pass == 2 * kMoves, downwards = pass % 2 == 0;
      for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_monitor.stopRequested()) return cancelled();
        moveRow(m_rows[downwards ? i : m_rows.size() - 1 - i], downwards || both, !downwards || both);
      }
    }
    return Done{};
  }
  /// The places nearest to the wanted ones, by least squares, that keep order and distances: after the distances are
  /// subtracted they must not decrease, so neighbours that would are joined at their mean.
  void moveRow(const std::vector<uint32_t>& row, bool up, bool down) {
    m_blocks.clear();
    double distance = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) distance += behind(row[i - 1]) + gap(row[i - 1], row[i]) + before(row[i]);
      m_distances.resize(std::max(m_distances.size(), i + 1));
      m_distances[i] = distance;
      const auto [wanted, weight] = wantedPlace(row[i], up, down);
      m_blocks.push_back({wanted - distance, weight, 1});
      while (m_blocks.size() > 1 && m_blocks[m_blocks.size() - 2].place > m_blocks.back().place) {
        const Block last = m_blocks.back();
        m_blocks.pop_back();
        Block& into = m_blocks.back();
        into.place = (into.place * into.weight + last.place * last.weight) / (into.weight + last.weight);
        into.weight += last.weight;
        into.count += last.count;
      }
    }
    std::size_t i = 0;
    for (const Block& block : m_blocks)
      for (std::size_t end = i + block.count; i < end; ++i) m_x[row[i]] = block.place + m_distances[i];
  }
  std::pair<double, double> wantedPlace(uint32_t vertex, bool up, bool down) const {
    double sum = 0;
    std::size_t count = 0;
    const auto add = [&](std::span<const uint32_t> ends) {
      for (const uint32_t end : ends) sum += m_x[end];
      count += ends.size();
    };
    if (up) add(m_up.of(vertex));
    if (down) add(m_down.of(vertex));
    if (count == 0) return {m_x[vertex], 0.05}; // it makes room for the others
    return {sum / static_cast<double>(count), isBox(vertex) ? 1.0 : kLineWeight};
  }

  /// The room before each layer: more where edges go far along it.
  std::vector<double> layerTops() {
    std::vector<double> gaps(m_rows.size(), 0), tops(m_rows.size() + 1, 0);
    m_depths.assign(m_rows.size(), 0);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
      for (const uint32_t vertex : m_rows[i]) {
        if (isBox(vertex)) m_depths[i] = std::max(m_depths[i], m_boxes[vertex].depth);
        for (const uint32_t end : m_up.of(vertex)) gaps[i] = std::max(gaps[i], std::abs(m_x[end] - m_x[vertex]));
      }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
      tops[i] += i > 0 ? m_options.layerGap + std::min(4 * m_options.layerGap, gaps[i] / 24) : 0;
      tops[i + 1] = tops[i] + m_depths[i];
    }
    return tops;
  }

  Layout result() {
    Layout out;
    const std::vector<double> tops = layerTops();
    double left = m_rows.empty() ? 0 : 1e300, right = 0;
    for (const auto& row : m_rows)
      for (const uint32_t vertex : row) left = std::min(left, m_x[vertex] - before(vertex));
    if (left > 1e299) left = 0;
    for (double& x : m_x) x -= left;
    for (uint32_t vertex = 0; vertex < m_layers.size(); ++vertex) right = std::max(right, m_x[vertex] + behind(vertex));
    out.width = right;
    out.layers = m_layering.layers;
    out.boxes.resize(m_boxes.size());
    for (const auto& row : m_rows) {
      out.layerStarts.push_back(static_cast<uint32_t>(out.order.size()));
      for (const uint32_t vertex : row) {
        if (!isBox(vertex)) continue;
        const Box& box = m_boxes[vertex];
        const double top = tops[m_layers[vertex]];
        out.boxes[vertex] = {m_x[vertex] - box.half, top, 2 * box.half, box.depth};
        out.height = std::max(out.height, top + box.depth);
        out.order.push_back(vertex);
      }
    }
    out.layerStarts.push_back(static_cast<uint32_t>(out.order.size()));
    addRoutes(out, tops);
    if (m_options.sideways) turn(out);
    return out;
  }

  /// Where each edge ends at its lower box: side by side, in the order of where they come from.
  std::vector<double> ports() const {
    std::vector<double> comesFrom(m_edges.size(), 0), out(m_edges.size(), 0);
    std::vector<Adjacency::Pair> pairs;
    for (uint32_t i = 0; i < m_edges.size(); ++i) {
      auto [from, to] = m_edges[i];
      if (from == to) continue;
      if (m_layering.isBackwards[i]) std::swap(from, to);
      const uint32_t span = m_layers[to] - m_layers[from];
      comesFrom[i] = m_firstLine[i] != 0 ? m_x[m_firstLine[i] + span - 2] : m_x[from];
      pairs.emplace_back(to, i);
    }
    const Adjacency ends(m_boxes.size(), pairs);
    std::vector<uint32_t> sorted;
    for (uint32_t box = 0; box < m_boxes.size(); ++box) {
      const auto edges = ends.of(box);
      sorted.assign(edges.begin(), edges.end());
      std::ranges::stable_sort(sorted, std::ranges::less(), [&](uint32_t edge) { return comesFrom[edge]; });
      const auto count = static_cast<double>(sorted.size());
      const double step = std::min(kPortGap, 1.4 * m_boxes[box].half / std::max(count, 1.0));
      for (std::size_t i = 0; i < sorted.size(); ++i)
        out[sorted[i]] = m_x[box] + (static_cast<double>(i) - (count - 1) / 2) * step;
    }
    return out;
  }

  void addRoutes(Layout& out, const std::vector<double>& tops) const {
    const std::vector<double> ends = ports();
    out.routes.push_back(0);
    for (uint32_t i = 0; i < m_edges.size(); ++i) {
      auto [from, to] = m_edges[i];
      const std::size_t first = out.points.size();
      if (from != to) {
        if (m_layering.isBackwards[i]) std::swap(from, to);
        const uint32_t span = m_layers[to] - m_layers[from];
        out.points.push_back({m_x[from], tops[m_layers[from]] + m_boxes[from].depth});
        for (uint32_t line = 0; m_firstLine[i] != 0 && line + 1 < span; ++line) {
          const double x = m_x[m_firstLine[i] + line];
          const uint32_t layer = m_layers[from] + 1 + line;
          out.points.push_back({x, tops[layer]});
          out.points.push_back({x, tops[layer] + m_depths[layer]});
        }
        out.points.push_back({ends[i], tops[m_layers[to]]});
        if (m_layering.isBackwards[i])
          std::reverse(out.points.begin() + static_cast<std::ptrdiff_t>(first), out.points.end());
      }
      out.routes.push_back(static_cast<uint32_t>(out.points.size()));
    }
  }

  static void turn(Layout& out) {
    for (Rect& box : out.boxes) box = {box.y, box.x, box.height, box.width};
    for (Point& point : out.points) std::swap(point.x, point.y);
    std::swap(out.width, out.height);
  }

  struct Block {
    double place = 0, weight = 1;
    std::size_t count = 1;
  };

  std::span<const Box> m_boxes;
  std::span<const Edge> m_edges;
  const LayoutOptions& m_options;
  Layering m_layering;
  Monitor& m_monitor;
  std::vector<uint32_t> m_layers;    ///< of boxes, then of lines
  std::vector<uint32_t> m_firstLine; ///< one per edge: its first line, 0 for none; the others follow it
  Adjacency m_down, m_up;
  std::vector<std::vector<uint32_t>> m_rows;              ///< the vertices of each layer
  std::vector<uint32_t> m_place;                          ///< of each vertex in its layer
  std::vector<double> m_x, m_keys, m_distances, m_depths; ///< m_depths: one per layer
  std::vector<uint32_t> m_places;
  std::vector<uint64_t> m_sums;
  std::vector<Block> m_blocks;
};

} // namespace

Result<Layout> computeLayout(std::span<const Box> boxes, std::span<const Edge> edges, const LayoutOptions& options,
                             Monitor& monitor) {
  monitor.progress("arranging boxes", 0, boxes.size());
  BLOBSCOPE_TRY(layering, computeLayers(boxes.size(), edges, monitor));
  return LayeredGraph(boxes, edges, options, std::move(layering), monitor).place();
}

} // namespace blobscope::graph
