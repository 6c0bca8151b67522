#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Limits what a program that reads untrusted bytes may use of the system. Prepared before a process is forked, applied
/// in it. The layers of Linux are applied separately, so that a feature that a kernel lacks does not disable the
/// others.
namespace blobscope::process {

/// The ID of a process, on every system.
using ProcessId = int64_t;

/// What is allowed; everything else is refused. Sizes and counts: 0 means no limit.
struct Confinement {
  uint64_t addressBytes = 0; ///< RLIMIT_AS
  uint64_t dataBytes = 0;    ///< RLIMIT_DATA: private writable memory, without reserved addresses
  uint64_t cpuSeconds = 0;   ///< RLIMIT_CPU, of all threads together
  uint64_t fileBytes = 0;    ///< RLIMIT_FSIZE, of one file
  uint64_t openFiles = 0;    ///< RLIMIT_NOFILE
  /// Processes and threads: those that its supervisor allows; RLIMIT_NPROC allows that many in addition to those that
  /// the user has now.
  uint64_t tasks = 0;
  bool startsProcesses = false; ///< threads are always allowed
  bool localSockets = false;    ///< AF_UNIX and AF_NETLINK; a network is never allowed
  /// With `localSockets`: folders with the sockets to which it may connect, through its supervisor; without one to
  /// none.
  std::vector<std::string> sockets;
  bool confinesFiles = true;                   ///< Landlock, with the three lists below
  bool readsEverything = false;                ///< reading and executing are then not confined
  std::vector<std::filesystem::path> readable; ///< files, and folders with everything below; missing ones are ignored
  std::vector<std::filesystem::path> writable; ///< the same, may also be changed
  std::vector<std::filesystem::path> devices;  ///< the same, may be read and written; nothing is made or removed there
  std::vector<ProcessId> protects;             ///< no signals to these and to its parent; nor can it signal a group
};

/// Layers of confinement: those that a system supports, or those that are active for a process.
struct Layers {
  enum Bit : uint8_t {
    Limits = 1,      ///< resource limits
    Privileges = 2,  ///< PR_SET_NO_NEW_PRIVS, and none of root's capabilities except that to read
    SystemCalls = 4, ///< a seccomp filter: no network, no tracing, no mounting, no access rights of files …
    Files = 8,       ///< Landlock
    Tasks = 16,      ///< the supervisor allows each process and thread, or RLIMIT_NPROC, which does not limit root
  };
  uint8_t bits = 0;
  bool has(Bit bit) const { return (bits & bit) != 0; }
  friend bool operator==(const Layers&, const Layers&) = default;
};

/// The layers that this system supports for this user.
Layers supportedLayers();
/// Why a layer is missing here, as text after a colon: "this kernel has no Landlock (Linux 5.19 or later)".
std::string missingReason(Layers::Bit layer);
/// "run confined", or with the missing layers: "run confined, except that …".
std::string confinedText(Layers layers);

/// Allocates, opens and looks up everything in advance, so that apply() only makes system calls.
class PreparedConfinement {
public:
  explicit PreparedConfinement(const Confinement& confinement);
  PreparedConfinement(const PreparedConfinement&) = delete;
  PreparedConfinement& operator=(const PreparedConfinement&) = delete;
  ~PreparedConfinement();

  /// Confines the calling process, which has one thread, and returns the layers that are now active. They do not
  /// include layers that were not requested or that this system lacks. Async-signal-safe; cannot be undone. Threads and
  /// children inherit it. `supervisor`: Ancestors::channel, which is closed; the supervisor then decides about new
  /// processes.
  Layers apply(int supervisor = -1) const;

private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

/// The folders with the parts of a program, such as /usr/local/cuda-13.0 of its bin/nvcc: what is above its folder
/// "bin", or its own folder, with links resolved and not. Only the program itself where that would be "/", the folder
/// for temporary files, a home folder or a folder above one.
std::vector<std::filesystem::path> installationOf(const std::filesystem::path& program);
/// For a third-party program that reads files and prints: it can read its installation, the system's programs and
/// libraries and `folder`, the only one to which it can write. Of the devices it has only /dev/null: the others never
/// end when they are read. No other processes, no sockets.
Confinement toolConfinement(const std::filesystem::path& program, const std::filesystem::path& folder);
/// The whole environment of such a program: only PATH, LANG and TMPDIR, with fixed values.
std::vector<std::string> toolEnvironment(const std::filesystem::path& folder);

} // namespace blobscope::process
