#pragma once

#include "core/run/plan.h"
#include "core/run/report.h"

#include <filesystem>

namespace blobscope::run {

/// Finds out what the nodes of a model read, NodeResult::inputs, by following tensors through the steps of the
/// program: from where they are allocated, loaded or passed to the calls that write and read them. Functions with
/// branches, and tensors that other functions of the model make, are left out. `folder`: that of the run. Also
/// estimates NodeResult::flop. `functions`: for the names and shapes of parameters.
void findInputs(RunReport& report, const PlannedRun& planned, const xref::Functions& functions,
                const std::filesystem::path& folder);

} // namespace blobscope::run
