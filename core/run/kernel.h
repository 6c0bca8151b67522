#pragma once

#include "core/run/plan.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace blobscope::run {

/// Turns RunOptions::kernel into a job of one launch, which needs no host code. Grid, block, dynamic shared memory and
/// arguments that are not given are those of the first launch in a dry run of the host function that launches it, where
/// this machine can load that; blocks of SPIR-V are in the code. Buffers of a dry run are written to where the host
/// function says so, all others both ways. core/formats/host-abi.md 4.5. REF-NOT-FOUND; USAGE for what is no
/// kernel and for texts that are no size; RUN-SIGNATURE for what nothing tells; RUN-IMAGE, RUN-NO-DEVICE, RUN-MEMORY,
/// RUN-INPUT, FILE-WRITE; Cancelled.
Result<PlannedRun> planKernel(const library::PackagePtr& package, const xref::Functions& functions,
                              const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

/// Extents of a grid or block from text: "4,1,1", those left out at the end are 1; nothing for anything but one to
/// three numbers.
std::optional<std::array<uint64_t, 3>> parseExtents(std::string_view text);

} // namespace blobscope::run
