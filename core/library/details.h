#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/details.h"

namespace blobscope::library {

/// Returns the facts about a node, its place in the import tree, its problems, and for a kernel its arguments and
/// launch parameters. For describe::detailsOf(), which adds callers and callees. Errors: REF-NOT-FOUND, Cancelled.
Result<view::Details> nodeDetails(const PackagePtr& package, const Ref& ref, Monitor& monitor);

} // namespace blobscope::library
