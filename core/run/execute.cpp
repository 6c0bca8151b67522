#include "core/run/execute.h"

#include "core/base/text.h"
#include "core/protocol/runner_process.h"
#include "core/run/agreed.h"
#include "core/run/plan.h"

#include <algorithm>
#include <chrono>

namespace blobscope::run {
namespace {

/// No further processes are started for a library that kills its runner in every call.
constexpr std::size_t kDeaths = 200;
constexpr std::size_t kLogLines = 1'000;
constexpr std::size_t kNodes = 100'000;

Status statusOf(const Error& error) {
  switch (error.id()) {
  case DiagnosticId::RunTime: return Status::Timeout;
  case DiagnosticId::RunCrash:
  case DiagnosticId::RunExit:
  case DiagnosticId::RunProcesses:
  case DiagnosticId::RunFileSize:
  case DiagnosticId::RunProtocol: return Status::Crashed;
  default: return Status::Failed;
  }
}

void fail(FunctionResult& result, Status status, std::string_view code, std::string message) {
  if (result.status != Status::Ok) return; // the first problem is the cause
  result.status = status;
  result.code = code;
  result.message = std::move(message);
}

/// Reports the last node of a model in place of the progress of the process, which knows only that it runs.
class NodesMonitor final : public Monitor {
public:
  NodesMonitor(Monitor& monitor, const std::string& node) : m_monitor(monitor), m_node(node) {}
  bool stopRequested() const override { return m_monitor.stopRequested(); }
  void progress(std::string_view what, uint64_t done, uint64_t total) override {
    if (m_node.empty())
      m_monitor.progress(what, done, total);
    else
      m_monitor.progress(m_node, 0, 0);
  }

private:
  Monitor& m_monitor;
  const std::string& m_node;
};

class Executor {
public:
  Executor(const PlannedRun& planned, const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor)
      : m_planned(planned), m_options(options), m_folder(folder), m_monitor(monitor) {}

  Result<RunReport> run() {
    const auto start = std::chrono::steady_clock::now();
    const protocol::Job& job = m_planned.job;
    m_report.dry = job.mode == protocol::Mode::Dry;
    m_report.model = job.mode == protocol::Mode::Program;
    m_report.asked = m_options.device;
    m_report.notes = m_planned.notes;
    m_report.device = m_report.dry ? "dry run" : job.backend.empty() ? "cpu" : job.backend;
    m_results.assign(job.calls.size(), nullptr);
    m_report.functions.reserve(m_planned.calls.size());
    for (const PlannedCall& planned : m_planned.calls) {
      FunctionResult& result = m_report.functions.emplace_back();
      result.function = planned.function;
      result.signature = planned.signature;
      result.variables = planned.variables;
      if (planned.refused)
        fail(result, Status::Refused, std::string(planned.refused->diagnostic().idText()), planned.refused->message());
      if (planned.call) m_results[*planned.call] = &result;
    }
    m_ended.assign(job.calls.size(), false);
    m_codes.assign(job.calls.size(), 0);
    std::size_t first = 0;
    for (std::size_t deaths = 0; first < job.calls.size(); ++deaths) {
      BLOBSCOPE_TRY(next, runFrom(first));
      first = next;
      if (deaths == kDeaths) break;
    }
    for (std::size_t i = 0; i < m_results.size(); ++i)
      if (m_codes[i] != 0)
        fail(*m_results[i], Status::Failed, row(DiagnosticId::RunFailed).id,
             Diagnostic{DiagnosticId::RunFailed,
                        {},
                        {arg("name", m_results[i]->function), arg("code", std::to_string(m_codes[i])),
                         arg("reason", "no reason given")}}
                 .message());
    for (std::size_t i = 0; i < m_results.size(); ++i)
      if (!m_ended[i])
        fail(*m_results[i], Status::Failed, row(DiagnosticId::RunRunner).id,
             "the runner ended before this function was called");
    BLOBSCOPE_CHECK(readOutputs());
    if (m_report.model && m_report.allOk()) findUnknownTaps();
    m_report.milliseconds = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
    return std::move(m_report);
  }

private:
  /// Reports the taps of which no node has the name, the function or the number.
  void findUnknownTaps() {
    std::vector<const NodeResult*> nodes;
    for (const FunctionResult& result : m_report.functions) {
      if (result.nodes.size() >= kNodes) return; // the others are not listed
      for (const NodeResult& node : result.nodes) nodes.push_back(&node);
    }
    for (const std::string& tap : m_options.taps) {
      if (tap == "all") continue;
      const bool known = std::ranges::any_of(m_report.functions, [&](const FunctionResult& result) {
        for (std::size_t i = 0; i < result.nodes.size(); ++i)
          if (protocol::isTapOf(tap, result.nodes[i].name, result.nodes[i].function, i)) return true;
        return false;
      });
      if (known) continue;
      m_report.unknownTaps.push_back(tap);
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(nodes.size(), 5); ++i)
        names += (i == 0 ? ": '" : ", '") + escapedWithin(nodes[i]->name, 60) + "'";
      m_report.notes.push_back("no node is '" + escapedWithin(tap, 100) + "', so none of its outputs are kept; " +
                               (nodes.size() > 5 ? "the first 5 of " + countText(nodes.size(), "node") + " are"
                                                 : "there " + std::string(nodes.size() == 1 ? "is " : "are ") +
                                                       countText(nodes.size(), "node")) +
                               names);
    }
  }

  /// Runs the calls from `first` on in one process; returns the call to continue with.
  Result<std::size_t> runFrom(std::size_t first) {
    protocol::Job job = m_planned.job;
    job.calls.erase(job.calls.begin(), job.calls.begin() + static_cast<std::ptrdiff_t>(first));
    protocol::RunnerOptions options;
    options.runner = m_options.runner;
    options.folder = m_folder;
    // Before each start: the code that ended the last runner could have changed its copy.
    if (!job.library.empty()) BLOBSCOPE_CHECK(checkCopy(m_folder / job.library, m_options.agreed, m_monitor));
    std::optional<protocol::ErrorReported> general;
    NodesMonitor nodes(m_monitor, m_node);
    Monitor& monitor = job.mode == protocol::Mode::Program ? static_cast<Monitor&>(nodes) : m_monitor;
    BLOBSCOPE_TRY(end, protocol::runRunner(
                           job, options, [&](const protocol::Event& event) { take(event, first, general); }, monitor));
    for (const std::string_view line : lines(end.messages))
      if (m_report.log.size() < kLogLines) m_report.log.push_back(escapedWithin(line, 1'000));
    if (!end.problem && (!end.finished || *end.finished == 0 || *end.finished == protocol::kCallFailed)) {
      // A call did not end although the runner reports that it is done: there will be no further results.
      return m_results.size();
    }
    if (end.call && first + *end.call < m_results.size()) {
      const std::size_t dead = first + *end.call;
      if (end.problem)
        fail(*m_results[dead], statusOf(*end.problem), std::string(end.problem->diagnostic().idText()),
             end.problem->message());
      m_ended[dead] = true;
      return dead + 1;
    }
    // Before the first call: another process would fail in the same way.
    if (general && !end.problem) {
      // A kernel without its host function cannot be run dry.
      const bool advise = general->id == row(DiagnosticId::RunNoDevice).id && job.mode == protocol::Mode::Function;
      const std::string message = general->message + std::string(advise ? kDryAdvice : "");
      for (std::size_t i = first; i < m_results.size(); ++i) {
        fail(*m_results[i], Status::Failed, general->id, message);
        m_ended[i] = true;
      }
      return m_results.size();
    }
    if (end.problem && first == 0 && !general) {
      const Status status = statusOf(*end.problem);
      for (std::size_t i = first; i < m_results.size(); ++i) {
        fail(*m_results[i], status, std::string(end.problem->diagnostic().idText()), end.problem->message());
        m_ended[i] = true;
      }
    }
    return m_results.size();
  }

  static std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty() && out.size() < kLogLines) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) out.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

  void take(const protocol::Event& event, std::size_t first, std::optional<protocol::ErrorReported>& general) {
    const auto resultOf = [&](uint64_t call) -> FunctionResult* {
      return call < m_results.size() - first ? m_results[first + call] : nullptr;
    };
    if (const auto* const device = std::get_if<protocol::DeviceFound>(&event)) {
      m_report.info = *device;
      m_report.device = device->name;
    } else if (const auto* const launch = std::get_if<protocol::LaunchEvent>(&event)) {
      if (FunctionResult* const result = resultOf(launch->call)) result->launches.push_back(*launch);
    } else if (const auto* const times = std::get_if<protocol::TimesMeasured>(&event)) {
      FunctionResult* const result = resultOf(times->call);
      if (result && times->kernel) result->kernelTimes.push_back(*times);
      if (result && !times->kernel)
        result->callTimes.insert(result->callTimes.end(), times->microseconds.begin(), times->microseconds.end());
    } else if (const auto* const tensor = std::get_if<protocol::TensorWritten>(&event)) {
      takeTensor(*tensor, resultOf(tensor->call), first);
    } else if (const auto* const node = std::get_if<protocol::NodeRan>(&event)) {
      if (FunctionResult* const result = resultOf(node->call)) takeNode(*node, *result);
    } else if (const auto* const nodeTimes = std::get_if<protocol::NodeTimes>(&event)) {
      FunctionResult* const result = resultOf(nodeTimes->call);
      if (result && nodeTimes->node < result->nodes.size())
        result->nodes[nodeTimes->node].times = nodeTimes->microseconds;
    } else if (const auto* const ended = std::get_if<protocol::CallEnded>(&event)) {
      FunctionResult* const result = resultOf(ended->call);
      if (!result) return;
      result->launchCount = ended->launches;
      m_ended[first + ended->call] = true;
      if (ended->code != 0) m_codes[first + ended->call] = ended->code; // the sentence may come later
      m_monitor.progress(m_report.dry ? "dry run" : "running", first + ended->call + 1, m_results.size());
    } else if (const auto* const error = std::get_if<protocol::ErrorReported>(&event)) {
      FunctionResult* const result = error->call ? resultOf(*error->call) : nullptr;
      if (result)
        fail(*result, error->id == row(DiagnosticId::RunTime).id ? Status::Timeout : Status::Failed, error->id,
             error->message);
      else if (!general)
        general = *error;
    } else if (const auto* const log = std::get_if<protocol::LogLine>(&event)) {
      if (m_report.log.size() < kLogLines) m_report.log.push_back(escapedWithin(log->text, 1'000));
    }
  }

  void takeTensor(const protocol::TensorWritten& tensor, FunctionResult* result, std::size_t first) {
    if (!result) return;
    if (m_planned.job.mode == protocol::Mode::Model || m_planned.job.mode == protocol::Mode::Program)
      return takeResult(tensor, *result, m_planned.job.calls[first + tensor.call].results);
    const auto& arguments = m_planned.job.calls[first + tensor.call].arguments;
    if (tensor.argument >= arguments.size() || arguments[tensor.argument].kind != protocol::JobArgument::Kind::Tensor)
      return;
    const protocol::JobTensor& asked = arguments[tensor.argument].tensor;
    if (tensor.overrunBefore + tensor.overrunAfter > 0) {
      const bool before = tensor.overrunBefore > 0;
      fail(*result, Status::Failed, row(DiagnosticId::RunOverrun).id,
           Diagnostic{DiagnosticId::RunOverrun,
                      {},
                      {arg("kernel", result->function),
                       sizeArg("size", before ? tensor.overrunBefore : tensor.overrunAfter),
                       arg("side", before ? "before" : "after"), arg("tensor", asked.name)}}
               .message());
    }
    if (asked.role == protocol::Role::In) return; // an input, which no call reports as written
    Output output;
    output.name = asked.name;
    output.type = asked.type;
    output.shape = asked.shape;
    // The name that this program chose, not the one that the runner reports.
    if (!tensor.file.empty() && !asked.output.empty()) output.file = m_folder / asked.output;
    output.overrunBefore = tensor.overrunBefore;
    output.overrunAfter = tensor.overrunAfter;
    result->outputs.push_back(std::move(output));
  }

  /// Reads the result of a model function, whose type and shape are only known now.
  void takeResult(const protocol::TensorWritten& tensor, FunctionResult& result, const std::string& stem) {
    if (!tensor.type || protocol::dataBytes(*tensor.type, tensor.shape) != tensor.bytes ||
        result.outputs.size() != tensor.argument)
      return;
    if (result.outputs.size() >= protocol::kEventItems) return;
    Output output;
    output.name = tensor.name;
    output.type = *tensor.type;
    output.shape = tensor.shape;
    if (!stem.empty()) output.file = m_folder / (stem + "." + std::to_string(tensor.argument));
    result.outputs.push_back(std::move(output));
  }

  void takeNode(const protocol::NodeRan& node, FunctionResult& result) {
    if (node.node != result.nodes.size() || result.nodes.size() >= kNodes) return;
    NodeResult& out = result.nodes.emplace_back();
    out.name = node.name;
    out.function = node.function;
    out.within = node.within;
    out.step = node.step;
    out.firstLaunch = node.firstLaunch;
    out.launches = node.launches;
    out.bytesRead = node.bytesRead;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const protocol::NodeRan::Output& written = node.outputs[i];
      if (protocol::dataBytes(written.type, written.shape) != written.bytes) continue;
      Output& output = out.outputs.emplace_back();
      output.name = node.outputs.size() == 1 ? "output" : "output." + std::to_string(i);
      output.type = written.type;
      output.shape = written.shape;
      // The name that the runner must have chosen, not the one that it reports.
      if (!written.file.empty())
        output.file =
            m_folder / ("tap." + std::to_string(node.call) + "." + std::to_string(node.node) + "." + std::to_string(i));
      out.bytesWritten += written.bytes;
    }
    m_node = "running node " + groupedText(result.nodes.size() - 1) + " " + escapedWithin(out.name, 60);
    m_monitor.progress(m_node, 0, 0);
  }

  Result<Done> readOutput(Output& output) {
    if (output.file.empty()) return Done{};
    BLOBSCOPE_TRY(bytes, bytesOf(output));
    BLOBSCOPE_TRY(statistics,
                  protocol::computeOutputStatistics({output.type, output.shape, std::move(bytes), {}}, m_monitor));
    output.statistics = std::move(statistics);
    return Done{};
  }

  Result<Done> readOutputs() {
    uint64_t done = 0;
    for (FunctionResult& result : m_report.functions) {
      for (Output& output : result.outputs) {
        m_monitor.progress("reading the outputs", done++, 0);
        BLOBSCOPE_CHECK(readOutput(output));
      }
      for (NodeResult& node : result.nodes)
        for (Output& output : node.outputs) {
          m_monitor.progress("reading the outputs", done++, 0);
          BLOBSCOPE_CHECK(readOutput(output));
        }
    }
    return Done{};
  }

  const PlannedRun& m_planned;
  const RunOptions& m_options;
  const std::filesystem::path& m_folder;
  Monitor& m_monitor;
  RunReport m_report;
  std::string m_node;                     ///< the progress of a model
  std::vector<FunctionResult*> m_results; ///< by call
  std::vector<bool> m_ended;
  std::vector<int64_t> m_codes; ///< what the calls returned
};

} // namespace

std::string_view statusName(Status status) {
  constexpr std::string_view kNames[] = {"ok", "refused", "failed", "crashed", "timeout", "differs"};
  return kNames[static_cast<std::size_t>(status)];
}

std::size_t RunReport::count(Status status) const {
  return static_cast<std::size_t>(std::count_if(functions.begin(), functions.end(),
                                                [&](const FunctionResult& one) { return one.status == status; }));
}

bool RunReport::allOk() const { return count(Status::Ok) == functions.size(); }

Result<Bytes> bytesOf(const Output& output) {
  if (protocol::dataBytes(output.type, output.shape) == uint64_t{0})
    return Bytes(); // files without bytes are not opened
  BLOBSCOPE_TRY(source, ByteSource::openFile(output.file));
  return ByteSource::all(source);
}

Result<Bytes> bytesOf(const NodeInput& input) {
  const uint64_t size = protocol::dataBytes(input.type, input.shape).value_or(0);
  if (size == 0) return Bytes();
  BLOBSCOPE_TRY(source, ByteSource::openFile(input.file));
  const Bytes all = ByteSource::all(source);
  if (input.offset > all.size() || size > all.size() - input.offset)
    return Error(DiagnosticId::RunProtocol, {{"reason", "the file of an input of a node is too short"}});
  return all.slice(input.offset, size);
}

Result<RunReport> executeRun(const PlannedRun& planned, const RunOptions& options, const std::filesystem::path& folder,
                             Monitor& monitor) {
  return Executor(planned, options, folder, monitor).run();
}

} // namespace blobscope::run
