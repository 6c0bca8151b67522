#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/run/report.h"

namespace blobscope::run {

/// Compares the kept outputs of the nodes of a model with those of another build, and finds the first difference. Nodes
/// correspond when they call functions with the same name and write the same types and shapes, in the same order; where
/// the builds differ in between, only the nodes that both have are compared. Error: only Cancelled.
Result<Done> compareNodes(FunctionResult& candidate, const FunctionResult& reference, Monitor& monitor);

} // namespace blobscope::run
