#pragma once

#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/protocol/outputs.h"
#include "core/protocol/protocol.h"
#include "core/protocol/times.h"
#include "core/run/extent.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::process {
class TemporaryFolder;
}

namespace blobscope::run {

enum class Status : uint8_t { Ok, Refused, Failed, Crashed, Timeout, Differs };
/// Returns the word of the command line: "ok", "refused" …
std::string_view statusName(Status status);

/// A tensor that the function wrote.
struct Output {
  std::string name;
  protocol::DataType type;
  std::vector<int64_t> shape;
  std::filesystem::path file; ///< raw, little-endian, in the run's folder
  std::optional<protocol::OutputStatistics> statistics;
  uint64_t overrunBefore = 0, overrunAfter = 0; ///< bytes changed before and after it
};

/// The outputs of two builds for the same inputs.
struct RunComparison {
  struct Pair {
    std::string name;
    protocol::OutputComparison result;
    std::optional<protocol::OutputComparison> again; ///< the reference's second run compared with its first
  };
  std::vector<Pair> outputs;
  bool deterministic = true;                     ///< both runs of the reference gave the same results
  bool equal = true;                             ///< every output is within its tolerance
  std::optional<protocol::TimeComparison> times; ///< of the whole call, if both were measured
  std::vector<double> referenceTimes;            ///< of the whole call, in all rounds, in microseconds
  /// Times on the device of a launch that both builds make at the same place.
  struct Launch {
    std::size_t launch = 0; ///< index in FunctionResult::launches
    protocol::TimeComparison times;
    std::vector<double> candidate, reference; ///< in all rounds, in microseconds
  };
  std::vector<Launch> launches;
};

/// A tensor that a node read, as the steps of the program before it tell.
struct NodeInput {
  enum class Source : uint8_t { Node, Constant, Argument };
  std::string name; ///< of the parameter of its function; "arg0" where that is not known
  Source source = Source::Node;
  std::size_t number = 0; ///< of the node, the constant of the program, or the argument of the model
  protocol::DataType type;
  std::vector<int64_t> shape; ///< as the function sees it where its signature says that; else as it was written
  std::filesystem::path file; ///< raw, little-endian; empty: its content was not kept
  uint64_t offset = 0;        ///< of its content in the file
};

/// A call of a host function while a whole model ran.
struct NodeResult {
  std::string name;                       ///< of the node of a graph; else that of the function
  std::string function;                   ///< host function
  std::string within;                     ///< function of the model
  uint64_t step = 0;                      ///< in that function
  uint64_t firstLaunch = 0, launches = 0; ///< in FunctionResult::launches
  uint64_t bytesRead = 0, bytesWritten = 0;
  std::vector<double> times;     ///< wall time with a wait for the device, in microseconds
  std::vector<NodeInput> inputs; ///< those that are known; with a file if they were kept
  std::vector<Output> outputs;   ///< with a file if they were kept
  std::optional<double> flop;    ///< estimated, core/run/flop.h; nothing when the operator is not known
  /// With the node of the other build that does the same.
  struct Comparison {
    /// How it was found: both call a function with the same name; their outputs agree; or it is the last before the
    /// next common node that writes the same type and shape.
    enum class By : uint8_t { Name, Values, Shape };
    By by = By::Name;
    std::size_t reference = 0; ///< its number
    std::vector<protocol::OutputComparison> outputs;
    bool equal = true;   ///< every output is within its tolerance
    double largest = 0;  ///< largest absolute difference of all outputs
    double relative = 0; ///< the same in relation to the largest value of the reference
    /// Of NodeResult::inputs that both builds kept: those that are outputs of nodes or arguments of the model, those
    /// that are constants, and how many of each have the same bits.
    std::size_t values = 0, sameValues = 0, constants = 0, sameConstants = 0;
  };
  std::optional<Comparison> comparison;
};

struct FunctionResult {
  std::string function;
  Status status = Status::Ok;
  std::string code, message; ///< "RUN-…" and its sentence; empty if there is no problem
  host::Signature signature;
  Variables variables;
  std::vector<protocol::LaunchEvent> launches;
  uint64_t launchCount = 0;      ///< including launches that are not in `launches`
  std::vector<double> callTimes; ///< wall time in microseconds
  std::vector<protocol::TimesMeasured> kernelTimes;
  std::vector<Output> outputs;
  std::optional<RunComparison> comparison;
  std::vector<NodeResult> nodes;              ///< of a whole model, in the order of the calls
  std::vector<NodeResult> referenceNodes;     ///< of the other build; NodeResult::Comparison names them by number
  std::optional<std::size_t> firstDifference; ///< the first node whose outputs differ beyond the tolerance

  /// The times on the device of the launch with that index, in microseconds; empty if they were not measured.
  const std::vector<double>& launchTimes(std::size_t launch) const {
    static const std::vector<double> kNone;
    const auto found = std::ranges::find(kernelTimes, launch, &protocol::TimesMeasured::launch);
    return found == kernelTimes.end() ? kNone : found->microseconds;
  }
  /// Returns whether the function was called. If it was and its status is Refused, it could not be compared.
  bool wasCalled() const { return !callTimes.empty() || launchCount > 0 || !outputs.empty(); }
};

/// The results of a run. Immutable once made.
struct RunReport {
  std::string device; ///< "dry run", "cpu", "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string asked;  ///< the requested device, as in RunOptions
  std::optional<protocol::DeviceFound> info;
  bool dry = false;
  bool model = false;                                    ///< a whole model ran, so that FunctionResult::nodes are known
  std::vector<FunctionResult> functions;                 ///< in the requested order
  std::vector<std::string> notes;                        ///< sentences about the arguments of a model
  std::vector<std::string> unknownTaps;                  ///< those of RunOptions::taps that are no node; also in notes
  std::vector<std::string> log;                          ///< what the library printed, and notes of the runner
  std::shared_ptr<const process::TemporaryFolder> files; ///< of RunOptions::keepNodes; deletes the files with it
  uint64_t milliseconds = 0;

  std::size_t count(Status status) const;
  bool allOk() const;
};
using RunReportPtr = std::shared_ptr<const RunReport>;

} // namespace blobscope::run
