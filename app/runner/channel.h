#pragma once

#include "core/base/result.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <optional>
#include <string>

/// The one way out of the process, and what is known when it dies. State of the process, not of an object: the signal
/// handler and the watchdog reach it at any time.
namespace blobscope::runner {

/// Takes standard output for events and points descriptor 1 at standard error, so that prints of a library reach the
/// log. False when the descriptors cannot be had.
bool openChannel();
/// Writes one event. Any thread. Ends the process when nobody reads any more.
void sendEvent(const protocol::Event& event);
/// The error as an event, with the call that is being made.
void sendEvent(const Error& error);
void sendLog(std::string text);

/// The call that everything belongs to from now on.
void enterCall(std::optional<uint64_t> call);
std::optional<uint64_t> currentCall();
/// Says what comes next and when it must be over: after `limitMs` the watchdog ends the process. 0: no limit.
void enter(protocol::Stage stage, uint64_t limitMs);
/// The same without an event, for what happens a thousand times.
void enterQuietly(protocol::Stage stage, uint64_t limitMs);
protocol::Stage currentStage();
/// Whether "cancel" was read.
bool cancelled();

/// Starts the thread that reads commands and watches the deadline: exit code 124, RUN-TIME before it. "quit" and the
/// end of standard input end the process with 125. False when there is no thread to be had.
bool startWatchdog();

/// Says "done" and ends the process without destructors, whatever threads there are.
[[noreturn]] void finish(int code);

/// Where the library's code lies, for the crash handler.
void setLibraryRange(uint64_t base, uint64_t begin, uint64_t end);
/// Handlers of SEGV, BUS, ILL, FPE, ABRT and SYS: a line on the channel, frames on standard error, then the signal's
/// own effect. `library`: the path by which frames are found while it is still being loaded.
void installCrashHandlers(const std::string& library);

/// A stack for the handlers of this thread while the object lives, so that an overflow of the stack is told too.
class AlternateStack {
public:
  AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack();

private:
  void* m_memory;
};

} // namespace blobscope::runner
