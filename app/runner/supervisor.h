#pragma once

#include "core/process/supervise.h"

#include <optional>

namespace blobscope::runner {

using process::Ancestors;

/// Splits the runner into two processes, before it has threads: this process stays as the supervisor of the other one,
/// which returns from here and does the work; see process::splitOff(). Returns nothing if no process can be created.
///
/// This is how Linux works. On macOS and Windows the runner stays one process: on Windows the program that started it
/// ends all that the run has started with a job object, on macOS only its process group.
std::optional<Ancestors> splitOff();

/// The ID of this process.
process::ProcessId ownProcess();

} // namespace blobscope::runner
