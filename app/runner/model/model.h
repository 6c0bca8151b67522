#pragma once

#include "app/runner/calls.h"

namespace blobscope::runner {

/// Mode Model: opens the job's TVM runtime and uses it to open the library and to call functions of its virtual machine
/// on the processor. No shim is loaded. core/formats/host-abi.md 5.3.
int runModel(const JobContext& context);

} // namespace blobscope::runner
