#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/options.h"
#include "core/diff/tree.h"
#include "core/library/package.h"

#include <functional>

namespace blobscope::diff {

/// Who wants to see what is found while a comparison still runs; both are called by the working thread.
struct FirstResults {
  std::function<bool()> due;                  ///< asked between two parts of the work; null when nobody wants to
  std::function<void(DiffTree tree)> publish; ///< nodes that only one side has may yet find a partner elsewhere
};

/// Compares two opened files: first byte for byte, then node by node: modules with their kernels, functions, constants
/// and fields, host functions, members of archives with all that is in them, and between containers of one format
/// sections and symbols. What equal bytes answer is not decoded. An archive against a single library is compared by the
/// modules and functions of all its members. The result for (b, a) is the mirror of that for (a, b). Error: only
/// Cancelled.
Result<DiffTree> compare(const library::PackagePtr& a, const library::PackagePtr& b, const CompareOptions& options,
                         Monitor& monitor, const FirstResults& first = {});

} // namespace blobscope::diff
