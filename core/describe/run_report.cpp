#include "core/describe/run_report.h"

#include "core/base/text.h"
#include "core/describe/run_parts.h"
#include "core/protocol/element_code.h"
#include "core/protocol/times.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

namespace blobscope::describe {
namespace {

using run::FunctionResult;
using run::RunComparison;
using run::RunReport;
using run::Status;

constexpr std::size_t kOutputsShown = 20, kWorstShown = 3, kArgumentsShown = 64, kLogShown = 40;
/// Maximum number of bytes of a signature or message in a line of text.
constexpr std::size_t kLineBytes = 4'000;

// --- text ---

Severity severityOf(Status status) {
  return status == Status::Ok ? Severity::Note : status == Status::Refused ? Severity::Warning : Severity::Error;
}

std::string launchLine(const protocol::LaunchEvent& launch) {
  std::string line = "  launch " + escaped(launch.kernel) + ": grid " + extentText(launch.extents.grid) + ", block " +
                     extentText(launch.extents.block);
  if (launch.extents.dynamicShared > 0) line += ", shared " + countText(launch.extents.dynamicShared, "byte");
  std::vector<std::string> arguments;
  for (const protocol::LaunchArgument& argument : launch.arguments) arguments.push_back(argumentText(argument));
  return line + ", arguments " + (arguments.empty() ? "none" : joined(arguments)) + "\n";
}

std::string outputLine(const run::Output& output) {
  std::string line = "  output " + escaped(output.name);
  if (output.statistics) {
    const payloads::TensorStatistics& values = output.statistics->values;
    line += ": " + countText(values.count, "value");
    if (values.finite() > 0) line += ", " + values.minimumText + " to " + values.maximumText;
    if (values.nans > 0) line += ", " + groupedText(values.nans) + " NaN";
    if (values.infinities > 0) line += ", " + groupedText(values.infinities) + " infinite";
  }
  return line + "\n";
}

bool isNotCompared(const FunctionResult& result) { return result.status == Status::Refused && result.wasCalled(); }

std::string_view printedStatus(const FunctionResult& result) {
  return isNotCompared(result) ? "not compared" : run::statusName(result.status);
}

/// Returns "1 not run, 2 crashed": the number of results for each of `words`, as `wordOf` classifies them.
template <typename WordOf>
std::vector<std::string> countsOf(const RunReport& report, std::initializer_list<std::string_view> words,
                                  const WordOf& wordOf) {
  std::vector<std::string> out;
  for (const std::string_view word : words) {
    const auto count = std::count_if(report.functions.begin(), report.functions.end(),
                                     [&](const FunctionResult& result) { return wordOf(result) == word; });
    if (count > 0) out.push_back(std::to_string(count) + " " + std::string(word));
  }
  return out;
}

/// The message with "each function" instead of the function's name.
std::string messageWithoutName(const FunctionResult& result) {
  std::string message = result.message;
  const std::string name = "'" + escaped(result.signature.function) + "'";
  for (std::size_t at = message.find(name); at != std::string::npos; at = message.find(name, at))
    message.replace(at, name.size(), "each function");
  return message;
}

/// Returns "RUN-IMAGE: each function contains …", the reason why none of several functions was called; empty if they
/// have different ones.
std::string commonReason(const RunReport& report) {
  if (report.functions.size() < 2) return {};
  const FunctionResult& first = report.functions.front();
  if (first.message.empty()) return {};
  const std::string message = messageWithoutName(first);
  for (const FunctionResult& one : report.functions)
    if (one.code != first.code || one.wasCalled() || messageWithoutName(one) != message) return {};
  return first.code + ": " + message;
}

std::string nodeText(const FunctionResult& result, std::size_t number) {
  const run::NodeResult& node = result.nodes[number];
  return "node " + std::to_string(number) + " " + escaped(node.name) +
         (node.name == node.function ? "" : " (" + escaped(node.function) + ")");
}

/// ", 1.5 GFLOP/s"; empty if it is not known.
std::string rateText(const run::NodeResult& node) {
  const auto rate = gigaflopsOf(node);
  return rate ? ", " + realText(*rate) + " GFLOP/s" : std::string();
}

/// The nodes that took longest, and the first that differs.
void writeNodes(const FunctionResult& result, const TextOutput& out) {
  constexpr std::size_t kSlowest = 10;
  out.write("  " + countText(result.nodes.size(), "node") + "\n");
  std::vector<std::pair<double, std::size_t>> times;
  double total = 0;
  for (std::size_t i = 0; i < result.nodes.size(); ++i)
    if (!result.nodes[i].times.empty()) {
      times.emplace_back(protocol::summarizeTimes(result.nodes[i].times).median, i);
      total += times.back().first;
    }
  std::ranges::sort(times, std::greater<>());
  for (std::size_t i = 0; i < times.size() && i < kSlowest; ++i)
    out.write("    " + realText(times[i].first) + " µs" + ", " +
              numberText("%.1f %%", total > 0 ? 100 * times[i].first / total : 0) + ": " +
              nodeText(result, times[i].second) + rateText(result.nodes[times[i].second]) + "\n");
  uint64_t compared = 0, different = 0;
  for (const run::NodeResult& node : result.nodes)
    if (node.comparison) {
      ++compared;
      if (!node.comparison->equal) ++different;
    }
  if (compared > 0)
    out.write("  compared " + countText(compared, "node") + ": " +
              (different == 0 ? std::string("no difference")
                              : groupedText(different) + (different == 1 ? " differs" : " differ")) +
              "\n");
  if (!result.firstDifference) return;
  const run::NodeResult& first = result.nodes[*result.firstDifference];
  out.write("  " + out.coloured(Severity::Error, "first difference") + ": " +
            nodeText(result, *result.firstDifference) + "\n");
  const run::NodeResult::Comparison& comparison = *first.comparison;
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    const std::string pattern =
        i < first.outputs.size() ? patternOf(comparison.outputs[i], first.outputs[i].shape) : std::string();
    out.write("    " + comparison.outputs[i].sentence() + (pattern.empty() ? "" : "; " + pattern) + "\n");
  }
  if (comparison.by != run::NodeResult::Comparison::By::Name && comparison.reference < result.referenceNodes.size())
    out.write("    compared with node " + std::to_string(comparison.reference) + " " +
              escaped(result.referenceNodes[comparison.reference].name) + ": the builds fused operators differently\n");
  if (const std::size_t inputs = comparison.values + comparison.constants; inputs > 0)
    out.write("    inputs: " + groupedText(comparison.sameValues + comparison.sameConstants) + " of " +
              groupedText(inputs) + " same bits\n");
}

void writeFunction(const FunctionResult& result, bool withMessage, const TextOutput& out) {
  const std::string status(printedStatus(result));
  out.write((result.status == Status::Ok ? status : out.coloured(severityOf(result.status), status)) + " " +
            escaped(result.signature.text(), kLineBytes));
  std::vector<std::string> sizes;
  for (const auto& [name, value] : result.variables) sizes.push_back(escaped(name) + " = " + std::to_string(value));
  out.write((sizes.empty() ? "" : "  with " + joined(sizes)) + "\n");
  if (withMessage && !result.message.empty())
    out.write("  " + result.code + ": " + escaped(result.message, kLineBytes) + "\n");
  // Those of a whole model are in the list of its nodes.
  if (result.nodes.empty())
    for (const protocol::LaunchEvent& launch : result.launches) out.write(launchLine(launch));
  if (result.nodes.empty() && result.launchCount > result.launches.size())
    out.write("  and " + groupedText(result.launchCount - result.launches.size()) + " more launches\n");
  for (const run::Output& output : result.outputs) out.write(outputLine(output));
  if (!result.nodes.empty()) writeNodes(result, out);
  if (!result.callTimes.empty()) out.write("  time " + protocol::summarizeTimes(result.callTimes).text() + "\n");
  if (!result.comparison) return;
  for (const RunComparison::Pair& pair : result.comparison->outputs)
    out.write("  compared " + escaped(pair.name) + ": " + pair.result.sentence() + "\n");
  if (!result.comparison->deterministic) out.write("  the reference is not deterministic: two runs of it differ\n");
  if (result.comparison->times) out.write("  " + result.comparison->times->sentence() + "\n");
  for (const RunComparison::Launch& one : result.comparison->launches)
    out.write("  " + escaped(result.launches[one.launch].kernel) + " on the device: " + one.times.sentence() + "\n");
}

// --- details ---

view::DetailGroup runGroup(const RunReport* report, const run::RunOptions& options) {
  view::DetailGroup group{"Run", {}, {}, {}};
  if (!report) return group;
  group.rows.push_back(row("Device", report->device));
  if (!report->dry) group.rows.push_back(row("Seed", std::to_string(options.seed)));
  group.rows.push_back(row("Took", groupedText(report->milliseconds) + " ms"));
  if (report->info && report->info->isCpu)
    group.note = "This device runs on the CPU: its times do not represent a GPU.";
  else if (report->info && !report->dry && options.repeat)
    group.note = "Clocks are not controlled.";
  return group;
}

view::DetailGroup failureGroup(const FunctionResult& result) {
  return {std::string(statusText(result)), {row("Code", result.code, true)}, {}, result.message};
}

view::DetailGroup launchGroup(const protocol::LaunchEvent& launch) {
  view::DetailGroup group{launch.kernel, {}, {}, {}};
  group.rows.push_back(row("Grid", extentText(launch.extents.grid)));
  group.rows.push_back(row("Block", extentText(launch.extents.block)));
  if (launch.extents.cluster != std::array<uint64_t, 3>{1, 1, 1})
    group.rows.push_back(row("Cluster", extentText(launch.extents.cluster)));
  group.rows.push_back(row("Shared", groupedText(launch.extents.dynamicShared) + " B"));
  if (launch.cooperative) group.rows.push_back(row("Launch", "cooperative"));
  for (std::size_t i = 0; i < launch.arguments.size() && i < kArgumentsShown; ++i)
    group.rows.push_back(row("Argument " + std::to_string(i), argumentText(launch.arguments[i]), true));
  return group;
}

view::DetailGroup comparedGroup(const RunComparison::Pair& pair) {
  const protocol::OutputComparison& result = pair.result;
  view::DetailGroup group{escaped(pair.name) + " compared", {}, {}, {}};
  group.rows.push_back(row("Verdict", std::string(protocol::verdictName(result.verdict))));
  if (result.measured > 0) {
    group.rows.push_back(row("Max abs error", realText(result.maxAbsolute)));
    group.rows.push_back(row("Max rel error", realText(result.maxRelative)));
    group.rows.push_back(row("Max ULP", groupedText(result.maxUlp)));
  }
  if (std::string tolerance = protocol::toleranceText(result.tolerance); !tolerance.empty())
    group.rows.push_back(row("Tolerance", std::move(tolerance)));
  for (std::size_t bin = 0; bin < result.differenceBins.size(); ++bin)
    if (const uint64_t count = result.differenceBins[bin];
        count > 0 && result.verdict != protocol::Verdict::Identical) {
      const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(result.measured);
      group.rows.push_back(row("Difference " + std::string(protocol::differenceBinText(bin)),
                               groupedText(count) + ", " + numberText("%.1f %%", percent)));
    }
  if (result.unwrittenBoth > 0) group.rows.push_back(row("Not written", groupedText(result.unwrittenBoth)));
  for (std::size_t i = 0; i < result.worst.size() && i < kWorstShown; ++i) {
    const protocol::ValuePair& value = result.worst[i];
    group.rows.push_back(
        row("Element " + std::to_string(value.index), value.candidate + ", reference " + value.reference, true));
  }
  group.note = result.note.empty() ? result.sentence() : result.note;
  return group;
}

view::DetailGroup outputGroup(const run::Output& output) {
  view::DetailGroup group{output.name, {}, {}, {}};
  std::vector<std::string> shape;
  for (const int64_t extent : output.shape) shape.push_back(std::to_string(extent));
  group.rows.push_back(row("Type", protocol::typeText(output.type) + " [" + joined(shape) + "]", true));
  if (output.statistics) {
    const payloads::TensorStatistics& values = output.statistics->values;
    if (values.finite() > 0) {
      group.rows.push_back(row("Min, max", values.minimumText + ", " + values.maximumText));
      group.rows.push_back(row("Mean", realText(values.mean)));
      group.rows.push_back(row("Sum", realText(output.statistics->sum)));
    }
    group.rows.push_back(row("NaN", groupedText(values.nans)));
    if (values.infinities > 0) group.rows.push_back(row("Infinities", groupedText(values.infinities)));
    if (output.statistics->unwritten)
      group.rows.push_back(row("Not written", groupedText(*output.statistics->unwritten)));
  }
  if (output.overrunBefore + output.overrunAfter > 0) group.note = "Bytes outside the tensor were changed.";
  return group;
}

view::DetailGroup argumentsGroup(const host::Signature& signature) {
  view::DetailGroup group{"Arguments", {}, {}, {}};
  for (std::size_t i = 0; i < signature.parameters.size() && i < kArgumentsShown; ++i) {
    const host::Parameter& parameter = signature.parameters[i];
    group.rows.push_back(row(parameter.name.empty() ? "Argument " + std::to_string(i) : escaped(parameter.name),
                             parameter.text(), true));
  }
  return group;
}

view::DetailGroup sizesGroup(const run::Variables& variables) {
  view::DetailGroup group{"Sizes", {}, {}, {}};
  for (const auto& [name, value] : variables) group.rows.push_back(row(escaped(name), std::to_string(value)));
  return group;
}

view::DetailGroup linesGroup(std::string title, const std::vector<std::string>& log) {
  view::DetailGroup group{std::move(title), {}, {}, {}};
  for (std::size_t i = 0; i < log.size() && i < kLogShown; ++i) group.note += (i > 0 ? "\n" : "") + log[i];
  if (log.size() > kLogShown) group.note += "\n…";
  return group;
}

} // namespace

std::string_view statusText(Status status) {
  switch (status) {
  case Status::Refused: return "not run";
  case Status::Timeout: return "timed out";
  default: return run::statusName(status);
  }
}

std::string_view statusText(const FunctionResult& result) {
  return isNotCompared(result) ? "not compared" : statusText(result.status);
}

std::string resultText(const FunctionResult& result) {
  if (result.status != Status::Ok || !result.comparison) return std::string(statusText(result));
  const auto& pairs = result.comparison->outputs;
  if (pairs.empty()) return "nothing to compare";
  return std::all_of(pairs.begin(), pairs.end(),
                     [](const auto& pair) { return pair.result.verdict == protocol::Verdict::Identical; })
             ? "equal"
             : "within tolerance";
}

std::string argumentText(const protocol::LaunchArgument& argument) {
  if (argument.tensor) {
    if (argument.tensor->empty()) return "pointer " + hexText(argument.value);
    return escapedWithin(*argument.tensor, 200) + (argument.value > 0 ? "+" + hexText(argument.value) : "");
  }
  const std::string type = protocol::typeText(argument.type);
  if (argument.type.code == 2 && argument.type.bits == 32) {
    const auto bits = static_cast<uint32_t>(argument.value);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    char out[64];
    std::snprintf(out, sizeof out, "%.9g", static_cast<double>(value));
    return type + " " + out;
  }
  if (argument.type.code == 2 && argument.type.bits == 64) {
    double value = 0;
    std::memcpy(&value, &argument.value, sizeof value);
    char out[64];
    std::snprintf(out, sizeof out, "%.17g", value);
    return type + " " + out;
  }
  if (argument.type.code == 0)
    return type + " " +
           std::to_string(argument.type.bits == 32 ? static_cast<int64_t>(static_cast<int32_t>(argument.value))
                                                   : static_cast<int64_t>(argument.value));
  return type + " " + std::to_string(argument.value);
}

std::string extentText(const std::array<uint64_t, 3>& extents) {
  return std::to_string(extents[0]) + " × " + std::to_string(extents[1]) + " × " + std::to_string(extents[2]);
}

std::vector<std::string> summaryOf(const RunReport& report) {
  std::vector<std::string> out = {std::to_string(report.count(Status::Ok)) + " of " +
                                  std::to_string(report.functions.size()) + " functions ok"};
  for (std::string& text : countsOf(report, {"not run", "not compared", "differs", "failed", "crashed", "timed out"},
                                    [](const FunctionResult& result) { return statusText(result); }))
    out.push_back(std::move(text));
  return out;
}

std::vector<std::string> summaryOf(const FunctionResult& result) {
  std::vector<std::string> out = {result.launchCount == 1 ? "1 launch"
                                                          : std::to_string(result.launchCount) + " launches"};
  if (result.launchCount > result.launches.size())
    out.push_back(std::to_string(result.launches.size()) + " of them shown");
  if (!result.message.empty()) out.push_back(result.code + ": " + result.message);
  return out;
}

void writeText(const RunReport& report, const TextOutput& out) {
  const bool none = report.count(Status::Refused) == report.functions.size();
  out.write("device: " + (none && !report.asked.empty() ? report.asked : escaped(report.device)) +
            (report.info && report.info->isCpu ? " (runs on the CPU: its times do not represent a GPU)" : "") + "\n");
  const std::string reason = commonReason(report);
  if (!reason.empty()) out.write(escaped(reason, kLineBytes) + "\n");
  for (const FunctionResult& result : report.functions) writeFunction(result, reason.empty(), out);
  const std::vector<std::string> counts =
      countsOf(report, {"ok", "refused", "not compared", "failed", "crashed", "timeout", "differs"}, printedStatus);
  out.write(std::to_string(report.functions.size()) + (report.functions.size() == 1 ? " function: " : " functions: ") +
            joined(counts) + "\n");
  for (const std::string& note : report.notes) out.write("note: " + note + "\n");
  for (const std::string& line : report.log) out.write("log: " + line + "\n");
}

void writeMetadataText(const std::vector<run::FunctionMetadata>& functions, const TextOutput& out) {
  for (const run::FunctionMetadata& function : functions) {
    out.write(escaped(function.name) + function.signature + "\n");
    for (std::size_t at = 0; at < function.doc.size();) {
      const std::size_t end = std::min(function.doc.find('\n', at), function.doc.size());
      out.write("    " + escaped(function.doc.substr(at, end - at)) + "\n");
      at = end + 1;
    }
    if (!function.fine()) out.write("    " + function.code + ": " + function.message + "\n");
  }
}

view::Details detailsOf(const RunReport* report, const run::RunOptions& options, const FunctionResult* result,
                        const protocol::LaunchEvent* launch) {
  view::Details groups;
  if (launch) groups.push_back(launchGroup(*launch));
  if (result && !result->message.empty()) groups.push_back(failureGroup(*result));
  groups.push_back(runGroup(report, options));
  if (launch || !result) return groups;
  if (result->comparison) {
    const RunComparison& compared = *result->comparison;
    for (std::size_t i = 0; i < compared.outputs.size() && i < kOutputsShown; ++i)
      groups.push_back(comparedGroup(compared.outputs[i]));
    if (!compared.deterministic)
      groups.front().note = "The reference is not deterministic: two runs of it gave different results.";
    if (compared.times) groups.push_back({"Times compared", {}, {}, compared.times->sentence()});
  }
  for (std::size_t i = 0; i < result->outputs.size() && i < kOutputsShown; ++i)
    groups.push_back(outputGroup(result->outputs[i]));
  if (!result->signature.parameters.empty()) groups.push_back(argumentsGroup(result->signature));
  if (!result->variables.empty()) groups.push_back(sizesGroup(result->variables));
  if (report && !report->notes.empty()) groups.push_back(linesGroup("Notes", report->notes));
  if (report && !report->log.empty()) groups.push_back(linesGroup("Printed text", report->log));
  return groups;
}

} // namespace blobscope::describe
