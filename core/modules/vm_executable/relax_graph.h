#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/vm_executable/relax.h"
#include "core/view/pictures.h"

namespace blobscope::modules::relax {

/// Returns the values that flow through a function: what it calls, from which results. Memory, shapes and checks are
/// not shown, a tuple stands for its items, and an item of a parameter, such as the weights of a model, is a constant.
/// The outputs of a call are its arguments in memory that nothing was written to before.
///
/// Instructions are read in stored order: after a branch, a register holds what the later branch wrote. The executable
/// must have passed checkInstructions(). Source: core/formats/vm-executables.md 3, 4. Error: only Cancelled.
Result<view::GraphPage> dataFlowOf(const Executable& executable, const Function& function, Monitor& monitor);

} // namespace blobscope::modules::relax
