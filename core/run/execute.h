#pragma once

#include "core/base/output_file.h"
#include "core/run/plan.h"
#include "core/run/report.h"

#include <filesystem>

namespace blobscope::run {

/// Runs the job in helper processes: if one dies in a call, that call is reported as crashed and a new process
/// continues with the call after it. Outputs are in `folder`. The copy of the library there is hashed before each
/// start. Errors: RUN-CONSENT and RUN-CHANGED if it is not RunOptions::agreed; RUN-RUNNER if no process can be started;
/// the error of the driver or loader if no function was reached; Cancelled.
Result<RunReport> executeRun(const PlannedRun& planned, const RunOptions& options, const std::filesystem::path& folder,
                             Monitor& monitor);

/// The content of the output's file. Errors: FILE-….
Result<Bytes> bytesOf(const Output& output);
/// The content of an input of a node. Errors: FILE-…; RUN-PROTOCOL when the file is too short.
Result<Bytes> bytesOf(const NodeInput& input);

/// Plans and runs in a temporary folder; outputs are written to RunOptions::outputs if that is set. Only the content
/// that RunOptions::agreed names is run. Errors: those of AgreedLibrary::take(), planRun() and executeRun().
Result<RunReport> runLibrary(const library::PackagePtr& package, const xref::Functions& functions,
                             const RunOptions& options, Monitor& monitor);

/// Runs both libraries twice with the same inputs, with outputs filled with a different byte the second time, and
/// compares what they write; bytes that keep both fills were not written. A function that `reference` lacks is refused.
/// Only the content of `reference` that RunOptions::agreedReference names is run. Errors: those of runLibrary().
Result<RunReport> compareRuns(const library::PackagePtr& package, const library::PackagePtr& reference,
                              const RunOptions& options, Monitor& monitor);

/// Writes an output to a .npy file; as plain bytes if NumPy has no such type. Output::file must exist. `inputs`: files
/// that must not be overwritten. Errors: FILE-OPEN, FILE-WRITE, FILE-SAME; Cancelled.
Result<Done> saveOutput(const Output& output, const std::filesystem::path& path, const Inputs& inputs,
                        Monitor& monitor);
/// The same for an input of a node.
Result<Done> saveInput(const NodeInput& input, const std::filesystem::path& path, Monitor& monitor);

} // namespace blobscope::run
