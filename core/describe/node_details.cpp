#include "core/base/text.h"
#include "core/describe/run_parts.h"
#include "core/describe/run_report.h"
#include "core/protocol/element_code.h"
#include "core/protocol/times.h"

#include <algorithm>
#include <cmath>

namespace blobscope::describe {
namespace {

using run::FunctionResult;
using run::NodeResult;
using Comparison = NodeResult::Comparison;

constexpr std::size_t kNodeOutputs = 20, kNodeWorst = 4, kKernelsShown = 12;

std::string typeOf(const run::Output& output) {
  std::vector<std::string> shape;
  for (const int64_t extent : output.shape) shape.push_back(std::to_string(extent));
  return protocol::typeText(output.type) + " [" + joined(shape) + "]";
}

/// "1.5" if both builds have the same, else "A 1.5, B 1.6". `a`: null without another build.
std::string bothText(const std::string* a, const std::string& b) { return !a || *a == b ? b : "A " + *a + ", B " + b; }

const NodeResult* referenceOf(const FunctionResult& result, const NodeResult& node) {
  return node.comparison && node.comparison->reference < result.referenceNodes.size()
             ? &result.referenceNodes[node.comparison->reference]
             : nullptr;
}

view::DetailRow inputsRow(const NodeResult& node, const Comparison& comparison) {
  const std::size_t all = comparison.values + comparison.constants,
                    same = comparison.sameValues + comparison.sameConstants;
  std::string text = groupedText(same) + " of " + groupedText(all) + " same bits";
  if (node.inputs.size() > all) text += ", " + groupedText(node.inputs.size() - all) + " not compared";
  view::DetailRow out = row("Inputs", std::move(text));
  out.severity = same == all ? Severity::Note : Severity::Warning;
  return out;
}

/// What the inputs of a node say about the cause of its difference.
std::string conclusionOf(const NodeResult& node, bool first) {
  const Comparison& comparison = *node.comparison;
  if (comparison.equal) return {};
  const bool known = comparison.values + comparison.constants == node.inputs.size() && !node.inputs.empty();
  const bool sameValues = comparison.sameValues == comparison.values,
             sameConstants = comparison.sameConstants == comparison.constants;
  if (comparison.by == Comparison::By::Shape)
    return "The builds fused operators differently before this node, so that some nodes before it have no partner. The "
           "cause is in one of them, or in this node.";
  if (!known)
    return first ? "This is the first difference: all outputs compared before it agree, so the cause is in the code of "
                   "this node, in its weights, or in a node that was not compared."
                 : "";
  if (!sameConstants && comparison.values == 0)
    return "Its weights differ, so the cause is in the weights or in the code of this node.";
  if (!sameConstants && sameValues)
    return "Its inputs are equal, but its weights differ, so the cause is in the weights or in the code of this node.";
  if (!sameConstants) return "Its inputs and its weights differ.";
  if (!sameValues)
    return first ? "Its inputs differ, but within the tolerance. The cause is in the code of this node, or in earlier "
                   "nodes whose small differences grow here."
                 : "Its inputs differ, so the cause can be in an earlier node.";
  return comparison.constants > 0
             ? "Its inputs are equal, so the cause is in the code of this node. Its weights are equal."
             : "Its inputs are equal, so the cause is in the code of this node.";
}

view::DetailGroup nodeGroup(const FunctionResult& result, std::size_t number, const std::optional<Ref>& code) {
  const NodeResult& node = result.nodes[number];
  const NodeResult* const other = referenceOf(result, node);
  view::DetailGroup group{"Node " + groupedText(number), {}, {}, {}};
  if (node.name != node.function) group.rows.push_back(row("Name", escaped(node.name)));
  group.rows.push_back(row("Function", escaped(node.function)));
  group.rows.back().link = code;
  if (!node.within.empty()) group.rows.push_back(row("Called in", escaped(node.within)));
  if (other && node.outputs.size() == 1) group.rows.push_back(row("Output", typeOf(node.outputs.front()), true));
  if (other && !node.inputs.empty() && node.comparison->values + node.comparison->constants > 0)
    group.rows.push_back(inputsRow(node, *node.comparison));
  if (other && node.comparison->by != Comparison::By::Name) {
    group.rows.push_back(
        row("Compared with", "node " + groupedText(node.comparison->reference) + " of A, " + escaped(other->name)));
  } else if (other && node.comparison->reference != number) {
    group.rows.push_back(row("Node of A", groupedText(node.comparison->reference)));
  }
  if (node.comparison) group.note = conclusionOf(node, result.firstDifference == number);
  if (group.note.empty() && node.comparison && node.comparison->by == Comparison::By::Values)
    group.note = "The builds fused operators differently here; this node was compared with the one of A that writes "
                 "the same values.";
  return group;
}

/// What a node costs.
view::DetailGroup profileGroup(const FunctionResult& result, const NodeResult& node) {
  const NodeResult* const other = referenceOf(result, node);
  view::DetailGroup group{"Profile", {}, {}, {}};
  const auto timeOf = [](const NodeResult& one) { return realText(*medianOf(one)) + " µs"; };
  if (!node.times.empty()) {
    const std::string a = other && !other->times.empty() ? timeOf(*other) : std::string();
    group.rows.push_back(row("Median time", bothText(a.empty() ? nullptr : &a, timeOf(node))));
  }
  if (node.flop) group.rows.push_back(row("FLOP", groupedText(static_cast<uint64_t>(std::min(*node.flop, 1e18)))));
  if (const auto rate = gigaflopsOf(node)) group.rows.push_back(row("GFLOP/s", realText(*rate)));
  group.rows.push_back(row("Reads", groupedText(node.bytesRead) + " B"));
  group.rows.push_back(row("Writes", groupedText(node.bytesWritten) + " B"));
  group.rows.push_back(row("Launches", groupedText(node.launches)));
  const std::vector<std::string> kernels = kernelsOf(result, node);
  for (std::size_t i = 0; i < kernels.size() && i < kKernelsShown; ++i)
    group.rows.push_back(row("Kernel", escaped(kernels[i]), true));
  if (kernels.size() > kKernelsShown)
    group.rows.push_back(row("Kernel", "and " + groupedText(kernels.size() - kKernelsShown) + " more"));
  return group;
}

/// `other`: the same output of the other build; null if there is none.
view::DetailGroup nodeOutputGroup(const run::Output& output, const run::Output* other, bool only) {
  const payloads::TensorStatistics* const a = other && other->statistics ? &other->statistics->values : nullptr;
  view::DetailGroup group{!a     ? output.name
                          : only ? "Output in both builds"
                                 : output.name + " in both builds",
                          {},
                          {},
                          {}};
  if (!a || !only) group.rows.push_back(row("Type", typeOf(output), true));
  if (!output.statistics) {
    group.note = "This output was not kept.";
    return group;
  }
  const payloads::TensorStatistics& b = output.statistics->values;
  const auto add = [&](std::string label, const auto& textOf) {
    group.rows.push_back(row(std::move(label), textOf(a ? *a : b)));
    if (a) group.rows.back().other = textOf(b);
  };
  using Statistics = payloads::TensorStatistics;
  if (b.finite() > 0 || (a && a->finite() > 0)) {
    add("Min", [](const Statistics& one) { return one.finite() > 0 ? one.minimumText : "–"; });
    add("Max", [](const Statistics& one) { return one.finite() > 0 ? one.maximumText : "–"; });
    add("Mean", [](const Statistics& one) { return realText(one.mean); });
    add("Deviation", [](const Statistics& one) { return realText(one.deviation); });
    add("Zeros", [](const Statistics& one) { return groupedText(one.zeros); });
  }
  add("NaN", [](const Statistics& one) { return groupedText(one.nans); });
  add("Infinite", [](const Statistics& one) { return groupedText(one.infinities); });
  return group;
}

/// How the outputs differ, and where most.
void addDifferences(const protocol::OutputComparison& result, const std::vector<int64_t>& shape,
                    const std::string& name, view::Details& groups) {
  view::DetailGroup group{name.empty() ? "Difference" : "Difference of " + name, {}, {}, {}};
  group.rows.push_back(row("Verdict", std::string(protocol::verdictName(result.verdict))));
  if (result.verdict != protocol::Verdict::Identical && result.measured > 0) {
    group.rows.push_back(row("Max abs error", realText(result.maxAbsolute)));
    group.rows.push_back(row("Max rel error", realText(result.maxRelative)));
    group.rows.push_back(row("Max ULP", groupedText(result.maxUlp)));
  }
  if (std::string tolerance = protocol::toleranceText(result.tolerance); !tolerance.empty())
    group.rows.push_back(row("Tolerance", std::move(tolerance)));
  group.note = result.note.empty() ? result.sentence() : result.note;
  view::DetailGroup worst{"Worst elements", {}, {}, {}};
  for (std::size_t i = 0; i < result.worst.size() && i < kNodeWorst; ++i) {
    const protocol::ValuePair& value = result.worst[i];
    std::vector<std::string> at;
    for (const uint64_t index : value.at) at.push_back(std::to_string(index));
    worst.rows.push_back(row("[" + joined(at) + "]", value.reference, true));
    worst.rows.back().other = value.candidate;
  }
  if (std::string pattern = patternOf(result, shape); !pattern.empty())
    worst.rows.push_back(row("Pattern", std::move(pattern)));
  if (!worst.rows.empty()) groups.push_back(std::move(worst));
  groups.push_back(std::move(group));
}

/// "row 3", "rows 62 and 63", "rows 5 to 9"; `word` with a number when it is "axis": "index 3 of axis 0".
std::string rangeText(std::size_t axis, std::size_t rank, uint64_t low, uint64_t high) {
  const std::string numbers = low == high       ? groupedText(low)
                              : high == low + 1 ? groupedText(low) + " and " + groupedText(high)
                                                : groupedText(low) + " to " + groupedText(high);
  const char* const plural = low == high ? "" : "s";
  if (rank == 1) return "element" + std::string(plural) + " " + numbers;
  if (rank == 2) return (axis == 0 ? "row" : "column") + std::string(plural) + " " + numbers;
  return "index " + numbers + " of axis " + std::to_string(axis);
}

} // namespace

std::vector<std::string> kernelsOf(const FunctionResult& result, const NodeResult& node) {
  std::vector<std::string> out;
  for (uint64_t i = node.firstLaunch; i < result.launches.size() && i - node.firstLaunch < node.launches; ++i)
    if (std::ranges::find(out, result.launches[i].kernel) == out.end()) out.push_back(result.launches[i].kernel);
  return out;
}

std::optional<double> medianOf(const NodeResult& node) {
  if (node.times.empty()) return std::nullopt;
  return protocol::summarizeTimes(node.times).median;
}

std::optional<double> gigaflopsOf(const NodeResult& node) {
  const auto time = medianOf(node);
  return node.flop && time && *time > 0 ? std::optional(*node.flop / *time / 1'000) : std::nullopt;
}

std::string patternOf(const protocol::OutputComparison& comparison, const std::vector<int64_t>& shape) {
  const std::size_t rank = shape.size();
  if (comparison.mismatches == 0 || comparison.box.size() != rank) return {};
  std::string out;
  if (comparison.mismatches == comparison.count && comparison.count > 1) {
    out = comparison.severalLanes ? "all values" : "all elements";
  } else {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const auto [low, high] = comparison.box[axis];
      if (low == 0 && high + 1 == static_cast<uint64_t>(shape[axis])) continue;
      out += (out.empty() ? "" : ", ") + rangeText(axis, rank, low, high);
    }
    if (!out.empty()) out += " only";
  }
  if (comparison.nanMismatches == comparison.mismatches) out += (out.empty() ? "" : ", ") + std::string("only NaN");
  if (comparison.unwrittenMismatches == comparison.mismatches)
    out += (out.empty() ? "" : ", ") + std::string("written by one build only");
  return out;
}

view::Details nodeDetails(const FunctionResult& result, std::size_t number, const std::optional<Ref>& code) {
  if (number >= result.nodes.size()) return {};
  const NodeResult& node = result.nodes[number];
  view::Details groups = {nodeGroup(result, number, code)};
  const NodeResult* const reference = referenceOf(result, node);
  const bool only = node.outputs.size() == 1;
  if (!node.comparison) groups.push_back(profileGroup(result, node));
  for (std::size_t i = 0; i < node.outputs.size() && i < kNodeOutputs; ++i)
    groups.push_back(nodeOutputGroup(
        node.outputs[i], reference && i < reference->outputs.size() ? &reference->outputs[i] : nullptr, only));
  if (!node.comparison) return groups;
  const std::vector<protocol::OutputComparison>& compared = node.comparison->outputs;
  for (std::size_t i = 0; i < compared.size() && i < kNodeOutputs && i < node.outputs.size(); ++i)
    addDifferences(compared[i], node.outputs[i].shape, only ? std::string() : node.outputs[i].name, groups);
  groups.push_back(profileGroup(result, node));
  return groups;
}

} // namespace blobscope::describe
