#include "core/diff/align.h"

#include "core/diff/order.h"
#include "core/diff/stoppable_sort.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

namespace blobscope::diff {
namespace {

/// Content above this size is compared unchanged, whatever its naming, since excluding names makes a copy.
constexpr uint64_t kRewritten = uint64_t{4} << 20;
/// Items between two checks of the monitor.
constexpr std::size_t kItems = 4'096;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Returns `text` with one byte in place of every occurrence of `name` as a whole word.
std::string withoutName(std::string_view text, std::string_view name) {
  const auto isWord = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    // TVM calls the kernels of a function NAME_kernel, and PTX its parameters NAME_param_0, so word characters may
    // follow.
    if (at > 0 && isWord(text[at - 1])) continue;
    if (const std::size_t end = at + name.size(); end < text.size() && text[end] >= '0' && text[end] <= '9') continue;
    out += text.substr(from, at - from);
    out += '\1';
    from = at + name.size();
  }
  out += text.substr(from);
  return out;
}

/// Returns the words of a shader without the strings that name things. Source: SPIR-V specification 1.6, 2.3 and
/// 3.52.2, 3.52.5.
std::string withoutSpirvNames(std::string_view words) {
  constexpr uint16_t kName = 5, kMemberName = 6, kEntryPoint = 15;
  std::string out(words.substr(0, 20));
  std::size_t at = 20;
  while (at + 4 <= words.size()) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(words[at + i])); };
    const unsigned opcode = byte(0) | byte(1) << 8, count = byte(2) | byte(3) << 8;
    if (count == 0 || count * std::size_t{4} > words.size() - at) break;
    const std::string_view instruction = words.substr(at, count * std::size_t{4});
    if (opcode == kEntryPoint) {
      // Operands: execution model and function, the name, the interface.
      std::size_t end = std::min<std::size_t>(12, instruction.size());
      while (end < instruction.size() && instruction[end] != '\0') ++end;
      end = std::min(instruction.size(), (end / 4 + 1) * 4);
      out += instruction.substr(4, 8);
      out += instruction.substr(end);
    } else if (opcode != kName && opcode != kMemberName) {
      out += instruction;
    }
    at += instruction.size();
  }
  out += words.substr(std::min(at, words.size()));
  return out;
}

bool isRewritten(const Item& item) {
  return item.naming != Item::Naming::None && item.content.size() <= kRewritten && !item.name.empty();
}

/// Returns the content without the item's own name, if naming requires it.
std::string rewritten(const Item& item) {
  if (item.naming == Item::Naming::Spirv && item.content.size() >= 20) return withoutSpirvNames(item.content.view());
  return withoutName(item.content.view(), item.name);
}

/// Limits for comparing names word by word: items per side, words per name, and the likeness from which names are
/// similar.
constexpr std::size_t kComparedNames = 64, kFewestWords = 4, kMostWords = 64;
constexpr double kSimilarNames = 0.8;

using Words = std::vector<std::string>;
/// Returns the parts of a name between underscores, without counters.
Words wordsOf(std::string_view name) {
  Words words;
  for (std::size_t from = 0; from <= name.size() && words.size() < kMostWords;) {
    const std::size_t end = std::min(name.find('_', from), name.size());
    if (std::string word = withoutCounters(name.substr(from, end - from)); !word.empty())
      words.push_back(std::move(word));
    from = end + 1;
  }
  return words;
}

/// Returns the share of words that both have in the same order.
double similarityOf(const Words& a, const Words& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::string& word : a) {
    std::size_t before = 0; // of the previous row, one column to the left
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t above = row[k + 1];
      row[k + 1] = word == b[k] ? before + 1 : std::max(row[k], above);
      before = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
}

uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15 + (hash >> 31); }

uint64_t factsHash(const Item& item) {
  uint64_t hash = item.facts.size();
  for (const auto& [label, value] : item.facts)
    hash = mix(mix(hash, std::hash<std::string>{}(label)), std::hash<std::string>{}(value));
  return hash;
}

/// The state of one align() call.
class Aligner {
public:
  Aligner(std::span<const Item> a, std::span<const Item> b, const AlignRules& rules, const SameBytes& same,
          Monitor& monitor)
      : m_items{a, b}, m_rules(rules), m_same(same), m_monitor(monitor),
        m_taken{std::vector<bool>(a.size(), false), std::vector<bool>(b.size(), false)} {}

  Result<Alignment> run() {
    // --- 1. Equal ends: items that did not change at all are matched here, without sorting. ---
    BLOBSCOPE_CHECK(takeEnds());
    // --- 2. Equal name and content; the common names are known after this. ---
    if (!m_rules.byContent) BLOBSCOPE_CHECK(byName(true));
    // --- 3. Equal content, different counter; before equal names, since every build assigns counters again. ---
    if (!m_rules.byContent && m_rules.renamed) BLOBSCOPE_CHECK(byContent(true));
    // --- 4. Equal names. ---
    if (!m_rules.byContent && !m_rules.onlyEqual) BLOBSCOPE_CHECK(byName(false));
    // --- 5. Equal content. ---
    if (m_rules.byContent || m_rules.renamed) BLOBSCOPE_CHECK(byContent(false));
    // --- 6. Similar items. ---
    if (m_rules.similar && !m_rules.onlyEqual)
      for (const Likeness likeness : {Likeness::Size, Likeness::Facts, Likeness::Name})
        BLOBSCOPE_CHECK(bySimilarity(likeness));
    // --- 7. Names in which a word was added or removed: fused_add_gelu and fused_add_gelu_tanh. ---
    if (m_rules.similar && !m_rules.onlyEqual && !m_rules.byContent) byWords();
    return finish();
  }

private:
  static constexpr std::size_t kA = 0, kB = 1;
  /// What similar items have in common besides the name without counters: size and facts, facts, or nothing.
  enum class Likeness { Size, Facts, Name };
  /// Items of one side with a sort key.
  template <class K> struct Keyed {
    K key;
    uint32_t index;
  };

  const Item& item(std::size_t side, uint32_t index) const { return m_items[side][index]; }

  Result<Done> poll() {
    if (++m_steps % kItems == 0 && m_monitor.stopRequested()) return cancelled();
    return Done{};
  }

  void take(uint32_t a, uint32_t b, bool sameContent) {
    m_taken[kA][a] = m_taken[kB][b] = true;
    m_pairs.push_back({a, b, m_rules.byContent || item(kA, a).name == item(kB, b).name, sameContent, false});
  }

  Result<Done> takeEnds() {
    const auto equalAt = [&](uint32_t a, uint32_t b) -> Result<bool> {
      BLOBSCOPE_CHECK(poll());
      if (!m_rules.byContent && item(kA, a).name != item(kB, b).name) return false;
      return equalItems(item(kA, a), item(kB, b), m_same, m_monitor);
    };
    const auto common = static_cast<uint32_t>(std::min(m_items[kA].size(), m_items[kB].size()));
    uint32_t front = 0;
    for (; front < common; ++front) {
      BLOBSCOPE_TRY(equal, equalAt(front, front));
      if (!equal) break;
      take(front, front, true);
    }
    for (uint32_t back = 1; back <= common - front; ++back) {
      const auto a = static_cast<uint32_t>(m_items[kA].size() - back),
                 b = static_cast<uint32_t>(m_items[kB].size() - back);
      BLOBSCOPE_TRY(equal, equalAt(a, b));
      if (!equal) break;
      take(a, b, true);
    }
    return Done{};
  }

  /// Returns the unmatched items of a side, sorted by key, then by position.
  template <class K, class F> Result<std::vector<Keyed<K>>> sorted(std::size_t side, F keyOf) {
    std::vector<Keyed<K>> out;
    for (uint32_t i = 0; i < m_items[side].size(); ++i) {
      BLOBSCOPE_CHECK(poll());
      if (!m_taken[side][i])
        if (std::optional<K> key = keyOf(side, i)) out.push_back({std::move(*key), i});
    }
    BLOBSCOPE_CHECK(stableSort(out, [](const Keyed<K>& x, const Keyed<K>& y) { return x.key < y.key; }, m_monitor));
    return out;
  }

  /// Calls `visit` with the items of each key that both sides have.
  template <class K, class F>
  static Result<Done> merge(const std::vector<Keyed<K>>& a, const std::vector<Keyed<K>>& b, F visit) {
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
      if (a[i].key < b[k].key) {
        ++i;
      } else if (b[k].key < a[i].key) {
        ++k;
      } else {
        std::size_t endA = i, endB = k;
        while (endA < a.size() && a[endA].key == a[i].key) ++endA;
        while (endB < b.size() && b[endB].key == b[k].key) ++endB;
        BLOBSCOPE_CHECK(visit(std::span(a).subspan(i, endA - i), std::span(b).subspan(k, endB - k)));
        i = endA;
        k = endB;
      }
    }
    return Done{};
  }

  Result<Done> byName(bool equalContent) {
    const auto nameOf = [&](std::size_t side, uint32_t i) {
      return std::optional<std::string_view>(item(side, i).name);
    };
    BLOBSCOPE_TRY(a, sorted<std::string_view>(kA, nameOf));
    BLOBSCOPE_TRY(b, sorted<std::string_view>(kB, nameOf));
    return merge(a, b, [&](auto left, auto right) -> Result<Done> {
      BLOBSCOPE_CHECK(poll());
      if (equalContent && left.size() * right.size() > 1) return pairByHash(left, right, true);
      for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        bool equal = false;
        if (equalContent) {
          BLOBSCOPE_TRY(result, equalItems(item(kA, left[i].index), item(kB, right[i].index), m_same, m_monitor));
          equal = result;
          if (!equal) continue;
        }
        take(left[i].index, right[i].index, equal);
      }
      return Done{};
    });
  }

  /// Pairs items of equal content among items with the same key; `names` says whether names belong to the content.
  template <class S> Result<Done> pairByHash(S left, S right, bool names) {
    const auto hashed = [&](std::size_t side, S list) -> Result<std::vector<Keyed<uint64_t>>> {
      std::vector<Keyed<uint64_t>> out;
      for (const auto& entry : list) {
        BLOBSCOPE_CHECK(poll());
        BLOBSCOPE_TRY(hash, hashOf(side, entry.index, names));
        out.push_back({hash, entry.index});
      }
      BLOBSCOPE_CHECK(stableSort(out, [](const auto& x, const auto& y) { return x.key < y.key; }, m_monitor));
      return out;
    };
    BLOBSCOPE_TRY(a, hashed(kA, left));
    BLOBSCOPE_TRY(b, hashed(kB, right));
    return merge(a, b, [&](auto x, auto y) -> Result<Done> {
      for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        BLOBSCOPE_CHECK(poll());
        const Item& first = item(kA, x[i].index);
        const Item& second = item(kB, y[i].index);
        BLOBSCOPE_TRY(equal, names ? equalItems(first, second, m_same, m_monitor)
                                   : equalButForNames(first, second, m_same, m_monitor));
        if (equal) take(x[i].index, y[i].index, true);
      }
      return Done{};
    });
  }

  Result<uint64_t> hashOf(std::size_t side, uint32_t index, bool asItIs) {
    if (!asItIs) return contentHash(item(side, index), m_monitor);
    BLOBSCOPE_TRY(hash, computeHash(item(side, index).content, m_monitor));
    return mix(factsHash(item(side, index)), hash);
  }

  /// Content is hashed only where both sides have candidates of the same size: a large item that only matches by name
  /// is not read again.
  Result<Done> byContent(bool onlyCounters) {
    struct Key {
      uint64_t size, facts;
      std::string base;
      auto operator<=>(const Key&) const = default;
    };
    const auto keyOf = [&](std::size_t side, uint32_t i) -> std::optional<Key> {
      const Item& one = item(side, i);
      if (one.content.empty() && (!m_rules.byContent || one.facts.empty())) return std::nullopt;
      // The size of rewritten content is only known after rewriting.
      return Key{isRewritten(one) ? UINT64_MAX : one.content.size(), factsHash(one),
                 onlyCounters ? withoutCounters(one.name) : std::string()};
    };
    BLOBSCOPE_TRY(a, sorted<Key>(kA, keyOf));
    BLOBSCOPE_TRY(b, sorted<Key>(kB, keyOf));
    return merge(a, b, [&](auto left, auto right) -> Result<Done> {
      BLOBSCOPE_CHECK(poll());
      const bool namesakes =
          left.size() == 1 && right.size() == 1 && item(kA, left[0].index).name == item(kB, right[0].index).name;
      if (namesakes && !m_rules.byContent) return Done{};
      return pairByHash(left, right, false);
    });
  }

  Result<Done> bySimilarity(Likeness likeness) {
    // Items without names whose facts agree are matched in order.
    const auto keyOf = [&](std::size_t side, uint32_t i) -> std::optional<std::string> {
      const Item& one = item(side, i);
      std::string key = m_rules.byContent ? std::string() : withoutCounters(one.name);
      if (likeness != Likeness::Name || m_rules.byContent) key += '\0' + std::to_string(factsHash(one));
      if (likeness == Likeness::Size) key += '/' + std::to_string(one.content.size());
      return key;
    };
    BLOBSCOPE_TRY(a, sorted<std::string>(kA, keyOf));
    BLOBSCOPE_TRY(b, sorted<std::string>(kB, keyOf));
    return merge(a, b, [&](auto left, auto right) -> Result<Done> {
      if (likeness == Likeness::Name && !m_rules.byContent && (left.size() > 1 || right.size() > 1)) return Done{};
      for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) take(left[i].index, right[i].index, false);
      return Done{};
    });
  }

  void byWords() {
    struct Candidate {
      double likeness;
      std::string_view first, second; ///< names, the smaller one first: the order is the same from both sides
      uint32_t a, b;
    };
    std::vector<std::pair<uint32_t, Words>> left[2];
    for (const std::size_t side : {kA, kB})
      for (uint32_t i = 0; i < m_items[side].size(); ++i) {
        if (m_taken[side][i] || item(side, i).content.empty()) continue;
        if (left[side].size() == kComparedNames) return; // too many to compare every pair
        if (Words words = wordsOf(item(side, i).name); words.size() >= kFewestWords)
          left[side].emplace_back(i, std::move(words));
      }
    std::vector<Candidate> candidates;
    for (const auto& [a, wordsA] : left[kA])
      for (const auto& [b, wordsB] : left[kB])
        if (const double likeness = similarityOf(wordsA, wordsB); likeness >= kSimilarNames) {
          const std::string_view nameA = item(kA, a).name, nameB = item(kB, b).name;
          candidates.push_back({likeness, std::min(nameA, nameB), std::max(nameA, nameB), a, b});
        }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
      return x.likeness != y.likeness ? x.likeness > y.likeness
                                      : std::tie(x.first, x.second) < std::tie(y.first, y.second);
    });
    for (const Candidate& one : candidates)
      if (!m_taken[kA][one.a] && !m_taken[kB][one.b]) take(one.a, one.b, false);
  }

  Result<Alignment> finish() {
    Alignment out;
    std::sort(m_pairs.begin(), m_pairs.end(), [](const Pair& x, const Pair& y) { return x.a < y.a; });
    if (m_rules.ordered && !m_rules.byContent) {
      const auto nameOf = [&](const Pair& pair) {
        return std::pair(std::string_view(std::min(item(kA, pair.a).name, item(kB, pair.b).name)), pair.sameContent);
      };
      markOutOfOrder(m_pairs, nameOf);
    }
    out.pairs = std::move(m_pairs);
    for (uint32_t i = 0; i < m_taken[kA].size(); ++i)
      if (!m_taken[kA][i]) out.onlyA.push_back(i);
    for (uint32_t i = 0; i < m_taken[kB].size(); ++i)
      if (!m_taken[kB][i]) out.onlyB.push_back(i);
    return out;
  }

  std::span<const Item> m_items[2];
  const AlignRules& m_rules;
  const SameBytes& m_same;
  Monitor& m_monitor;
  std::vector<bool> m_taken[2];
  std::vector<Pair> m_pairs;
  std::size_t m_steps = 0;
};

} // namespace

Result<Alignment> align(std::span<const Item> a, std::span<const Item> b, const AlignRules& rules,
                        const SameBytes& same, Monitor& monitor) {
  if (monitor.stopRequested()) return cancelled();
  return Aligner(a, b, rules, same, monitor).run();
}

Result<bool> equalItems(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor) {
  if (a.facts != b.facts) return false;
  return same.equal(a.content, b.content, monitor);
}

Result<uint64_t> contentHash(const Item& item, Monitor& monitor) {
  if (!isRewritten(item)) {
    BLOBSCOPE_TRY(hash, computeHash(item.content, monitor));
    return mix(factsHash(item), hash);
  }
  return mix(factsHash(item), std::hash<std::string>{}(rewritten(item)));
}

Result<bool> equalButForNames(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor) {
  if (a.facts != b.facts) return false;
  if (isRewritten(a) && isRewritten(b)) return a.naming == b.naming && rewritten(a) == rewritten(b);
  return same.equal(a.content, b.content, monitor);
}

std::string withoutCounters(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c < '0' || c > '9') out += c;
  return out;
}

} // namespace blobscope::diff
