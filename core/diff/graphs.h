#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/sequence.h"
#include "core/view/pictures.h"

#include <cstdint>
#include <memory>

namespace blobscope::diff {

/// Two graphs as one, whose nodes and edges are marked.
struct GraphDiff {
  /// Nodes in the order of B; one that only A has follows the one that it follows in A, or comes last if names identify
  /// the nodes. The note of a changed node has both values: "1×4 → 1×8".
  std::shared_ptr<const view::GraphPage> merged;
  uint64_t equal = 0, changed = 0, removed = 0, added = 0; ///< nodes
  uint64_t changedEdges = 0, removedEdges = 0, addedEdges = 0;

  bool same() const { return changed + removed + added + changedEdges + removedEdges + addedEdges == 0; }
};

/// Matches nodes by name if names identify them on both sides, else by title in their order: numbers in the names that
/// a compiler makes differ from build to build. Matched nodes are changed if group, note, device or bytes differ; edges
/// if their labels differ. Error: only Cancelled.
Result<GraphDiff> compareGraphs(const view::GraphPage& a, const view::GraphPage& b, Monitor& monitor,
                                uint64_t cost = kSequenceCost);

} // namespace blobscope::diff
