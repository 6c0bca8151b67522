#include "core/describe/profile.h"

#include "core/base/json.h"
#include "core/describe/run_report.h"
#include "core/protocol/times.h"

#include <algorithm>
#include <string>

namespace blobscope::describe {
namespace {

/// Lines of the timeline.
constexpr uint64_t kNodes = 1, kKernels = 2;

void lineName(json::Writer& writer, uint64_t line, std::string_view name) {
  writer.beginObject().member("name", "thread_name").member("ph", "M").member("pid", uint64_t{1}).member("tid", line);
  writer.key("args").beginObject().member("name", name).endObject().endObject();
}

void event(json::Writer& writer, uint64_t line, std::string_view name, double begin, double duration) {
  writer.beginObject().member("name", name).member("ph", "X").member("pid", uint64_t{1}).member("tid", line);
  writer.key("ts").value(json::Value{begin}).key("dur").value(json::Value{duration});
}

void writeEvents(json::Writer& writer, const run::FunctionResult& result) {
  double now = 0;
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    const run::NodeResult& node = result.nodes[i];
    if (node.times.empty()) continue;
    const double duration = protocol::summarizeTimes(node.times).median;
    event(writer, kNodes, node.name, now, duration);
    writer.key("args").beginObject().member("node", uint64_t{i}).member("function", node.function);
    writer.member("bytes_read", node.bytesRead).member("bytes_written", node.bytesWritten);
    if (node.flop) writer.key("flop").value(json::Value{*node.flop});
    if (const auto rate = gigaflopsOf(node)) writer.key("gflops").value(json::Value{*rate});
    if (const auto kernels = kernelsOf(result, node); !kernels.empty()) {
      writer.key("kernels").beginArray();
      for (const std::string& kernel : kernels) writer.value(kernel);
      writer.endArray();
    }
    writer.endObject().endObject();
    double kernel = now;
    for (uint64_t launch = node.firstLaunch; launch < node.firstLaunch + node.launches; ++launch) {
      const std::vector<double>& times = result.launchTimes(launch);
      if (times.empty() || launch >= result.launches.size()) continue;
      const double took = protocol::summarizeTimes(times).median;
      event(writer, kKernels, result.launches[launch].kernel, kernel, took);
      writer.key("args").beginObject().member("launch", launch).endObject().endObject();
      kernel += took;
    }
    now = std::max(now + duration, kernel);
  }
}

} // namespace

Result<Done> writeProfile(const run::RunReport& report, const std::filesystem::path& path, const Inputs& inputs,
                          Monitor& monitor) {
  std::string text;
  json::Writer writer([&](std::string_view piece) { text += piece; });
  writer.beginObject().member("displayTimeUnit", "ms").key("traceEvents").beginArray();
  lineName(writer, kNodes, "nodes");
  lineName(writer, kKernels, "kernels on " + report.device);
  for (const run::FunctionResult& result : report.functions) writeEvents(writer, result);
  writer.endArray().endObject();
  writer.finish();
  return writeFile(path, inputs, Bytes::copyOf(text), monitor);
}

} // namespace blobscope::describe
