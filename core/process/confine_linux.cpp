#include "core/process/confine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace blobscope::process {
namespace {

// --- Landlock. Source: Linux 6.12 include/uapi/linux/landlock.h; headers of a system are often older than its kernel.
// ---

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kVersionFlag = 1;
constexpr int kPathBeneath = 1;
/// The first version that allows moving files between folders, which drivers do in their caches.
constexpr long kFirstVersion = 2;

struct RulesetAttributes {
  uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathAttributes {
  uint64_t allowed;
  int32_t parent;
};

constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3, kRemove = 3 << 4,
                   kMakeDevices = 1 << 6 | 1 << 11, kMake = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12,
                   kRefer = 1 << 13, kTruncate = 1 << 14, kDeviceControl = 1 << 15;
/// The rights that a rule can grant on a file that is not a folder.
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;
constexpr uint64_t kReading = kExecute | kReadFile | kReadFolder;
constexpr uint64_t kWriting = kWriteFile | kRemove | kMake | kRefer | kTruncate;

long landlockVersion() { return syscall(kCreateRuleset, nullptr, 0, kVersionFlag); }

void allow(int ruleset, const std::filesystem::path& path, uint64_t rights) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return; // a missing file needs no rule
  struct stat facts{};
  if (fstat(file, &facts) == 0) {
    const PathAttributes rule{S_ISDIR(facts.st_mode) ? rights : rights & kOfFiles, file};
    (void)syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
  }
  close(file);
}

/// A descriptor of the ruleset; negative when there is no Landlock.
int makeRuleset(const Confinement& confinement) {
  const long version = landlockVersion();
  if (version < kFirstVersion) return -1;
  RulesetAttributes attributes;
  attributes.files = kWriting | kMakeDevices;
  // When everything may be read, drivers may also control devices, which cannot be listed.
  if (!confinement.readsEverything) attributes.files |= kReading | (version >= 5 ? kDeviceControl : 0);
  if (version < 3) attributes.files &= ~kTruncate;
  if (version >= 4) attributes.network = 3;                               // bind and connect of TCP
  if (version >= 6) attributes.scopes = confinement.localSockets ? 2 : 3; // abstract sockets, signals
  const std::size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 16 : 8;
  const auto ruleset = static_cast<int>(syscall(kCreateRuleset, &attributes, size, 0));
  if (ruleset < 0) return -1;
  for (const std::filesystem::path& path : confinement.readable) allow(ruleset, path, kReading & attributes.files);
  for (const std::filesystem::path& path : confinement.writable)
    allow(ruleset, path, (kReading | kWriting) & attributes.files);
  for (const std::filesystem::path& path : confinement.devices)
    allow(ruleset, path, (kReadFile | kReadFolder | kWriteFile | kTruncate | kDeviceControl) & attributes.files);
  return ruleset;
}

// --- The filter of system calls. ---

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0; // its system call numbers are not known here: no filter
#endif

/// System calls that affect other processes, the kernel or the system's state, that change access rights, owners, times
/// or attributes of files (Landlock has no rule for these, and a descriptor that can only read is enough for some), or
/// that leave memory and messages behind. Numbers from 424 on are the same on all architectures.
constexpr uint32_t kRefused[] = {
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    452,
    463,
    466,
    469, // fchmodat2, setxattrat, removexattrat, file_setattr
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semctl,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgctl,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_tkill, // names a thread of any process
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_swapon,
    SYS_swapoff,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_setns,
    SYS_unshare,
    SYS_syslog,
    SYS_open_by_handle_at,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_fanotify_init,
    424, // pidfd_send_signal
    425,
    426,
    427, // io_uring_setup, _enter, _register: the filter does not see their operations
    428,
    429,
    430,
    431,
    432,
    433, // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
    434,
    438,
    440, // pidfd_open, pidfd_getfd, process_madvise
    442,
    443,
    447,
    448, // mount_setattr, quotactl_fd, memfd_secret, process_mrelease
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
#endif
};
constexpr uint32_t kClone3 = 435;
constexpr uint32_t kNewNamespaces = 0x7e020000; // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
/// Requests of ioctl() that concern more than the own descriptors.
constexpr uint32_t kRefusedRequests[] = {
    0x5412,     // TIOCSTI
    0x541c,     // TIOCLINUX: typing into a terminal
    0x8901,     // FIOSETOWN
    0x8902,     // SIOCSPGRP: signals to other processes
    0x40086602, // FS_IOC_SETFLAGS: attributes of files, for which a descriptor that can only read is enough
    0x40046602, // FS_IOC32_SETFLAGS
    0x401c5820, // FS_IOC_FSSETXATTR
    0x40087602, // FS_IOC_SETVERSION
    0x40047602, // FS_IOC32_SETVERSION
    0x40806685, // FS_IOC_ENABLE_VERITY
    0x800c6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0xc0045877, // FIFREEZE
    0xc0045878, // FITHAW
    0xc0185879, // FITRIM
    0x8004587d, // FS_IOC_GOINGDOWN
};
/// Types of sockets that only talk to the other end: a datagram can be sent to any socket.
constexpr uint32_t kTypeBits = 0xf;

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW, kRefuse = SECCOMP_RET_ERRNO | EPERM, kAsk = SECCOMP_RET_USER_NOTIF;

/// A filter, and the words that compare a number with that of the parent, which is not known yet.
struct FilterCode {
  std::vector<sock_filter> words;
  std::vector<std::size_t> parents = {};
};

class Filter {
public:
  /// `asks`: the supervisor decides where that is possible.
  Filter(const Confinement& confinement, bool asks) {
    const uint32_t decides = asks ? kAsk : kRefuse, makes = asks ? kAsk : kAllow;
    load(offsetof(seccomp_data, arch));
    unlessEqual(kArchitecture, kRefuse);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // System call numbers of x32 are not in the table and would be allowed.
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(kRefuse);
#endif
    for (const uint32_t number : kRefused) ifEqual(number, kRefuse);
    // Its flags are in memory, which a filter cannot read; libraries then use clone.
    ifEqual(kClone3, SECCOMP_RET_ERRNO | ENOSYS);
    call(SYS_clone, [&] {
      loadArgument(0);
      ifAny(kNewNamespaces, kRefuse);
      ifAny(CLONE_THREAD, makes);
      answer(confinement.startsProcesses ? makes : kRefuse);
    });
#if defined(__x86_64__)
    ifEqual(SYS_fork, confinement.startsProcesses ? makes : kRefuse);
    ifEqual(SYS_vfork, confinement.startsProcesses ? makes : kRefuse);
#endif
    call(SYS_socket, [&] {
      if (confinement.localSockets) {
        loadArgument(0);
        ifEqual(AF_NETLINK, kAllow);
        unlessEqual(AF_UNIX, kRefuse);
        allowConnected();
      }
      answer(kRefuse);
    });
    call(SYS_socketpair, [&] {
      allowConnected();
      answer(kRefuse);
    });
    ifEqual(SYS_connect, confinement.localSockets ? decides : kRefuse);
    // A process may place and rank only its own threads.
    for (const uint32_t number : {SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
      call(number, [&] {
        loadArgument(0);
        unlessEqual(0, decides);
      });
    for (const auto& [number, process] : {std::pair<uint32_t, uint32_t>(SYS_setpriority, PRIO_PROCESS),
                                          std::pair<uint32_t, uint32_t>(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */)})
      call(number, [&] {
        loadArgument(0);
        unlessEqual(process, kRefuse);
        loadArgument(1);
        unlessEqual(0, decides);
      });
    // Files that raise signals in other processes, and typing into a terminal.
    call(SYS_fcntl, [&] {
      loadArgument(1);
      for (const uint32_t command : {F_SETOWN, 15 /* F_SETOWN_EX */}) ifEqual(command, kRefuse);
    });
    call(SYS_ioctl, [&] {
      loadArgument(1);
      for (const uint32_t request : kRefusedRequests) ifEqual(request, kRefuse);
    });
    // A process may change only its own limits.
    call(SYS_prlimit64, [&] {
      loadArgument(0);
      unlessEqual(0, kRefuse);
    });
    for (const uint32_t number : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
      call(number, [&] {
        loadArgument(0);
        ifEqual(0, kRefuse);
        ifAny(0x80000000, kRefuse);
        for (const ProcessId process : confinement.protects) ifEqual(static_cast<uint32_t>(process), kRefuse);
        m_code.parents.push_back(m_code.words.size());
        ifEqual(0, kRefuse); // replaced
      });
    answer(kAllow);
  }

  FilterCode take() { return std::move(m_code); }

private:
  void add(int code, uint32_t value, std::size_t ifTrue = 0, std::size_t ifFalse = 0) {
    m_code.words.push_back(
        {static_cast<uint16_t>(code), static_cast<uint8_t>(ifTrue), static_cast<uint8_t>(ifFalse), value});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  /// Loads the lower half of an argument, which contains all values that are compared.
  void loadArgument(std::size_t index) {
    static_assert(std::endian::native == std::endian::little);
    load(offsetof(seccomp_data, args) + index * sizeof(uint64_t));
  }
  void answer(uint32_t value) { add(BPF_RET | BPF_K, value); }
  void ifEqual(uint32_t value, uint32_t result) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(result);
  }
  void unlessEqual(uint32_t value, uint32_t result) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    answer(result);
  }
  void ifAny(uint32_t bits, uint32_t result) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    answer(result);
  }
  /// For the second argument of socket() and socketpair().
  void allowConnected() {
    loadArgument(1);
    add(BPF_ALU | BPF_AND | BPF_K, kTypeBits);
    ifEqual(SOCK_STREAM, kAllow);
    ifEqual(SOCK_SEQPACKET, kAllow);
  }
  /// The decision about one system call; it is allowed when `rules` do not decide.
  template <class F> void call(uint32_t number, F&& rules) {
    const std::size_t at = m_code.words.size();
    add(BPF_JMP | BPF_JEQ | BPF_K, number);
    rules();
    answer(kAllow);
    m_code.words[at].jf = static_cast<uint8_t>(m_code.words.size() - at - 1);
  }

  FilterCode m_code;
};

/// False on a kernel without filters, or inside another filter that forbids installing one.
bool hasFilters() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

constexpr unsigned long kSpecAllow = 1UL << 2, kNewListener = 1UL << 3,
                        kWaitKillable = 1UL << 5; ///< SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19

bool applyFilter(const std::vector<sock_filter>& code) {
  const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
  // Without this flag old kernels would slow the process down and change measured times.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kSpecAllow, &program) == 0) return true;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/// The same for a filter that asks; a descriptor with the questions, or -1.
int applyAskingFilter(const std::vector<sock_filter>& code) {
  const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kSpecAllow | kNewListener | kWaitKillable, &program));
}

/// Sends it to the supervisor. No process below may keep it: it could answer its own questions.
bool sendListener(int listener, int channel) {
  char byte = 0;
  iovec piece{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof listener)> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof listener);
  std::memcpy(CMSG_DATA(header), &listener, sizeof listener);
  return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/// Whether a supervisor can be asked here. A process above may already be the one that is asked: there is only one. So
/// a process tries it.
bool canAsk() {
  if (!hasFilters()) return false;
  const sock_filter allow{BPF_RET | BPF_K, 0, 0, kAllow};
  const std::vector<sock_filter> code{allow};
  const pid_t child = fork();
  if (child == 0)
    _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && applyAskingFilter(code) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  int status = EXIT_FAILURE;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/// Drops what root may do more than others, except reading all files; false when the system refuses it. A program that
/// is executed does not get it back, because of PR_SET_NO_NEW_PRIVS. Among it is raising its own limits.
bool dropCapabilities() {
  constexpr uint32_t kKept = 1U << CAP_DAC_READ_SEARCH;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return false;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const uint32_t kept = i == 0 ? sets[i].permitted & kKept : 0;
    sets[i] = {kept, kept, 0};
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return syscall(SYS_capset, &header, sets.data()) == 0;
}

// --- Resource limits. ---

/// Number of processes and threads of this user that /proc shows.
uint64_t countTasks() {
  uint64_t count = 0;
  std::error_code failure;
  for (std::filesystem::directory_iterator at("/proc", failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().native();
    struct stat facts{};
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0 || stat(at->path().c_str(), &facts) != 0 ||
        facts.st_uid != getuid())
      continue;
    std::ifstream file(at->path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // PID (NAME) STATE …: the number of threads is the 18th word after the name, which may contain any characters.
    std::size_t from = text.rfind(')');
    for (int word = 0; word < 18 && from != std::string::npos; ++word) from = text.find(' ', from + 1);
    long threads = 0;
    if (from != std::string::npos && std::sscanf(text.c_str() + from, "%ld", &threads) == 1 && threads > 0)
      count += static_cast<uint64_t>(threads);
  }
  return count;
}

struct Limit {
  int resource;
  uint64_t value;
};

bool applyLimit(const Limit& limit) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(limit.resource), &now) != 0) return false;
  // Never above the limit of the system.
  now.rlim_cur = std::min<rlim_t>(limit.value, now.rlim_max);
  // The soft limit sends a signal, the hard limit ends the process one second later.
  now.rlim_max = limit.resource == RLIMIT_CPU ? std::min<rlim_t>(now.rlim_cur + 1, now.rlim_max) : now.rlim_cur;
  return setrlimit(static_cast<__rlimit_resource>(limit.resource), &now) == 0;
}

} // namespace

struct PreparedConfinement::Parts {
  int ruleset = -1;
  FilterCode filter, asking; ///< empty: none
  std::vector<Limit> limits;
  uint64_t tasks = 0; ///< 0: not limited
};

PreparedConfinement::PreparedConfinement(const Confinement& confinement) {
  auto parts = std::make_unique<Parts>();
  if (confinement.confinesFiles) parts->ruleset = makeRuleset(confinement);
  if (hasFilters()) {
    parts->filter = Filter(confinement, false).take();
    if (confinement.tasks != 0) parts->asking = Filter(confinement, true).take();
  }
  parts->limits.push_back({RLIMIT_CORE, 0});
  const auto limit = [&](int resource, uint64_t value) {
    if (value != 0) parts->limits.push_back({resource, value});
  };
  limit(RLIMIT_NOFILE, confinement.openFiles);
  limit(RLIMIT_FSIZE, confinement.fileBytes);
  limit(RLIMIT_CPU, confinement.cpuSeconds);
  // Last: it may be below what a forked process has mapped, and the system then allocates nothing more.
  limit(RLIMIT_DATA, confinement.dataBytes);
  limit(RLIMIT_AS, confinement.addressBytes);
  if (confinement.tasks != 0 && getuid() != 0) parts->tasks = countTasks() + confinement.tasks;
  m_parts = std::move(parts);
}

PreparedConfinement::~PreparedConfinement() {
  if (m_parts->ruleset >= 0) close(m_parts->ruleset);
}

Layers PreparedConfinement::apply(int supervisor) const {
  Layers held;
  // --- 1. No privileges through set-user-ID programs; Landlock and the filter require this. ---
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && dropCapabilities()) held.bits |= Layers::Privileges;
  // --- 2. Files and system calls. ---
  if (m_parts->ruleset >= 0 && syscall(kRestrictSelf, m_parts->ruleset, 0) == 0) held.bits |= Layers::Files;
  for (FilterCode* const code : {&m_parts->filter, &m_parts->asking})
    for (const std::size_t at : code->parents) code->words[at].k = static_cast<uint32_t>(getppid());
  const int listener = supervisor < 0 || m_parts->asking.words.empty() ? -1 : applyAskingFilter(m_parts->asking.words);
  if (listener >= 0) {
    held.bits |= Layers::SystemCalls;
    // When it does not get there, nobody answers, and the system refuses the calls.
    if (sendListener(listener, supervisor)) held.bits |= Layers::Tasks;
    close(listener);
  } else if (!m_parts->filter.words.empty() && applyFilter(m_parts->filter.words)) {
    held.bits |= Layers::SystemCalls;
  }
  if (supervisor >= 0) close(supervisor);
  // --- 3. Limits. ---
  if (m_parts->tasks != 0 && applyLimit({RLIMIT_NPROC, m_parts->tasks})) held.bits |= Layers::Tasks;
  bool all = true;
  for (const Limit& limit : m_parts->limits) all = applyLimit(limit) && all;
  if (all) held.bits |= Layers::Limits;
  return held;
}

Layers supportedLayers() {
  Layers layers;
  layers.bits = Layers::Limits | Layers::Privileges;
  if (hasFilters()) layers.bits |= Layers::SystemCalls;
  if (landlockVersion() >= kFirstVersion) layers.bits |= Layers::Files;
  // Trying it starts a process, and the answer stays the same.
  const auto asks = [] {
    static const bool can = canAsk();
    return can;
  };
  if (getuid() != 0 || asks()) layers.bits |= Layers::Tasks;
  return layers;
}

std::string missingReason(Layers::Bit layer) {
  switch (layer) {
  case Layers::Limits: return "the system refuses resource limits";
  case Layers::Privileges: return "the system refuses PR_SET_NO_NEW_PRIVS";
  case Layers::SystemCalls:
    return kArchitecture == 0 ? "there is no filter for this processor" : "this kernel offers no seccomp filters";
  case Layers::Files: return "this kernel offers no Landlock, which Linux 5.19 and later have";
  case Layers::Tasks:
    return "limits on the number of processes do not apply to root, and this kernel cannot ask before each new one, "
           "which Linux 5.19 and later do outside of some containers";
  }
  return {};
}

} // namespace blobscope::process
