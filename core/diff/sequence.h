#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// Comparing: texts, words, bytes, tables, fields, tensors, pages.
namespace blobscope::diff {

/// Items `[begin, begin + count)` of a list: lines, words, rows.
struct Range {
  uint64_t begin = 0;
  uint64_t count = 0;

  constexpr uint64_t end() const { return begin + count; }
  friend constexpr bool operator==(Range, Range) = default;
};

enum class HunkKind : uint8_t {
  Equal,
  Changed, ///< both sides have items, none of them the same in this order
  Removed, ///< only `a` has items
  Added    ///< only `b` has items
};

/// A part of two lists. Where a side has no items its range is empty and says where they would stand.
struct Hunk {
  HunkKind kind = HunkKind::Equal;
  Range a, b;
  friend bool operator==(const Hunk&, const Hunk&) = default;
};

/// The same difference seen from the other side.
constexpr Hunk mirrored(const Hunk& hunk) {
  const HunkKind kind = hunk.kind == HunkKind::Removed ? HunkKind::Added
                        : hunk.kind == HunkKind::Added ? HunkKind::Removed
                                                       : hunk.kind;
  return {kind, hunk.b, hunk.a};
}

struct SequenceDiff {
  std::vector<Hunk> hunks; ///< tile both lists, in order; no two neighbours are both equal or both not
  bool capped = false;     ///< the cost cap was met: what is equal is so, but more could have been found to be
};

/// Steps of one comparison. A step is a diagonal of Myers' search looked at or an item stepped over in it, about
/// 2 ns; so the default ends within 0.2 s, whatever the lists are.
constexpr uint64_t kSequenceCost = 60'000'000;

/// Items per list that compareSequences() takes; positions are 32 bits.
constexpr uint64_t kSequenceItems = 4'000'000;

/// Compares two lists of numbers, `numbers` of which are in use (each item is less). Equal items keep their order, so
/// moved ones are removed here and added there.
///
/// Equal ends are trimmed; items that only one list has are set aside, which loses nothing. The rest is compared by
/// Myers' search from both ends in linear memory ("An O(ND) Difference Algorithm and Its Variations", 1986), which
/// finds the least difference. Where it would take more than 4,096 rounds, items that occur once in each list and stand
/// in the same order (the longest such row) divide the lists first, and where there are none, the furthest point that
/// the search has reached. When `cost` is used up, parts without such items are Changed as a whole.
///
/// More than kSequenceItems items in a list: what the trimmed ends leave is Changed as a whole, `capped` is set.
/// Error: only Cancelled.
Result<SequenceDiff> compareSequences(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t numbers,
                                      Monitor& monitor, uint64_t cost = kSequenceCost);

/// Positions (ascending) of one longest ascending row in `values`, which are all different. O(n log n).
std::vector<uint32_t> longestAscending(std::span<const uint32_t> values);
/// The same for many. Error: only Cancelled.
Result<std::vector<uint32_t>> longestAscending(std::span<const uint32_t> values, Monitor& monitor);

} // namespace blobscope::diff
