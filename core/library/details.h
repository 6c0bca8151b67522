#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/details.h"

namespace blobscope::library {

/// What the Details panel says of a node: its facts, where it stands in the import tree, what is wrong with it. For a
/// kernel its arguments and launch parameters. REF-NOT-FOUND, Cancelled.
Result<view::Details> computeDetails(const PackagePtr& package, const Ref& ref, Monitor& monitor);

} // namespace blobscope::library
