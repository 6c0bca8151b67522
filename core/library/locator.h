#pragma once

#include "core/library/package.h"

#include <cstdint>
#include <vector>

namespace blobscope::library {

/// Finds the innermost node for places in the file; made once, asked for many places.
class Locator {
public:
  explicit Locator(const Package& package);
  /// A ref to the node that holds `offset` (kernel code, module, blob, section, or the file), without "@".
  Ref at(uint64_t offset) const;

private:
  struct Range {
    Extent extent;
    Ref ref;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  /// From here on up to the next span one range is the innermost.
  struct Span {
    uint64_t from;
    uint32_t owner; ///< in m_ranges, or kNone
  };
  Ref m_outside;               ///< the file itself
  std::vector<Range> m_ranges; ///< by offset, outer ranges before inner ones
  std::vector<Span> m_spans;   ///< by `from`
};

} // namespace blobscope::library
