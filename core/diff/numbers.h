#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// A 96-bit hash of a text.
struct TextHash {
  uint64_t low = 0;
  uint32_t high = 0;
  friend bool operator==(const TextHash&, const TextHash&) = default;
};

/// Numbers texts: equal texts get the same number, counted from 0 in the order of their first appearance. Texts are
/// distinguished by a 96-bit hash whose key is chosen per object, and are not kept; each different text takes 22 to 43
/// bytes. Nobody can construct two texts that collide without knowing the key, and by chance two of 8 million collide
/// with a probability below 10^-15.
class Numbers {
public:
  Numbers();

  uint32_t of(std::string_view text) { return of(hash(text)); }
  uint32_t of(const TextHash& hash);
  TextHash hash(std::string_view text) const;
  /// Returns the number of different texts so far.
  uint32_t count() const { return m_count; }

private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint64_t low = 0;
    uint32_t high = 0;
    uint32_t number = kFree;
  };

  void grow();
  /// Returns the slot that contains the hash, or the slot in which it would be stored.
  std::size_t find(const TextHash& hash) const;

  uint64_t m_key;
  std::vector<Slot> m_slots; ///< their number is a power of two, at most three in four are in use
  uint32_t m_count = 0;
};

} // namespace blobscope::diff
