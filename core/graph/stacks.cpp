#include "core/graph/stacks.h"

#include "core/graph/layering.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace blobscope::graph {
namespace {

constexpr uint32_t kLongestBlock = 512;
/// Places in a run that are tried as the beginning of its first block.
constexpr uint32_t kShifts = 16;

/// A run of equal titles at a distance: the title of each place from `first` on equals that `period` places later.
struct Run {
  uint32_t first = 0, period = 1, length = 0; ///< `length`: places that belong to blocks, a multiple of the period
  uint32_t saved() const { return length - period; }
};

class StackFinder {
public:
  StackFinder(const view::GraphPage& page, Monitor& monitor) : m_page(page), m_monitor(monitor) {}

  Result<std::vector<Stack>> find() {
    readOrder();
    BLOBSCOPE_TRY(runs, findRuns());
    // The runs that save most boxes first; of equal ones those with short blocks.
    std::ranges::stable_sort(runs, [](const Run& a, const Run& b) {
      return a.saved() != b.saved() ? a.saved() > b.saved() : a.period < b.period;
    });
    std::vector<Stack> stacks;
    std::vector<uint8_t> taken(m_order.size(), 0);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      addStacks(runs[i], taken, stacks);
    }
    std::ranges::sort(stacks, std::ranges::less(), [](const Stack& stack) { return stack.nodes.front(); });
    return stacks;
  }

private:
  void readOrder() {
    std::vector<uint32_t> placeOf(m_page.nodes.size(), UINT32_MAX);
    std::map<std::pair<std::string_view, view::GraphPage::Mark>, uint32_t> numbers;
    for (uint32_t node = 0; node < m_page.nodes.size(); ++node) {
      if (view::GraphPage::isValue(m_page.nodes[node].kind)) continue;
      placeOf[node] = static_cast<uint32_t>(m_order.size());
      m_order.push_back(node);
      m_titles.push_back(
          numbers
              .try_emplace({m_page.nodes[node].title, m_page.nodes[node].mark}, static_cast<uint32_t>(numbers.size()))
              .first->second);
    }
    std::vector<Adjacency::Pair> in, out;
    for (const view::GraphPage::Edge& edge : m_page.edges) {
      const uint32_t from = placeOf[edge.from], to = placeOf[edge.to];
      if (from == UINT32_MAX || to == UINT32_MAX || from >= to) continue;
      in.emplace_back(to, from);
      out.emplace_back(from, to);
    }
    m_in = Adjacency(m_order.size(), in);
    m_out = Adjacency(m_order.size(), out);
  }

  Result<std::vector<Run>> findRuns() {
    std::vector<Run> runs;
    const auto count = static_cast<uint32_t>(m_titles.size());
    for (uint32_t period = 1; period <= kLongestBlock && 2 * period <= count; ++period) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("looking for repeated blocks", period, kLongestBlock);
      uint32_t first = 0;
      for (uint32_t i = 0; i + period <= count; ++i) {
        if (i + period < count && m_titles[i] == m_titles[i + period]) continue;
        if (i - first >= period) runs.push_back({first, period, (i - first) / period * period + period});
        first = i + 1;
      }
    }
    return runs;
  }

  /// Adds the stacks of a run whose nodes are in no other stack.
  void addStacks(const Run& run, std::vector<uint8_t>& taken, std::vector<Stack>& stacks) {
    const uint32_t end = std::min(run.first + run.length + run.period, static_cast<uint32_t>(m_order.size()));
    uint32_t shifts = 0;
    for (uint32_t at = run.first; at + 2 * run.period <= end && shifts < kShifts;) {
      const uint32_t blocks = equalBlocks(at, run.period, end, taken);
      if (blocks < 2) {
        ++at;
        ++shifts;
        continue;
      }
      Stack stack;
      stack.blocks = blocks;
      for (uint32_t i = at; i < at + blocks * run.period; ++i) {
        stack.nodes.push_back(m_order[i]);
        taken[i] = 1;
      }
      stacks.push_back(std::move(stack));
      at += blocks * run.period;
      shifts = 0;
    }
  }

  /// The number of blocks from `first` on that form a stack.
  uint32_t equalBlocks(uint32_t first, uint32_t period, uint32_t end, const std::vector<uint8_t>& taken) const {
    const auto isFree = [&](uint32_t block) {
      return std::none_of(taken.begin() + first + block * period, taken.begin() + first + (block + 1) * period,
                          [](uint8_t one) { return one != 0; });
    };
    if (!isFree(0)) return 0;
    uint32_t blocks = 1;
    const std::set<uint32_t> exits = exitsOf(first, period);
    for (; first + (blocks + 1) * period <= end; ++blocks) {
      // Block `blocks` continues the run if the block before it leaves the run like the first one.
      if (!isFree(blocks) || (blocks > 1 && exitsOf(first + (blocks - 1) * period, period) != exits)) break;
      if (!isEqual(first + (blocks > 1 ? period : 0), first + blocks * period, period, blocks > 1)) break;
    }
    return blocks;
  }
  /// The places in a block from which an edge leads to after the next block.
  std::set<uint32_t> exitsOf(uint32_t block, uint32_t period) const {
    std::set<uint32_t> out;
    for (uint32_t i = 0; i < period; ++i)
      for (const uint32_t to : m_out.of(block + i))
        if (to >= block + 2 * period) out.insert(i);
    return out;
  }
  /// Whether the block at `b` has the titles of the block at `a`, the same edges inside it and, with `entries`, the
  /// same edges from the block before it and as many from elsewhere. Without them one edge from the block before it is
  /// enough.
  bool isEqual(uint32_t a, uint32_t b, uint32_t period, bool entries) const {
    bool continues = false;
    for (uint32_t i = 0; i < period; ++i) {
      if (m_titles[a + i] != m_titles[b + i]) return false;
      // How far back each edge comes from; 0 for those from before the block before this one.
      const auto distances = [&](uint32_t block) {
        std::vector<uint32_t> out;
        for (const uint32_t from : m_in.of(block + i)) {
          if (from < block && !entries) continue;
          out.push_back(from + period >= block ? block + i - from : 0);
        }
        return out;
      };
      if (distances(a) != distances(b)) return false;
      for (const uint32_t from : m_in.of(b + i)) continues |= from < b && from + period >= b;
    }
    return continues;
  }

  const view::GraphPage& m_page;
  Monitor& m_monitor;
  std::vector<uint32_t> m_order, m_titles; ///< node, and number of its title, by place
  Adjacency m_in, m_out;                   ///< places
};

} // namespace

Result<std::vector<Stack>> findStacks(const view::GraphPage& page, Monitor& monitor) {
  return StackFinder(page, monitor).find();
}

} // namespace blobscope::graph
