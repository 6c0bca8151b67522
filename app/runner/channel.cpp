#include "app/runner/channel.h"

#include "app/runner/channel_state.h"
#include "app/runner/channel_system.h"

#include <algorithm>
#include <chrono>
#include <string_view>
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
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string durationText(int64_t ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

void sendWithin(const protocol::Event& event, int waitMs) {
  const std::string line = protocol::writeEvent(event) + '\n';
  if (!takeChannel(waitMs)) return;
  const bool written = writeAll(line.data(), line.size(), waitMs);
  leaveChannel();
  if (!written) endProcess(kQuitCode);
}

/// Executes one command without its newline.
void executeCommand(std::string_view command) {
  if (command == R"({"cmd":"cancel"})") g_channelState.cancelled = true;
  if (command == R"({"cmd":"quit"})") endProcess(kQuitCode);
}

void watch() {
  std::string pending;
  while (true) {
    const auto text = readCommands(kWatchMs);
    if (!text) endProcess(kQuitCode);
    pending += *text;
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      executeCommand(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
    if (pending.size() > kCommandBytes) pending.clear();
    const int64_t deadline = g_channelState.deadlineMs;
    if (deadline == 0 || nowMs() < deadline) continue;
    const Error error(DiagnosticId::RunTime, {{"time", durationText(g_channelState.limitMs)},
                                              {"stage", std::string(protocol::stageName(currentStage()))}});
    sendWithin(protocol::ErrorReported{std::string(error.diagnostic().idText()), error.message(), currentCall()}, 500);
    endProcess(kTimeCode);
  }
}

} // namespace

bool takeChannel(int waitMs) {
  for (int waited = 0; g_channelState.writing.exchange(true); ++waited) {
    if (waited >= waitMs) return false;
    pauseBriefly();
  }
  return true;
}

void leaveChannel() { g_channelState.writing = false; }

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

bool startWatchdog() { return startQuietThread(watch); }

void finish(int code) {
  sendEvent(protocol::Finished{code});
  endProcess(code);
}

void setLibraryRange(uint64_t base, uint64_t begin, uint64_t end) {
  g_channelState.libraryBase = base;
  g_channelState.libraryBegin = begin;
  g_channelState.libraryEnd = end;
}

} // namespace blobscope::runner
