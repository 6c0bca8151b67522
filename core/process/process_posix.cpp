#include "core/base/thread_rule.h"
#include "core/process/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace blobscope::process {
namespace {

using Clock = std::chrono::steady_clock;

/// Between two looks at the monitor and the clock.
constexpr int kStepMs = 20;

/// A descriptor that is closed in time.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : m_number(number) {}
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_number, other.m_number);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (m_number >= 0) close(m_number);
    m_number = -1;
  }
  int number() const { return m_number; }

private:
  int m_number = -1;
};

struct Pipe {
  Descriptor ours, theirs;
};

/// False with errno. The program's end lies above the three numbers that it gets under another one.
bool openPipe(Pipe& made) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  made.ours = Descriptor(ends[0]);
  made.theirs = Descriptor(ends[1]);
  if (made.theirs.number() <= STDERR_FILENO) {
    const int higher = fcntl(made.theirs.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0) return false;
    made.theirs = Descriptor(higher);
  }
  return fcntl(made.ours.number(), F_SETFL, O_NONBLOCK) == 0;
}

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

/// Pointers to texts that live as long as `texts`, ended as execve wants it.
std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// 0 or the error number.
int start(const ProcessOptions& options, const Pipe& output, const Pipe& messages, pid_t& child) {
  Actions actions;
  int failure = posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const auto then = [&](int result) { failure = failure != 0 ? failure : result; };
  then(posix_spawn_file_actions_adddup2(actions.get(), output.theirs.number(), STDOUT_FILENO));
  then(posix_spawn_file_actions_adddup2(actions.get(), messages.theirs.number(), STDERR_FILENO));
  then(posix_spawn_file_actions_addclosefrom_np(actions.get(), STDERR_FILENO + 1));
  if (!options.folder.empty()) then(posix_spawn_file_actions_addchdir_np(actions.get(), options.folder.c_str()));

  // Signals as a shell would hand them on, whatever this program does with its own.
  Attributes attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  then(posix_spawnattr_setsigdefault(attributes.get(), &all));
  then(posix_spawnattr_setsigmask(attributes.get(), &none));
  then(posix_spawnattr_setpgroup(attributes.get(), 0));
  then(posix_spawnattr_setflags(attributes.get(),
                                POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  if (failure != 0) return failure;

  std::vector<std::string> words = {options.program.native()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const std::vector<char*> arguments = pointersTo(words);
  std::vector<char*> environment;
  if (options.environment) environment = pointersTo(*options.environment);
  return posix_spawn(&child, options.program.c_str(), actions.get(), attributes.get(), arguments.data(),
                     options.environment ? environment.data() : environ);
}

/// A started program; it is gone, with its group, when this object is.
class Child {
public:
  explicit Child(pid_t number) : m_number(number) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  /// Whether it has ended. It is not fetched yet, so that its number and group stay its own.
  bool hasEnded() const {
    siginfo_t info{};
    int failure = 0;
    do {
      failure = waitid(P_PID, static_cast<id_t>(m_number), &info, WEXITED | WNOHANG | WNOWAIT);
    } while (failure != 0 && errno == EINTR);
    return failure != 0 || info.si_pid == m_number;
  }
  /// Kills what is left of the group and fetches the status; nothing when somebody else did.
  std::optional<int> end() {
    if (m_number <= 0) return std::nullopt;
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

private:
  pid_t m_number;
};

/// What one pipe brings.
struct Stream {
  Descriptor from;
  std::string& text;
  uint64_t limit;
  bool cut = false;

  /// Reads what is there, at most a few buffers full, so that the caller comes to look at the clock. False when nothing
  /// was there.
  bool read() {
    std::array<char, 65'536> buffer;
    bool any = false;
    for (int turn = 0; turn < 16 && from.number() >= 0; ++turn) {
      const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return any;
      if (count <= 0) {
        from.reset();
        return any;
      }
      any = true;
      const uint64_t room = limit - text.size();
      const uint64_t size = std::min(static_cast<uint64_t>(count), room);
      text.append(buffer.data(), size);
      cut = cut || size < static_cast<uint64_t>(count);
    }
    return any;
  }
};

} // namespace

Result<ProcessResult> run(const ProcessOptions& options, Monitor& monitor) {
  longWork("process::run");
  ProcessResult result;
  const auto notStarted = [&](int number) {
    result.notStarted = std::strerror(number);
    return result;
  };

  // --- 1. The program runs. ---
  Pipe output, messages;
  if (!openPipe(output) || !openPipe(messages)) return notStarted(errno);
  pid_t number = 0;
  if (const int failure = start(options, output, messages, number); failure != 0) return notStarted(failure);
  Child child(number);
  output.theirs.reset();
  messages.theirs.reset();
  Stream out{std::move(output.ours), result.output, options.outputBytes};
  Stream err{std::move(messages.ours), result.messages, options.messageBytes};

  // --- 2. It has ended, or must. ---
  const auto begin = Clock::now();
  const auto elapsedMs = [&] {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count());
  };
  int waitMs = 1;
  while (true) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("running " + options.program.filename().native(), 0, 0);
    const bool ended = child.hasEnded();
    const bool more = out.read(), any = err.read() || more;
    if (out.cut || ended) break;
    if (elapsedMs() >= options.timeoutMs) {
      result.timedOut = true;
      break;
    }
    if (any) {
      waitMs = 1;
      continue;
    }
    std::array<pollfd, 2> watched = {pollfd{out.from.number(), POLLIN, 0}, pollfd{err.from.number(), POLLIN, 0}};
    // Closed ones are negative and never wake it up; its end does not either.
    poll(watched.data(), watched.size(), waitMs);
    waitMs = std::min(waitMs * 2, kStepMs);
  }

  // --- 3. Nothing of it runs any more; what it printed last is still in the pipes. ---
  const std::optional<int> status = child.end();
  while (!result.timedOut && !out.cut && !err.cut) {
    const bool more = out.read();
    if (!err.read() && !more) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  result.outputCut = out.cut;
  result.messagesCut = err.cut;
  if (status && WIFSIGNALED(*status)) result.signal = WTERMSIG(*status);
  else result.exitCode = status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  return result;
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code failure;
  std::filesystem::path base = std::filesystem::temp_directory_path(failure);
  if (failure) base = "/tmp";
  std::string name = (base / "blobscope-XXXXXX").native();
  if (!mkdtemp(name.data()))
    return Error(DiagnosticId::FileWrite, {arg("path", base.native()), {"reason", std::strerror(errno)}});
  return TemporaryFolder(name);
}

} // namespace blobscope::process
