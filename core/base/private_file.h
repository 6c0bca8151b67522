#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace blobscope {

/// Writes a file that only this user may read, or replaces its content, for a folder that belongs to the user alone. A
/// link is not followed, and a named pipe or device in its place is refused at once. Not for results: a reader can see
/// a part of the content. FILE-WRITE.
Result<Done> writePrivateFile(const std::filesystem::path& path, std::span<const std::byte> content);

/// What the system says about an error number of a write, as text after a colon; for a file that is too large, also
/// which limit that is.
std::string writeReason(int number);

/// From now on, a write beyond this process's limit for the size of a file (ulimit -f) fails, with writeReason(),
/// instead of ending the process. For the start of a program.
void surviveFileLimit();

} // namespace blobscope
