#include "app/runner/supervisor.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace blobscope::runner {
namespace {

constexpr int kGoneCode = 125;
/// Less than the time that the client waits for the supervisor.
constexpr int kEndMs = 2'000;
/// Drivers start compilers and linkers, a few at a time. RLIMIT_NPROC does not apply to root, so the supervisor has to
/// count.
constexpr std::size_t kMostProcesses = 512;
constexpr long kCountNs = 250'000'000;

struct Process {
  pid_t number, parent;
};

/// Returns all processes that /proc shows.
std::vector<Process> allProcesses() {
  std::vector<Process> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const int file = open(("/proc/" + std::string(entry->d_name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue; // it has just ended
    std::string text(512, '\0');
    const ssize_t count = read(file, text.data(), text.size());
    close(file);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    // PID (NAME) STATE PARENT …, where the name may contain anything.
    const std::size_t name = text.rfind(')');
    int parent = 0;
    if (name == std::string::npos || std::sscanf(text.c_str() + name, ") %*c %d", &parent) != 1) continue;
    out.push_back({static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)), parent});
  }
  return out;
}

/// Returns the children that the kernel lists for this process; /proc may hide those that this user cannot inspect.
std::vector<Process> ownChildren() {
  std::vector<Process> out;
  const std::string self = std::to_string(getpid());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(("/proc/self/task/" + self + "/children").c_str(), "re"), std::fclose);
  int number = 0;
  while (file && std::fscanf(file.get(), "%d", &number) == 1) out.push_back({number, getpid()});
  return out;
}

/// Returns children, their children and so on. A process whose parent ends right now may be missing.
std::vector<pid_t> descendants() {
  std::vector<Process> all = allProcesses();
  for (const Process& child : ownChildren())
    if (std::none_of(all.begin(), all.end(), [&](const Process& one) { return one.number == child.number; }))
      all.push_back(child);
  std::vector<pid_t> out = {getpid()};
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const Process& process : all)
      if (process.parent == out[i]) out.push_back(process.number);
  out.erase(out.begin());
  return out;
}

/// Kills descendants until there is no child, which means that there is no descendant, since orphans become children of
/// this process.
void endDescendants() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kEndMs);
  while (std::chrono::steady_clock::now() < deadline) {
    for (const pid_t process : descendants()) (void)kill(process, SIGKILL);
    pid_t fetched = 0;
    do fetched = waitpid(-1, nullptr, WNOHANG);
    while (fetched > 0);
    if (fetched < 0 && errno == ECHILD) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  (void)std::fputs("a process of the run still exists after it was killed; a driver call may not return\n", stderr);
}

/// Ends this process with the worker's exit status, or with the signal that it received.
[[noreturn]] void endAs(int status, int signal) {
  if (signal == 0 && WIFEXITED(status)) _exit(WEXITSTATUS(status));
  if (signal == 0) signal = WTERMSIG(status);
  // It cannot write a core file, because it is not dumpable.
  (void)std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);
  (void)raise(signal);
  _exit(128 + signal);
}

[[noreturn]] void supervise(pid_t worker, const sigset_t& signals) {
  // No process may read or write its memory; it only needs standard error.
  (void)prctl(PR_SET_DUMPABLE, 0);
  (void)std::signal(SIGPIPE, SIG_IGN);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  int status = 0, signal = 0;
  bool ended = false;
  while (!ended && signal == 0) {
    int one = 0;
    for (pid_t fetched = waitpid(-1, &one, WNOHANG); fetched > 0; fetched = waitpid(-1, &one, WNOHANG)) {
      if (fetched != worker) continue;
      status = one;
      ended = true;
    }
    if (ended) break;
    const timespec step{0, kCountNs};
    const int caught = sigtimedwait(&signals, nullptr, getuid() == 0 ? &step : nullptr);
    if (caught > 0 && caught != SIGCHLD) signal = caught;
    if (caught < 0 && errno == EAGAIN && descendants().size() > kMostProcesses) {
      (void)std::fputs("the run had more than 512 processes and was ended\n", stderr);
      signal = SIGKILL;
    }
  }
  endDescendants();
  endAs(status, signal);
}

} // namespace

std::optional<Ancestors> splitOff() {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  (void)sigprocmask(SIG_BLOCK, &signals, &before);
  const Ancestors ancestors{getpid(), getppid()};
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  const pid_t worker = fork();
  if (worker > 0) supervise(worker, signals);
  (void)sigprocmask(SIG_SETMASK, &before, nullptr);
  if (worker < 0) return std::nullopt;
  // The worker does not outlive its supervisor.
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != ancestors.supervisor) _exit(kGoneCode);
  return ancestors;
}

process::ProcessId ownProcess() { return getpid(); }

} // namespace blobscope::runner
