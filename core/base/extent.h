#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace blobscope {

/// A half-open range of bytes `[offset, offset + size)`. `offset` counts from the start of the file, unless the
/// documentation of the Extent names another start.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;

  /// One past the last byte. Saturates instead of wrapping, so that a damaged size never looks small.
  constexpr uint64_t end() const {
    return size > std::numeric_limits<uint64_t>::max() - offset ? std::numeric_limits<uint64_t>::max() : offset + size;
  }
  constexpr bool contains(uint64_t position) const { return position >= offset && position - offset < size; }
  constexpr bool contains(Extent inner) const {
    return inner.offset >= offset && inner.size <= size && inner.offset - offset <= size - inner.size;
  }
  friend constexpr bool operator==(Extent, Extent) = default;
};

/// `a + b`, or nothing when that does not fit in 64 bits.
constexpr std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  if (b > std::numeric_limits<uint64_t>::max() - a) return std::nullopt;
  return a + b;
}

/// `a * b`, or nothing when that does not fit in 64 bits.
constexpr std::optional<uint64_t> checkedMultiply(uint64_t a, uint64_t b) {
  if (a != 0 && b > std::numeric_limits<uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

/// The same, or UINT64_MAX when the result does not fit.
constexpr uint64_t addSaturated(uint64_t a, uint64_t b) { return checkedAdd(a, b).value_or(UINT64_MAX); }
constexpr uint64_t multiplySaturated(uint64_t a, uint64_t b) { return checkedMultiply(a, b).value_or(UINT64_MAX); }

} // namespace blobscope
