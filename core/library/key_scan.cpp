#include "core/library/key_scan.h"

#include "core/base/limits.h"

#include <algorithm>
#include <cstring>

namespace blobscope::library {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isKeyCharacter(char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

} // namespace

bool isKeyText(std::string_view text) {
  return !text.empty() && text.size() <= limits::kKeyLength && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), isKeyCharacter);
}

Result<Done> scanKeys(const Bytes& bytes, uint64_t from, Monitor& monitor,
                      const std::function<bool(uint64_t position, std::string_view key)>& found) {
  constexpr uint64_t kStep = 1 << 20;
  const std::string_view all = bytes.view();
  uint64_t nextCheck = from;
  for (uint64_t position = from; position + 8 < all.size();) {
    if (position >= nextCheck) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("looking for records", position, all.size());
      nextCheck = position + kStep;
    }
    // Seven zero bytes follow the low byte of a length below 256. A nonzero byte rules out every length that would have
    // it among these seven, so most of the text is skipped seven bytes at a time.
    if (all[position + 7] != 0) {
      position += 7;
      continue;
    }
    uint64_t length = 0;
    std::memcpy(&length, all.data() + position, 8);
    if (length == 0) {
      // In a sequence of zeros, the next length can only begin at its end.
      for (position += 8; position + 8 < all.size() && position < nextCheck; position += 8) {
        std::memcpy(&length, all.data() + position, 8);
        if (length != 0) break;
      }
      while (position + 8 < all.size() && position < nextCheck && all[position] == 0) ++position;
      continue;
    }
    if (length >= 1 && length <= limits::kKeyLength && length <= all.size() - position - 8) {
      const std::string_view key = all.substr(position + 8, length);
      if (isKeyText(key) && !found(position, key)) return Done{};
    }
    ++position;
  }
  return Done{};
}

} // namespace blobscope::library
