#pragma once

#include "core/base/extent.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace blobscope::write {

/// `value` rounded up to a multiple of `step`, which is not 0; nothing when that does not fit.
constexpr std::optional<uint64_t> roundedUp(uint64_t value, uint64_t step) {
  const uint64_t rest = value % step;
  return rest == 0 ? std::optional(value) : checkedAdd(value, step - rest);
}

/// Whether two ranges share a byte.
constexpr bool overlap(Extent a, Extent b) {
  return a.size > 0 && b.size > 0 && a.offset < b.end() && b.offset < a.end();
}

/// Unsigned LEB128 in at least `width` bytes, filled up as linkers do.
inline std::string ulebText(uint64_t value, std::size_t width = 1) {
  std::string text;
  for (; value > 0x7f || text.size() + 1 < width; value >>= 7) text += static_cast<char>((value & 0x7f) | 0x80);
  text += static_cast<char>(value & 0x7f);
  return text;
}

} // namespace blobscope::write
