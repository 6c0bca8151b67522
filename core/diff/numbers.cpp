#include "core/diff/numbers.h"

#include <chrono>
#include <cstring>
#include <utility>

namespace blobscope::diff {
namespace {

// Odd numbers without a pattern: digits of pi after the point.
constexpr uint64_t kOne = 0x243f6a8885a308d3, kTwo = 0x13198a2e03707345, kThree = 0xa4093822299f31d1,
                   kFour = 0x082efa98ec4e6c89, kFive = 0x452821e638d01377;

uint64_t load(const char* at, std::size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, at, size);
  return value;
}

/// Returns both halves of the product, combined by XOR.
uint64_t folded(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

} // namespace

// The key only has to differ between runs; the numbers do not depend on it.
Numbers::Numbers()
    : m_key(folded(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^ kFive,
                   reinterpret_cast<uintptr_t>(this) ^ kOne)),
      m_slots(64) {}

TextHash Numbers::hash(std::string_view text) const {
  uint64_t low = m_key ^ kOne, high = m_key ^ kTwo;
  const char* at = text.data();
  std::size_t left = text.size();
  const auto add = [&](uint64_t first, uint64_t second) {
    low = folded(low ^ first ^ kThree, second ^ m_key) + first;
    high = folded(high ^ second ^ kFour, first ^ kFive ^ m_key) + second;
  };
  for (; left > 16; left -= 16, at += 16) add(load(at, 8), load(at + 8, 8));
  if (left > 8)
    add(load(at, 8), load(at + 8, left - 8));
  else if (left > 0)
    add(load(at, left), kFour);
  return {folded(low ^ text.size(), high ^ kThree),
          static_cast<uint32_t>(folded(high ^ kTwo, low ^ text.size() ^ kFive) >> 32)};
}

std::size_t Numbers::find(const TextHash& hash) const {
  const std::size_t mask = m_slots.size() - 1;
  std::size_t at = hash.low & mask;
  while (m_slots[at].number != kFree && (m_slots[at].low != hash.low || m_slots[at].high != hash.high))
    at = (at + 1) & mask;
  return at;
}

uint32_t Numbers::of(const TextHash& hash) {
  std::size_t at = find(hash);
  if (m_slots[at].number != kFree) return m_slots[at].number;
  if (m_count >= m_slots.size() / 4 * 3) {
    grow();
    at = find(hash);
  }
  m_slots[at] = {hash.low, hash.high, m_count};
  return m_count++;
}

void Numbers::grow() {
  const std::vector<Slot> before = std::exchange(m_slots, std::vector<Slot>(m_slots.size() * 2));
  for (const Slot& slot : before)
    if (slot.number != kFree) m_slots[find({slot.low, slot.high})] = slot;
}

} // namespace blobscope::diff
