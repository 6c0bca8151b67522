#pragma once

#include "core/base/ref.h"
#include "core/program/model.h"
#include "core/protocol/outputs.h"
#include "core/protocol/protocol.h"
#include "core/run/extent.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Test runs: what to run and with which values, the job for the helper process, and the results.
namespace blobscope::run {

/// One launch of a single kernel, without host code. Values that are not given come from a dry run of the host function
/// that launches it.
struct KernelRun {
  Ref kernel;
  std::optional<std::array<uint64_t, 3>> grid, block;
  std::optional<uint64_t> dynamicShared;     ///< bytes
  std::map<uint32_t, std::string> arguments; ///< by position: "float32[7,128]" for a buffer, a number for a scalar
};

/// A file whose code the user agreed to run.
struct Agreed {
  std::string sha256; ///< of its content, in lower-case hex; empty: nothing was agreed to and nothing runs
  std::string path;   ///< as the user knows it, for messages
};

/// The options that the user sets.
struct RunOptions {
  Agreed agreed;                      ///< the library that is run
  Agreed agreedReference;             ///< the library with which compareRuns() compares it
  std::vector<std::string> functions; ///< host functions by name; empty: the only one
  bool all = false;                   ///< every host function
  std::optional<KernelRun> kernel;    ///< instead of host functions
  bool dry = false;   ///< launches are only recorded, no device is used; with `model`: arguments are only compared
  std::string device; ///< "cuda", "vulkan", "opencl", "cpu"; empty: the device that the library is for
  int deviceIndex = 0;
  std::string driverPath; ///< empty: the system's
  uint64_t seed = 1;
  Variables variables; ///< sizes of symbolic dimensions
  std::map<std::string, std::string, std::less<>>
      inputs; ///< tensor, or "arg0" of a single kernel → fill in words, or the path of a .npy file
  std::map<std::string, Bytes, std::less<>> contents; ///< tensor → its elements, for tensors without an input above
  uint8_t outputFill = protocol::kFirstFill;          ///< every byte of the outputs before the run
  std::optional<uint32_t> repeat;                     ///< measured runs; nothing: none are measured
  bool continueUnknown = false;                       ///< dry run: unknown global functions do nothing
  bool widenHalf = false; ///< OpenCL without fp16: computes in float32 and labels the result
  std::filesystem::path
      runtime;        ///< an installed TVM runtime that runs functions of the virtual machine; empty: host functions
  bool model = false; ///< the whole model, by the interpreter of the runner; `functions`: its function
  program::ModelFiles modelFiles; ///< with `model`
  std::vector<std::string> taps;  ///< with `model`: nodes whose outputs are kept, as in protocol::Job; "all": every one
  uint64_t tapBytes = uint64_t{1} << 30; ///< of all kept outputs together
  protocol::CompareOptions tolerance;    ///< of compareRuns()
  bool keepNodes = false;                ///< the kept outputs of nodes stay on disk: RunReport::files
  protocol::JobLimits limits;
  std::filesystem::path runner;  ///< empty: the one that belongs to this program
  std::filesystem::path outputs; ///< folder for the outputs as .npy; empty: they are not kept
};

} // namespace blobscope::run
