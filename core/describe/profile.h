#pragma once

#include "core/base/monitor.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/run/report.h"

#include <filesystem>

namespace blobscope::describe {

/// Writes the nodes of a whole model and their kernels, with the medians of their times, as events for chrome://tracing
/// and Perfetto: nodes on one line, kernels with times of the device on another, one after the other as they ran.
/// The arguments of a node are its number, function, bytes, kernels, and its FLOP and GFLOP/s where they are known.
/// `inputs`: files that must not be overwritten. Errors: FILE-WRITE, FILE-SAME; Cancelled. Source of the format: Trace
/// Event Format, complete events.
Result<Done> writeProfile(const run::RunReport& report, const std::filesystem::path& path, const Inputs& inputs,
                          Monitor& monitor);

} // namespace blobscope::describe
