#pragma once

#include "core/base/place.h"
#include "core/process/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;

/// Starts and ends programs on this system; only for the sources of this folder.
namespace blobscope::process {

struct Pipe {
  Descriptor ours, theirs;
};

/// Returns false with errno. The program's end gets a number above 2, because start() duplicates it to another number.
/// With `useSocket` it makes a socket pair, so that sendNow() raises no signal when the program is gone.
bool openPipe(Pipe& made, bool useSocket = false);
/// Writes to the socket what fits into it now. Raises no signal when the other end is gone.
void sendNow(int socket, std::string_view text);
/// Lets a program that is started with these inherit only the descriptors 0 to 2; returns an error number.
int closeOthers(posix_spawn_file_actions_t* actions, short& flags);

class Actions {
public:
  Actions() { posix_spawn_file_actions_init(&m_actions); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&m_actions); }
  posix_spawn_file_actions_t* get() { return &m_actions; }

private:
  posix_spawn_file_actions_t m_actions;
};

class Attributes {
public:
  Attributes() { posix_spawnattr_init(&m_attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&m_attributes); }
  posix_spawnattr_t* get() { return &m_attributes; }

private:
  posix_spawnattr_t m_attributes;
};

/// Pointers to texts that live as long as `texts`, with the null pointer at the end that execve requires.
inline std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Starts the program; returns 0 or the error number. Without `input` standard input is empty.
inline int start(const ProcessOptions& options, const Pipe* input, const Pipe& output, const Pipe& messages,
                 pid_t& child) {
  Actions actions;
  int failure = input ? posix_spawn_file_actions_adddup2(actions.get(), input->theirs.number(), STDIN_FILENO)
                      : posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const auto then = [&](int result) { failure = failure != 0 ? failure : result; };
  then(posix_spawn_file_actions_adddup2(actions.get(), output.theirs.number(), STDOUT_FILENO));
  then(posix_spawn_file_actions_adddup2(actions.get(), messages.theirs.number(), STDERR_FILENO));
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  then(closeOthers(actions.get(), flags));
  if (!options.folder.empty()) then(posix_spawn_file_actions_addchdir_np(actions.get(), options.folder.c_str()));

  // Signals have the state that a shell would pass on, whatever this program does with its own.
  Attributes attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  then(posix_spawnattr_setsigdefault(attributes.get(), &all));
  then(posix_spawnattr_setsigmask(attributes.get(), &none));
  then(posix_spawnattr_setpgroup(attributes.get(), 0));
  then(posix_spawnattr_setflags(attributes.get(), flags));
  if (failure != 0) return failure;

  std::vector<std::string> words = {options.program.native()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const std::vector<char*> arguments = pointersTo(words);
  std::vector<char*> environment;
  if (options.environment) environment = pointersTo(*options.environment);
  return posix_spawn(&child, options.program.c_str(), actions.get(), attributes.get(), arguments.data(),
                     options.environment ? environment.data() : environ);
}

/// The same for a program with ProcessOptions::confinement; `held` receives the layers that confine it.
int startConfined(const ProcessOptions& options, const Pipe& output, const Pipe& messages, pid_t& child, Layers& held);

/// A started program, which is killed with its group when this object is destroyed. `isSupervisor`: it gets time to end
/// what is below it first.
class Child {
public:
  explicit Child(pid_t number, bool isSupervisor = false) : m_number(number), m_isSupervisor(isSupervisor) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  /// Whether it has ended. Its status is not collected yet, so that no other process or group gets its ID.
  bool hasEnded() const {
    siginfo_t info{};
    int failure = 0;
    do {
      failure = waitid(P_PID, static_cast<id_t>(m_number), &info, WEXITED | WNOHANG | WNOWAIT);
    } while (failure != 0 && errno == EINTR);
    return failure != 0 || info.si_pid == m_number;
  }
  /// Kills the rest of the group and collects the status; nothing when it was already collected elsewhere.
  std::optional<int> end() {
    if (m_number <= 0) return std::nullopt;
    if (m_isSupervisor && !hasEnded()) {
      constexpr int kSupervisorMs = 3'000;
      kill(m_number, SIGTERM);
      for (int ms = 0; ms < kSupervisorMs && !hasEnded(); ++ms) (void)poll(nullptr, 0, 1);
    }
    kill(-m_number, SIGKILL);
    int status = 0;
    pid_t fetched = 0;
    do {
      fetched = waitpid(m_number, &status, 0);
    } while (fetched < 0 && errno == EINTR);
    const bool known = fetched == m_number;
    m_number = 0;
    return known ? std::optional(status) : std::nullopt;
  }

  /// Its process ID; the caller ends it from now on.
  pid_t release() { return std::exchange(m_number, 0); }

private:
  pid_t m_number;
  bool m_isSupervisor;
};

} // namespace blobscope::process
