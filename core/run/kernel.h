#pragma once

#include "core/run/plan.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace blobscope::run {

/// Turns RunOptions::kernel into a job with one launch, which needs no host code. Grid, block, dynamic shared memory
/// and arguments that are not given come from the first launch in a dry run of the host function that launches the
/// kernel, if this machine can load that function; blocks of SPIR-V are in the code. Buffers of a dry run are written
/// in the direction that the host function states, all others in both directions. core/formats/host-abi.md 4.5. Errors:
/// REF-NOT-FOUND; USAGE for a reference that is not a kernel and for texts that are not sizes; RUN-SIGNATURE for values
/// that nothing provides; RUN-IMAGE, RUN-NO-DEVICE, RUN-MEMORY, RUN-INPUT, FILE-WRITE; Cancelled.
Result<PlannedRun> planKernel(const library::PackagePtr& package, const xref::Functions& functions,
                              const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

/// Returns the extents of a grid or block from text such as "4,1,1"; omitted ones at the end are 1. Nothing unless the
/// text consists of one to three numbers.
std::optional<std::array<uint64_t, 3>> parseExtents(std::string_view text);

} // namespace blobscope::run
