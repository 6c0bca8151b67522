#pragma once

#include "core/library/package.h"

#include <cstdint>
#include <vector>

namespace blobscope::library {

/// Finds the innermost node for an offset in the file; constructed once, used for many offsets.
class Locator {
public:
  explicit Locator(const Package& package);
  /// Returns a ref without "@" to the node that contains `offset` (kernel code, module, blob, section, or the file).
  Ref at(uint64_t offset) const;

private:
  struct Range {
    Extent extent;
    Ref ref;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  /// From `from` up to the next span, the same range is the innermost one.
  struct Span {
    uint64_t from;
    uint32_t owner; ///< in m_ranges, or kNone
  };
  Ref m_outside;               ///< the file itself
  std::vector<Range> m_ranges; ///< by offset, outer ranges before inner ones
  std::vector<Span> m_spans;   ///< by `from`
};

} // namespace blobscope::library
