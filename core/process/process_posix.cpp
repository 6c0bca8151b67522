#include "core/base/thread_rule.h"
#include "core/process/child_posix.h"
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
void reportEnd(std::optional<int> status, ProcessResult& result) {
  if (status && WIFSIGNALED(*status))
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
  Child child(number);
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
  reportEnd(status, result);
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
