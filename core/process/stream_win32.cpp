#include "core/process/stream.h"

#include "core/base/thread_rule.h"
#include "core/process/child_win32.h"
#include "core/process/line_splitter.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>

namespace blobscope::process {
namespace {

using Clock = std::chrono::steady_clock;
using Cause = StreamResult::Cause;

/// Maximum time between two checks of the monitor and the clock.
constexpr uint64_t kStepMs = 20;
/// Maximum time in which an ended program disappears.
constexpr uint64_t kGoneMs = 10'000;
/// Maximum number of buffers that are read from one pipe between two checks of the clock.
constexpr int kTurns = 16;
constexpr std::size_t kBufferBytes = 65'536;

void endGracefully(const Child& child, const std::string& stopLine, uint64_t graceMs) {
  if (!stopLine.empty()) {
    const std::string text = stopLine + '\n';
    DWORD written = 0; // the pipe has room for one line
    (void)WriteFile(child.input.get(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
  }
  (void)child.endsWithin(graceMs);
  child.end();
  (void)child.endsWithin(kGoneMs);
}

} // namespace

Result<StreamResult> stream(const StreamOptions& options, const std::function<bool(std::string_view)>& line,
                            Monitor& monitor) {
  longWork("process::stream");
  StreamResult result;
  // --- 1. Start the program. ---
  std::string reason;
  auto started = Child::start(options.process, true, reason);
  if (!started) {
    result.notStarted = std::move(reason);
    return result;
  }
  const auto child = std::make_shared<Child>(std::move(*started));
  LineSplitter lines(options, line);
  std::string buffer(kBufferBytes, '\0');
  const auto readLines = [&] {
    bool any = false;
    for (int turn = 0; turn < kTurns && lines.wantsMore(); ++turn) {
      const std::string_view got = readAvailable(child->output, buffer);
      if (got.empty()) return any;
      any = true;
      lines.take(got);
    }
    return any;
  };
  const auto readMessages = [&] {
    bool any = false;
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::string_view got = readAvailable(child->messages, buffer);
      if (got.empty()) return any;
      any = true;
      const std::size_t kept = std::min<uint64_t>(got.size(), options.process.messageBytes - result.messages.size());
      result.messages.append(got.substr(0, kept));
      result.messagesCut = result.messagesCut || kept < got.size();
    }
    return any;
  };

  // --- 2. Read until it ends or must be ended. ---
  const auto deadline = Clock::now() + std::chrono::milliseconds(options.process.timeoutMs);
  bool stopped = false, ended = false;
  uint64_t waitMs = 1;
  while (!(stopped = monitor.stopRequested())) {
    monitor.progress("running " + pathText(options.process.program.filename()), 0, 0);
    ended = child->endsWithin(0);
    const bool more = readLines(), any = readMessages() || more;
    if (ended || !lines.wantsMore()) break;
    if (Clock::now() >= deadline) {
      result.cause = Cause::Time;
      break;
    }
    if (any) {
      waitMs = 1;
      continue;
    }
    (void)child->endsWithin(waitMs);
    waitMs = std::min(waitMs * 2, kStepMs);
  }
  if (stopped) {
    try {
      std::thread([child, stopLine = options.stopLine, graceMs = options.graceMs] {
        endGracefully(*child, stopLine, graceMs);
      }).detach();
    } catch (const std::system_error&) {
      child->end();
    }
    return Error(DiagnosticId::Cancelled, {});
  }

  // --- 3. End it and what it has started, and read the rest of its output from the pipes. ---
  child->end();
  const bool isGone = child->endsWithin(kGoneMs);
  while (ended && lines.wantsMore()) {
    const bool more = readLines();
    if (!readMessages() && !more) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  (void)readMessages();
  if (ended) lines.finish();
  if (!lines.wantsMore()) result.cause = lines.cause();
  result.stuck = !isGone;
  if (isGone) {
    result.signal = child->signal();
    result.exitCode = child->exitCode();
  }
  return result;
}

} // namespace blobscope::process
