#include "core/protocol/runner_process.h"

#include "core/base/path_text.h"
#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/process/signals.h"
#include "core/process/stream.h"
#include "core/process/supervise.h"
#include "core/process/tools.h"

#include <span>

namespace blobscope::protocol {
namespace {

using Cause = process::StreamResult::Cause;

/// The exit code with which the runner's own watchdog ends it.
constexpr int kTimeCode = 124;
constexpr std::string_view kRunnerName = "blobscope-runner";

Error runnerError(std::string reason) { return Error(DiagnosticId::RunRunner, {{"reason", std::move(reason)}}); }
Error protocolError(std::string reason) { return Error(DiagnosticId::RunProtocol, {{"reason", std::move(reason)}}); }

std::string durationText(uint64_t ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

/// Follows the runner's events: their order, their indices, and the current stage.
class Listener {
public:
  Listener(const Job& job, const EventSink& sink) : m_job(job), m_sink(sink) {}

  /// Returns false when the runner must not continue.
  bool take(std::string_view line) {
    if (line.empty()) return true;
    auto event = readEvent(line);
    if (!event) return refuse(event.takeError());
    if (!m_greeted) {
      const auto* const hello = std::get_if<Hello>(&*event);
      if (!hello) return refuse(protocolError("its first message is not a greeting"));
      if (hello->protocol != kProtocol)
        return refuse(protocolError("it uses protocol " + std::to_string(hello->protocol) + " and this program " +
                                    std::to_string(kProtocol)));
      m_greeted = true;
    } else if (std::holds_alternative<Hello>(*event)) {
      return refuse(protocolError("it sent a second greeting"));
    }
    if (const auto call = callOf(*event); call && *call >= m_job.calls.size())
      return refuse(
          protocolError("it refers to call " + std::to_string(*call) + " of " + std::to_string(m_job.calls.size())));
    follow(*event);
    // The watchdog's last error is not passed on, because the end of the runner reports it.
    const auto* const error = std::get_if<ErrorReported>(&*event);
    if (error && error->id == row(DiagnosticId::RunTime).id) return true;
    m_sink(*event);
    // After the last event nothing more is expected; the runner exits on its own then.
    return !m_end.finished;
  }

  bool greeted() const { return m_greeted; }
  std::optional<Error>& refusal() { return m_refusal; }
  RunnerEnd& end() { return m_end; }

private:
  bool refuse(Error error) {
    m_refusal = std::move(error);
    return false;
  }
  static std::optional<uint64_t> callOf(const Event& event) {
    return std::visit(
        [](const auto& content) -> std::optional<uint64_t> {
          if constexpr (requires { content.call; })
            return content.call;
          else
            return std::nullopt;
        },
        event);
  }
  void follow(const Event& event) {
    if (const auto* const entered = std::get_if<StageEntered>(&event)) {
      m_end.stage = entered->stage;
      m_end.call = entered->call;
    } else if (const auto* const crash = std::get_if<Crash>(&event)) {
      m_end.crash = *crash;
      // Frequent steps are not reported as stages, but the crash names them.
      m_end.stage = crash->stage;
      m_end.call = crash->call;
    } else if (const auto* const finished = std::get_if<Finished>(&event)) {
      m_end.finished = finished->code;
    }
  }

  const Job& m_job;
  const EventSink& m_sink;
  bool m_greeted = false;
  std::optional<Error> m_refusal;
  RunnerEnd m_end;
};

uint64_t limitOf(const JobLimits& limits, Stage stage) {
  switch (stage) {
  case Stage::Preflight:
  case Stage::Limits:
  case Stage::Dlopen:
  case Stage::Init:
  case Stage::Driver: return limits.loadMs;
  case Stage::Module: return limits.buildMs;
  default: return limits.runMs;
  }
}

Error timeError(uint64_t ms, Stage stage) {
  return Error(DiagnosticId::RunTime, {{"time", durationText(ms)}, {"stage", std::string(stageName(stage))}});
}

Error crashError(const RunnerEnd& end, int signal) {
  std::string where;
  if (end.crash && end.crash->libraryOffset) where += ", at " + hexText(*end.crash->libraryOffset) + " of the library";
  if (end.crash && process::isMemoryFault(signal)) where += ", touching " + hexText(end.crash->address);
  if (!end.crash && process::isKill(signal)) where = ": the system may have run out of memory";
  if (process::isTimeLimit(signal)) where += ": it used up its processor time";
  return Error(
      DiagnosticId::RunCrash,
      {{"signal", process::signalName(signal)}, {"stage", std::string(stageName(end.stage))}, {"where", where}});
}

} // namespace

Result<std::filesystem::path> findRunner() {
  if (const std::string named = environmentText("BLOBSCOPE_RUNNER"); !named.empty()) return pathFrom(named);
  const std::string name = std::string(kRunnerName) + std::string(kProgramSuffix);
  const std::filesystem::path here = ownProgram().parent_path();
  const std::filesystem::path places[] = {here, here / ".." / "libexec" / "blobscope"};
  for (const std::filesystem::path& place : places)
    if (process::isExecutable(place / name)) return place / name;
  return runnerError("it is neither in '" + escaped(pathText(places[0])) + "' nor in '" +
                     escaped(pathText(places[1].lexically_normal())) + "'");
}

Result<RunnerEnd> runRunner(const Job& job, const RunnerOptions& options, const EventSink& sink, Monitor& monitor) {
  longWork("protocol::runRunner");
  // --- 1. Write the job where the runner reads it. ---
  std::filesystem::path runner = options.runner;
  if (runner.empty()) {
    BLOBSCOPE_TRY(found, findRunner());
    runner = std::move(found);
  }
  const std::filesystem::path file = options.folder / "job.json";
  const std::string text = writeJob(job);
  BLOBSCOPE_CHECK(writePrivateFile(file, std::as_bytes(std::span(text))));

  // --- 2. Run. ---
  process::StreamOptions stream;
  stream.process.program = runner;
  stream.process.arguments = {"--job", pathText(file)};
  stream.process.environment = options.environment;
  stream.process.outputBytes = options.outputBytes;
  stream.process.messageBytes = options.messageBytes;
  stream.process.timeoutMs = options.timeoutMs;
  stream.lineBytes = kLineBytes;
  stream.lines = options.lines;
  stream.stopLine = R"({"cmd":"cancel"})";
  stream.supervises = true;
  Listener listener(job, sink);
  BLOBSCOPE_TRY(result, process::stream(stream, [&](std::string_view line) { return listener.take(line); }, monitor));
  if (result.notStarted) return runnerError("'" + escaped(pathText(runner)) + "': " + *result.notStarted);

  // --- 3. Find out how it ended. ---
  RunnerEnd& end = listener.end();
  end.signal = result.signal;
  end.exitCode = result.exitCode;
  end.messages = std::move(result.messages);
  end.messagesCut = result.messagesCut;
  if (end.finished) return std::move(end);
  switch (result.cause) {
  case Cause::Refused: end.problem = std::move(listener.refusal()); break;
  case Cause::LineTooLong: end.problem = protocolError("a line of more than " + sizeText(kLineBytes)); break;
  case Cause::TooManyLines: end.problem = protocolError("more than " + groupedText(options.lines) + " lines"); break;
  case Cause::TooMuch: end.problem = protocolError("more than " + sizeText(options.outputBytes)); break;
  case Cause::Time: end.problem = timeError(options.timeoutMs, end.stage); break;
  case Cause::Itself: break;
  }
  if (result.stuck) end.messages += "\nthe process still exists after it was killed: the driver does not return";
  if (result.cause != Cause::Itself) return std::move(end);
  const std::string stage(stageName(end.stage));
  if (result.signal && process::isFileLimit(*result.signal)) {
    end.problem = Error(DiagnosticId::RunFileSize, {sizeArg("limit", job.limits.fileBytes), {"stage", stage}});
  } else if (result.exitCode == process::kTooManyCode && process::hasSupervisor()) {
    end.problem =
        Error(DiagnosticId::RunProcesses, {{"limit", groupedText(process::Supervision().processes)}, {"stage", stage}});
  } else if (end.crash || result.signal) {
    end.problem = crashError(end, result.signal ? *result.signal : static_cast<int>(end.crash->signal));
  } else if (result.exitCode == kTimeCode) {
    end.problem = timeError(limitOf(job.limits, end.stage), end.stage);
  } else if (!listener.greeted()) {
    const std::string message = escaped(std::string_view(end.messages).substr(0, end.messages.find('\n')));
    end.problem = runnerError("it ended with exit code " + std::to_string(result.exitCode.value_or(-1)) +
                              (message.empty() ? "" : ": " + message));
  } else {
    end.problem =
        Error(DiagnosticId::RunExit, {{"code", std::to_string(result.exitCode.value_or(-1))}, {"stage", stage}});
  }
  return std::move(end);
}

} // namespace blobscope::protocol
