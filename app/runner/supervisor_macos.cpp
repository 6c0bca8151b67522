#include "app/runner/supervisor.h"

#include <unistd.h>

namespace blobscope::runner {

/// macOS makes no process the parent of orphans, so a second process could not find what a library leaves behind. The
/// program that started the runner ends its process group.
std::optional<Ancestors> splitOff() { return Ancestors{getpid(), getppid()}; }

process::ProcessId ownProcess() { return getpid(); }

} // namespace blobscope::runner
