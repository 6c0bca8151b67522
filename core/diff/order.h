#pragma once

#include "core/diff/align.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace blobscope::diff {

/// Marks the smallest set of pairs without which the others have the same order on both sides. `pairs` are in the order
/// of A. If there are several smallest sets, the choice depends only on the names, not on which side is A:
/// `nameOf(pair)` returns the same for both.
template <class F> void markOutOfOrder(std::vector<Pair>& pairs, F nameOf) {
  if (std::is_sorted(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.b < y.b; })) return;
  std::vector<uint32_t> byB(pairs.size());
  std::iota(byB.begin(), byB.end(), uint32_t{0});
  std::sort(byB.begin(), byB.end(), [&](uint32_t x, uint32_t y) { return pairs[x].b < pairs[y].b; });
  // The side whose sequence of names sorts first decides.
  bool leadB = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto left = nameOf(pairs[i]), right = nameOf(pairs[byB[i]]);
    if (left == right) continue;
    leadB = right < left;
    break;
  }
  std::vector<uint32_t> values(pairs.size());
  for (uint32_t i = 0; i < pairs.size(); ++i) values[i] = leadB ? byB[i] : pairs[i].b;
  for (Pair& pair : pairs) pair.outOfOrder = true;
  for (const uint32_t kept : longestAscending(values)) pairs[leadB ? byB[kept] : kept].outOfOrder = false;
}

} // namespace blobscope::diff
