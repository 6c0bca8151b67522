#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::protocol {

struct RunnerOptions {
  std::filesystem::path runner;               ///< the program; empty: findRunner()
  std::filesystem::path folder;               ///< the job's private folder; "job.json" is written there
  uint64_t timeoutMs = 3'600'000;             ///< of the whole job; single steps have their own limits
  uint64_t outputBytes = uint64_t{256} << 20; ///< of all events
  uint64_t lines = 1'000'000;
  uint64_t messageBytes = 256 << 10;                   ///< of standard error, which receives what the library prints
  std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: the environment of this program
};

/// How a runner ended. `problem` is set when it did not end normally: RUN-CRASH, RUN-EXIT, RUN-TIME,
/// RUN-PROCESSES, RUN-FILE-SIZE, RUN-PROTOCOL, RUN-RUNNER. A problem in a call while the runner was alive was reported
/// by an event.
struct RunnerEnd {
  std::optional<Error> problem;
  /// code of the event "done": 0, 2 load failed, 3 device missing, 4 device error, 5 a call failed
  std::optional<int64_t> finished;
  Stage stage = Stage::Preflight; ///< the last one
  std::optional<uint64_t> call;   ///< index of the call at that time; the calls after it were not made
  std::optional<Crash> crash;     ///< what the signal handler could report
  std::optional<int> signal, exitCode;
  std::string messages; ///< standard error
  bool messagesCut = false;
};

using EventSink = std::function<void(const Event&)>;

/// The runner that belongs to this program: BLOBSCOPE_RUNNER, else the one next to this program, else the one in
/// ../libexec/blobscope. RUN-RUNNER.
Result<std::filesystem::path> findRunner();

/// Starts the runner with the job and passes its events, in this thread, to `sink` while it runs. Everything that it
/// sends is checked first. RUN-RUNNER when it cannot be started, FILE-WRITE for the job; Cancelled, within 100 ms, when
/// the monitor requests a stop: the runner is then asked to stop, terminated and killed in the background.
Result<RunnerEnd> runRunner(const Job& job, const RunnerOptions& options, const EventSink& sink, Monitor& monitor);

} // namespace blobscope::protocol
