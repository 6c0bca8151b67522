#include "core/diff/graphs.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::diff {
namespace {

using view::GraphPage;
using Mark = GraphPage::Mark;

constexpr std::size_t kGraphStep = 4096; // items between two checks of the monitor
constexpr uint32_t kNoNode = UINT32_MAX;

std::string bothTexts(const std::string& a, const std::string& b) {
  if (a == b) return b;
  return (a.empty() ? "–" : a) + " → " + (b.empty() ? "–" : b);
}

class GraphMerger {
public:
  GraphMerger(const GraphPage& a, const GraphPage& b) : m_a(a), m_b(b) {
    m_merged.unit = b.unit;
    m_merged.bytesOf = b.bytesOf;
    m_merged.sideways = b.sideways;
    m_merged.named = b.named;
    m_merged.omitted = std::max(a.omitted, b.omitted);
    m_placeA.assign(a.nodes.size(), kNoNode);
    m_placeB.assign(b.nodes.size(), kNoNode);
  }

  Result<GraphDiff> merge(Monitor& monitor, uint64_t cost) {
    if (m_a.named && m_b.named)
      matchNames();
    else
      BLOBSCOPE_CHECK(matchTitles(monitor, cost));
    BLOBSCOPE_CHECK(mergeEdges(monitor));
    m_out.merged = std::make_shared<const GraphPage>(std::move(m_merged));
    return std::move(m_out);
  }

private:
  void addMatched(uint32_t a, uint32_t b) {
    const GraphPage::Node &nodeA = m_a.nodes[a], &nodeB = m_b.nodes[b];
    GraphPage::Node node = nodeB;
    const bool changed = nodeA.group != nodeB.group || nodeA.note != nodeB.note || nodeA.device != nodeB.device ||
                         nodeA.bytes != nodeB.bytes || nodeA.title != nodeB.title;
    if (changed) {
      node.mark = Mark::Changed;
      node.note = bothTexts(nodeA.note, nodeB.note);
      node.device = bothTexts(nodeA.device, nodeB.device);
    }
    ++(changed ? m_out.changed : m_out.equal);
    m_placeA[a] = m_placeB[b] = static_cast<uint32_t>(m_merged.nodes.size());
    m_merged.nodes.push_back(std::move(node));
  }
  void addRemoved(uint32_t a) {
    m_placeA[a] = static_cast<uint32_t>(m_merged.nodes.size());
    m_merged.nodes.push_back(m_a.nodes[a]);
    m_merged.nodes.back().mark = Mark::Removed;
    m_merged.nodes.back().ref.reset(); // of the other file
    ++m_out.removed;
  }
  void addAdded(uint32_t b) {
    m_placeB[b] = static_cast<uint32_t>(m_merged.nodes.size());
    m_merged.nodes.push_back(m_b.nodes[b]);
    m_merged.nodes.back().mark = Mark::Added;
    ++m_out.added;
  }

  /// Of nodes with the same name, the n-th one of A is that of B.
  void matchNames() {
    using Key = std::pair<GraphPage::Kind, std::string_view>;
    std::map<Key, std::vector<uint32_t>> byName; // of A, the last one first
    for (auto i = static_cast<uint32_t>(m_a.nodes.size()); i-- > 0;)
      byName[{m_a.nodes[i].kind, m_a.nodes[i].name}].push_back(i);
    for (uint32_t i = 0; i < m_b.nodes.size(); ++i) {
      const auto found = byName.find({m_b.nodes[i].kind, m_b.nodes[i].name});
      if (found == byName.end() || found->second.empty()) {
        addAdded(i);
        continue;
      }
      addMatched(found->second.back(), i);
      found->second.pop_back();
    }
    for (uint32_t i = 0; i < m_a.nodes.size(); ++i)
      if (m_placeA[i] == kNoNode) addRemoved(i);
  }

  Result<Done> matchTitles(Monitor& monitor, uint64_t cost) {
    std::map<std::pair<GraphPage::Kind, std::string_view>, uint32_t> numbers;
    const auto numbersOf = [&](const GraphPage& page) {
      std::vector<uint32_t> out;
      for (const GraphPage::Node& node : page.nodes)
        out.push_back(
            numbers.try_emplace({node.kind, node.title}, static_cast<uint32_t>(numbers.size())).first->second);
      return out;
    };
    const std::vector<uint32_t> a = numbersOf(m_a), b = numbersOf(m_b);
    BLOBSCOPE_TRY(sequence, compareSequences(a, b, static_cast<uint32_t>(numbers.size()), monitor, cost));
    for (const Hunk& hunk : sequence.hunks) {
      if (hunk.kind == HunkKind::Equal) {
        for (uint64_t i = 0; i < hunk.a.count; ++i)
          addMatched(static_cast<uint32_t>(hunk.a.begin + i), static_cast<uint32_t>(hunk.b.begin + i));
        continue;
      }
      for (uint64_t i = hunk.a.begin; i < hunk.a.end(); ++i) addRemoved(static_cast<uint32_t>(i));
      for (uint64_t i = hunk.b.begin; i < hunk.b.end(); ++i) addAdded(static_cast<uint32_t>(i));
    }
    return Done{};
  }

  /// Edges of B in their order, then those that only A has.
  Result<Done> mergeEdges(Monitor& monitor) {
    std::unordered_map<uint64_t, std::vector<uint32_t>> ofA; // by ends, the last one first
    for (auto i = static_cast<uint32_t>(m_a.edges.size()); i-- > 0;) {
      if (i % kGraphStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      ofA[keyOf(m_placeA, m_a.edges[i])].push_back(i);
    }
    std::vector<bool> matched(m_a.edges.size(), false);
    for (std::size_t i = 0; i < m_b.edges.size(); ++i) {
      if (i % kGraphStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      GraphPage::Edge edge = placed(m_placeB, m_b.edges[i]);
      const auto found = ofA.find(keyOf(m_placeB, m_b.edges[i]));
      if (found == ofA.end() || found->second.empty()) {
        edge.mark = Mark::Added;
        ++m_out.addedEdges;
      } else {
        const uint32_t other = found->second.back();
        found->second.pop_back();
        matched[other] = true;
        if (m_a.edges[other].label != edge.label) {
          edge.mark = Mark::Changed;
          edge.label = bothTexts(m_a.edges[other].label, edge.label);
          ++m_out.changedEdges;
        }
      }
      m_merged.edges.push_back(std::move(edge));
    }
    for (std::size_t i = 0; i < m_a.edges.size(); ++i) {
      if (matched[i]) continue;
      m_merged.edges.push_back(placed(m_placeA, m_a.edges[i]));
      m_merged.edges.back().mark = Mark::Removed;
      ++m_out.removedEdges;
    }
    return Done{};
  }
  static uint64_t keyOf(const std::vector<uint32_t>& places, const GraphPage::Edge& edge) {
    return uint64_t{places[edge.from]} << 32 | places[edge.to];
  }
  static GraphPage::Edge placed(const std::vector<uint32_t>& places, const GraphPage::Edge& edge) {
    return {places[edge.from], places[edge.to], edge.label};
  }

  const GraphPage &m_a, &m_b;
  GraphPage m_merged;
  GraphDiff m_out;
  std::vector<uint32_t> m_placeA, m_placeB; ///< in the merged graph
};

} // namespace

Result<GraphDiff> compareGraphs(const GraphPage& a, const GraphPage& b, Monitor& monitor, uint64_t cost) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return GraphMerger(a, b).merge(monitor, cost);
}

} // namespace blobscope::diff
