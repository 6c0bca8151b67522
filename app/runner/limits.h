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
/// Every run: no network, no tracing, no new privileges, and limits on address space, CPU time, open files, file size
/// and the number of processes. Dry runs and probing start no processes at all. The rest is determined by the drivers:
/// they read files anywhere, so reading is not restricted; they write to a separate cache for test runs, to shared
/// memory and to device files. CUDA's driver reserves unlimited address space, talks to its services through local
/// sockets and keeps files in places that it chooses, so these three are not restricted for it.
std::vector<std::string> applyLimits(const protocol::Job& job, const std::filesystem::path& folder, uint64_t reserved,
                                     const Ancestors& ancestors);

} // namespace blobscope::runner
