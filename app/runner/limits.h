#pragma once

#include "app/runner/supervisor.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace blobscope::runner {

/// Restricts this process, which must still have a single thread, to what the job needs, as described at
/// process::Confinement; child processes inherit the restrictions. `folder`: the job's folder, in which it may write.
/// `reserved`: address space that is already reserved and not counted. Returns descriptions of the restrictions that
/// this system offers but that could not be applied.
///
/// Every run: no network, no tracing, no new privileges and none of root's except reading, no changes of access rights,
/// owners, times and attributes of files, and limits on memory, CPU time, open files, file size and the number of
/// processes. Dry runs and probing start no processes at all. The rest is determined by the drivers: they read files
/// anywhere, so reading is not restricted, except when they only compile; they write to a separate cache for test runs
/// and to device files, and those of NVIDIA to shared memory. CUDA's driver reserves addresses for the memory of all
/// devices, so that only the memory in use is limited with it, and cuInit() fails without local sockets (seen with
/// driver 580 on an H100); it may connect only to those of the driver.
std::vector<std::string> applyLimits(const protocol::Job& job, const std::filesystem::path& folder, uint64_t reserved,
                                     const Ancestors& ancestors);

} // namespace blobscope::runner
