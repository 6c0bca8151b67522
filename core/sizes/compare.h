#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/memory_fit.h"
#include "core/view/treemap_page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::sizes {

/// What has another size in the new file, or is only in one of the files.
struct SizeChange {
  std::string name, in; ///< as TreemapPage::Item::name and pathAbove()
  view::TreemapPage::Kind kind = view::TreemapPage::Kind::Container;
  uint64_t before = 0, after = 0; ///< bytes; 0 where it is not there
  std::optional<Ref> a, b;

  bool grows() const { return after > before; }
  uint64_t difference() const { return grows() ? after - before : before - after; }
  /// "+1,024", "−12".
  std::string differenceText() const;
};

struct SizeComparison {
  uint64_t before = 0, after = 0;  ///< of all; the differences of the changes add up to their difference
  std::vector<SizeChange> changes; ///< the largest difference first
  uint64_t equal = 0;              ///< items with the same size on both sides
  std::string about;               ///< what is compared, if it is not one sum: "RAM 96 → 128 bytes (+32)"
  /// "1,024 → 1,036 bytes (+12); 3 items differ, 40 have the same size."
  std::string sentence() const;
};

/// Compares the leaves of two pages: those with the same names on the way from the file are the same item, and so are
/// those that only one side has and whose names differ in numbers only: "layer_norm_kernel → layer_norm_kernel0".
SizeComparison compareSizes(const view::TreemapPage& a, const view::TreemapPage& b);
/// Compares each memory and its parts; of the limits and the answers nothing.
SizeComparison compareMemory(const view::MemoryFit& a, const view::MemoryFit& b);
/// The same for two files. Error: only Cancelled.
Result<SizeComparison> compareSizes(const library::PackagePtr& a, const library::PackagePtr& b, Monitor& monitor);

} // namespace blobscope::sizes
