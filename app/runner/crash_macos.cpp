#include "app/runner/channel.h"
#include "app/runner/channel_state.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <mach/mach.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <unistd.h>

/// Code that runs when the process is about to die from a signal: only async-signal-safe calls and memory that already
/// exists.
namespace blobscope::runner {
namespace {

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
constexpr std::size_t kStackBytes = 64 << 10;
constexpr int kFrames = 64;
/// A line that is being written is waited for this long.
constexpr int kWaitMs = 200;

/// The thread that is in the handler; 0: none.
std::atomic<mach_port_t> g_dying{0};

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

uint64_t programCounter(void* context) {
  const auto* const state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return state->uc_mcontext->__ss.__rip;
#else
  return state->uc_mcontext->__ss.__pc;
#endif
}

bool inLibrary(uint64_t address) {
  return address >= g_channelState.libraryBegin && address < g_channelState.libraryEnd;
}

/// Writes the members of protocol::Crash in order.
void report(int signal, uint64_t address, const uint64_t* offset) {
  Text line;
  line.add(R"({"ev":"crash","signal":)").add(static_cast<uint64_t>(signal)).add(R"(,"addr":)").add(address);
  if (offset) line.add(R"(,"library_offset":)").add(*offset);
  line.add(R"(,"stage":")").add(protocol::stageName(currentStage()).data()).add("\"");
  const int64_t call = g_channelState.call;
  if (call >= 0) line.add(R"(,"call":)").add(static_cast<uint64_t>(call));
  line.add("}\n").write();
}

void handle(int signal, siginfo_t* info, void* context) {
  mach_port_t before = 0;
  const mach_port_t self = pthread_mach_thread_np(pthread_self());
  if (!g_dying.compare_exchange_strong(before, self)) {
    // The handler itself crashed, after writing its first line. If two threads crash, the second waits for the first.
    if (before == self) _exit(128 + signal);
    while (true) pause();
  }
  (void)takeChannel(kWaitMs);
  const bool touched = signal == SIGSEGV || signal == SIGBUS;
  const auto address = touched ? reinterpret_cast<uint64_t>(info->si_addr) : 0;
  const uint64_t counter = programCounter(context);
  const uint64_t offset = counter - g_channelState.libraryBase;
  const bool known = inLibrary(counter);
  report(signal, address, known ? &offset : nullptr);

  // The rest of the handler may fail; the most important part has been written.
  std::array<void*, kFrames> frames{};
  const int count = backtrace(frames.data(), kFrames);
  for (int i = 0; i < count && !known; ++i) {
    const auto frame = reinterpret_cast<uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (!inLibrary(frame)) continue;
    const uint64_t inner = frame - g_channelState.libraryBase;
    report(signal, address, &inner);
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

void installCrashHandlers(const std::string&) {
  static const AlternateStack stack;
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
