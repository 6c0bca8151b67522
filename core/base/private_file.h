#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace blobscope {

/// Writes a file that only this user may read, or replaces its content, for a folder that belongs to the user alone. A
/// link is not followed. Not for results: a reader can see a part of the content. FILE-WRITE.
Result<Done> writePrivateFile(const std::filesystem::path& path, std::span<const std::byte> content);

} // namespace blobscope
