#include "core/describe/run_json.h"

#include "core/base/text.h"
#include "core/describe/run_report.h"
#include "core/protocol/element_code.h"
#include "core/protocol/times.h"

#include <cmath>

namespace blobscope::describe {
namespace {

using run::FunctionResult;
using run::Output;
using run::RunComparison;
using run::RunReport;

/// JSON has no infinities or NaN: they become null.
void real(json::Writer& writer, std::string_view key, double value) {
  writer.key(key);
  if (std::isfinite(value))
    writer.value(json::Value{value});
  else
    writer.null();
}
void text(json::Writer& writer, std::string_view key, const std::string& value) {
  value.empty() ? writer.nullMember(key) : writer.member(key, value);
}

void extents(json::Writer& writer, std::string_view key, const std::array<uint64_t, 3>& values) {
  writer.key(key).beginArray();
  for (const uint64_t value : values) writer.value(value);
  writer.endArray();
}

void writeLaunch(json::Writer& writer, const protocol::LaunchEvent& launch) {
  writer.beginObject();
  writer.member("kernel", launch.kernel);
  extents(writer, "grid", launch.extents.grid);
  extents(writer, "block", launch.extents.block);
  if (launch.extents.cluster != std::array<uint64_t, 3>{1, 1, 1}) extents(writer, "cluster", launch.extents.cluster);
  writer.member("shared", launch.extents.dynamicShared);
  writer.key("args").beginArray();
  for (const protocol::LaunchArgument& argument : launch.arguments) writer.value(argumentText(argument));
  writer.endArray();
  writer.endObject();
}

void writeOutput(json::Writer& writer, const Output& output) {
  writer.beginObject();
  writer.member("name", output.name);
  writer.member("dtype", protocol::typeText(output.type));
  writer.key("shape").beginArray();
  for (const int64_t extent : output.shape) writer.value(static_cast<uint64_t>(extent));
  writer.endArray();
  writer.key("statistics");
  if (output.statistics) {
    const payloads::TensorStatistics& values = output.statistics->values;
    writer.beginObject();
    writer.member("count", values.count);
    const bool any = values.finite() > 0;
    real(writer, "min", any ? values.minimum : NAN);
    real(writer, "max", any ? values.maximum : NAN);
    real(writer, "mean", any ? values.mean : NAN);
    real(writer, "sum", output.statistics->sum);
    writer.member("zeros", values.zeros);
    writer.member("nan", values.nans);
    writer.member("inf", values.infinities);
    writer.endObject();
  } else {
    writer.null();
  }
  writer.endObject();
}

void writeComparison(json::Writer& writer, const FunctionResult& function) {
  const RunComparison& comparison = *function.comparison;
  writer.beginObject();
  writer.member("equal", comparison.equal);
  writer.member("deterministic", comparison.deterministic);
  writer.key("outputs").beginArray();
  for (const RunComparison::Pair& pair : comparison.outputs) {
    const protocol::OutputComparison& result = pair.result;
    writer.beginObject();
    writer.member("name", pair.name);
    writer.member("verdict", protocol::verdictName(result.verdict));
    writer.member("tolerance", protocol::toleranceText(result.tolerance));
    writer.member("count", result.count);
    writer.member("mismatches", result.mismatches);
    writer.member("nanMismatches", result.nanMismatches);
    writer.member("unwritten", result.unwrittenBoth);
    real(writer, "maxAbsolute", result.maxAbsolute);
    real(writer, "maxRelative", result.maxRelative);
    writer.member("maxUlp", result.maxUlp);
    writer.member("text", result.sentence());
    writer.key("differences").beginArray();
    for (std::size_t bin = 0; bin < result.differenceBins.size(); ++bin) {
      if (result.differenceBins[bin] == 0) continue;
      writer.beginObject();
      writer.member("size", protocol::differenceBinText(bin));
      writer.member("count", result.differenceBins[bin]);
      writer.endObject();
    }
    writer.endArray();
    writer.key("worst").beginArray();
    for (const protocol::ValuePair& value : result.worst) {
      writer.beginObject();
      writer.key("at").beginArray();
      for (const uint64_t index : value.at) writer.value(index);
      writer.endArray();
      writer.member("candidate", value.candidate);
      writer.member("reference", value.reference);
      writer.endObject();
    }
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
  writer.key("times");
  comparison.times ? writer.value(comparison.times->sentence()) : writer.null();
  writer.key("launches").beginArray();
  for (const RunComparison::Launch& one : comparison.launches) {
    writer.beginObject();
    writer.member("launch", uint64_t{one.launch});
    writer.member("kernel", function.launches[one.launch].kernel);
    writer.member("times", one.times.sentence());
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

void writeFunction(json::Writer& writer, const FunctionResult& result) {
  writer.beginObject();
  writer.member("name", result.function);
  writer.member("status", run::statusName(result.status));
  text(writer, "code", result.code);
  text(writer, "message", result.message);
  writer.member("signature", result.signature.text());
  writer.key("sizes").beginObject();
  for (const auto& [name, value] : result.variables) writer.key(name).value(json::Value{value});
  writer.endObject();
  writer.key("launches").beginArray();
  for (const protocol::LaunchEvent& launch : result.launches) writeLaunch(writer, launch);
  writer.endArray();
  const auto times = [&](const std::vector<double>& list) {
    writer.beginArray();
    for (const double one : list) writer.value(json::Value{one});
    writer.endArray();
  };
  writer.key("times_us");
  times(result.callTimes);
  writer.key("kernel_times").beginArray();
  for (const protocol::TimesMeasured& measured : result.kernelTimes) {
    writer.beginObject();
    writer.member("kernel", measured.name);
    writer.member("launch", measured.launch);
    writer.key("times_us");
    times(measured.microseconds);
    writer.endObject();
  }
  writer.endArray();
  writer.key("outputs").beginArray();
  for (const Output& output : result.outputs) writeOutput(writer, output);
  writer.endArray();
  writer.key("comparison");
  if (result.comparison)
    writeComparison(writer, result);
  else
    writer.null();
  writer.endObject();
}

/// Median of the times; null when there are none.
void median(json::Writer& writer, std::string_view key, const std::vector<double>& times) {
  real(writer, key, times.empty() ? NAN : protocol::summarizeTimes(times).median);
}

void writeNodeInput(json::Writer& writer, const run::NodeInput& input) {
  using Source = run::NodeInput::Source;
  writer.beginObject();
  writer.member("name", input.name);
  writer.member("from", input.source == Source::Node       ? "node"
                        : input.source == Source::Constant ? "constant"
                                                           : "argument");
  writer.member("number", uint64_t{input.number});
  writer.member("dtype", protocol::typeText(input.type));
  writer.key("shape").beginArray();
  for (const int64_t extent : input.shape) writer.value(static_cast<uint64_t>(extent));
  writer.endArray();
  writer.endObject();
}

void writeNodeComparison(json::Writer& writer, const run::NodeResult::Comparison& comparison) {
  using By = run::NodeResult::Comparison::By;
  writer.beginObject();
  writer.member("reference", uint64_t{comparison.reference});
  writer.member("by", comparison.by == By::Name ? "name" : comparison.by == By::Values ? "values" : "shape");
  writer.member("equal", comparison.equal);
  real(writer, "maxAbsolute", comparison.largest);
  real(writer, "relative", comparison.relative);
  writer.key("inputs").beginObject();
  writer.member("compared", uint64_t{comparison.values});
  writer.member("same", uint64_t{comparison.sameValues});
  writer.member("constantsCompared", uint64_t{comparison.constants});
  writer.member("constantsSame", uint64_t{comparison.sameConstants});
  writer.endObject();
  writer.key("outputs").beginArray();
  for (const protocol::OutputComparison& one : comparison.outputs) {
    writer.beginObject();
    writer.member("verdict", protocol::verdictName(one.verdict));
    writer.member("text", one.sentence());
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

void writeNode(json::Writer& writer, const FunctionResult& result, const run::NodeResult& node) {
  writer.beginObject();
  writer.member("name", node.name);
  writer.member("function", node.function);
  writer.member("within", node.within);
  writer.member("step", node.step);
  median(writer, "time_us", node.times);
  writer.member("launches", node.launches);
  writer.member("bytes_read", node.bytesRead);
  writer.member("bytes_written", node.bytesWritten);
  real(writer, "flop", node.flop.value_or(NAN));
  real(writer, "gflops", gigaflopsOf(node).value_or(NAN));
  writer.key("kernels").beginArray();
  for (const std::string& kernel : kernelsOf(result, node)) writer.value(kernel);
  writer.endArray();
  writer.key("inputs").beginArray();
  for (const run::NodeInput& input : node.inputs) writeNodeInput(writer, input);
  writer.endArray();
  writer.key("outputs").beginArray();
  for (const Output& output : node.outputs) writeOutput(writer, output);
  writer.endArray();
  writer.key("comparison");
  if (node.comparison) {
    writeNodeComparison(writer, *node.comparison);
  } else {
    writer.null();
  }
  writer.endObject();
}

void writeNodes(json::Writer& writer, const RunReport& report) {
  writer.key("nodes").beginArray();
  for (const FunctionResult& result : report.functions)
    for (const run::NodeResult& node : result.nodes) writeNode(writer, result, node);
  writer.endArray();
  writer.key("first_difference");
  for (const FunctionResult& result : report.functions)
    if (result.firstDifference) {
      writer.value(Ref::named(Ref::Kind::Host, result.nodes[*result.firstDifference].function).toString());
      return;
    }
  writer.null();
}

} // namespace

void writeReport(json::Writer& writer, const RunReport& report) {
  writer.member("device", report.device);
  writer.key("functions").beginArray();
  for (const FunctionResult& result : report.functions) writeFunction(writer, result);
  writer.endArray();
  if (report.model) writeNodes(writer, report);
  writer.listMember("notes", report.notes);
  writer.key("log").beginArray();
  for (const std::string& line : report.log) writer.value(line);
  writer.endArray();
}

void writeMetadata(json::Writer& writer, const std::vector<run::FunctionMetadata>& functions) {
  writer.member("device", "cpu");
  writer.key("functions").beginArray();
  for (const run::FunctionMetadata& function : functions) {
    writer.beginObject();
    writer.member("name", function.name);
    writer.member("status", run::statusName(function.status));
    text(writer, "code", function.code);
    text(writer, "message", function.message);
    writer.member("signature", function.signature);
    writer.key("sizes").beginObject().endObject();
    for (const char* const list : {"launches", "times_us", "kernel_times", "outputs"})
      writer.key(list).beginArray().endArray();
    writer.nullMember("comparison");
    writer.key("metadata");
    const auto parsed = json::parse(Bytes::copyOf(function.json));
    parsed && !function.json.empty() ? writer.value(*parsed) : writer.null();
    text(writer, "doc", function.doc);
    writer.endObject();
  }
  writer.endArray();
  writer.key("log").beginArray().endArray();
}

void writeDevices(json::Writer& writer, const run::DeviceList& list) {
  writer.key("devices").beginArray();
  for (const protocol::DeviceFound& device : list.devices) {
    writer.beginObject();
    writer.member("kind", device.kind);
    writer.member("index", static_cast<uint64_t>(device.index));
    writer.member("name", device.name);
    writer.member("driver", device.driver);
    writer.member("memory", device.memoryBytes);
    writer.member("cpu", device.isCpu);
    writer.key("facts").beginObject();
    for (const auto& [label, value] : device.facts) writer.member(label, value);
    writer.endObject();
    writer.endObject();
  }
  writer.endArray();
  writer.key("missing").beginArray();
  for (const run::DeviceList::Missing& missing : list.missing) {
    writer.beginObject();
    writer.member("what", missing.what);
    writer.member("unlocks", missing.unlocks);
    writer.member("reason", missing.reason);
    writer.endObject();
  }
  writer.endArray();
  writer.key("confinement").beginArray();
  for (const run::ConfinedPart& part : list.confinement) {
    writer.beginObject();
    writer.member("what", part.what);
    writer.member("confined", part.confined);
    writer.member("text", part.text);
    writer.endObject();
  }
  writer.endArray();
}

void writeChecks(json::Writer& writer, const std::vector<run::DeviceCheck>& checks) {
  writer.key("checks").beginArray();
  for (const run::DeviceCheck& check : checks) {
    writer.beginObject();
    writer.member("kind", check.kind);
    writer.member("index", static_cast<uint64_t>(check.index));
    writer.member("name", check.name);
    writer.member("status", run::statusName(check.status));
    text(writer, "code", check.code);
    text(writer, "message", check.message);
    writer.key("difference");
    if (check.difference) {
      writer.beginObject();
      writer.member("tensor", check.difference->tensor);
      writer.key("index").beginArray();
      for (const uint64_t index : check.difference->at) writer.value(index);
      writer.endArray();
      writer.member("expected", check.difference->expected);
      writer.member("actual", check.difference->actual);
      writer.member("count", check.difference->count);
      writer.member("total", check.difference->total);
      writer.endObject();
    } else {
      writer.null();
    }
    writer.endObject();
  }
  writer.endArray();
}

} // namespace blobscope::describe
