#include "core/base/thread_rule.h"
#include "core/process/child_posix.h"
#include "core/process/process.h"
#include "core/process/supervise.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace blobscope::process {
namespace {

using Clock = std::chrono::steady_clock;

/// Maximum time between two checks of the monitor and the clock.
constexpr int kStepMs = 20;

/// The text from one pipe.
struct Stream {
  Descriptor from;
  std::string& text;
  uint64_t limit;
  bool cut = false;

  /// Reads the available bytes, at most a few buffers, so that the caller can check the clock. Returns false when there
  /// were none.
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

/// `status`: the status from waitpid(), nothing when it failed.
void reportEnd(std::optional<int> status, bool supervised, ProcessResult& result) {
  result.tooMany = supervised && status && WIFEXITED(*status) && WEXITSTATUS(*status) == kTooManyCode;
  if (result.tooMany)
    result.signal = SIGKILL;
  else if (status && WIFSIGNALED(*status))
    result.signal = WTERMSIG(*status);
  else
    result.exitCode = status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
}

} // namespace

Result<ProcessResult> run(const ProcessOptions& options, Monitor& monitor) {
  longWork("process::run");
  ProcessResult result;
  const auto notStarted = [&](int number) {
    result.notStarted = std::strerror(number);
    return result;
  };

  // --- 1. Start the program. ---
  Pipe output, messages;
  if (!openPipe(output) || !openPipe(messages)) return notStarted(errno);
  pid_t number = 0;
  const int failure = options.confinement ? startConfined(options, output, messages, number, result.confined)
                                          : start(options, nullptr, output, messages, number);
  if (failure != 0) return notStarted(failure);
  const bool supervised = options.confinement && hasSupervisor();
  Child child(number, supervised);
  output.theirs.reset();
  messages.theirs.reset();
  Stream out{std::move(output.ours), result.output, options.outputBytes};
  Stream err{std::move(messages.ours), result.messages, options.messageBytes};

  // --- 2. Read until it ends or must be ended. ---
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
    // Closed pipes have negative numbers and never wake poll() up; neither does the end of the program.
    poll(watched.data(), watched.size(), waitMs);
    waitMs = std::min(waitMs * 2, kStepMs);
  }

  // --- 3. End it and its group, and read the rest of its output from the pipes. ---
  const std::optional<int> status = child.end();
  while (!result.timedOut && !out.cut && !err.cut) {
    const bool more = out.read();
    if (!err.read() && !more) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  result.outputCut = out.cut;
  result.messagesCut = err.cut;
  reportEnd(status, supervised, result);
  return result;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderName = "blobscope-XXXXXX";
/// Inside of the folder: the mark, which its owner has locked, and the part for content. Confined programs can write
/// only to that part, so they cannot remove the mark or lock it.
constexpr char kMark[] = "owner", kContent[] = "files";
/// Between the creation of a folder and the lock on its mark.
constexpr std::time_t kYoungSeconds = 60;
constexpr std::size_t kMostEntries = 100'000;

/// Removes a folder with its content, at most `left` files of it; false when something is left.
bool removeWhole(const fs::path& folder, std::size_t& left) {
  std::vector<fs::path> paths;
  std::error_code failure;
  // Links are removed, not followed.
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end && paths.size() < left;
       at.increment(failure))
    paths.push_back(at->path());
  if (failure == std::errc::no_such_file_or_directory) return true;
  const bool whole = !failure && paths.size() < left;
  left -= paths.size();
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) fs::remove(*path, failure);
  return fs::remove(folder, failure) && whole;
}

/// Locks the mark of the folder; nothing when it has none, or its owner lives.
std::optional<Descriptor> lockMark(const fs::path& folder, uid_t user, int more) {
  Descriptor mark(open((folder / kMark).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | more, 0600));
  struct stat facts{};
  if (mark.number() < 0 || fstat(mark.number(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != user ||
      flock(mark.number(), LOCK_EX | LOCK_NB) != 0)
    return std::nullopt;
  return mark;
}

} // namespace

void removeAbandonedFolders(const fs::path& base) {
  constexpr std::string_view kPrefix = kFolderName.substr(0, kFolderName.find('X'));
  std::error_code failure;
  std::size_t seen = 0, left = kMostEntries;
  for (fs::directory_iterator at(base, failure), end; !failure && at != end && seen < kMostEntries && left > 1;
       at.increment(failure), ++seen) {
    const std::string name = at->path().filename().native();
    struct stat facts{};
    if (name.size() != kFolderName.size() || !name.starts_with(kPrefix) || lstat(at->path().c_str(), &facts) != 0 ||
        !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 077) != 0 ||
        std::time(nullptr) - facts.st_mtime < kYoungSeconds)
      continue;
    const auto mark = lockMark(at->path(), geteuid(), 0);
    if (!mark) continue;
    // The mark goes last, so that the next process can continue.
    if (!removeWhole(at->path() / kContent, left)) continue;
    fs::remove(at->path() / kMark, failure);
    fs::remove(at->path(), failure);
  }
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code failure;
  fs::path base = fs::temp_directory_path(failure);
  if (failure) base = "/tmp";
  static std::once_flag cleaned; // once for each process
  std::call_once(cleaned, [&] { removeAbandonedFolders(base); });
  std::string name = (base / kFolderName).native();
  const auto failed = [&] {
    return Error(DiagnosticId::FileWrite, {arg("path", base.native()), {"reason", std::strerror(errno)}});
  };
  if (!mkdtemp(name.data())) return failed();
  TemporaryFolder out(name);
  if (mkdir((out.m_whole / kContent).c_str(), 0700) != 0) return failed();
  out.m_path = out.m_whole / kContent;
  if (auto mark = lockMark(out.m_whole, geteuid(), O_CREAT | O_EXCL)) out.m_mark = std::move(*mark);
  return out;
}

} // namespace blobscope::process
