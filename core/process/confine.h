#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

/// What a program that sees hostile bytes may use of the system. Prepared before a process is forked, applied in it.
/// The layers of Linux are used one by one, so that what a kernel lacks does not switch off the rest.
namespace blobscope::process {

/// What is granted; everything else is refused. Sizes and counts: 0 means no limit.
struct Confinement {
  uint64_t addressBytes = 0;    ///< RLIMIT_AS
  uint64_t cpuSeconds = 0;      ///< RLIMIT_CPU, of all threads together
  uint64_t fileBytes = 0;       ///< RLIMIT_FSIZE, of one file
  uint64_t openFiles = 0;       ///< RLIMIT_NOFILE
  uint64_t tasks = 0;           ///< RLIMIT_NPROC: processes and threads besides those that the user has now
  bool startsProcesses = false; ///< threads are always allowed
  bool localSockets = false;    ///< AF_UNIX and AF_NETLINK; a network is never allowed
  bool confinesFiles = true;    ///< Landlock, with the three lists below
  bool readsEverything = false; ///< reading and executing are then not confined
  std::vector<std::filesystem::path> readable; ///< files, and folders with all below; missing ones are left out
  std::vector<std::filesystem::path> writable; ///< the same, to be changed too
  std::vector<std::filesystem::path> devices;  ///< the same, to be read and written; nothing is made or removed there
  std::vector<pid_t> protects;                 ///< processes that get no signals from it, nor does a whole group
};

/// Layers of confinement, those that a system has or those that hold for a process.
struct Layers {
  enum Bit : uint8_t {
    Limits = 1,      ///< resource limits
    Privileges = 2,  ///< PR_SET_NO_NEW_PRIVS
    SystemCalls = 4, ///< a seccomp filter: no network, no tracing, no mounting …
    Files = 8,       ///< Landlock
    Tasks = 16,      ///< RLIMIT_NPROC, which does not bind root
  };
  uint8_t bits = 0;
  bool has(Bit bit) const { return (bits & bit) != 0; }
  friend bool operator==(const Layers&, const Layers&) = default;
};

/// What this system has for this user.
Layers supportedLayers();
/// Why a layer is missing here, to follow a colon: "this kernel has no Landlock (Linux 5.19 or later)".
std::string whyMissing(Layers::Bit layer);
/// "run confined", or with what is missing: "run confined, except that …".
std::string confinedText(Layers layers);

/// Everything that must be allocated, opened or looked up, so that apply() only makes system calls.
class PreparedConfinement {
public:
  explicit PreparedConfinement(const Confinement& confinement);
  PreparedConfinement(const PreparedConfinement&) = delete;
  PreparedConfinement& operator=(const PreparedConfinement&) = delete;
  ~PreparedConfinement();

  /// Confines the calling process, which has one thread, and returns the layers that hold now. What was not asked for,
  /// or is missing on this system, is not among them. Async-signal-safe; never undone. Threads and children inherit it.
  Layers apply() const;

private:
  struct Parts;
  std::unique_ptr<const Parts> m_parts;
};

/// For a program of another maker that reads files and prints: it finds itself, the system's programs and libraries and
/// `folder`, where alone it writes. No other processes, no sockets.
Confinement toolConfinement(const std::filesystem::path& program, const std::filesystem::path& folder);
/// All that such a program gets to know of this one's environment: nothing but PATH, LANG and TMPDIR, which are fixed.
std::vector<std::string> toolEnvironment(const std::filesystem::path& folder);

} // namespace blobscope::process
