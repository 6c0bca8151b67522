#pragma once

#include "core/container/container.h"

#include <filesystem>

namespace blobscope::container {

/// tar, or a stream compressed with gzip or zstd, or zip.
bool looksLikeArchive(std::string_view head);
/// Reads all members into memory, or as slices of the file where they are stored as they are. A compressed file that is
/// not an archive has one member, its content. One layer of compression is unpacked; what is compressed again inside of
/// it is such a member. Members and their names are charged to `budget` (FILE-LIMIT); the members before that stay.
Result<Image> readArchive(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);

/// What could be unpacked of a compressed file.
struct Unpacked {
  Bytes bytes;
  std::string damage; ///< why this is not all of it; empty when it is
};
/// What is inside a file that is compressed with gzip, zstd, bzip2 or xz, as far as it can be unpacked. FILE-HEADER
/// when nothing can, FILE-LIMIT when it takes more than `limit` bytes or than `budget` has left, Cancelled.
Result<Unpacked> unpackWhatIsThere(const Bytes& file, uint64_t limit, const BudgetPtr& budget, Monitor& monitor);
/// What is inside a file that is compressed with gzip, zstd, bzip2 or xz, unpacked into memory. FILE-HEADER when it
/// cannot be unpacked, FILE-LIMIT when that takes more than `limit` bytes, Cancelled.
Result<Bytes> unpackStream(const Bytes& file, uint64_t limit, Monitor& monitor);
/// A folder as the tar that TVM's exporter makes of one: "./" in front of every path, sorted, each folder before what
/// is in it. Links are not followed. The errors of ByteSource::openFile; FILE-LIMIT when the files take more than
/// `limit` bytes, for too many files or folders inside folders; Cancelled.
Result<Buffer> packFolder(const std::filesystem::path& folder, uint64_t limit, Monitor& monitor);

/// `content` deflated (RFC 1951) without anything around it, for gzip and zip; `level` 1 to 9. The same content gives
/// the same bytes. FILE-HEADER when memory runs out, Cancelled.
Result<Bytes> packDeflate(const Bytes& content, int level, Monitor& monitor);
/// `content` as a zstd stream. As packDeflate().
Result<Bytes> packZstd(const Bytes& content, Monitor& monitor);

} // namespace blobscope::container
