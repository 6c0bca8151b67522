#pragma once

#include "core/base/monitor.h"
#include "core/check/report.h"
#include "core/requirements/requirements.h"
#include "core/targets/device.h"
#include "core/targets/runtime.h"
#include "core/targets/shared_libraries.h"
#include "core/targets/system.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Compares what a library needs with what a runtime and a device offer: whether it loads, at which step it fails, with
/// which words, and what to do.
namespace blobscope::preflight {

/// The steps from loading a file to running its first kernel, in order. Source: core/formats/load-requirements.md 1.
enum class Step : uint8_t { File = 1, Symbols, Slots, Carrier, Loaders, Payload, Machine, Calls, Kernels };
constexpr std::size_t kSteps = 9;
/// "File", "Undefined symbols", "Slots" …
std::string_view stepTitle(Step step);

enum class Verdict : uint8_t { Loads, LoadsWithoutModules, Fails, Unknown };
/// The word of the command line: "loads-without-modules".
std::string_view verdictName(Verdict verdict);

/// Something that the target does not offer, or may not offer.
struct Missing {
  check::Rule rule;
  std::string_view kind; ///< the word of the command line: "loader", "function", "arguments" …; a literal
  std::string name;      ///< of the loader, function, symbol …, as stored
  Step step = Step::File;
  bool certain = true;  ///< false: the tables do not tell
  bool crashes = false; ///< the process ends
  bool later = false;   ///< of steps 1 to 7: not while the file is loaded, but when a function is called
  bool reached = true;  ///< false: an earlier step fails, so this one is not tried
  std::string sentence; ///< what is missing
  std::string printed;  ///< the words of the runtime; empty when it prints none
  std::string fix;      ///< what to do
  std::optional<Ref> ref;
  std::vector<std::string> affected; ///< names of functions that fail; empty when that is not known or all do

  /// The words of the runtime, or what happens without any.
  const std::string& message() const { return printed.empty() ? sentence : printed; }
};
/// The same for lists of findings.
check::Issue issueOf(const Missing& missing);

/// What one step found.
struct StepResult {
  enum class State : uint8_t { Met, Missing, Unknown, NotNeeded };
  State state = State::NotNeeded;
  std::string summary; ///< "31 of 31 names found"
  uint64_t met = 0;
};

/// Where a library is loaded.
struct Target {
  targets::RuntimePtr runtime;
  std::optional<targets::Device> device; ///< without one, steps 8 and 9 only compare what the runtime decides
  targets::SystemPtr system;             ///< null: a system that fits the file
  targets::SharedLibrariesPtr libraries; ///< others in the process, and those that can be looked up; or null
  targets::SystemPtr here;               ///< the machine on which this program runs, if its libraries may be looked up

  /// "v0.27.0", "v0.27.0 on sm_90", "v0.27.0 on debian12".
  std::string title() const;
};
using Targets = std::vector<Target>;

/// The result for one library and one target.
struct Outcome {
  std::string runtime;            ///< "v0.27.0", or the path
  std::string product;            ///< "TVM 0.27": the runtime as people call it
  std::vector<std::string> flags; ///< parts of the build besides those of a plain one
  std::optional<std::string> device;
  std::optional<std::string> system; ///< its name, when one was stated
  Verdict verdict = Verdict::Unknown;
  std::optional<Step> step; ///< the first one that fails, of those that are certain
  std::string message;      ///< of the runtime about loading (steps 1 to 7); empty when it prints nothing
  std::array<StepResult, kSteps> steps;
  std::vector<Missing> missing; ///< by step

  const StepResult& at(Step which) const { return steps[static_cast<std::size_t>(which) - 1]; }
  bool crashes() const;
  /// Nothing is missing for certain.
  bool complete() const;
  /// It loads, or whether it loads is not known; nothing is missing for certain, and every module could be read.
  bool fits() const;
  /// Whether it loads is not known, or something that it needs later.
  bool isDoubtful() const;
  /// What decides whether it loads, when that is not known; else null.
  const Missing* doubt() const;
  /// What fails first; null when nothing is missing for certain.
  const Missing* first() const;
  /// "v0.27.0+cuda on sm_90", "v0.27.0 on sm_90, debian12".
  std::string target() const;
  /// The same in sentences: "TVM 0.27 with cuda on sm_90".
  std::string title() const;
};

Outcome judge(const requirements::Requirements& needs, const Target& target);
/// The same without a system and further libraries. `device` may be null.
Outcome judge(const requirements::Requirements& needs, const targets::Runtime& runtime, const targets::Device* device);

/// Adds to the result what was found out about files that belong to the library, such as weights.
void addMissing(Outcome& outcome, const std::vector<Missing>& missing);

/// Whether the library has code for this kind of device.
bool hasCodeFor(const requirements::Requirements& needs, targets::Device::Kind kind);

/// How a GPU runs the device code of a library.
struct GpuRow {
  const targets::GpuArchitecture* gpu;
  enum class Runs : uint8_t { Natively, Compiled, No } runs = Runs::No;
  std::optional<uint32_t> driver; ///< the first driver branch
  std::string note;
  bool partly = false; ///< some images outside blobs have no code for it, so functions that need them do not run
};
/// One row per GPU of the tables; empty when no code is machine code or PTX of CUDA. `code`: Requirements::code.
std::vector<GpuRow> gpuRows(const std::vector<requirements::DeviceCode>& code, const targets::FactsPtr& facts);
/// "natively", "compiled", "no": the words of the command line.
std::string_view runsName(GpuRow::Runs runs);

/// A GPU that runs changed device code in another way than before.
struct GpuChange {
  GpuRow before, after;
};
/// The GPUs of the tables that run `after` in another way than `before`; none when either has no machine code or PTX.
std::vector<GpuChange> gpuChanges(const std::vector<requirements::DeviceCode>& before,
                                  const std::vector<requirements::DeviceCode>& after, const targets::FactsPtr& facts);

} // namespace blobscope::preflight
