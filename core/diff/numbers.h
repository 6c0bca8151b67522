#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// 96 bits that stand for a text.
struct TextHash {
  uint64_t low = 0;
  uint32_t high = 0;
  friend bool operator==(const TextHash&, const TextHash&) = default;
};

/// Texts as numbers: equal texts get the same one, counted from 0 in the order of their first appearance. The texts are
/// told apart by a hash of 96 bits with a key of the object's own and not kept, at 22 to 43 bytes for each different
/// one. No text can be made to meet another without knowing that key, and by chance two of 8 million meet with a
/// probability below 10^-15.
class Numbers {
public:
  Numbers();

  uint32_t of(std::string_view text) { return of(hash(text)); }
  uint32_t of(const TextHash& hash);
  TextHash hash(std::string_view text) const;
  /// How many different ones there are so far.
  uint32_t count() const { return m_count; }

private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint64_t low = 0;
    uint32_t high = 0;
    uint32_t number = kFree;
  };

  void grow();
  /// Where the hash is, or where it would be put.
  std::size_t find(const TextHash& hash) const;

  uint64_t m_key;
  std::vector<Slot> m_slots; ///< a power of two of them, at most three in four in use
  uint32_t m_count = 0;
};

} // namespace blobscope::diff
