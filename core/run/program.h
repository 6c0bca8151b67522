#pragma once

#include "core/run/plan.h"

namespace blobscope::run {

/// Turns the request into a job of mode Program: the whole model of the library, translated for the runner's
/// interpreter. RunOptions::functions names one function of the model; by default "main", or the only one. Errors:
/// those of canLoad() and program::modelOf(); RUN-NO-ENTRY; RUN-NO-DEVICE; RUN-INPUT; FILE-WRITE; Cancelled. What is
/// unknown of its inputs is in the PlannedCall.
Result<PlannedRun> planProgram(const library::PackagePtr& package, const xref::Functions& functions,
                               const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

} // namespace blobscope::run
