#include "app/runner/supervisor.h"

#include <unistd.h>

namespace blobscope::runner {

std::optional<Ancestors> splitOff() { return process::splitOff({}); }

process::ProcessId ownProcess() { return getpid(); }

} // namespace blobscope::runner
