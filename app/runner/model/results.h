#pragma once

#include "app/runner/model/api.h"
#include "core/protocol/protocol.h"

#include <filesystem>
#include <string>

namespace blobscope::runner {

/// Writes the result of a model function to files STEM.0, STEM.1 … in the folder, and reports each: tensors, nested
/// tuples of them, shapes, numbers. Other values are described in the log. Errors: RUN-MEMORY, FILE-WRITE; RUN-FAILED
/// for a tensor that this process cannot access or whose header is invalid.
Result<Done> writeResults(const FfiRuntime& runtime, const FfiValue& result, const protocol::JobCall& call,
                          const protocol::JobLimits& limits, const std::filesystem::path& folder);

} // namespace blobscope::runner
