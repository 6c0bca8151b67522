#include "core/process/process.h"

#include "core/base/path_text.h"
#include "core/base/temporary_name.h"
#include "core/base/thread_rule.h"
#include "core/process/child_win32.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace blobscope::process {
namespace {

using Clock = std::chrono::steady_clock;

/// Maximum time between two checks of the monitor and the clock.
constexpr uint64_t kStepMs = 20;
/// Maximum time in which an ended program disappears.
constexpr uint64_t kGoneMs = 10'000;
constexpr std::size_t kBufferBytes = 65'536;

/// The text from one pipe.
struct Stream {
  windows::Handle& from;
  std::string& text;
  uint64_t limit;
  bool cut = false;

  /// Reads the available bytes, at most a few buffers, so that the caller can check the clock. Returns false when there
  /// were none.
  bool read() {
    std::string buffer(kBufferBytes, '\0');
    bool any = false;
    for (int turn = 0; turn < 16; ++turn) {
      const std::string_view got = readAvailable(from, buffer);
      if (got.empty()) return any;
      any = true;
      const std::size_t kept = std::min<uint64_t>(got.size(), limit - text.size());
      text.append(got.substr(0, kept));
      cut = cut || kept < got.size();
    }
    return any;
  }
};

} // namespace

Result<ProcessResult> run(const ProcessOptions& options, Monitor& monitor) {
  longWork("process::run");
  ProcessResult result;
  // --- 1. Start the program. ---
  std::string reason;
  auto child = Child::start(options, false, reason);
  if (!child) {
    result.notStarted = std::move(reason);
    return result;
  }
  result.confined = child->confined();
  Stream out{child->output, result.output, options.outputBytes};
  Stream err{child->messages, result.messages, options.messageBytes};

  // --- 2. Read until it ends or must be ended. ---
  const auto deadline = Clock::now() + std::chrono::milliseconds(options.timeoutMs);
  uint64_t waitMs = 1;
  while (true) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("running " + pathText(options.program.filename()), 0, 0);
    const bool ended = child->endsWithin(0);
    const bool more = out.read(), any = err.read() || more;
    if (out.cut || ended) break;
    if (Clock::now() >= deadline) {
      result.timedOut = true;
      break;
    }
    if (any) {
      waitMs = 1;
      continue;
    }
    (void)child->endsWithin(waitMs);
    waitMs = std::min(waitMs * 2, kStepMs);
  }

  // --- 3. End what it has started, and read the rest of its output from the pipes. ---
  child->end();
  (void)child->endsWithin(kGoneMs);
  while (!result.timedOut && !out.cut && !err.cut) {
    const bool more = out.read();
    if (!err.read() && !more) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  result.outputCut = out.cut;
  result.messagesCut = err.cut;
  result.signal = child->signal();
  result.exitCode = child->exitCode();
  return result;
}

/// Such a folder carries no mark on Windows, which removes old files of its folder for temporary ones itself.
void removeAbandonedFolders(const std::filesystem::path&) {}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code failure;
  const std::filesystem::path base = std::filesystem::temp_directory_path(failure);
  std::filesystem::path made = base / TemporaryName::make().text().substr(1); // without the dot
  // The folder for temporary files belongs to the user alone, and so does what is made in it.
  if (failure || !CreateDirectoryW(windows::longPath(made).c_str(), nullptr))
    return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(base))},
                                           {"reason", failure ? failure.message() : windows::lastErrorText()}});
  return TemporaryFolder(std::move(made));
}

} // namespace blobscope::process
