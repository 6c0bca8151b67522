#pragma once

/// TVMBackendParallelLaunch and -Barrier with real threads: core/formats/host-abi.md 1.3.
namespace blobscope::runner {

using ParallelTask = int (*)(int task, void* environment, void* data);

/// Runs `count` tasks in parallel; 0: one per worker. Returns the first code that is not 0; -1 if no threads can be
/// created.
int parallelLaunch(ParallelTask task, void* data, int count) noexcept;
/// Waits until all tasks of the launch have reached the barrier.
int parallelBarrier(int task, void* environment) noexcept;

} // namespace blobscope::runner
