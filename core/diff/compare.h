#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/options.h"
#include "core/diff/tree.h"
#include "core/library/package.h"

#include <functional>

namespace blobscope::diff {

/// Callbacks for results of a comparison that is still running. Both are called by the working thread.
struct FirstResults {
  std::function<bool()> due; ///< called between two parts of the work: whether to publish now; null: never
  std::function<void(DiffTree tree)> publish; ///< nodes that only one side has may still find a partner elsewhere
};

/// Compares two opened files: first byte for byte, then node by node: modules with their kernels, functions, constants
/// and fields, host functions, members of archives with everything in them, and sections and symbols if both containers
/// have the same format. Nothing is decoded whose bytes are equal on both sides. If only one file is an archive, the
/// modules and functions of all its members are compared. The result for (b, a) mirrors the result for (a, b). Error:
/// only Cancelled.
Result<DiffTree> compare(const library::PackagePtr& a, const library::PackagePtr& b, const CompareOptions& options,
                         Monitor& monitor, const FirstResults& first = {});

} // namespace blobscope::diff
