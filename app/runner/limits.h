#pragma once

#include "app/runner/supervisor.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace blobscope::runner {

/// Takes from this process, which has one thread yet, what the job does not need, as process::Confinement describes it;
/// children inherit it. `folder`: the job's, where it may write. `reserved` is address space that is taken already and
/// not counted. Returns what this system offers and yet could not be done, in words.
///
/// Every run: no network, no tracing, no new privileges, limits on address space, CPU time, open files, the size of a
/// file and the number of processes. Dry runs and probing start no processes at all. Drivers decide about the rest:
/// they read what lies anywhere, so reading is not confined; they write to a cache of their own for such runs, to
/// shared memory and to device files. CUDA's driver reserves address space without end, talks to its services through
/// local sockets and keeps files in places that it chooses: those three are left alone for it.
std::vector<std::string> applyLimits(const protocol::Job& job, const std::filesystem::path& folder, uint64_t reserved,
                                     const Ancestors& ancestors);

} // namespace blobscope::runner
