#pragma once

#include "core/process/confine.h"

#include <optional>

namespace blobscope::runner {

/// The processes above the worker.
struct Ancestors {
  process::ProcessId supervisor = 0;
  process::ProcessId client = 0; ///< the program that started the runner
};

/// Splits the runner into two processes, before it has threads: this process stays as the supervisor of the other one,
/// which returns from here and does the work. Returns nothing if no process can be created.
///
/// Foreign code may start processes that leave its process group and session and whose parents have ended. The system
/// makes them children of the supervisor (PR_SET_CHILD_SUBREAPER), which no other process of the user is, so it kills
/// exactly what the run has started. It does so when the worker has ended, on SIGTERM, and when its own parent is gone;
/// only then it ends, with the exit status of the worker. A program with windows or threads could not be a subreaper
/// itself: it would get orphans that other parts of it wait for.
///
/// This is how Linux works. On macOS and Windows the runner stays one process: on Windows the program that started it
/// ends all that the run has started with a job object, on macOS only its process group.
std::optional<Ancestors> splitOff();

/// The ID of this process.
process::ProcessId ownProcess();

} // namespace blobscope::runner
