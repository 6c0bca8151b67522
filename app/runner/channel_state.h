#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// What channel.cpp and crash.cpp share. A global, since a signal handler has nothing else.
namespace blobscope::runner {

struct ChannelState {
  std::atomic<int> descriptor{-1};
  std::atomic<int> stage{0};
  std::atomic<int64_t> call{-1};
  std::atomic<int64_t> deadlineMs{0}; ///< of the monotonic clock; 0: none
  std::atomic<int64_t> limitMs{0};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> writing{false}; ///< somebody is in the middle of a line
  std::atomic<uint64_t> libraryBase{0}, libraryBegin{0}, libraryEnd{0};
};
extern ChannelState g_channelState;

/// Takes the right to write, waiting at most `waitMs`; async-signal-safe.
bool takeChannel(int waitMs);
void leaveChannel();
/// All of it, or false. Gives up after `waitMs` when nobody reads; async-signal-safe.
bool writeAll(const char* bytes, std::size_t size, int waitMs);

} // namespace blobscope::runner
