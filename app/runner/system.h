#pragma once

#include "core/process/confine.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

/// What the runner asks the system, apart from its channel, its supervisor and the loader of libraries.
namespace blobscope::runner::system {

/// Reserves addresses that cannot be read or written; null if there are not that many.
void* reserveAddresses(uint64_t bytes);
/// Zeroed pages of memory; null if there is not that much.
void* allocatePages(uint64_t bytes);
/// Releases what the two functions returned.
void releasePages(void* pages, uint64_t bytes);

/// Returns the size of the stack of the main thread.
uint64_t stackBytes();

/// The processor that this thread is running on; 0 where the system does not tell.
unsigned processorHere();
/// Binds this thread to the processor that comes `number` after `first` among those that the process may use, where the
/// system has a function for it.
void placeThread(unsigned first, unsigned number);
/// Moves this thread to a processor, without binding it.
void moveThread(unsigned processor);

/// Redirects calls that a loaded library makes to its own functions: `replacement` gets the name of each such function
/// that is called through the library's procedure linkage table, and returns null for those that are left alone.
void redirectCalls(void* library, const std::function<void*(std::string_view symbol)>& replacement);

/// Reports the addresses of a loaded library to the crash handler, with setLibraryRange().
void sendRange(void* library);

/// What decides about the files of a run.
struct RunFiles {
  std::filesystem::path folder; ///< of the job
  bool hasDriver = false;
  bool sharesMemory = false; ///< the driver is one of NVIDIA, which needs shared memory
};
/// Adds to `wanted` the files and devices that a run needs on this system, and redirects the files of drivers, and of
/// the programs that they start, to folders in which they may write.
void allowFiles(process::Confinement& wanted, const RunFiles& files);
/// Adds the files that compilers which are libraries read: the system's and the toolkit's, and what describes the
/// processors and devices. `backend`: "opencl", "nvrtc", "nvjitlink"; `driver`: the library that the user named.
void allowCompilers(process::Confinement& wanted, std::string_view backend, const std::string& driver);

} // namespace blobscope::runner::system
