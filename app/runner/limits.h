#pragma once

#include "core/run/protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::runner {

/// Takes from this process what the job does not grant (test-run.md 7.4): rlimits, life after its parent, new
/// privileges. `reserved` is address space that is taken already and not counted. Returns what could not be done, in words.
std::vector<std::string> applyLimits(const run::JobLimits& limits, uint64_t reserved);

} // namespace blobscope::runner
