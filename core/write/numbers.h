#pragma once

#include "core/base/extent.h"

#include <cstdint>
#include <optional>

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

} // namespace blobscope::write
