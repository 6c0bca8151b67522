#include "core/diff/sequence.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace blobscope::diff {
namespace {

/// Rounds of the first search, and of searches in parts of lists that were too different for it. Each round costs as
/// many steps as there were rounds before it, so the first search gives up after about 16 million steps.
constexpr int32_t kFirstRounds = 4'096;
constexpr int32_t kLaterRounds = 512;
/// Number of times that lists may be divided at items that occur once, each time in linear time; texts that need more
/// than 3 are crafted for it.
constexpr unsigned kDivisions = 8;
constexpr uint64_t kLook = 1'048'576;

/// Checks the monitor once per kLook steps.
class Watch {
public:
  explicit Watch(Monitor& monitor) : m_monitor(monitor) {}

  /// Returns whether to stop; stays true once it was.
  bool stops(uint64_t steps) {
    m_steps += steps;
    if (m_steps < kLook) return m_stopped;
    m_steps = 0;
    m_stopped = m_stopped || m_monitor.stopRequested();
    return m_stopped;
  }

private:
  Monitor& m_monitor;
  uint64_t m_steps = 0;
  bool m_stopped = false;
};

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Not the longest if `watch` stops.
std::vector<uint32_t> ascending(std::span<const uint32_t> values, Watch& watch) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> tails; // per length: where a sequence of that length with the smallest last value ends
  std::vector<uint32_t> before(values.size(), kNone);
  for (uint32_t i = 0; i < values.size() && !watch.stops(16); ++i) {
    const auto place = std::lower_bound(tails.begin(), tails.end(), values[i],
                                        [&](uint32_t at, uint32_t value) { return values[at] < value; });
    if (place != tails.begin()) before[i] = *(place - 1);
    if (place == tails.end())
      tails.push_back(i);
    else
      *place = i;
  }
  std::vector<uint32_t> row;
  if (tails.empty()) return row;
  for (uint32_t at = tails.back(); at != kNone; at = before[at]) row.push_back(at);
  std::reverse(row.begin(), row.end());
  return row;
}

/// A part of the lists that still has to be compared.
struct Part {
  int32_t a0, a1, b0, b1;
  int32_t rounds;
  unsigned divisions;
};

/// Finds which items of two lists are equal; each item occurs in both.
class Comparer {
public:
  Comparer(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t numbers, uint64_t cost, Watch& watch)
      : m_a(a), m_b(b), m_numbers(numbers), m_left(cost), m_watch(watch), m_differsA(a.size(), 1),
        m_differsB(b.size(), 1) {}

  Result<Done> run() {
    m_parts.push_back({0, static_cast<int32_t>(m_a.size()), 0, static_cast<int32_t>(m_b.size()), kFirstRounds, 0});
    while (!m_parts.empty()) {
      const Part part = m_parts.back();
      m_parts.pop_back();
      compare(part);
      if (m_watch.stops(64)) return cancelled();
    }
    return Done{};
  }

  /// Returns for each item whether it has no partner.
  const std::vector<uint8_t>& differsA() const { return m_differsA; }
  const std::vector<uint8_t>& differsB() const { return m_differsB; }
  bool isCapped() const { return m_capped; }

private:
  /// Where a search divides a part: everything between (x, y) and (u, v) is equal. Relative to the part's start.
  struct Middle {
    int32_t x, y, u, v;
  };

  void compare(Part part) {
    // --- 1. Equal ends. ---
    const int32_t before = part.a1 - part.a0;
    while (part.a0 < part.a1 && part.b0 < part.b1 && item(m_a, part.a0) == item(m_b, part.b0))
      pair(part.a0++, part.b0++);
    while (part.a0 < part.a1 && part.b0 < part.b1 && item(m_a, part.a1 - 1) == item(m_b, part.b1 - 1))
      pair(--part.a1, --part.b1);
    m_watch.stops(static_cast<uint64_t>(before - (part.a1 - part.a0)));
    if (part.a0 == part.a1 || part.b0 == part.b1) return;

    // --- 2. The smallest difference, as far as the cost allows. ---
    std::optional<Middle> furthest;
    if (m_left > 0) {
      if (const auto middle = findMiddle(part, furthest)) {
        divide(part, *middle, part.rounds);
        return;
      }
      if (m_watch.stops(0)) return;
    }

    // --- 3. Other ways to divide the part. ---
    m_capped = true;
    part.rounds = kLaterRounds;
    if (part.divisions < kDivisions && divideByAnchors(part)) return;
    part.divisions = kDivisions; // parts of it would hardly have such items either
    if (furthest) divide(part, *furthest, kLaterRounds);
  }

  static uint32_t item(std::span<const uint32_t> list, int32_t at) { return list[static_cast<std::size_t>(at)]; }
  void pair(int32_t a, int32_t b) {
    m_differsA[static_cast<std::size_t>(a)] = 0;
    m_differsB[static_cast<std::size_t>(b)] = 0;
  }

  void divide(const Part& part, const Middle& middle, int32_t rounds) {
    for (int32_t i = 0; i < middle.u - middle.x; ++i) pair(part.a0 + middle.x + i, part.b0 + middle.y + i);
    m_parts.push_back({part.a0 + middle.u, part.a1, part.b0 + middle.v, part.b1, rounds, part.divisions});
    m_parts.push_back({part.a0, part.a0 + middle.x, part.b0, part.b0 + middle.y, rounds, part.divisions});
  }

  /// One direction of the search: the furthest x per diagonal x - y; `rounds + 1` diagonals are in use on each side.
  class Front {
  public:
    static constexpr int32_t kUnset = INT32_MIN / 2;

    void prepare(int32_t rounds) {
      m_origin = rounds + 1;
      m_x.resize(std::max(m_x.size(), 2 * static_cast<std::size_t>(m_origin) + 1));
      at(-1) = at(0) = kUnset;
      at(1) = 0;
    }
    int32_t& at(int32_t diagonal) { return m_x[static_cast<std::size_t>(diagonal + m_origin)]; }
    /// Returns the furthest start in a round on a diagonal, reached from its neighbours; kUnset if there is none.
    int32_t start(int32_t diagonal, int32_t n, int32_t m) {
      const int32_t right = at(diagonal - 1) + 1, down = at(diagonal + 1);
      int32_t best = kUnset;
      if (right > 0 && right <= n && right - diagonal <= m) best = right;
      if (down >= 0 && down - diagonal <= m) best = std::max(best, down);
      return best;
    }

  private:
    std::vector<int32_t> m_x;
    int32_t m_origin = 0;
  };

  /// Returns where the searches from both ends meet. Returns nothing if they do not meet within the part's rounds or
  /// the remaining steps; then `furthest` is the point that one of them reached, if any.
  std::optional<Middle> findMiddle(const Part& part, std::optional<Middle>& furthest) {
    const int32_t n = part.a1 - part.a0, m = part.b1 - part.b0, delta = n - m;
    const uint32_t* const a = m_a.data() + part.a0;
    const uint32_t* const b = m_b.data() + part.b0;
    const bool odd = delta % 2 != 0;
    m_forward.prepare(part.rounds);
    m_backward.prepare(part.rounds);
    int32_t round = 0;
    for (; round <= part.rounds; ++round) {
      if (round > 0) {
        for (Front* front : {&m_forward, &m_backward}) front->at(round + 1) = front->at(-round - 1) = Front::kUnset;
      }
      // Diagonals inside the part with this round's parity.
      int32_t low = std::max(-round, -m), high = std::min(round, n);
      low += (low + round) & 1;
      high -= (high + round) & 1;
      uint64_t steps = 2 * static_cast<uint64_t>(std::max(high - low, 0) / 2 + 1);
      for (int32_t k = low; k <= high; k += 2) {
        const int32_t start = m_forward.start(k, n, m);
        m_forward.at(k) = start;
        if (start < 0) continue;
        int32_t x = start;
        while (x < n && x - k < m && a[x] == b[x - k]) ++x;
        steps += static_cast<uint64_t>(x - start);
        m_forward.at(k) = x;
        const int32_t other = delta - k;
        if (odd && other > -round && other < round && m_backward.at(other) >= 0 && x + m_backward.at(other) >= n)
          return Middle{start, start - k, x, x - k};
      }
      for (int32_t k = low; k <= high; k += 2) {
        const int32_t start = m_backward.start(k, n, m);
        m_backward.at(k) = start;
        if (start < 0) continue;
        int32_t x = start;
        while (x < n && x - k < m && a[n - 1 - x] == b[m - 1 - (x - k)]) ++x;
        steps += static_cast<uint64_t>(x - start);
        m_backward.at(k) = x;
        const int32_t other = delta - k;
        if (!odd && other >= -round && other <= round && m_forward.at(other) >= 0 && x + m_forward.at(other) >= n)
          return Middle{n - x, m - (x - k), n - start, m - (start - k)};
      }
      if (m_watch.stops(steps)) return std::nullopt;
      m_left -= std::min(m_left, steps);
      if (m_left == 0) break;
    }
    furthest = furthestPoint(std::min(round, part.rounds), n, m);
    return std::nullopt;
  }

  std::optional<Middle> furthestPoint(int32_t round, int32_t n, int32_t m) {
    std::optional<Middle> best;
    int64_t bestSum = 0;
    for (int32_t k = std::max(-round, -m); k <= std::min(round, n); ++k) {
      for (const bool forward : {true, false}) {
        const int32_t x = (forward ? m_forward : m_backward).at(k), y = x - k;
        if (x < 0 || y < 0 || int64_t{x} + y <= bestSum) continue;
        bestSum = int64_t{x} + y;
        best = forward ? Middle{x, y, x, y} : Middle{n - x, m - y, n - x, m - y};
      }
    }
    if (bestSum == int64_t{n} + m) return std::nullopt;
    return best;
  }

  /// Divides at items that occur once on each side of the part.
  bool divideByAnchors(const Part& part) {
    if (m_counts.empty()) m_counts.resize(m_numbers);
    for (int32_t i = part.a0; i < part.a1 && !m_watch.stops(1); ++i) {
      Count& count = m_counts[item(m_a, i)];
      count.a = std::min(count.a + 1, 2);
    }
    for (int32_t i = part.b0; i < part.b1 && !m_watch.stops(1); ++i) {
      Count& count = m_counts[item(m_b, i)];
      count.b = std::min(count.b + 1, 2);
      count.place = i;
    }
    std::vector<int32_t> inA;
    std::vector<uint32_t> inB;
    for (int32_t i = part.a0; i < part.a1 && !m_watch.stops(1); ++i) {
      const Count& count = m_counts[item(m_a, i)];
      if (count.a != 1 || count.b != 1) continue;
      inA.push_back(i);
      inB.push_back(static_cast<uint32_t>(count.place));
    }
    for (int32_t i = part.a0; i < part.a1 && !m_watch.stops(1); ++i) m_counts[item(m_a, i)] = {};
    for (int32_t i = part.b0; i < part.b1 && !m_watch.stops(1); ++i) m_counts[item(m_b, i)] = {};
    if (m_watch.stops(0)) return true;
    const std::vector<uint32_t> row = ascending(inB, m_watch);
    if (row.empty()) return false;
    Part between = part;
    ++between.divisions;
    for (const uint32_t at : row) {
      const int32_t a = inA[at], b = static_cast<int32_t>(inB[at]);
      pair(a, b);
      between.a1 = a;
      between.b1 = b;
      if (between.a0 < a && between.b0 < b) m_parts.push_back(between);
      between.a0 = a + 1;
      between.b0 = b + 1;
    }
    between.a1 = part.a1;
    between.b1 = part.b1;
    m_parts.push_back(between);
    return true;
  }

  struct Count {
    int32_t a = 0, b = 0; ///< how often it occurs; 2 means more than once
    int32_t place = 0;    ///< in b
  };

  std::span<const uint32_t> m_a, m_b;
  uint32_t m_numbers;
  uint64_t m_left;
  Watch& m_watch;
  std::vector<uint8_t> m_differsA, m_differsB;
  std::vector<Part> m_parts;
  Front m_forward, m_backward;
  std::vector<Count> m_counts;
  bool m_capped = false;
};

HunkKind kindOf(const Hunk& hunk) {
  if (hunk.a.count == 0) return HunkKind::Added;
  return hunk.b.count == 0 ? HunkKind::Removed : HunkKind::Changed;
}

/// Appends items after the last hunk.
void append(std::vector<Hunk>& hunks, bool equal, uint64_t countA, uint64_t countB) {
  if (countA == 0 && countB == 0) return;
  if (!hunks.empty() && (hunks.back().kind == HunkKind::Equal) == equal) {
    hunks.back().a.count += countA;
    hunks.back().b.count += countB;
  } else {
    const Range a = hunks.empty() ? Range{} : Range{hunks.back().a.end(), 0};
    const Range b = hunks.empty() ? Range{} : Range{hunks.back().b.end(), 0};
    hunks.push_back({HunkKind::Equal, {a.begin, countA}, {b.begin, countB}});
  }
  hunks.back().kind = equal ? HunkKind::Equal : kindOf(hunks.back());
}

/// Items that were only removed or only added can often be placed in several ways. The last place is chosen, as in
/// other programs, and the hunk is merged with the next difference of its kind if it reaches it.
std::vector<Hunk> shiftedHunks(const std::vector<Hunk>& hunks, std::span<const uint32_t> a, std::span<const uint32_t> b,
                               Watch& watch) {
  std::vector<Hunk> out;
  // Items of the next equal hunk that the difference before it has taken over.
  uint64_t taken = 0;
  for (std::size_t i = 0; i < hunks.size() && !watch.stops(8); ++i) {
    const Hunk& hunk = hunks[i];
    if (hunk.kind == HunkKind::Equal) {
      append(out, true, hunk.a.count - taken, hunk.b.count - taken);
      taken = 0;
      continue;
    }
    const bool removed = hunk.kind == HunkKind::Removed;
    if (hunk.kind == HunkKind::Changed || i + 1 == hunks.size()) {
      append(out, false, hunk.a.count, hunk.b.count);
      continue;
    }
    const Hunk& next = hunks[i + 1];
    const bool joins = i + 2 < hunks.size() && hunks[i + 2].kind == hunk.kind;
    const uint64_t room = next.a.count - (joins || i + 2 == hunks.size() ? 0 : 1);
    const std::span<const uint32_t> side = removed ? a : b;
    // The output says where it begins, since it may have been merged with one that moved here.
    uint64_t begin = out.empty() ? 0 : removed ? out.back().a.end() : out.back().b.end();
    uint64_t count = removed ? hunk.a.count : hunk.b.count;
    if (!out.empty() && out.back().kind == hunk.kind) {
      begin = removed ? out.back().a.begin : out.back().b.begin;
      count += removed ? out.back().a.count : out.back().b.count;
      out.pop_back();
    }
    while (taken < room && !watch.stops(1) && side[begin + taken] == side[begin + taken + count]) ++taken;
    append(out, true, taken, taken);
    append(out, false, removed ? count : 0, removed ? 0 : count);
  }
  return out;
}

} // namespace

std::vector<uint32_t> longestAscending(std::span<const uint32_t> values) {
  NullMonitor monitor;
  Watch watch(monitor);
  return ascending(values, watch);
}

Result<std::vector<uint32_t>> longestAscending(std::span<const uint32_t> values, Monitor& monitor) {
  Watch watch(monitor);
  std::vector<uint32_t> row = ascending(values, watch);
  if (watch.stops(0)) return cancelled();
  return row;
}

Result<SequenceDiff> compareSequences(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t numbers,
                                      Monitor& monitor, uint64_t cost) {
  longWork("diff::compareSequences");
  SequenceDiff out;
  if (monitor.stopRequested()) return cancelled();
  Watch watch(monitor);

  // --- 1. Equal ends. ---
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const auto midA = a.subspan(head, a.size() - head - tail), midB = b.subspan(head, b.size() - head - tail);
  append(out.hunks, true, head, head);
  if (midA.empty() || midB.empty() || midA.size() > kSequenceItems || midB.size() > kSequenceItems) {
    out.capped = !midA.empty() && !midB.empty();
    append(out.hunks, false, midA.size(), midB.size());
    append(out.hunks, true, tail, tail);
    out.hunks = shiftedHunks(out.hunks, a, b, watch);
    if (watch.stops(0)) return cancelled();
    return out;
  }

  // --- 2. Items of one list only. ---
  std::vector<uint8_t> where(numbers, 0);
  for (const bool second : {false, true})
    for (const uint32_t item : second ? midB : midA) {
      if (watch.stops(1)) return cancelled();
      where[item] |= second ? 2 : 1;
    }
  std::vector<uint32_t> sharedA, sharedB;
  for (const bool second : {false, true})
    for (const uint32_t item : second ? midB : midA) {
      if (watch.stops(1)) return cancelled();
      if (where[item] == 3) (second ? sharedB : sharedA).push_back(item);
    }

  // --- 3. The rest. ---
  Comparer comparer(sharedA, sharedB, numbers, cost, watch);
  BLOBSCOPE_CHECK(comparer.run());
  out.capped = comparer.isCapped();

  // --- 4. Hunks. ---
  std::size_t i = 0, j = 0, sharedI = 0, sharedJ = 0;
  const auto skip = [&](std::span<const uint32_t> items, std::size_t& at, std::size_t& sharedAt,
                        const std::vector<uint8_t>& differs) {
    const std::size_t from = at;
    for (; at < items.size(); ++at) {
      if (where[items[at]] != 3) continue;
      if (!differs[sharedAt]) break;
      ++sharedAt;
    }
    return at - from;
  };
  while (i < midA.size() || j < midB.size()) {
    const std::size_t skippedA = skip(midA, i, sharedI, comparer.differsA());
    const std::size_t skippedB = skip(midB, j, sharedJ, comparer.differsB());
    append(out.hunks, false, skippedA, skippedB);
    std::size_t equal = 0;
    while (i < midA.size() && j < midB.size() && where[midA[i]] == 3 && where[midB[j]] == 3 &&
           !comparer.differsA()[sharedI] && !comparer.differsB()[sharedJ]) {
      ++i, ++j, ++sharedI, ++sharedJ, ++equal;
    }
    append(out.hunks, true, equal, equal);
    if (watch.stops(skippedA + skippedB + equal)) return cancelled();
  }
  append(out.hunks, true, tail, tail);
  out.hunks = shiftedHunks(out.hunks, a, b, watch);
  if (watch.stops(0)) return cancelled();
  return out;
}

} // namespace blobscope::diff
