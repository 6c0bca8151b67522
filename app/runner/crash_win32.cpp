#include "app/runner/channel.h"
#include "app/runner/channel_system.h"
#include "app/runner/crash_report.h"

#include "core/base/windows_win32.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>

/// Code that runs when the process is about to end because of an exception: only calls that need no locks, and memory
/// that already exists.
namespace blobscope::runner {
namespace {

/// Memory that the handler has left after a stack overflow.
constexpr ULONG kStackBytes = 64 << 10;
constexpr DWORD kFrames = 62; // the most that Windows returns
/// The code with which a process that calls abort() ends, as in the C library of Microsoft:
/// STATUS_STACK_BUFFER_OVERRUN, which stands for each fast failure.
constexpr uint32_t kAborted = 0xc0000409;

/// Reports the crash and ends the process with its code.
[[noreturn]] void die(uint32_t code, uint64_t address, uint64_t counter) {
  switch (enterCrash(GetCurrentThreadId())) {
  case CrashEntry::First: break;
  case CrashEntry::Again: endProcess(static_cast<int>(code));
  case CrashEntry::Other: Sleep(INFINITE);
  }
  if (!isInLibrary(counter)) {
    // The innermost frame in the library.
    std::array<void*, kFrames> frames{};
    const USHORT count = RtlCaptureStackBackTrace(0, kFrames, frames.data(), nullptr);
    const auto* const found = std::find_if(frames.data(), frames.data() + count,
                                           [](void* frame) { return isInLibrary(reinterpret_cast<uint64_t>(frame)); });
    if (found != frames.data() + count) counter = reinterpret_cast<uint64_t>(*found);
  }
  reportCrash(code, address, counter);
  endProcess(static_cast<int>(code));
}

LONG WINAPI handleException(EXCEPTION_POINTERS* information) {
  const EXCEPTION_RECORD& record = *information->ExceptionRecord;
  const bool touched = record.NumberParameters >= 2 && (record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION ||
                                                        record.ExceptionCode == EXCEPTION_IN_PAGE_ERROR);
  die(record.ExceptionCode, touched ? record.ExceptionInformation[1] : 0,
      reinterpret_cast<uint64_t>(record.ExceptionAddress));
}

extern "C" void handleAbort(int) { die(kAborted, 0, 0); }

} // namespace

void installCrashHandlers(const std::string&) {
  static const AlternateStack stack;
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  SetUnhandledExceptionFilter(handleException);
  std::signal(SIGABRT, handleAbort);
}

AlternateStack::AlternateStack() : m_memory(nullptr) {
  ULONG bytes = kStackBytes;
  SetThreadStackGuarantee(&bytes);
}

AlternateStack::~AlternateStack() = default;

} // namespace blobscope::runner
