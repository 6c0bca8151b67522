#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/run/options.h"
#include "core/xref/functions.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::protocol {
struct Program;
}

namespace blobscope::run {

/// A requested function with its arguments.
struct PlannedCall {
  std::string function;
  host::Signature signature;
  Variables variables;             ///< values of its symbolic dimensions
  std::optional<Error> refused;    ///< why it is not called
  std::optional<std::size_t> call; ///< index in Job::calls
};

struct PlannedRun {
  protocol::Job job;
  std::vector<PlannedCall> calls;                   ///< in the requested order
  std::shared_ptr<const protocol::Program> program; ///< mode Program
  std::vector<std::string> notes;                   ///< sentences about the arguments
};

/// The end of a RUN-NO-DEVICE about a host function, which can also be run without a device.
inline constexpr std::string_view kDryAdvice = "; a dry run needs no device";

/// What a library is loaded for.
enum class Purpose {
  Run,    ///< its host functions run on a device
  Dry,    ///< they run without a device
  Runtime ///< an installed TVM runtime loads it
};

/// Returns whether the file's host code can be loaded on this machine. Errors: RUN-LOAD for a file that is not a shared
/// library, RUN-FOREIGN-OS, RUN-FOREIGN-ARCH, RUN-ABI-UNKNOWN, RUN-DAMAGED, RUN-IMPORTS; the last not with a whole TVM
/// runtime, and in dry runs only if something other than functions is missing (stubs.h).
Result<Done> canLoad(const library::Package& package, Purpose purpose);

/// Turns the request into a job: chooses device and sizes, makes the inputs, and writes the library's bytes, device
/// code and inputs to `folder`. Problems of one function are in its PlannedCall. Errors concern the whole run: those of
/// canLoad(), RUN-NO-ENTRY, RUN-INPUT for an input that no function has, FILE-WRITE, Cancelled.
Result<PlannedRun> planRun(const library::PackagePtr& package, const xref::Functions& functions,
                           const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

} // namespace blobscope::run
