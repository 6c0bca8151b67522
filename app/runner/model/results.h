#pragma once

#include "app/runner/model/api.h"
#include "core/protocol/protocol.h"

#include <filesystem>
#include <string>

namespace blobscope::runner {

/// Writes what a function of a model returned to files STEM.0, STEM.1 … of the folder, and tells each: tensors, tuples
/// of them however deep, shapes, numbers. What is something else is told in words. RUN-MEMORY, FILE-WRITE; RUN-FAILED
/// for a tensor that is not this process's to read or whose head cannot be.
Result<Done> writeResults(const FfiRuntime& runtime, const FfiValue& result, const protocol::JobCall& call,
                          const protocol::JobLimits& limits, const std::filesystem::path& folder);

} // namespace blobscope::runner
