#include "core/diff/fields.h"

#include "core/base/thread_rule.h"
#include "core/diff/numbers.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace blobscope::diff {
namespace {

constexpr uint64_t kLookBytes = 1u << 20;
constexpr uint32_t kNone = UINT32_MAX;

/// Returns the rows directly below `row`, or the topmost rows for kNone.
std::vector<uint32_t> below(const FieldTree& tree, uint32_t row) {
  std::vector<uint32_t> out;
  const auto end = row == kNone ? static_cast<uint32_t>(tree.rows.size()) : tree.rows[row].after;
  for (uint32_t at = row == kNone ? 0 : row + 1; at < end; at = tree.rows[at].after) out.push_back(at);
  return out;
}

bool isLeaf(const FieldTree& tree, uint32_t row) { return tree.rows[row].after == row + 1; }

/// Returns whether the value of a field is in its bytes, not only in its number.
bool hasContent(FieldType type) {
  switch (type) {
  case FieldType::U8:
  case FieldType::U16:
  case FieldType::U32:
  case FieldType::U64:
  case FieldType::I32:
  case FieldType::I64:
  case FieldType::F64:
  case FieldType::DataType:
  case FieldType::List:
  case FieldType::Items:
  case FieldType::Group: return false;
  default: return true;
  }
}

/// Returns the text that names a list item, if it has one.
std::optional<std::string_view> keyOf(const FieldTree& tree, uint32_t item) {
  if (tree.rows[item].index == Field::kNoIndex) return std::nullopt;
  // A name is among the first fields.
  uint32_t at = item + 1;
  for (int looked = 0; at < tree.rows[item].after && looked < 4; ++looked, at = tree.rows[at].after) {
    const Field& field = tree.rows[at];
    if (isLeaf(tree, at) && hasContent(field.type) &&
        (field.name == "name" || field.name == "key" || field.name == "symbol"))
      return tree.content(at).view();
  }
  return std::nullopt;
}

class Comparer {
public:
  Comparer(const FieldTree& a, const FieldTree& b, uint64_t most, Monitor& monitor)
      : m_a(a), m_b(b), m_most(most), m_monitor(monitor) {}

  Result<FieldDiff> run() {
    addBelow(kNone, kNone);
    uint64_t done = 0;
    while (!m_work.empty()) {
      if (m_looked >= kLookBytes || done++ % 4'096 == 0) {
        m_looked = 0;
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("comparing fields", done, m_b.rows.size());
      }
      const Work work = m_work.back();
      m_work.pop_back();
      compare(work);
      if (m_stopped) return Error(DiagnosticId::Cancelled, {});
    }
    if (m_stopped) return Error(DiagnosticId::Cancelled, {});
    return std::move(m_out);
  }

private:
  struct Work {
    uint32_t a, b; ///< kNone if a tree has no such row
    uint16_t depth;
    bool moved;
  };

  void compare(const Work& work) {
    if (work.a == kNone) {
      ++m_out.added;
      add(FieldChangeKind::Added, work);
      return;
    }
    if (work.b == kNone) {
      ++m_out.removed;
      add(FieldChangeKind::Removed, work);
      return;
    }
    if (work.moved) {
      ++m_out.moved;
      add(FieldChangeKind::Moved, work);
    }
    const bool leafA = isLeaf(m_a, work.a), leafB = isLeaf(m_b, work.b);
    const Field &a = m_a.rows[work.a], &b = m_b.rows[work.b];
    if (a.type != b.type ||
        (leafA && leafB ? !equalLeaves(work.a, work.b)
                        : leafA != leafB && a.type != FieldType::List && a.type != FieldType::Items)) {
      if (m_stopped) return;
      ++m_out.changed;
      add(FieldChangeKind::Changed, work);
      return;
    }
    if (leafA && leafB) {
      ++m_out.equal;
      return;
    }
    setPath(work.depth, m_a, work.a, m_pathsA);
    setPath(work.depth, m_b, work.b, m_pathsB);
    addBelow(work.a, work.b);
  }

  bool equalLeaves(uint32_t rowA, uint32_t rowB) {
    const Field &a = m_a.rows[rowA], &b = m_b.rows[rowB];
    if (!hasContent(a.type)) return a.number == b.number;
    const Bytes first = m_a.content(rowA), second = m_b.content(rowB);
    if (first.size() != second.size()) return false;
    for (uint64_t at = 0; at < first.size() && first.data() != second.data(); at += kLookBytes) {
      const uint64_t step = std::min(kLookBytes, first.size() - at);
      if (std::memcmp(first.data() + at, second.data() + at, step) != 0) return false;
      m_looked += step;
      if (step == kLookBytes && m_monitor.stopRequested()) {
        m_stopped = true;
        return false;
      }
    }
    return true;
  }

  /// Pushes the pairs of rows below two rows onto the stack, the first on top.
  void addBelow(uint32_t rowA, uint32_t rowB) {
    const std::vector<uint32_t> a = below(m_a, rowA), b = below(m_b, rowB);
    const auto depth = static_cast<uint16_t>(rowA == kNone ? 0 : m_a.rows[rowA].depth + 1);
    std::vector<Work> works = pairs(a, b, depth);
    m_work.insert(m_work.end(), works.rbegin(), works.rend());
  }

  std::vector<Work> pairs(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint16_t depth) {
    std::vector<Work> out;
    // --- 1. Same names in the same order, or items by index. ---
    const bool lists =
        !a.empty() && !b.empty() && m_a.rows[a[0]].index != Field::kNoIndex && m_b.rows[b[0]].index != Field::kNoIndex;
    std::vector<std::string_view> keysA, keysB;
    if (!lists || !readKeys(m_a, a, keysA) || !readKeys(m_b, b, keysB)) {
      keysA = names(m_a, a);
      keysB = names(m_b, b);
    }
    if (keysA.size() != a.size() || keysB.size() != b.size()) {
      for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        out.push_back({i < a.size() ? a[i] : kNone, i < b.size() ? b[i] : kNone, depth, false});
      return out;
    }
    if (keysA == keysB) {
      for (std::size_t i = 0; i < a.size(); ++i) out.push_back({a[i], b[i], depth, false});
      return out;
    }

    // --- 2. The n-th occurrence of a name matches the n-th. ---
    Numbers numbers;
    std::vector<uint32_t> first, next(b.size(), kNone); // positions of a name in `b`
    for (std::size_t j = b.size(); j-- > 0;) {
      const uint32_t number = numbers.of(keysB[j]);
      if (number == first.size()) first.push_back(kNone);
      next[j] = std::exchange(first[number], static_cast<uint32_t>(j));
    }
    std::vector<uint32_t> partnerOfB(b.size(), kNone), pairedB;
    std::vector<bool> alone(a.size(), false);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const uint32_t number = numbers.of(keysA[i]);
      if (number >= first.size() || first[number] == kNone) {
        alone[i] = true;
        continue;
      }
      const uint32_t place = std::exchange(first[number], next[first[number]]);
      partnerOfB[place] = static_cast<uint32_t>(i);
      pairedB.push_back(place);
    }
    const std::vector<bool> stays = inOrder(pairedB, b.size());
    if (m_stopped) return {};

    // --- 3. In the order of `b`; an item that only `a` has follows the item that it follows in `a`. ---
    std::size_t nextA = 0;
    const auto addAlone = [&](std::size_t end) {
      for (; nextA < end; ++nextA)
        if (alone[nextA]) out.push_back({a[nextA], kNone, depth, false});
    };
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (stays[j]) addAlone(partnerOfB[j]);
      // The order of names in a structure is only chosen by its writer.
      out.push_back({partnerOfB[j] == kNone ? kNone : a[partnerOfB[j]], b[j], depth,
                     lists && partnerOfB[j] != kNone && !stays[j]});
    }
    addAlone(a.size());
    return out;
  }

  /// Returns which of `count` items keep their order with these pairs. Sets m_stopped.
  std::vector<bool> inOrder(const std::vector<uint32_t>& paired, std::size_t count) {
    std::vector<bool> stays(count, false);
    const auto longest = longestAscending(paired, m_monitor);
    m_stopped = !longest;
    if (m_stopped) return stays;
    for (const uint32_t at : *longest) stays[paired[at]] = true;
    return stays;
  }

  static std::vector<std::string_view> names(const FieldTree& tree, const std::vector<uint32_t>& rows) {
    std::vector<std::string_view> out;
    for (const uint32_t row : rows) {
      if (tree.rows[row].index != Field::kNoIndex) return {};
      out.push_back(tree.rows[row].name);
    }
    return out;
  }
  /// Reads the keys; returns whether all items have one.
  static bool readKeys(const FieldTree& tree, const std::vector<uint32_t>& items, std::vector<std::string_view>& out) {
    for (const uint32_t item : items) {
      const auto key = keyOf(tree, item);
      if (!key) return false;
      out.push_back(*key);
    }
    return true;
  }

  static void setPath(uint16_t depth, const FieldTree& tree, uint32_t row, std::vector<std::string>& paths) {
    paths.resize(std::size_t{depth} + 1);
    paths[depth] = tree.pathBelow(depth == 0 ? std::string_view() : paths[depth - 1u], row);
  }

  void add(FieldChangeKind kind, const Work& work) {
    if (m_out.changes.size() >= m_most) {
      ++m_out.leftOut;
      return;
    }
    const bool inB = work.b != kNone;
    const std::vector<std::string>& paths = inB ? m_pathsB : m_pathsA;
    const std::string_view parent = work.depth == 0 ? std::string_view() : paths[work.depth - 1u];
    FieldChange change{kind, std::nullopt, std::nullopt, (inB ? m_b : m_a).pathBelow(parent, inB ? work.b : work.a)};
    if (work.a != kNone) change.a = work.a;
    if (inB) change.b = work.b;
    m_out.changes.push_back(std::move(change));
  }

  const FieldTree &m_a, &m_b;
  uint64_t m_most;
  Monitor& m_monitor;
  std::vector<Work> m_work;
  std::vector<std::string> m_pathsA, m_pathsB; ///< of the parent rows, by depth
  FieldDiff m_out;
  uint64_t m_looked = 0;
  bool m_stopped = false;
};

} // namespace

Result<FieldDiff> compareFields(const FieldTree& a, const FieldTree& b, Monitor& monitor, uint64_t most) {
  longWork("diff::compareFields");
  return Comparer(a, b, most, monitor).run();
}

} // namespace blobscope::diff
