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

bool isKept(const NodeResult& node) {
  return std::ranges::any_of(node.outputs, [](const Output& one) { return !one.file.empty(); });
}

bool isAccepted(protocol::Verdict verdict) {
  return verdict != protocol::Verdict::Differs && verdict != protocol::Verdict::NotComparable;
}

/// Compares two lists of nodes.
class NodeComparer {
public:
  NodeComparer(FunctionResult& candidate, const std::vector<NodeResult>& reference,
               const protocol::CompareOptions& tolerance, Monitor& monitor)
      : m_candidate(candidate), m_reference(reference), m_tolerance(tolerance), m_monitor(monitor) {}

  Result<Done> run() {
    std::unordered_map<std::string, uint32_t> known;
    const Pairs pairs = align(numbersOf(m_candidate.nodes, known), numbersOf(m_reference, known));
    m_candidate.firstDifference.reset();
    std::size_t mine = 0, theirs = 0;
    uint64_t done = 0;
    for (const auto& [i, j] : pairs) {
      m_monitor.progress("comparing nodes", done++, pairs.size());
      BLOBSCOPE_CHECK(compareBetween(mine, i, theirs, j));
      BLOBSCOPE_CHECK(comparePair(i, j, By::Name));
      mine = i + 1;
      theirs = j + 1;
    }
    return compareBetween(mine, m_candidate.nodes.size(), theirs, m_reference.size());
  }

private:
  using By = NodeResult::Comparison::By;
  /// Pairs of nodes that are tried between two common nodes.
  static constexpr std::size_t kTried = 256;

  /// Nodes `from` to `to` and `first` to `last` of the builds, which call other functions.
  Result<Done> compareBetween(std::size_t from, std::size_t to, std::size_t first, std::size_t last) {
    std::size_t tried = 0;
    bool lastIsPaired = false;
    for (std::size_t i = from; i < to; ++i) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_candidate.nodes[i].comparison.reset();
      lastIsPaired = false;
      for (std::size_t j = first; j < last && tried < kTried; ++j) {
        if (!sameShapes(i, j)) continue;
        ++tried;
        BLOBSCOPE_TRY(found, comparisonOf(i, j, By::Values));
        if (!found.equal || found.outputs.empty()) continue;
        take(i, std::move(found));
        first = j + 1;
        lastIsPaired = true;
        break;
      }
    }
    if (from == to || lastIsPaired) return Done{};
    for (std::size_t j = last; j-- > first;)
      if (sameShapes(to - 1, j)) return comparePair(to - 1, j, By::Shape);
    return Done{};
  }

  bool sameShapes(std::size_t i, std::size_t j) const {
    const std::vector<Output>&a = m_candidate.nodes[i].outputs, &b = m_reference[j].outputs;
    return isKept(m_candidate.nodes[i]) && isKept(m_reference[j]) &&
           std::ranges::equal(a, b, [](const Output& one, const Output& other) {
             return one.type == other.type && one.shape == other.shape;
           });
  }

  Result<Done> comparePair(std::size_t i, std::size_t j, By by) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(made, comparisonOf(i, j, by));
    if (made.outputs.empty())
      m_candidate.nodes[i].comparison.reset(); // nothing was kept
    else
      take(i, std::move(made));
    return Done{};
  }

  void take(std::size_t i, NodeResult::Comparison comparison) {
    if (!comparison.equal && !m_candidate.firstDifference) m_candidate.firstDifference = i;
    m_candidate.nodes[i].comparison = std::move(comparison);
  }

  Result<NodeResult::Comparison> comparisonOf(std::size_t i, std::size_t j, By by) {
    const NodeResult &node = m_candidate.nodes[i], &other = m_reference[j];
    NodeResult::Comparison out;
    if (node.comparison && node.comparison->reference == j && isIdentical(*node.comparison)) {
      out = *node.comparison;
      out.by = by;
      return out;
    }
    out.by = by;
    out.reference = j;
    for (std::size_t k = 0; k < node.outputs.size() && k < other.outputs.size(); ++k) {
      if (node.outputs[k].file.empty() || other.outputs[k].file.empty()) continue;
      BLOBSCOPE_TRY(a, contentOf(node.outputs[k]));
      BLOBSCOPE_TRY(b, contentOf(other.outputs[k]));
      BLOBSCOPE_TRY(compared, protocol::compareOutputs(a, b, m_tolerance, m_monitor));
      out.largest = std::max(out.largest, compared.maxAbsolute);
      if (const auto& statistics = other.outputs[k].statistics) {
        const double size = std::max(std::abs(statistics->values.minimum), std::abs(statistics->values.maximum));
        if (size > 0) out.relative = std::max(out.relative, compared.maxAbsolute / size);
      }
      out.equal = out.equal && isAccepted(compared.verdict);
      out.outputs.push_back(std::move(compared));
    }
    if (!out.outputs.empty()) countInputs(node, other, out);
    return out;
  }

  static bool isIdentical(const NodeResult::Comparison& comparison) {
    return !comparison.outputs.empty() &&
           std::ranges::all_of(comparison.outputs, [](const protocol::OutputComparison& one) {
             return one.verdict == protocol::Verdict::Identical;
           });
  }

  /// Inputs are those at the same place; builds that fused differently have other ones.
  void countInputs(const NodeResult& node, const NodeResult& other, NodeResult::Comparison& out) {
    if (node.inputs.size() != other.inputs.size() || node.function != other.function) return;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const NodeInput &a = node.inputs[k], &b = other.inputs[k];
      const auto same = haveSameBits(a, b);
      if (!same || a.source != b.source) continue;
      const bool constant = a.source == NodeInput::Source::Constant;
      ++(constant ? out.constants : out.values);
      if (*same) ++(constant ? out.sameConstants : out.sameValues);
    }
  }

  /// Nothing when one of them was not kept.
  static std::optional<bool> haveSameBits(const NodeInput& a, const NodeInput& b) {
    if (a.file.empty() || b.file.empty()) return std::nullopt;
    const auto first = bytesOf(a), second = bytesOf(b);
    if (!first || !second) return std::nullopt;
    return a.type == b.type && *first == *second;
  }

  FunctionResult& m_candidate;
  const std::vector<NodeResult>& m_reference;
  const protocol::CompareOptions& m_tolerance;
  Monitor& m_monitor;
};

} // namespace

Result<Done> compareNodes(FunctionResult& candidate, const std::vector<NodeResult>& reference,
                          const protocol::CompareOptions& tolerance, Monitor& monitor) {
  return NodeComparer(candidate, reference, tolerance, monitor).run();
}

Result<RunReportPtr> compareAgain(const RunReport& report, const protocol::CompareOptions& tolerance,
                                  Monitor& monitor) {
  auto out = std::make_shared<RunReport>(report);
  for (FunctionResult& result : out->functions)
    if (!result.referenceNodes.empty())
      BLOBSCOPE_CHECK(compareNodes(result, result.referenceNodes, tolerance, monitor));
  return RunReportPtr(std::move(out));
}

} // namespace blobscope::run
