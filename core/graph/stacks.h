#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/pictures.h"

#include <cstdint>
#include <vector>

namespace blobscope::graph {

/// A run of equal blocks of operators, such as the layers of a model, each of which continues the one before it.
struct Stack {
  std::vector<uint32_t> nodes; ///< of the page, block by block
  uint32_t blocks = 2;

  uint32_t period() const { return static_cast<uint32_t>(nodes.size()) / blocks; }
};

/// Finds the runs in the order of the nodes, without values. Blocks are equal when their nodes have the same titles
/// and marks and the same edges inside a block; all after the first one also when they have the same edges from the
/// block before them and as many from elsewhere. Shapes may differ. An edge that leaves a block for a node after the
/// next block must leave every block except the last one, or the run ends with that block. A stack has at most 512
/// nodes per block; stacks do not share nodes.
///
/// No cycle of boxes arises from drawing a stack as one box, provided that edges lead from earlier to later nodes.
/// Error: only Cancelled.
Result<std::vector<Stack>> findStacks(const view::GraphPage& page, Monitor& monitor);

} // namespace blobscope::graph
