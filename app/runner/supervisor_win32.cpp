#include "app/runner/supervisor.h"

#include "core/base/windows_win32.h"

namespace blobscope::runner {

/// The program that started the runner put it into a job, which ends it and all that it starts; no second process is
/// needed.
std::optional<Ancestors> splitOff() { return Ancestors{ownProcess(), 0, -1}; }

process::ProcessId ownProcess() { return GetCurrentProcessId(); }

} // namespace blobscope::runner
