#pragma once

#include "core/run/plan.h"
#include "core/run/report.h"

namespace blobscope::run {

/// Turns the request into a job of mode Program: the whole model of the library, translated for the runner's
/// interpreter. RunOptions::functions names one function of the model; by default "main", or the only one. Errors:
/// those of canLoad() and program::modelOf(); RUN-NO-ENTRY; RUN-NO-DEVICE; RUN-INPUT; FILE-WRITE; Cancelled. What is
/// unknown of its inputs is in the PlannedCall. Host functions that get a parameter of unknown type, and whose texts do
/// not state it, are probed first (probe.h).
Result<PlannedRun> planProgram(const library::PackagePtr& package, const xref::Functions& functions,
                               const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

/// Compares the inputs and parameters of RunOptions with the functions that it names, or with "main" or the only one.
/// Nothing is executed, so the library may be for any system. The report says of each function whether its arguments
/// are known and fit. Errors: those of program::modelOf(); USAGE; RUN-NO-ENTRY; Cancelled.
Result<RunReport> checkProgram(const library::PackagePtr& package, const xref::Functions& functions,
                               const RunOptions& options, Monitor& monitor);

} // namespace blobscope::run
