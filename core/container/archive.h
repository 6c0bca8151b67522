#pragma once

#include "core/container/container.h"

namespace blobscope::container {

/// tar, or a stream compressed with gzip or zstd, or zip.
bool looksLikeArchive(std::string_view head);
/// Reads all members into memory, or as slices of the file where they are stored as they are. A compressed file that is
/// no archive has one member, its content. What is unpacked into memory is bounded by `limit` (FILE-UNPACKED-LIMIT).
Result<Image> unpackArchive(const Bytes& file, uint64_t limit, Monitor& monitor);
/// The same with limits::kUnpackedBytes.
Result<Image> readArchive(const Bytes& file, Monitor& monitor);

} // namespace blobscope::container
