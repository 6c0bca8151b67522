#include "core/run/flop.h"

#include <vector>

namespace blobscope::run {

std::optional<double> flopOf(const NodeResult& node) {
  if (node.outputs.size() != 1) return std::nullopt;
  std::vector<std::vector<int64_t>> inputs;
  for (const NodeInput& input : node.inputs) inputs.push_back(input.shape);
  return flopOf(node.function, inputs, node.outputs.front().shape);
}

} // namespace blobscope::run
