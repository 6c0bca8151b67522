#include "app/runner/channel.h"

#include "app/runner/channel_state.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace blobscope::runner {

ChannelState g_channelState;

namespace {

/// Time between two checks of the deadline.
constexpr int kWatchMs = 50;
/// The write itself notices a reader that is gone; one that does not read for this long has given up.
constexpr int kWriteMs = 60'000;
constexpr int kTimeCode = 124;
constexpr int kQuitCode = 125;
constexpr std::size_t kCommandBytes = 4'096;

int64_t nowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string durationText(int64_t ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

void sendWithin(const protocol::Event& event, int waitMs) {
  const std::string line = protocol::writeEvent(event) + '\n';
  if (!takeChannel(waitMs)) return;
  const bool written = writeAll(line.data(), line.size(), waitMs);
  leaveChannel();
  if (!written) _exit(kQuitCode);
}

/// Executes one command without its newline.
void executeCommand(std::string_view command) {
  if (command == R"({"cmd":"cancel"})") g_channelState.cancelled = true;
  if (command == R"({"cmd":"quit"})") _exit(kQuitCode);
}

void watch() {
  std::string pending;
  while (true) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&input, 1, kWatchMs);
    if (ready > 0) {
      std::array<char, 512> buffer{};
      const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) _exit(kQuitCode);
      if (count > 0) pending.append(buffer.data(), static_cast<std::size_t>(count));
      for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
        executeCommand(std::string_view(pending).substr(0, end));
        pending.erase(0, end + 1);
      }
      if (pending.size() > kCommandBytes) pending.clear();
    }
    const int64_t deadline = g_channelState.deadlineMs;
    if (deadline == 0 || nowMs() < deadline) continue;
    const Error error(DiagnosticId::RunTime, {{"time", durationText(g_channelState.limitMs)},
                                              {"stage", std::string(protocol::stageName(currentStage()))}});
    sendWithin(protocol::ErrorReported{std::string(error.diagnostic().idText()), error.message(), currentCall()}, 500);
    _exit(kTimeCode);
  }
}

} // namespace

bool takeChannel(int waitMs) {
  for (int waited = 0; g_channelState.writing.exchange(true); ++waited) {
    if (waited >= waitMs) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

void leaveChannel() { g_channelState.writing = false; }

bool writeAll(const char* bytes, std::size_t size, int waitMs) {
  const int descriptor = g_channelState.descriptor;
  while (size > 0) {
    pollfd room{descriptor, POLLOUT, 0};
    const int ready = poll(&room, 1, waitMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool openChannel() {
  // A high number, which a library does not close by mistake.
  const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 200);
  if (copy < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
  // A write must not block forever when the watchdog has to report something.
  fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);
  g_channelState.descriptor = copy;
  return true;
}

void sendEvent(const protocol::Event& event) { sendWithin(event, kWriteMs); }

void sendEvent(const Error& error) {
  sendEvent(protocol::ErrorReported{std::string(error.diagnostic().idText()), error.message(), currentCall()});
}

void sendLog(std::string text) { sendEvent(protocol::LogLine{std::move(text)}); }

void enterCall(std::optional<uint64_t> call) { g_channelState.call = call ? static_cast<int64_t>(*call) : -1; }

std::optional<uint64_t> currentCall() {
  const int64_t call = g_channelState.call;
  return call < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(call));
}

void enterQuietly(protocol::Stage stage, uint64_t limitMs) {
  constexpr uint64_t kLongest = uint64_t{1} << 40;
  const auto limit = static_cast<int64_t>(std::min(limitMs, kLongest));
  g_channelState.limitMs = limit;
  g_channelState.deadlineMs = limit == 0 ? 0 : nowMs() + limit;
  g_channelState.stage = static_cast<int>(stage);
}

void enter(protocol::Stage stage, uint64_t limitMs) {
  enterQuietly(stage, limitMs);
  sendEvent(protocol::StageEntered{stage, currentCall()});
}

protocol::Stage currentStage() { return static_cast<protocol::Stage>(g_channelState.stage.load()); }

bool cancelled() { return g_channelState.cancelled; }

bool startWatchdog() {
  // Signals go to the thread that does the work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void finish(int code) {
  sendEvent(protocol::Finished{code});
  _exit(code);
}

void setLibraryRange(uint64_t base, uint64_t begin, uint64_t end) {
  g_channelState.libraryBase = base;
  g_channelState.libraryBegin = begin;
  g_channelState.libraryEnd = end;
}

} // namespace blobscope::runner
