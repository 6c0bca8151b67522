#pragma once

#include <cstdint>

/// What the crash handlers of all systems share. Everything here may be called while the process is about to die: it
/// takes no locks and uses only memory that already exists.
namespace blobscope::runner {

enum class CrashEntry : uint8_t {
  First, ///< this thread reports the crash
  Again, ///< its handler itself crashed
  Other, ///< another thread is reporting; this one has to wait for the end of the process
};
/// Called first by a handler, with the number of its thread, which is not 0. Acquires the channel for `First`.
CrashEntry enterCrash(uint64_t thread);
bool isInLibrary(uint64_t address);
/// Writes the members of protocol::Crash in order. `counter`: an address in the library, or anything else.
void reportCrash(uint64_t signal, uint64_t address, uint64_t counter);

} // namespace blobscope::runner
