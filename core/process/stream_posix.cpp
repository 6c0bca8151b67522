#include "core/process/stream.h"

#include "core/base/thread_rule.h"
#include "core/process/child_posix.h"
#include "core/process/line_splitter.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <system_error>
#include <thread>

namespace blobscope::process {
namespace {

using Clock = std::chrono::steady_clock;
using Cause = StreamResult::Cause;

/// Maximum time between two checks of the monitor and the clock.
constexpr int kStepMs = 20;
/// Maximum time in which a killed program disappears.
constexpr uint64_t kGoneMs = 10'000;
/// Maximum number of buffers that are read from one pipe between two checks of the clock.
constexpr int kTurns = 16;

/// Waits until it has ended and collects its status; nothing when it still exists.
std::optional<int> fetchWithin(pid_t number, uint64_t ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(ms);
  while (true) {
    int status = 0;
    const pid_t fetched = waitpid(number, &status, WNOHANG);
    if (fetched == number) return status;
    if (fetched < 0 && errno != EINTR) return 0;
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Waits for the end without collecting the status, so that no other process or group gets the ID before the group is
/// killed.
bool endsWithin(pid_t number, uint64_t ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(ms);
  while (true) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(number), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      return true;
    if (info.si_pid == number) return true;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void endGracefully(pid_t number, Descriptor input, const std::string& stopLine, uint64_t graceMs,
                   uint64_t terminateMs) {
  if (!stopLine.empty()) sendNow(input.number(), stopLine + '\n');
  if (!endsWithin(number, graceMs)) {
    kill(-number, SIGTERM);
    (void)endsWithin(number, terminateMs);
  }
  kill(-number, SIGKILL);
  // A process that is stuck in a driver is left to the system.
  (void)fetchWithin(number, kGoneMs);
}

/// Reads standard output and passes it on, line by line.
class Lines {
public:
  Lines(Descriptor from, const StreamOptions& options, const std::function<bool(std::string_view)>& line)
      : m_from(std::move(from)), m_splitter(options, line) {}

  int descriptor() const { return m_from.number(); }
  Cause cause() const { return m_splitter.cause(); }
  /// Returns false when there were no bytes, or no more are wanted.
  bool read() {
    std::array<char, 65'536> buffer;
    bool any = false;
    for (int turn = 0; turn < kTurns && m_from.number() >= 0 && m_splitter.wantsMore(); ++turn) {
      const ssize_t count = ::read(m_from.number(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return any;
      if (count <= 0) {
        m_from.reset();
        return any;
      }
      any = true;
      m_splitter.take({buffer.data(), static_cast<std::size_t>(count)});
    }
    return any;
  }
  void finish() { m_splitter.finish(); }

private:
  Descriptor m_from;
  LineSplitter m_splitter;
};

/// Reads standard error and keeps its beginning.
bool readMessages(Descriptor& from, StreamResult& result, uint64_t limit) {
  std::array<char, 65'536> buffer;
  bool any = false;
  for (int turn = 0; turn < kTurns && from.number() >= 0; ++turn) {
    const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return any;
    if (count <= 0) {
      from.reset();
      return any;
    }
    any = true;
    const auto size = static_cast<uint64_t>(count);
    const uint64_t kept = std::min(size, limit - result.messages.size());
    result.messages.append(buffer.data(), kept);
    result.messagesCut = result.messagesCut || kept < size;
  }
  return any;
}

} // namespace

Result<StreamResult> stream(const StreamOptions& options, const std::function<bool(std::string_view)>& line,
                            Monitor& monitor) {
  longWork("process::stream");
  StreamResult result;
  const auto notStarted = [&](int number) {
    result.notStarted = std::strerror(number);
    return result;
  };

  // --- 1. Start the program. ---
  Pipe input, output, messages;
  if (!openPipe(input, true) || !openPipe(output) || !openPipe(messages)) return notStarted(errno);
  pid_t number = 0;
  if (const int failure = start(options.process, &input, output, messages, number); failure != 0)
    return notStarted(failure);
  Child child(number);
  input.theirs.reset();
  output.theirs.reset();
  messages.theirs.reset();
  Lines lines(std::move(output.ours), options, line);

  // --- 2. Read until it ends or must be ended. ---
  const auto deadline = Clock::now() + std::chrono::milliseconds(options.process.timeoutMs);
  bool stopped = false;
  const auto stops = [&] {
    if (!monitor.stopRequested()) return false;
    stopped = true;
    return true;
  };
  bool ended = false;
  int waitMs = 1;
  while (!stops()) {
    monitor.progress("running " + options.process.program.filename().native(), 0, 0);
    ended = child.hasEnded();
    const bool more = lines.read(), any = readMessages(messages.ours, result, options.process.messageBytes) || more;
    if (ended || lines.cause() != Cause::Itself) break;
    if (Clock::now() >= deadline) {
      result.cause = Cause::Time;
      break;
    }
    if (any) {
      waitMs = 1;
      continue;
    }
    std::array<pollfd, 2> watched = {pollfd{lines.descriptor(), POLLIN, 0}, pollfd{messages.ours.number(), POLLIN, 0}};
    poll(watched.data(), watched.size(), waitMs);
    waitMs = std::min(waitMs * 2, kStepMs);
  }
  if (stopped) {
    const pid_t left = child.release();
    try {
      std::thread(endGracefully, left, std::move(input.ours), options.stopLine, options.graceMs, options.terminateMs)
          .detach();
    } catch (const std::system_error&) {
      // A supervisor ends all its processes at once; the system collects its status.
      if (options.supervises)
        kill(left, SIGTERM);
      else
        kill(-left, SIGKILL);
      (void)fetchWithin(left, 100);
    }
    return Error(DiagnosticId::Cancelled, {});
  }

  // --- 3. End it and its group, and read the rest of its output from the pipes. ---
  const pid_t left = child.release();
  if (options.supervises && !ended) {
    kill(left, SIGTERM);
    (void)endsWithin(left, options.terminateMs);
  }
  kill(-left, SIGKILL);
  const std::optional<int> status = fetchWithin(left, kGoneMs);
  while (ended && lines.cause() == Cause::Itself) {
    const bool more = lines.read();
    if (!readMessages(messages.ours, result, options.process.messageBytes) && !more) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  (void)readMessages(messages.ours, result, options.process.messageBytes);
  if (ended) lines.finish();
  if (lines.cause() != Cause::Itself) result.cause = lines.cause();
  if (!status)
    result.stuck = true;
  else if (WIFSIGNALED(*status))
    result.signal = WTERMSIG(*status);
  else
    result.exitCode = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  return result;
}

} // namespace blobscope::process
