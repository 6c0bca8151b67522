#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/diff/details.h"
#include "core/diff/options.h"
#include "core/diff/same_bytes.h"
#include "core/diff/tree.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace blobscope::diff {

/// Collects the nodes of a comparison: counts all of them, lists those that the options ask for, and at the end finds
/// partners for nodes that have none under their own parents.
class TreeBuilder {
public:
  /// Maximum number of listed nodes; a node takes about 500 bytes. At most half of them may be the same on both sides.
  static constexpr std::size_t kNodes = 131'072;
  using RefOf = std::function<Ref(const Item&)>;
  /// Describes how two partners of different content differ. Error: Cancelled.
  using Describe = std::function<Result<PairDetail>(const Item& a, const Item& b)>;

  TreeBuilder(const CompareOptions& options, const SameBytes& same, Monitor& monitor)
      : m_options(options), m_same(same), m_monitor(monitor),
        m_details(options.masks, options.rawNumbers, same, monitor) {}

  /// Counts the node and lists it. Returns kNoParent if it is not listed.
  uint32_t add(DiffNode node);
  void countSame(Topic topic, uint64_t nodes) { m_tree.counts[static_cast<std::size_t>(topic)][0] += nodes; }
  void addNote(std::string sentence);
  /// Returns the number of nodes so far that are not the same.
  uint64_t differing() const { return m_differing; }

  /// Aligns the items of two parents and adds a node for each. `describe`: null to use Details::of(). Returns whether
  /// all are the same. Error: Cancelled.
  Result<bool> addItems(Topic topic, const std::vector<Item>& a, const std::vector<Item>& b, const AlignRules& rules,
                        uint32_t parent, const RefOf& refA, const RefOf& refB, const Describe& describe = nullptr);
  /// Sets another status for a changed node. A node that is now the same is removed from the list; its children must be
  /// the same, too.
  void changeStatus(uint32_t node, Topic topic, Status status, std::string detail);
  /// Adds nodes that only one side has and that may later find a partner. Error: Cancelled.
  Result<Done> addUnmatched(Topic topic, const std::vector<Item>& items, bool inA, uint32_t parent, const RefOf& refOf);
  /// Records that the node, listed or not, may have a partner elsewhere.
  void offer(uint32_t node, Topic topic, Item item, bool inA);

  /// Called for each pair that was found: the node of A, and both items as offered.
  using Matched = std::function<void(uint32_t nodeA, const Item& a, const Item& b)>;
  /// Merges two unmatched nodes with equal content into one moved node. Error: Cancelled.
  Result<Done> matchUnmatched(Topic topic, const Matched& matched);

  Details& details() { return m_details; }
  /// Returns the tree with each node before its children.
  DiffTree take();
  /// Returns a copy of what take() would return now.
  DiffTree snapshot() const;
  DiffTree& tree() { return m_tree; }

private:
  struct Unmatched {
    uint32_t node;
    Item item;
  };
  static constexpr uint32_t kNone = DiffNode::kNoParent;

  const CompareOptions& m_options;
  const SameBytes& m_same;
  Monitor& m_monitor;
  Details m_details;
  DiffTree m_tree;
  uint64_t m_differing = 0;
  std::vector<Unmatched> m_unmatched[kTopics][2];
  std::vector<bool> m_dropped; ///< nodes that were merged into another one
};

} // namespace blobscope::diff
