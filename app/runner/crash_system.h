#pragma once

#include <cstdint>
#include <string>

/// What a handler for signals asks the system, in crash_linux.cpp and crash_macos.cpp. All but the first function may
/// be called in the handler.
namespace blobscope::runner::system {

/// Remembers the path of the library that is about to be loaded.
void rememberLibrary(const std::string& path);
/// Finds the addresses of that library while it is still being loaded, with setLibraryRange(); does nothing where the
/// loader cannot be asked.
void findLibrary();
/// Returns the number of this thread, which is not 0.
uint64_t threadNumber();
/// Returns the address of the instruction that was interrupted, from the third argument of the handler; 0 for an
/// unknown processor.
uint64_t programCounter(const void* context);

} // namespace blobscope::runner::system
