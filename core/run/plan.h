#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/run/options.h"
#include "core/xref/functions.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::run {

/// A function that was asked for, with the arguments that it will get.
struct PlannedCall {
  std::string function;
  host::Signature signature;
  Variables variables;             ///< values of its symbolic dimensions
  std::optional<Error> refused;    ///< why it is not called
  std::optional<std::size_t> call; ///< index in Job::calls
};

struct PlannedRun {
  protocol::Job job;
  std::vector<PlannedCall> calls; ///< in the order asked for
};

/// What a library is loaded for.
enum class Purpose {
  Run,    ///< its host functions are run on a device
  Dry,    ///< they are run without one
  Runtime ///< an installed TVM runtime loads it
};

/// Whether the file's host code can be loaded on this machine. RUN-LOAD for what is no shared library, RUN-FOREIGN-OS,
/// RUN-FOREIGN-ARCH, RUN-ABI-UNKNOWN, RUN-DAMAGED, RUN-IMPORTS; the last not with a whole TVM runtime, and in dry runs
/// only when something other than functions is missing (stubs.h).
Result<Done> canLoad(const library::Package& package, Purpose purpose);

/// Turns what is asked for into a job: chooses device and sizes, makes the inputs, and writes the library's bytes,
/// device code and inputs to `folder`. What one function lacks is told in its PlannedCall; errors are for the whole
/// run: those of canLoad(), RUN-NO-ENTRY, RUN-INPUT for an input that no function has, FILE-WRITE; Cancelled.
Result<PlannedRun> planRun(const library::PackagePtr& package, const xref::Functions& functions,
                           const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

} // namespace blobscope::run
