#include "app/runner/crash_report.h"

#include "app/runner/channel.h"
#include "app/runner/channel_state.h"

#include <array>
#include <atomic>

namespace blobscope::runner {
namespace {

/// A line that is being written is waited for this long.
constexpr int kWaitMs = 200;

/// The thread that is in the handler; 0: none.
std::atomic<uint64_t> g_dying{0};

class Text {
public:
  Text& add(const char* text) {
    while (*text && m_size < m_bytes.size()) m_bytes[m_size++] = *text++;
    return *this;
  }
  Text& add(uint64_t number) {
    std::array<char, 21> digits{};
    std::size_t at = digits.size() - 1;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return add(&digits[at]);
  }
  void write() const { (void)writeAll(m_bytes.data(), m_size, kWaitMs); }

private:
  std::array<char, 512> m_bytes{};
  std::size_t m_size = 0;
};

} // namespace

CrashEntry enterCrash(uint64_t thread) {
  uint64_t before = 0;
  if (!g_dying.compare_exchange_strong(before, thread)) return before == thread ? CrashEntry::Again : CrashEntry::Other;
  (void)takeChannel(kWaitMs);
  return CrashEntry::First;
}

bool isInLibrary(uint64_t address) {
  return address >= g_channelState.libraryBegin && address < g_channelState.libraryEnd;
}

void reportCrash(uint64_t signal, uint64_t address, uint64_t counter) {
  Text line;
  line.add(R"({"ev":"crash","signal":)").add(signal).add(R"(,"addr":)").add(address);
  if (isInLibrary(counter)) line.add(R"(,"library_offset":)").add(counter - g_channelState.libraryBase);
  line.add(R"(,"stage":")").add(protocol::stageName(currentStage()).data()).add("\"");
  const int64_t call = g_channelState.call;
  if (call >= 0) line.add(R"(,"call":)").add(static_cast<uint64_t>(call));
  line.add("}\n").write();
}

} // namespace blobscope::runner
