#pragma once

#include "core/base/result.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <optional>
#include <string>

/// The only output channel of the process, and the state that is reported when it dies. This is state of the process,
/// not of an object, because the signal handler and the watchdog need it at any time.
namespace blobscope::runner {

/// Uses standard output for events and redirects descriptor 1 to standard error, so that a library's prints reach the
/// log. Returns false if the descriptors are not available.
bool openChannel();
/// Writes one event. Any thread. Ends the process if nobody reads the events any more.
void sendEvent(const protocol::Event& event);
/// Sends the error as an event, with the current call.
void sendEvent(const Error& error);
void sendLog(std::string text);

/// Sets the call that everything after this belongs to.
void enterCall(std::optional<uint64_t> call);
std::optional<uint64_t> currentCall();
/// Reports the next stage and sets its limit: after `limitMs` the watchdog ends the process. 0: no limit.
void enter(protocol::Stage stage, uint64_t limitMs);
/// The same without an event, for stages that occur a thousand times.
void enterQuietly(protocol::Stage stage, uint64_t limitMs);
protocol::Stage currentStage();
/// Returns whether "cancel" was read.
bool cancelled();

/// Starts the thread that reads commands and watches the deadline: exit code 124 after the event RUN-TIME. "quit" and
/// the end of standard input end the process with 125. Returns false if no thread can be created.
bool startWatchdog();

/// Sends "done" and ends the process without destructors, whatever threads are running.
[[noreturn]] void finish(int code);

/// Sets the address range of the library's code, for the crash handler.
void setLibraryRange(uint64_t base, uint64_t begin, uint64_t end);
/// Installs handlers for SEGV, BUS, ILL, FPE, ABRT and SYS: they write a line to the channel and frames to standard
/// error; then the signal has its default effect. `library`: the path by which frames are recognized while the library
/// is still being loaded.
void installCrashHandlers(const std::string& library);

/// A separate stack for this thread's signal handlers during the object's life, so that a stack overflow is reported
/// too.
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
