#pragma once

#include "core/run/plan.h"
#include "core/run/report.h"

#include <filesystem>

namespace blobscope::run {

/// Runs the job in helper processes: when one dies in a call, that call is told as crashed and a new one goes on behind
/// it. Outputs lie in `folder`. The copy of the library there is hashed before each start. Error: RUN-CONSENT and
/// RUN-CHANGED when it is not RunOptions::agreed; RUN-RUNNER when no process can be started, what the driver or loader
/// says when none of the functions was reached; Cancelled.
Result<RunReport> executeRun(const PlannedRun& planned, const RunOptions& options, const std::filesystem::path& folder,
                             Monitor& monitor);

/// Plans and runs with a folder of its own; outputs are written to RunOptions::outputs when that is given. Only the
/// content that RunOptions::agreed names is run. The errors of AgreedLibrary::take(), planRun() and executeRun().
Result<RunReport> runLibrary(const library::PackagePtr& package, const xref::Functions& functions,
                             const RunOptions& options, Monitor& monitor);

/// Runs both twice with the same inputs, outputs filled with another byte the second time, and compares what they
/// write; what both fills survive was not written. A function that `reference` lacks is refused. Of `reference` only
/// the content that RunOptions::agreedReference names is run. The errors of runLibrary().
Result<RunReport> compareRuns(const library::PackagePtr& package, const library::PackagePtr& reference,
                              const RunOptions& options, Monitor& monitor);

} // namespace blobscope::run
