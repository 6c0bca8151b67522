#pragma once

#include "core/sizes/compare.h"

namespace blobscope::test {

/// A kernel of 4,000 bytes has 1,000 in the new file, which has another one of 1,500.
inline sizes::SizeComparison sizesExample() {
  using Kind = view::TreemapPage::Kind;
  sizes::SizeComparison out;
  out.before = 10'000;
  out.after = 8'500;
  out.equal = 3;
  out.changes = {{"softmax", "Blob › cuda", Kind::Kernel, 4'000, 1'000, {}, {}},
                 {"relu", "Blob › cuda", Kind::Kernel, 0, 1'500, {}, {}}};
  return out;
}

} // namespace blobscope::test
