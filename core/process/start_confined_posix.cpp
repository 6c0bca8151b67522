#include "core/process/child_posix.h"
#include "core/process/supervise.h"

#include <cstdlib>

namespace blobscope::process {
namespace {

/// A compiler starts the parts of its toolkit, one after the other, or a few at a time.
constexpr uint32_t kMostProcesses = 64;

/// What the forked process reports before it executes the program.
struct Report {
  uint8_t layers = 0;
  int failure = 0; ///< an error number: the program was not started
};

/// Everything that the forked process needs: it allocates nothing.
struct Start {
  const PreparedConfinement& confinement;
  Supervision supervision;
  pid_t client;
  const char* program;
  const char* folder; ///< null: keep the current one
  char* const* arguments;
  char* const* environment;
  int output, messages, report;
};

void closeFrom(int first) {
#if defined(__APPLE__)
  for (int number = first; number < getdtablesize(); ++number) close(number);
#else
  closefrom(first);
#endif
}

/// Runs in the forked process of a program with many threads: only async-signal-safe calls.
[[noreturn]] void runProgram(const Start& start) {
  Report report;
  const auto fail = [&] {
    report.failure = errno;
    (void)!write(STDERR_FILENO + 1, &report, sizeof report);
    _exit(127);
  };
  // --- 1. A supervisor, which stays; this process is then its child. ---
  (void)setsid(); // no terminal
  const auto ancestors = splitOff(start.supervision);
  const int notSplit = errno;
  // This program may have ended before the system was asked to say so.
  if (ancestors && hasSupervisor() && ancestors->client != start.client) _exit(127);
  // --- 2. Descriptors: the three standard ones and the one for the report. ---
  const int devNull = open("/dev/null", O_RDONLY);
  bool ready = devNull >= 0 && dup2(devNull, STDIN_FILENO) >= 0 && dup2(start.output, STDOUT_FILENO) >= 0 &&
               dup2(start.messages, STDERR_FILENO) >= 0;
  // --- 3. Signals as a shell would pass them on. ---
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, &usual, nullptr);
  ready = ready && ancestors && (!start.folder || chdir(start.folder) == 0);
  const int reason = ancestors ? errno : notSplit;
  // --- 4. The confinement. The descriptors of the ruleset and of the supervisor are needed until here. ---
  if (ready) report.layers = start.confinement.apply(ancestors->channel).bits;
  const int channel = start.report == STDERR_FILENO + 1 ? start.report : dup2(start.report, STDERR_FILENO + 1);
  if (channel < 0) _exit(127);
  (void)fcntl(channel, F_SETFD, FD_CLOEXEC);
  closeFrom(STDERR_FILENO + 2);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);
  errno = reason;
  if (!ready) fail();
  (void)!write(channel, &report, sizeof report);
  execve(start.program, start.arguments, start.environment);
  fail();
  _exit(127);
}

} // namespace

int startConfined(const ProcessOptions& options, const Pipe& output, const Pipe& messages, pid_t& child, Layers& held) {
  // --- 1. Allocate everything. ---
  const PreparedConfinement confinement(*options.confinement);
  std::vector<std::string> words = {options.program.native()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const std::vector<char*> arguments = pointersTo(words);
  std::vector<char*> environment;
  if (options.environment) environment = pointersTo(*options.environment);
  Pipe report;
  if (!openPipe(report)) return errno;
  const std::vector<char*> sockets = pointersTo(options.confinement->sockets);
  const Start start{confinement,
                    {.processes = kMostProcesses,
                     .tasks = static_cast<uint32_t>(options.confinement->tasks),
                     .sockets = sockets.data()},
                    getpid(),
                    options.program.c_str(),
                    options.folder.empty() ? nullptr : options.folder.c_str(),
                    arguments.data(),
                    options.environment ? environment.data() : environ,
                    output.theirs.number(),
                    messages.theirs.number(),
                    report.theirs.number()};

  // --- 2. Fork. Signals are blocked, so that no handler of this program runs in the child. ---
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t forked = fork();
  if (forked == 0) runProgram(start);
  const int failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (forked < 0) return failure;

  // --- 3. Read the report, until the start of the program closes the pipe. ---
  report.theirs.reset();
  (void)fcntl(report.ours.number(), F_SETFL, 0);
  Report received, last;
  bool any = false;
  while (true) {
    const ssize_t count = read(report.ours.number(), &received, sizeof received);
    if (count < 0 && errno == EINTR) continue;
    if (count != static_cast<ssize_t>(sizeof received)) break;
    last = received;
    any = true;
  }
  if (!any || last.failure != 0) {
    Child gone(forked);
    return any ? last.failure : ECHILD;
  }
  child = forked;
  held.bits = last.layers;
  return 0;
}

} // namespace blobscope::process
