#pragma once

#include <optional>
#include <string>

/// What the channel needs from each system. openChannel() and writeAll() are in the same files.
namespace blobscope::runner {

/// Waits at most `waitMs` for commands on standard input: what arrived, possibly nothing. No value when the input is
/// closed.
std::optional<std::string> readCommands(int waitMs);
/// Sleeps for a millisecond; async-signal-safe.
void pauseBriefly();
/// Starts a thread that receives no signals. Returns false if no thread can be created.
bool startQuietThread(void (*run)());
/// Ends the process at once, without destructors; async-signal-safe.
[[noreturn]] void endProcess(int code);

} // namespace blobscope::runner
