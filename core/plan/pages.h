#pragma once

#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

namespace blobscope::plan {

/// Adds the page "Memory plan" to a module with a graph or the bytecode of the Relax VM and to its functions, and the
/// page "Calls" to such a module with bytecode. Error: REF-NOT-FOUND.
Result<Done> addPages(const library::PackagePtr& package, const Ref& ref, view::PageList& pages);

} // namespace blobscope::plan
