#pragma once

#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/protocol/outputs.h"
#include "core/protocol/protocol.h"
#include "core/protocol/times.h"
#include "core/run/extent.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::run {

enum class Status : uint8_t { Ok, Refused, Failed, Crashed, Timeout, Differs };
/// The word of the command line: "ok", "refused" …
std::string_view statusName(Status status);

/// A tensor that the function wrote.
struct Output {
  std::string name;
  protocol::DataType type;
  std::vector<int64_t> shape;
  std::filesystem::path file; ///< raw, little-endian, in the run's folder
  std::optional<protocol::OutputStatistics> statistics;
  uint64_t overrunBefore = 0, overrunBehind = 0; ///< bytes changed outside of it
};

/// The outputs of two builds for the same inputs.
struct RunComparison {
  struct Pair {
    std::string name;
    protocol::OutputComparison result;
    std::optional<protocol::OutputComparison> again; ///< the reference's second run against its first
  };
  std::vector<Pair> outputs;
  bool deterministic = true;                     ///< the reference gave the same twice
  bool equal = true;                             ///< every output is within its tolerance
  std::optional<protocol::TimeComparison> times; ///< of the whole call, when both were measured
};

struct FunctionResult {
  std::string function;
  Status status = Status::Ok;
  std::string code, message; ///< "RUN-…" and its sentence; empty when all is well
  host::Signature signature;
  Variables variables;
  std::vector<protocol::LaunchEvent> launches;
  uint64_t launchCount = 0;      ///< told or not
  std::vector<double> callTimes; ///< microseconds on the wall
  std::vector<protocol::TimesMeasured> kernelTimes;
  std::vector<Output> outputs;
  std::optional<RunComparison> comparison;

  /// Whether the function was called. One that was, and whose status is Refused, could not be compared.
  bool wasCalled() const { return !callTimes.empty() || launchCount > 0 || !outputs.empty(); }
};

/// What came of a run. Immutable once made.
struct RunReport {
  std::string device; ///< "dry run", "cpu", "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::optional<protocol::DeviceFound> info;
  bool dry = false;
  std::vector<FunctionResult> functions; ///< in the order asked for
  std::vector<std::string> log;          ///< what the library printed and the runner noted
  uint64_t milliseconds = 0;

  std::size_t count(Status status) const;
  bool allOk() const;
};
using RunReportPtr = std::shared_ptr<const RunReport>;

} // namespace blobscope::run
