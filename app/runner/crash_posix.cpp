#include "app/runner/channel.h"
#include "app/runner/channel_state.h"
#include "app/runner/crash_report.h"
#include "app/runner/crash_system.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

/// Code that runs when the process is about to die from a signal: only async-signal-safe calls and memory that already
/// exists.
namespace blobscope::runner {
namespace {

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
constexpr std::size_t kStackBytes = 64 << 10;
constexpr int kFrames = 64;

void handle(int signal, siginfo_t* info, void* context) {
  switch (enterCrash(system::threadNumber())) {
  case CrashEntry::First: break;
  case CrashEntry::Again: _exit(128 + signal);
  case CrashEntry::Other:
    while (true) pause();
  }
  const bool touched = signal == SIGSEGV || signal == SIGBUS;
  const auto number = static_cast<uint64_t>(signal), address = touched ? reinterpret_cast<uint64_t>(info->si_addr) : 0;
  const uint64_t counter = system::programCounter(context);
  const bool known = isInLibrary(counter);
  reportCrash(number, address, counter);

  // The rest of the handler may fail; the most important part has been written.
  std::array<void*, kFrames> frames{};
  const int count = backtrace(frames.data(), kFrames);
  if (g_channelState.libraryEnd == 0) system::findLibrary();
  for (int i = 0; i < count && !known; ++i) {
    const auto frame = reinterpret_cast<uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (!isInLibrary(frame)) continue;
    reportCrash(number, address, frame);
    break;
  }
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

} // namespace

void installCrashHandlers(const std::string& library) {
  static const AlternateStack stack;
  system::rememberLibrary(library);
  // The first call loads the unwinder, which must not happen in a handler.
  std::array<void*, 2> frames{};
  (void)backtrace(frames.data(), 2);
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

AlternateStack::AlternateStack()
    : m_memory(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (m_memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = m_memory;
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
}

AlternateStack::~AlternateStack() {
  if (m_memory == MAP_FAILED) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(m_memory, kStackBytes);
}

} // namespace blobscope::runner
