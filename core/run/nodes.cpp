#include "core/run/nodes.h"

#include "core/run/execute.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::run {
namespace {

/// The table of the alignment has at most this number of entries; longer differences are aligned in order.
constexpr std::size_t kTable = 16'000'000;

std::string keyOf(const NodeResult& node) {
  std::string out = node.function;
  for (const Output& output : node.outputs) {
    out += '\0' + std::to_string(output.type.code) + ':' + std::to_string(output.type.bits);
    for (const int64_t extent : output.shape) out += ',' + std::to_string(extent);
  }
  return out;
}

std::vector<uint32_t> numbersOf(const std::vector<NodeResult>& nodes,
                                std::unordered_map<std::string, uint32_t>& known) {
  std::vector<uint32_t> out;
  for (const NodeResult& node : nodes) out.push_back(known.try_emplace(keyOf(node), known.size()).first->second);
  return out;
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The longest common subsequence.
Pairs align(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  Pairs out;
  std::size_t begin = 0, endA = a.size(), endB = b.size();
  while (begin < endA && begin < endB && a[begin] == b[begin]) {
    out.emplace_back(begin, begin);
    ++begin;
  }
  Pairs tail;
  while (endA > begin && endB > begin && a[endA - 1] == b[endB - 1]) tail.emplace_back(--endA, --endB);
  const std::size_t rows = endA - begin, columns = endB - begin;
  if (rows > 0 && columns > 0 && rows <= kTable / columns) {
    std::vector<uint32_t> lengths((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> uint32_t& { return lengths[i * (columns + 1) + j]; };
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (a[begin + i] == b[begin + j])
        out.emplace_back(begin + i++, begin + j++);
      else if (at(i + 1, j) >= at(i, j + 1))
        ++i;
      else
        ++j;
    }
  } else {
    std::size_t next = begin;
    for (std::size_t i = begin; i < endA; ++i)
      if (const auto found = std::find(b.begin() + static_cast<std::ptrdiff_t>(next),
                                       b.begin() + static_cast<std::ptrdiff_t>(endB), a[i]);
          found != b.begin() + static_cast<std::ptrdiff_t>(endB)) {
        const auto j = static_cast<std::size_t>(found - b.begin());
        out.emplace_back(i, j);
        next = j + 1;
      }
  }
  out.insert(out.end(), tail.rbegin(), tail.rend());
  return out;
}

Result<protocol::TensorOutput> contentOf(const Output& output) {
  BLOBSCOPE_TRY(bytes, bytesOf(output));
  return protocol::TensorOutput{output.type, output.shape, std::move(bytes), {}};
}

} // namespace

Result<Done> compareNodes(FunctionResult& candidate, const FunctionResult& reference, Monitor& monitor) {
  std::unordered_map<std::string, uint32_t> known;
  const Pairs pairs = align(numbersOf(candidate.nodes, known), numbersOf(reference.nodes, known));
  uint64_t done = 0;
  for (const auto& [mine, theirs] : pairs) {
    monitor.progress("comparing nodes", done++, pairs.size());
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    NodeResult& node = candidate.nodes[mine];
    const NodeResult& other = reference.nodes[theirs];
    NodeResult::Comparison comparison;
    comparison.reference = theirs;
    for (std::size_t i = 0; i < node.outputs.size() && i < other.outputs.size(); ++i) {
      if (node.outputs[i].file.empty() || other.outputs[i].file.empty()) continue;
      BLOBSCOPE_TRY(a, contentOf(node.outputs[i]));
      BLOBSCOPE_TRY(b, contentOf(other.outputs[i]));
      BLOBSCOPE_TRY(compared, protocol::compareOutputs(a, b, {}, monitor));
      comparison.largest = std::max(comparison.largest, compared.maxAbsolute);
      if (const auto& statistics = other.outputs[i].statistics) {
        const double size = std::max(std::abs(statistics->values.minimum), std::abs(statistics->values.maximum));
        if (size > 0) comparison.relative = std::max(comparison.relative, compared.maxAbsolute / size);
      }
      comparison.equal = comparison.equal && compared.verdict != protocol::Verdict::Differs &&
                         compared.verdict != protocol::Verdict::NotComparable;
      comparison.outputs.push_back(std::move(compared));
    }
    if (comparison.outputs.empty()) continue; // nothing was kept
    if (!comparison.equal && !candidate.firstDifference) candidate.firstDifference = mine;
    node.comparison = std::move(comparison);
  }
  return Done{};
}

} // namespace blobscope::run
