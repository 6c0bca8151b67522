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
  uint64_t timeoutMs = 3'600'000;             ///< of the whole job; single steps have limits of their own
  uint64_t outputBytes = uint64_t{256} << 20; ///< of all events
  uint64_t lines = 1'000'000;
  uint64_t messageBytes = 256 << 10;                   ///< of standard error, where prints of the library go
  std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: that of this program
};

/// How a runner ended. `problem` says it when it did not end as it should: RUN-CRASH, RUN-EXIT, RUN-TIME, RUN-PROTOCOL,
/// RUN-RUNNER. What went wrong in a call while the runner lived was told by an event.
struct RunnerEnd {
  std::optional<Error> problem;
  std::optional<int64_t>
      finished; ///< what "done" told: 0, 2 load failed, 3 device missing, 4 device error, 5 a call failed
  Stage stage = Stage::Preflight; ///< the last one
  std::optional<uint64_t> call;   ///< the one that was being made then; the calls behind it were not made
  std::optional<Crash> crash;     ///< what the signal handler could tell
  std::optional<int> signal, exitCode;
  std::string messages; ///< standard error
  bool messagesCut = false;
};

using EventSink = std::function<void(const Event&)>;

/// The runner that belongs to this program: BLOBSCOPE_RUNNER, else beside it, else in ../libexec/blobscope. RUN-RUNNER.
Result<std::filesystem::path> findRunner();

/// Starts the runner with the job and hands its events, in this thread, to `sink` while it runs. Everything that it
/// says is checked first. RUN-RUNNER when it cannot be started, FILE-WRITE for the job; Cancelled, within 100 ms, when
/// the monitor says stop: the runner is then asked, terminated and killed behind the caller's back.
Result<RunnerEnd> runRunner(const Job& job, const RunnerOptions& options, const EventSink& sink, Monitor& monitor);

/// "SIGSEGV"; "signal 42" for one without a name here.
std::string signalName(int signal);

} // namespace blobscope::protocol
