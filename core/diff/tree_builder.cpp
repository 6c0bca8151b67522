#include "core/diff/tree_builder.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

constexpr std::size_t kValue = 120;
/// Maximum number of notes.
constexpr std::size_t kNotes = 50;

} // namespace

uint32_t TreeBuilder::add(DiffNode node) {
  ++m_tree.counts[static_cast<std::size_t>(node.topic)][static_cast<std::size_t>(node.status)];
  const bool same = node.status == Status::Same;
  if (!same) ++m_differing;
  if ((same && !m_options.full) || m_tree.nodes.size() >= (same ? kNodes / 2 : kNodes)) {
    if (!same || m_options.full) ++m_tree.leftOut;
    return kNone;
  }
  m_tree.nodes.push_back(std::move(node));
  m_dropped.push_back(false);
  return static_cast<uint32_t>(m_tree.nodes.size() - 1);
}

void TreeBuilder::changeStatus(uint32_t node, Topic topic, Status status, std::string detail) {
  auto& counts = m_tree.counts[static_cast<std::size_t>(topic)];
  --counts[static_cast<std::size_t>(Status::Changed)];
  ++counts[static_cast<std::size_t>(status)];
  if (status == Status::Same) --m_differing;
  if (node == kNone) {
    if (status == Status::Same && !m_options.full) --m_tree.leftOut;
    return;
  }
  m_tree.nodes[node].status = status;
  m_tree.nodes[node].detail = std::move(detail);
  m_dropped[node] = status == Status::Same && !m_options.full;
}

void TreeBuilder::addNote(std::string sentence) {
  std::vector<std::string>& notes = m_tree.notes;
  if (notes.size() < kNotes && std::find(notes.begin(), notes.end(), sentence) == notes.end())
    notes.push_back(std::move(sentence));
}

void TreeBuilder::offer(uint32_t node, Topic topic, Item item, bool inA) {
  if (node != kNone) m_unmatched[static_cast<std::size_t>(topic)][inA ? 0 : 1].push_back({node, std::move(item)});
}

Result<bool> TreeBuilder::addItems(Topic topic, const std::vector<Item>& a, const std::vector<Item>& b,
                                   const AlignRules& rules, uint32_t parent, const RefOf& refA, const RefOf& refB,
                                   const Describe& describe) {
  AlignRules wanted = rules;
  wanted.ordered = wanted.ordered && m_options.order;
  BLOBSCOPE_TRY(alignment, align(a, b, wanted, m_same, m_monitor));
  const uint64_t before = m_differing;
  uint64_t steps = 0;
  for (const Pair& pair : alignment.pairs) {
    if (++steps % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Item& left = a[pair.a];
    const Item& right = b[pair.b];
    DiffNode node;
    node.topic = topic;
    node.parent = parent;
    if (!pair.sameContent)
      node.status = Status::Changed;
    else if (!pair.sameName && m_options.names)
      node.status = Status::Renamed;
    else if (pair.outOfOrder)
      node.status = Status::Moved;
    if (node.status == Status::Same && !m_options.full) {
      countSame(topic, 1);
      continue;
    }
    node.name = left.name;
    if (left.name != right.name) node.newName = right.name;
    if (node.status == Status::Changed) {
      BLOBSCOPE_TRY(detail, describe ? describe(left, right) : m_details.of(left, right));
      node.detail = std::move(detail.text);
      node.code = std::move(detail.code);
      if (detail.same) node.status = Status::Same;
      if (detail.same && (left.listing || !left.language.empty()) && !m_options.full) {
        countSame(topic, 1);
        continue;
      }
    }
    if (node.status == Status::Moved) node.detail = "different position";
    node.a = refA(left);
    node.b = refB(right);
    add(std::move(node));
  }
  const auto unmatched = [&](const std::vector<uint32_t>& indices, const std::vector<Item>& items, bool inA,
                             const RefOf& refOf) -> Result<Done> {
    std::vector<Item> list;
    for (const uint32_t index : indices) list.push_back(items[index]);
    return addUnmatched(topic, list, inA, parent, refOf);
  };
  BLOBSCOPE_CHECK(unmatched(alignment.onlyA, a, true, refA));
  BLOBSCOPE_CHECK(unmatched(alignment.onlyB, b, false, refB));
  return m_differing == before;
}

Result<Done> TreeBuilder::addUnmatched(Topic topic, const std::vector<Item>& items, bool inA, uint32_t parent,
                                       const RefOf& refOf) {
  uint64_t steps = 0;
  for (const Item& item : items) {
    if (steps++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    DiffNode node;
    node.status = inA ? Status::Removed : Status::Added;
    node.topic = topic;
    node.parent = parent;
    (inA ? node.a : node.b) = refOf(item);
    node.name = item.name;
    const bool hasSingleFact = item.facts.size() == 1 && (topic == Topic::Tensor || topic == Topic::Field);
    if (!item.shown.empty())
      node.detail = escapedWithin(item.shown, kValue);
    else if (hasSingleFact)
      node.detail = escapedWithin(item.facts.front().second, kValue);
    else if (!item.content.empty() && topic != Topic::Field)
      node.detail = countText(item.content.size(), "byte");
    const uint32_t index = add(std::move(node));
    if (!item.content.empty()) offer(index, topic, item, inA);
  }
  return Done{};
}

Result<Done> TreeBuilder::matchUnmatched(Topic topic, const Matched& matched) {
  auto& left = m_unmatched[static_cast<std::size_t>(topic)][0];
  auto& right = m_unmatched[static_cast<std::size_t>(topic)][1];
  if (left.empty() || right.empty()) return Done{};
  std::vector<Item> a, b;
  for (const Unmatched& one : left) a.push_back(one.item);
  for (const Unmatched& one : right) b.push_back(one.item);
  AlignRules rules;
  rules.ordered = rules.similar = false;
  rules.onlyEqual = true;
  BLOBSCOPE_TRY(alignment, align(a, b, rules, m_same, m_monitor));
  auto& counts = m_tree.counts[static_cast<std::size_t>(topic)];
  for (const Pair& pair : alignment.pairs) {
    DiffNode& node = m_tree.nodes[left[pair.a].node];
    DiffNode& other = m_tree.nodes[right[pair.b].node];
    node.status = Status::Moved;
    node.detail = "different parent";
    node.b = other.b;
    if (node.name != other.name) node.newName = other.name;
    m_dropped[right[pair.b].node] = true;
    --counts[static_cast<std::size_t>(Status::Removed)];
    --counts[static_cast<std::size_t>(Status::Added)];
    ++counts[static_cast<std::size_t>(Status::Moved)];
    --m_differing;
    if (matched) matched(left[pair.a].node, a[pair.a], b[pair.b]);
  }
  const auto keep = [](std::vector<Unmatched>& list, const std::vector<uint32_t>& indices) {
    std::vector<Unmatched> rest;
    for (const uint32_t index : indices) rest.push_back(std::move(list[index]));
    list = std::move(rest);
  };
  keep(left, alignment.onlyA);
  keep(right, alignment.onlyB);
  return Done{};
}

namespace {

/// Returns the nodes in the order in which they were added, each after its parent, without the dropped ones.
DiffTree ordered(DiffTree tree, const std::vector<bool>& dropped) {
  constexpr uint32_t kNone = DiffNode::kNoParent;
  const std::size_t count = tree.nodes.size();
  std::vector<uint32_t> firstChild(count + 1, kNone), nextSibling(count, kNone);
  for (std::size_t i = count; i-- > 0;) {
    const uint32_t parent = tree.nodes[i].parent;
    uint32_t& first = firstChild[parent == kNone ? count : parent];
    nextSibling[i] = first;
    first = static_cast<uint32_t>(i);
  }
  std::vector<DiffNode> nodes;
  nodes.reserve(count);
  std::vector<std::pair<uint32_t, uint32_t>> open; // old node, new parent
  if (firstChild[count] != kNone) open.emplace_back(firstChild[count], kNone);
  while (!open.empty()) {
    const auto [at, parent] = open.back();
    open.pop_back();
    if (nextSibling[at] != kNone) open.emplace_back(nextSibling[at], parent);
    if (dropped[at]) continue;
    const auto index = static_cast<uint32_t>(nodes.size());
    nodes.push_back(std::move(tree.nodes[at]));
    nodes.back().parent = parent;
    if (firstChild[at] != kNone) open.emplace_back(firstChild[at], index);
  }
  tree.nodes = std::move(nodes);
  return tree;
}

} // namespace

DiffTree TreeBuilder::take() { return ordered(std::move(m_tree), m_dropped); }

DiffTree TreeBuilder::snapshot() const { return ordered(m_tree, m_dropped); }

} // namespace blobscope::diff
