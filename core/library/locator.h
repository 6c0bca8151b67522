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
    std::size_t parent; ///< the range around it, its own index when there is none
  };
  Ref m_outside;               ///< the file itself
  std::vector<Range> m_ranges; ///< by offset, outer ranges before inner ones
};

} // namespace blobscope::library
