#pragma once

#include "core/process/confine.h"

#include <cstdint>
#include <optional>

namespace blobscope::process {

/// What a supervisor allows the processes below it.
struct Supervision {
  uint32_t processes = 512; ///< one more ends them all, with kTooManyCode
  uint32_t tasks = 2'048;   ///< processes and threads; the calls that make more are refused
  /// Folders with the sockets to which they may connect, up to a null pointer; null: none.
  const char* const* sockets = nullptr;
  bool keepsMessages = false; ///< the supervisor keeps standard error; it closes all else
};

/// The processes above the one in which splitOff() returns.
struct Ancestors {
  ProcessId supervisor = 0;
  ProcessId client = 0; ///< the program that started both
  int channel = -1;     ///< for Confinement::supervisor; -1: the system has none
};

/// The exit code of a supervisor that ended too many processes. A program that ends with it seems to end with 1.
constexpr int kTooManyCode = 126;

/// Whether splitOff() makes a second process on this system: on Linux it does. Windows has job objects instead, macOS
/// nothing.
bool hasSupervisor();

/// Splits this process, which has one thread, into two: it stays as the supervisor of the other one, which returns from
/// here. Nothing when no process can be made. Async-signal-safe, so that it can be called after a fork.
///
/// Foreign code may start processes that leave its process group and session and whose parents have ended. The system
/// makes them children of the supervisor (PR_SET_CHILD_SUBREAPER), which no other process of the user is, so it kills
/// exactly what was started below it. It does so when its child has ended, on SIGTERM, and when its own parent is gone;
/// only then it ends, with the exit status of its child. A program with windows or threads could not be a subreaper
/// itself: it would get orphans that other parts of it wait for.
///
/// With a channel the kernel asks the supervisor before each new process and thread (SECCOMP_RET_USER_NOTIF), so that
/// their number cannot exceed the limit, whoever the user is; it asks, too, before the processor or the priority of
/// another thread is changed, which must be one of those below, and lets the supervisor make connections. Without one,
/// the supervisor of root counts the processes fifty times a second.
std::optional<Ancestors> splitOff(const Supervision& supervision);

} // namespace blobscope::process
