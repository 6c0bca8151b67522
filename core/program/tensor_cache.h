#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/program/model.h"

#include <filesystem>
#include <optional>

namespace blobscope::program {

/// The index of a folder of weights, `tensor-cache.json` or `ndarray-cache.json`; nothing when it has none.
std::optional<std::filesystem::path> tensorCacheIn(const std::filesystem::path& folder);

/// Reads the tensors that an index lists, from the files beside it, in the order of the index. Source:
/// core/formats/blob.md 10. Errors: those of reading the files and of json::parse(); RUN-PARAMS with the record for an
/// index that does not fit its files, or with tensors that overlap or have one name; Cancelled.
Result<Parameters> readTensorCache(const std::filesystem::path& index, Monitor& monitor);

} // namespace blobscope::program
