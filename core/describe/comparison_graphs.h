#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/tree.h"
#include "core/library/package.h"

#include <string>
#include <vector>

namespace blobscope::describe {

/// A picture in a report.
struct ReportGraph {
  std::string title; ///< "m0, Graph: 1 changed, 2 added", "Call graph: 1 removed" of the file
  std::string svg;   ///< one element
};

/// Returns pictures of the graphs that differ, both sides merged, with what only one side has and what is changed
/// marked: the call graph of the files, then those of modules and functions that both have and that differ. At most 12,
/// each of at most 4,000 nodes; for others, the picture is left out. Then heat maps of the differences of at most 12
/// tensors of at most 256 MiB, each of the part with the largest difference. Errors: Cancelled, those of making a page.
Result<std::vector<ReportGraph>> differingGraphs(const diff::DiffTree& tree, const library::PackagePtr& a,
                                                 const library::PackagePtr& b, Monitor& monitor);

} // namespace blobscope::describe
