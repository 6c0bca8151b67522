#include "core/sizes/free_ranges.h"

#include <algorithm>
#include <numeric>

namespace blobscope::sizes {

void FreeRanges::takeRanges(std::span<const Extent> places, const std::function<void(std::size_t, Extent)>& visit) {
  // --- 1. The places without overlaps, in ascending order. ---
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return places[a].offset != places[b].offset ? places[a].offset < places[b].offset : places[a].size > places[b].size;
  });

  // --- 2. One pass over both lists. `from`: where the free bytes of range `at` begin. ---
  std::vector<Extent> left;
  std::size_t at = 0;
  uint64_t from = 0, end = 0;
  const auto keep = [&left](uint64_t begin, uint64_t after) {
    if (begin < after) left.push_back({begin, after - begin});
  };
  for (const std::size_t index : order) {
    const uint64_t begin = std::max(places[index].offset, end);
    if (places[index].end() <= begin) continue;
    end = places[index].end();
    for (; at < m_ranges.size(); ++at) {
      const Extent range = m_ranges[at];
      const uint64_t start = std::max(from, range.offset);
      if (start >= end) break;
      keep(start, std::min(begin, range.end()));
      const uint64_t first = std::max(start, begin), after = std::min(range.end(), end);
      if (first < after) {
        visit(index, {first, after - first});
        m_bytes -= after - first;
      }
      from = std::max(start, std::min(range.end(), end));
      if (from < range.end()) break; // the next place may take the rest
    }
  }
  for (; at < m_ranges.size(); ++at) keep(std::max(from, m_ranges[at].offset), m_ranges[at].end());
  m_ranges = std::move(left);
}

std::vector<uint64_t> FreeRanges::takeBytes(std::span<const Extent> places) {
  std::vector<uint64_t> taken(places.size());
  takeRanges(places, [&taken](std::size_t index, Extent range) { taken[index] += range.size; });
  return taken;
}

std::vector<FreeRanges> FreeRanges::takeEach(std::span<const Extent> places) {
  std::vector<FreeRanges> taken(places.size());
  takeRanges(places, [&](std::size_t index, Extent range) {
    taken[index].m_ranges.push_back({range.offset - places[index].offset, range.size});
    taken[index].m_bytes += range.size;
  });
  return taken;
}

FreeRanges FreeRanges::take(Extent place) { return std::move(takeEach(std::span(&place, 1)).front()); }

void FreeRanges::append(const FreeRanges& other, uint64_t by) {
  for (const Extent range : other.m_ranges) m_ranges.push_back({range.offset + by, range.size});
  m_bytes += other.m_bytes;
}

} // namespace blobscope::sizes
