#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/plan/memory.h"
#include "core/program/model.h"
#include "core/view/calls_page.h"
#include "core/xref/functions.h"

namespace blobscope::plan {

/// The call tree of a model: its functions, the packed functions that each of them calls, and the kernels that those
/// launch, with counts from the program. An instruction counts once; in a loop the count is "at least", in a branch "at
/// most". A packed function is taken to launch each of its kernels once per call. Packed functions of the runtime
/// itself are one row per function of the model.
///
/// Operations are estimated for the sizes that planMemory() takes, MemoryPlan::work; a row has the sum of those below.
///
/// `package`: the outermost file; `functions` are its. `module`: of the model. Error: only Cancelled.
Result<view::CallsPage> callTree(const program::Model& model, const library::PackagePtr& package, const Ref& module,
                                 const xref::Functions& functions, const Sizes& sizes, Monitor& monitor);

} // namespace blobscope::plan
