#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// State shared by channel.cpp and the crash handlers. It is global, since a signal handler cannot access anything
/// else.
namespace blobscope::runner {

struct ChannelState {
  std::atomic<int> descriptor{-1};
  std::atomic<int> stage{0};
  std::atomic<int64_t> call{-1};
  std::atomic<int64_t> deadlineMs{0}; ///< of the monotonic clock; 0: none
  std::atomic<int64_t> limitMs{0};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> writing{false}; ///< a thread is writing a line
  std::atomic<uint64_t> libraryBase{0}, libraryBegin{0}, libraryEnd{0};
};
extern ChannelState g_channelState;

/// Acquires the right to write, waiting at most `waitMs`; async-signal-safe.
bool takeChannel(int waitMs);
void leaveChannel();
/// Writes everything, or returns false. Gives up after `waitMs` if nobody reads; async-signal-safe.
bool writeAll(const char* bytes, std::size_t size, int waitMs);

} // namespace blobscope::runner
