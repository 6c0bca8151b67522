#include "core/process/supervise.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/// A supervisor may be a fork of a program with many threads, so nothing here allocates from the heap, and only
/// async-signal-safe functions are called.
namespace blobscope::process {
namespace {

constexpr int kGoneCode = 125;
/// Less than the time that the client waits for the supervisor.
constexpr int kEndMs = 2'000;
/// Between two counts of root's processes without a channel.
constexpr int kCountMs = 20;
/// Only root may raise it.
constexpr int kPriority = -10;

// --- /proc ---

/// The decimal digits of a number and a zero.
struct Digits {
  explicit Digits(uint64_t number) {
    std::size_t at = text.size() - 1;
    do text[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    begin = at;
  }
  const char* get() const { return text.data() + begin; }
  std::array<char, 24> text{};
  std::size_t begin = 0;
};

/// "/proc/NUMBER" and what follows.
struct ProcPath {
  ProcPath(pid_t number, const char* rest, pid_t thread = 0) {
    add("/proc/");
    add(Digits(static_cast<uint64_t>(number)).get());
    add(rest);
    if (thread > 0) add(Digits(static_cast<uint64_t>(thread)).get());
  }
  void add(const char* part) {
    while (*part != '\0' && size + 1 < text.size()) text[size++] = *part++;
  }
  std::array<char, 128> text{};
  std::size_t size = 0;
};

/// The beginning of a file, at most the buffer; empty when it cannot be read.
std::string_view readInto(std::array<char, 1'024>& buffer, const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = read(file, buffer.data(), buffer.size());
  close(file);
  return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

uint64_t takeNumber(std::string_view& text) {
  uint64_t out = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) out = out * 10 + (text[at] - '0');
  text.remove_prefix(at);
  return out;
}

struct Process {
  enum class State : uint8_t { Unknown, Below, Elsewhere };
  pid_t number = 0, parent = 0;
  uint64_t threads = 0;
  State state = State::Unknown;
};

/// All processes that /proc shows, sorted, in memory of its own. The kernel limits their number.
class Processes {
public:
  Processes() {
    // Those that this user cannot inspect may be hidden; the kernel lists at least the children.
    readFolder();
    readChildren();
    std::sort(m_rows, m_rows + m_count, [](const Process& a, const Process& b) { return a.number < b.number; });
    const pid_t self = getpid();
    for (std::size_t i = 0; i < m_count; ++i) mark(i, self);
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() {
    if (m_rows) munmap(m_rows, m_capacity * sizeof(Process));
  }

  /// Calls `f` with each child, child of a child and so on. One whose parent ends right now may be missing.
  template <class F> void forEachBelow(F&& f) const {
    for (std::size_t i = 0; i < m_count; ++i)
      if (m_rows[i].state == Process::State::Below) f(m_rows[i]);
  }

private:
  void add(const Process& process) {
    if (m_count == m_capacity) {
      const std::size_t more = m_capacity == 0 ? 4'096 : m_capacity * 2;
      void* const made =
          mmap(nullptr, more * sizeof(Process), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (made == MAP_FAILED) return;
      if (m_rows) {
        std::memcpy(made, m_rows, m_count * sizeof(Process));
        munmap(m_rows, m_capacity * sizeof(Process));
      }
      m_rows = static_cast<Process*>(made);
      m_capacity = more;
    }
    m_rows[m_count++] = process;
  }

  void readFolder() {
    struct Entry { // linux_dirent64
      uint64_t inode;
      int64_t offset;
      uint16_t size;
      uint8_t kind;
      char name[1];
    };
    const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    alignas(8) std::array<char, 16'384> buffer;
    while (true) {
      const long count = syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
      if (count <= 0) break;
      for (long at = 0; at < count;) {
        uint16_t size = 0;
        std::memcpy(&size, buffer.data() + at + offsetof(Entry, size), sizeof size);
        std::string_view name(buffer.data() + at + offsetof(Entry, name));
        const uint64_t number = takeNumber(name);
        if (number != 0 && name.empty()) readStat(static_cast<pid_t>(number));
        at += size;
      }
    }
    close(folder);
  }

  /// PID (NAME) STATE PARENT …, where the name may contain anything; the number of threads is the 18th word after it.
  void readStat(pid_t number) {
    std::array<char, 1'024> buffer;
    std::string_view text = readInto(buffer, ProcPath(number, "/stat").text.data());
    const std::size_t name = text.rfind(')');
    if (name == std::string_view::npos) return; // it has just ended
    text.remove_prefix(name);
    Process out;
    out.number = number;
    for (int word = 0; word < 18; ++word) {
      const std::size_t blank = text.find(' ');
      if (blank == std::string_view::npos) return;
      text.remove_prefix(blank + 1);
      if (word == 1) {
        std::string_view rest = text;
        out.parent = static_cast<pid_t>(takeNumber(rest));
      }
    }
    out.threads = takeNumber(text);
    add(out);
  }

  void readChildren() {
    const pid_t self = getpid();
    ProcPath path(self, "/task/", self);
    path.add("/children");
    std::array<char, 1'024> buffer;
    std::string_view text = readInto(buffer, path.text.data());
    while (!text.empty()) {
      const auto number = static_cast<pid_t>(takeNumber(text));
      text.remove_prefix(std::min<std::size_t>(1, text.size()));
      const auto same = [&](const Process& one) { return one.number == number; };
      if (number > 0 && std::none_of(m_rows, m_rows + m_count, same)) add({number, self, 1, {}});
    }
  }

  Process* find(pid_t number) {
    Process* const at = std::lower_bound(m_rows, m_rows + m_count, number,
                                         [](const Process& one, pid_t wanted) { return one.number < wanted; });
    return at != m_rows + m_count && at->number == number ? at : nullptr;
  }

  /// Follows the parents up to one whose state is known, and gives all of them the same.
  void mark(std::size_t first, pid_t self) {
    using State = Process::State;
    State state = State::Elsewhere;
    std::size_t length = 0;
    for (const Process* at = m_rows + first; at && length < m_count; at = find(at->parent)) {
      if (at->state != State::Unknown) {
        state = at->state;
        break;
      }
      ++length;
      if (at->parent != self) continue;
      state = State::Below;
      break;
    }
    for (Process* at = m_rows + first; at && length > 0; at = find(at->parent), --length) at->state = state;
  }

  Process* m_rows = nullptr;
  std::size_t m_count = 0, m_capacity = 0;
};

// --- What the kernel asks. ---

/// Room for what newer kernels add.
constexpr std::size_t kQuestionBytes = 512;

struct Answer {
  int error = 0;       ///< 0: allowed
  bool isMade = false; ///< the supervisor made the call, with this result
  static Answer refused() { return {EPERM, false}; }
};

/// The process to which a thread belongs; 0 when it has ended.
pid_t processOf(pid_t thread) {
  std::array<char, 1'024> buffer;
  std::string_view text = readInto(buffer, ProcPath(thread, "/status").text.data());
  constexpr std::string_view kWord = "\nTgid:\t";
  const std::size_t at = text.find(kWord);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kWord.size());
  return static_cast<pid_t>(takeNumber(text));
}

class Supervisor {
public:
  Supervisor(const Supervision& allowed, pid_t child, int channel, int signals)
      : m_allowed(allowed), m_child(child), m_channel(channel), m_signals(signals) {}

  [[noreturn]] void run() {
    // The child may have ended before signals got their usual actions, which discards the signal that tells it.
    reap();
    while (!m_ended && m_signal == 0) step();
    // Without an answer no process can be made any more.
    closeListener();
    endAll();
    end();
  }

private:
  bool counts() const { return m_listener < 0 && getuid() == 0; }

  void step() {
    std::array<pollfd, 3> watched = {pollfd{m_signals, POLLIN, 0}, pollfd{m_channel, POLLIN, 0},
                                     pollfd{m_listener, POLLIN, 0}};
    if (poll(watched.data(), watched.size(), counts() ? kCountMs : -1) < 0) return;
    if (watched[0].revents != 0) readSignals();
    if (watched[1].revents != 0) readChannel();
    if ((watched[2].revents & POLLIN) != 0)
      answer();
    else if (watched[2].revents != 0)
      closeListener(); // nothing below can ask any more
    if (!counts()) return;
    count();
    if (m_processes > m_allowed.processes) tooMany();
  }

  void readSignals() {
    signalfd_siginfo info{};
    while (read(m_signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      if (info.ssi_signo != SIGCHLD) m_signal = static_cast<int>(info.ssi_signo);
    reap();
  }

  /// False when there are no children any more.
  bool reap() {
    while (true) {
      int status = 0;
      const pid_t fetched = waitpid(-1, &status, WNOHANG);
      if (fetched <= 0) return fetched == 0 || errno != ECHILD;
      if (fetched != m_child) continue;
      m_status = status;
      m_ended = true;
    }
  }

  /// Receives the descriptor of the questions. The other end is closed when there is none.
  void readChannel() {
    char byte = 0;
    iovec piece{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = recvmsg(m_channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    const cmsghdr* const header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header && header->cmsg_type == SCM_RIGHTS) std::memcpy(&m_listener, CMSG_DATA(header), sizeof m_listener);
    close(m_channel);
    m_channel = -1;
  }

  void closeListener() {
    if (m_listener >= 0) close(m_listener);
    m_listener = -1;
  }

  void answer() {
    alignas(8) std::array<char, kQuestionBytes> questionBytes{}, answerBytes{};
    auto& question = *reinterpret_cast<seccomp_notif*>(questionBytes.data());
    auto& reply = *reinterpret_cast<seccomp_notif_resp*>(answerBytes.data());
    if (ioctl(m_listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return; // the caller was killed
    const Answer decided = decide(question);
    reply.id = question.id;
    reply.error = -decided.error;
    if (decided.error == 0 && !decided.isMade) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(m_listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }

  Answer decide(const seccomp_notif& question) {
    const auto caller = static_cast<pid_t>(question.pid);
    const auto argument = [&](std::size_t index) { return static_cast<pid_t>(question.data.args[index]); };
    switch (question.data.nr) {
    case SYS_clone: return allowNew((question.data.args[0] & CLONE_THREAD) != 0);
#if defined(__x86_64__)
    case SYS_fork:
    case SYS_vfork: return allowNew(false);
#endif
    case SYS_sched_setaffinity:
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_setattr: return allowThread(caller, argument(0));
    case SYS_setpriority:
    case SYS_ioprio_set: return allowThread(caller, argument(1));
    case SYS_connect: return connectFor(caller, question);
    default: return Answer::refused();
    }
  }

  /// More than the limit can exist while the calls that were allowed just now are under way, but never twice as many.
  Answer allowNew(bool isThread) {
    if (m_tasks >= m_allowed.tasks || (!isThread && m_processes >= m_allowed.processes)) count();
    if (!isThread && m_processes >= m_allowed.processes) {
      tooMany();
      return {EAGAIN, false};
    }
    if (m_tasks >= m_allowed.tasks) return {EAGAIN, false};
    ++m_tasks;
    if (!isThread) ++m_processes;
    return {};
  }

  void count() {
    m_processes = m_tasks = 0;
    const Processes processes;
    processes.forEachBelow([&](const Process& one) {
      ++m_processes;
      m_tasks += one.threads;
    });
  }

  void tooMany() {
    if (m_tooMany) return;
    m_tooMany = true;
    m_signal = SIGKILL;
    if (!m_allowed.keepsMessages) return;
    const Digits limit(m_allowed.processes);
    for (const char* const part : {"the run had more than ", limit.get(), " processes and was ended\n"})
      (void)!write(STDERR_FILENO, part, std::strlen(part));
  }

  static Answer allowThread(pid_t caller, pid_t thread) {
    if (thread <= 0) return thread == 0 ? Answer() : Answer::refused();
    return access(ProcPath(caller, "/task/", thread).text.data(), F_OK) == 0 ? Answer() : Answer::refused();
  }

  /// Makes the connection with an address that only this process can change.
  Answer connectFor(pid_t caller, const seccomp_notif& question) const {
    sockaddr_un address{};
    const auto size = static_cast<std::size_t>(question.data.args[2]);
    if (size <= offsetof(sockaddr_un, sun_path) || size > sizeof address) return Answer::refused();
    iovec to{&address, size}, from{reinterpret_cast<void*>(question.data.args[1]), size};
    if (process_vm_readv(caller, &to, 1, &from, 1, 0) != static_cast<ssize_t>(size)) return Answer::refused();
    const int place =
        address.sun_family == AF_UNIX ? openSocket({address.sun_path, size - offsetof(sockaddr_un, sun_path)}) : -1;
    if (place < 0) return Answer::refused();
    const auto process = static_cast<int>(syscall(434 /* pidfd_open */, processOf(caller), 0));
    const int socket =
        process < 0
            ? -1
            : static_cast<int>(syscall(438 /* pidfd_getfd */, process, static_cast<int>(question.data.args[0]), 0));
    Answer out = Answer::refused();
    uint64_t id = question.id;
    // The caller is still the one that asked, so the socket is its own.
    if (socket >= 0 && ioctl(m_listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0) {
      sockaddr_un target{};
      target.sun_family = AF_UNIX;
      const ProcPath path(getpid(), "/fd/", place);
      std::memcpy(target.sun_path, path.text.data(), std::min(path.size, sizeof target.sun_path - 1));
      // The answer must not wait for the other end.
      const int flags = fcntl(socket, F_GETFL);
      (void)fcntl(socket, F_SETFL, flags | O_NONBLOCK);
      const int result = connect(socket, reinterpret_cast<const sockaddr*>(&target), sizeof target);
      out = {result == 0 ? 0 : errno, true};
      (void)fcntl(socket, F_SETFL, flags);
    }
    for (const int descriptor : {socket, process, place})
      if (descriptor >= 0) close(descriptor);
    return out;
  }

  /// A descriptor of the socket with that path in one of the folders; -1 for other paths. Links are not followed.
  int openSocket(std::string_view path) const {
    path = path.substr(0, path.find('\0'));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return -1;
    const std::string_view folder = path.substr(0, slash);
    std::array<char, sizeof(sockaddr_un::sun_path) + 1> name{};
    std::memcpy(name.data(), path.data() + slash + 1, path.size() - slash - 1);
    for (const char* const* one = m_allowed.sockets; one && *one; ++one) {
      if (folder != *one) continue;
      const int parent = open(*one, O_PATH | O_DIRECTORY | O_CLOEXEC);
      const int out = parent < 0 ? -1 : openat(parent, name.data(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
      if (parent >= 0) close(parent);
      struct stat facts{};
      if (out >= 0 && fstat(out, &facts) == 0 && S_ISSOCK(facts.st_mode)) return out;
      if (out >= 0) close(out);
    }
    return -1;
  }

  /// Kills what is below until there is no child, which means that there is nothing below, since orphans become
  /// children of this process.
  void endAll() {
    timespec now{};
    const auto milliseconds = [&] {
      clock_gettime(CLOCK_MONOTONIC, &now);
      return now.tv_sec * 1'000 + now.tv_nsec / 1'000'000;
    };
    for (const auto deadline = milliseconds() + kEndMs; milliseconds() < deadline;) {
      {
        const Processes processes;
        processes.forEachBelow([](const Process& one) { (void)kill(one.number, SIGKILL); });
      }
      if (!reap()) return;
      const timespec pause{0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
    constexpr std::string_view kStuck =
        "a process of the run still exists after it was killed; a driver call may not return\n";
    if (m_allowed.keepsMessages) (void)!write(STDERR_FILENO, kStuck.data(), kStuck.size());
  }

  /// Ends this process with the child's exit status, or with the signal that it received.
  [[noreturn]] void end() const {
    if (m_tooMany) _exit(kTooManyCode);
    if (m_signal == 0 && WIFEXITED(m_status))
      _exit(WEXITSTATUS(m_status) == kTooManyCode ? EXIT_FAILURE : WEXITSTATUS(m_status));
    const int signal = m_signal != 0 ? m_signal : WTERMSIG(m_status);
    // It cannot write a core file, because it is not dumpable.
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    (void)sigaction(signal, &usual, nullptr);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)kill(getpid(), signal);
    _exit(128 + signal);
  }

  const Supervision& m_allowed;
  const pid_t m_child;
  int m_channel, m_signals, m_listener = -1;
  int m_status = 0, m_signal = 0;
  bool m_ended = false, m_tooMany = false;
  uint64_t m_processes = 1, m_tasks = 1;
};

[[noreturn]] void supervise(const Supervision& allowed, pid_t child, int channel, const sigset_t& signals) {
  // No process may read or write its memory.
  (void)prctl(PR_SET_DUMPABLE, 0);
  (void)prctl(PR_SET_NAME, "blobscope-watch");
  (void)setpriority(PRIO_PROCESS, 0, kPriority);
  // No handler of a program of which this is a fork runs here.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    action.sa_handler = signal == SIGPIPE ? SIG_IGN : SIG_DFL;
    (void)sigaction(signal, &action, nullptr);
  }
  const int kept = STDERR_FILENO + 1;
  if (channel >= 0 && channel != kept) channel = dup3(channel, kept, O_CLOEXEC);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  if (!allowed.keepsMessages) close(STDERR_FILENO);
  closefrom(channel >= 0 ? kept + 1 : kept);
  Supervisor(allowed, child, channel, signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC)).run();
}

} // namespace

bool hasSupervisor() { return true; }

std::optional<Ancestors> splitOff(const Supervision& supervision) {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  (void)sigprocmask(SIG_BLOCK, &signals, &before);
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  // After this: a parent that has ended before is not the one that the caller knows.
  Ancestors ancestors{getpid(), getppid(), -1};
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) ends = {-1, -1};
  const pid_t child = fork();
  if (child > 0) supervise(supervision, child, ends[0], signals);
  const int failure = errno;
  if (ends[0] >= 0) close(ends[0]);
  (void)sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) {
    if (ends[1] >= 0) close(ends[1]);
    errno = failure;
    return std::nullopt;
  }
  ancestors.channel = ends[1];
  // It does not outlive its supervisor, and what a process can set for its session does not concern that.
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != ancestors.supervisor) _exit(kGoneCode);
  (void)setsid();
  return ancestors;
}

} // namespace blobscope::process
