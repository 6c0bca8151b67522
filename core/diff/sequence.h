#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// Comparison of texts, words, bytes, tables, fields, tensors and pages.
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
  Changed, ///< both sides have items, and none are equal in this order
  Removed, ///< only `a` has items
  Added    ///< only `b` has items
};

/// A part of two lists. If a side has no items, its range is empty and begins where they would be.
struct Hunk {
  HunkKind kind = HunkKind::Equal;
  Range a, b;
  friend bool operator==(const Hunk&, const Hunk&) = default;
};

/// Returns the same difference as seen from the other side.
constexpr Hunk mirrored(const Hunk& hunk) {
  const HunkKind kind = hunk.kind == HunkKind::Removed ? HunkKind::Added
                        : hunk.kind == HunkKind::Added ? HunkKind::Removed
                                                       : hunk.kind;
  return {kind, hunk.b, hunk.a};
}

struct SequenceDiff {
  std::vector<Hunk> hunks; ///< tile both lists, in order; neighbours are never both equal or both different
  bool capped = false;     ///< the cost limit was reached, so more items may be equal than are marked so
};

/// Steps of one comparison. A step is a diagonal examined by Myers' search or an item that it passes, about 2 ns; the
/// default therefore ends within 0.2 s for any lists.
constexpr uint64_t kSequenceCost = 60'000'000;

/// Items per list that compareSequences() accepts; positions are 32 bits.
constexpr uint64_t kSequenceItems = 4'000'000;

/// Compares two lists of numbers, all of them less than `numbers`. Equal items keep their order, so a moved item is
/// removed in one place and added in the other.
///
/// Equal ends are trimmed. Items that only one list has are set aside, which loses nothing. The rest is compared by
/// Myers' search from both ends in linear memory ("An O(ND) Difference Algorithm and Its Variations", 1986), which
/// finds the smallest difference. If the search would take more than 4,096 rounds, the lists are first divided at items
/// that occur once in each list and are in the same order (the longest such sequence); if there are none, they are
/// divided at the furthest point that the search has reached. When `cost` is used up, parts without such items are
/// Changed as a whole.
///
/// If a list has more than kSequenceItems items, everything between the trimmed ends is Changed as a whole and `capped`
/// is set. Error: only Cancelled.
Result<SequenceDiff> compareSequences(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t numbers,
                                      Monitor& monitor, uint64_t cost = kSequenceCost);

/// Returns the positions (ascending) of one longest ascending subsequence of `values`, which are all different. O(n log
/// n).
std::vector<uint32_t> longestAscending(std::span<const uint32_t> values);
/// The same function for long lists. Error: only Cancelled.
Result<std::vector<uint32_t>> longestAscending(std::span<const uint32_t> values, Monitor& monitor);

} // namespace blobscope::diff
