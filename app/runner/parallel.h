#pragma once

/// TVMBackendParallelLaunch and -Barrier with real threads: core/formats/host-abi.md 1.3.
namespace blobscope::runner {

using ParallelTask = int (*)(int task, void* environment, void* data);

/// Runs `count` tasks at once, all workers for 0; the first code that is not 0, -1 when threads cannot be had.
int parallelLaunch(ParallelTask task, void* data, int count) noexcept;
/// Waits until all tasks of the launch are here.
int parallelBarrier(int task, void* environment) noexcept;

} // namespace blobscope::runner
