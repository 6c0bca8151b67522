#pragma once

#include <cstddef>
#include <string_view>

/// The terminal of this process, on each system.
namespace blobscope::cli {

/// Prepares standard output and standard error for text as this program writes it: bytes without changes, UTF-8,
/// colours. Call it once.
void prepareTerminal();
bool isOutputTerminal();
bool isErrorTerminal();
/// Writes to standard output as much as the system accepts now: the number of bytes, 0 when a signal interrupted it, -1
/// when nothing more can be written.
std::ptrdiff_t writeOutput(std::string_view text);

/// From now on Ctrl+C, and the signals that ask a program to end, are only noted. A second Ctrl+C ends the process.
void catchStopSignals();
bool isStopSignalled();

} // namespace blobscope::cli
