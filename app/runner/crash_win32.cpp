#include "app/runner/channel.h"
#include "app/runner/channel_state.h"
#include "app/runner/channel_system.h"

#include "core/base/windows_win32.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

/// Code that runs when the process is about to end because of an exception: only calls that need no locks, and memory
/// that already exists.
namespace blobscope::runner {
namespace {

/// A line that is being written is waited for this long.
constexpr int kWaitMs = 200;
/// Memory that the handler has left after a stack overflow.
constexpr ULONG kStackBytes = 64 << 10;
constexpr DWORD kFrames = 62; // the most that Windows returns
/// The code with which a process that calls abort() ends, as in the C library of Microsoft:
/// STATUS_STACK_BUFFER_OVERRUN, which stands for each fast failure.
constexpr uint32_t kAborted = 0xc0000409;

/// The thread that is in the handler; 0: none.
std::atomic<DWORD> g_dying{0};

class Text {
public:
  Text& add(const char* text) {
    while (*text && m_size < m_bytes.size()) m_bytes[m_size++] = *text++;
    return *this;
  }
  Text& add(uint64_t number) {
    std::array<char, 21> digits{};
    std::size_t at = digits.size() - 1;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return add(&digits[at]);
  }
  void write() const { (void)writeAll(m_bytes.data(), m_size, kWaitMs); }

private:
  std::array<char, 512> m_bytes{};
  std::size_t m_size = 0;
};

bool inLibrary(uint64_t address) {
  return address >= g_channelState.libraryBegin && address < g_channelState.libraryEnd;
}

/// Writes the members of protocol::Crash in order.
void report(uint32_t code, uint64_t address, const uint64_t* offset) {
  Text line;
  line.add(R"({"ev":"crash","signal":)").add(uint64_t{code}).add(R"(,"addr":)").add(address);
  if (offset) line.add(R"(,"library_offset":)").add(*offset);
  line.add(R"(,"stage":")").add(protocol::stageName(currentStage()).data()).add("\"");
  const int64_t call = g_channelState.call;
  if (call >= 0) line.add(R"(,"call":)").add(static_cast<uint64_t>(call));
  line.add("}\n").write();
}

/// Reports the crash and ends the process with its code.
[[noreturn]] void die(uint32_t code, uint64_t address, uint64_t counter) {
  DWORD before = 0;
  const DWORD self = GetCurrentThreadId();
  if (!g_dying.compare_exchange_strong(before, self)) {
    // The handler itself crashed, after writing its first line. If two threads crash, the second waits for the first.
    if (before == self) endProcess(static_cast<int>(code));
    Sleep(INFINITE);
  }
  (void)takeChannel(kWaitMs);
  uint64_t offset = counter - g_channelState.libraryBase;
  bool known = inLibrary(counter);
  if (!known) {
    // The innermost frame in the library.
    std::array<void*, kFrames> frames{};
    const USHORT count = RtlCaptureStackBackTrace(0, kFrames, frames.data(), nullptr);
    for (USHORT i = 0; i < count && !known; ++i) {
      known = inLibrary(reinterpret_cast<uint64_t>(frames[i]));
      if (known) offset = reinterpret_cast<uint64_t>(frames[i]) - g_channelState.libraryBase;
    }
  }
  report(code, address, known ? &offset : nullptr);
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
