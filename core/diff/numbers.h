#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// 128 bits that stand for a text.
struct TextHash {
  uint64_t low = 0, high = 0;
  friend bool operator==(const TextHash&, const TextHash&) = default;
};

/// Texts as numbers: equal texts get the same one, counted from 0 in the order of their first appearance. The texts are
/// told apart by a hash of 128 bits with a key of the object's own and not kept, at 40 bytes for each different one. No
/// text can be made to meet another without knowing that key, and by chance two of 16 million meet with a probability
/// below 10^-23.
class Numbers {
 public:
  Numbers();

  uint32_t of(std::string_view text) { return of(hash(text)); }
  uint32_t of(const TextHash& hash);
  TextHash hash(std::string_view text) const;
  /// How many different ones there are so far.
  uint32_t count() const { return m_count; }

 private:
  struct Slot {
    TextHash hash;
    uint32_t number = kFree;
  };
  static constexpr uint32_t kFree = UINT32_MAX;

  void grow();
  /// Where the hash is, or where it would be put.
  std::size_t find(const TextHash& hash) const;

  uint64_t m_key;
  std::vector<Slot> m_slots; ///< a power of two of them, at most three in four in use
  uint32_t m_count = 0;
};

} // namespace blobscope::diff
