#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope {

/// Finds the places where one of several texts begins, in one pass over the data. When the shortest text has N bytes,
/// it looks at a pair of bytes in every N - 1, since each text contains one of these.
class PatternSearch {
public:
  /// Each text has at least two bytes. The texts must stay valid.
  explicit PatternSearch(const std::vector<std::string_view>& texts);
  /// The first place at or after `from` where a text begins, npos when there is none.
  std::size_t find(std::string_view data, std::size_t from) const;

private:
  using Pairs = std::bitset<65'536>; // small enough for the first-level cache
  static uint16_t pairAt(std::string_view data, std::size_t at);
  bool beginsAt(std::string_view data, std::size_t at) const;

  std::vector<std::pair<uint16_t, std::string_view>> m_texts; ///< with their first pairs
  std::size_t m_step = 0;                                     ///< length of the shortest text, less one
  Pairs m_first;                                              ///< with which a text begins
  Pairs m_inside;                                             ///< at the first m_step places of a text
};

} // namespace blobscope
