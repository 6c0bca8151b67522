#include "core/process/supervise.h"

#include <unistd.h>

namespace blobscope::process {

bool hasSupervisor() { return false; }

/// macOS makes no process the parent of orphans, so a second process could not find what a program leaves behind. The
/// program that started it ends its process group.
std::optional<Ancestors> splitOff(const Supervision&) { return Ancestors{getpid(), getppid(), -1}; }

} // namespace blobscope::process
