#pragma once

#include "core/base/extent.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace blobscope::sizes {

/// The bytes of something that have no owner yet, as ranges in ascending order. Everything that takes bytes takes them
/// from here, so that no byte is counted twice and none is lost.
class FreeRanges {
public:
  FreeRanges() = default;
  /// All of `[0, size)`.
  explicit FreeRanges(uint64_t size) {
    if (size > 0) m_ranges.push_back({0, size});
    m_bytes = size;
  }

  uint64_t bytes() const { return m_bytes; }
  const std::vector<Extent>& ranges() const { return m_ranges; }

  /// Takes the bytes of each place that are still free. Of places that overlap, the one that begins first takes them,
  /// of those the larger one. Returns the number of bytes for each place.
  std::vector<uint64_t> takeBytes(std::span<const Extent> places);
  /// The same, but returns which bytes each place got, counted from its first byte.
  std::vector<FreeRanges> takeEach(std::span<const Extent> places);
  /// The same for one place.
  FreeRanges take(Extent place);
  /// Adds the ranges of `other`, moved by `by`; they lie after all ranges here.
  void append(const FreeRanges& other, uint64_t by);

private:
  /// Calls `visit` with the index of a place and a range that it took, in ascending order.
  void takeRanges(std::span<const Extent> places, const std::function<void(std::size_t, Extent)>& visit);

  std::vector<Extent> m_ranges;
  uint64_t m_bytes = 0;
};

} // namespace blobscope::sizes
