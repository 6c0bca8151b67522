#pragma once

#include "core/container/container.h"

#include <filesystem>
#include <string>
#include <vector>

namespace blobscope::container {

/// Whether the file looks like a tar, a stream compressed with gzip or zstd, or a zip.
bool looksLikeArchive(std::string_view head);
/// Reads all members into memory; members that are stored without compression are slices of the file. A compressed file
/// that is not an archive has one member, its content. Only one layer of compression is unpacked; a compressed file
/// inside it is such a member. Members and their names are charged to `budget` (FILE-LIMIT); when it is used up, the
/// members before that stay.
Result<Image> readArchive(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);

/// The part of a compressed file that could be unpacked.
struct Unpacked {
  Bytes bytes;
  std::string damage; ///< why the content is not complete; empty when it is
};
/// Unpacks as much as possible of a file that is compressed with gzip, zstd, bzip2 or xz. FILE-HEADER when nothing can
/// be unpacked, FILE-LIMIT when it takes more than `limit` bytes or than `budget` has left, Cancelled.
Result<Unpacked> unpackAvailable(const Bytes& file, uint64_t limit, const BudgetPtr& budget, Monitor& monitor);
/// Unpacks a file that is compressed with gzip, zstd, bzip2 or xz into memory. FILE-HEADER when it cannot be unpacked,
/// FILE-LIMIT when that takes more than `limit` bytes, Cancelled.
Result<Bytes> unpackStream(const Bytes& file, uint64_t limit, Monitor& monitor);
/// Returns the paths of the files in and below a folder, with '/' and without the folder, as packFolder() adds them; no
/// file is read. Links are not followed and not listed. Errors: as of packFolder().
Result<std::vector<std::string>> listFolder(const std::filesystem::path& folder, Monitor& monitor);
/// A folder as a tar like those of TVM's exporter: "./" in front of every path, sorted, each folder before its content.
/// Links are not followed. The errors of ByteSource::openFile; FILE-LIMIT when the files take more than `limit` bytes,
/// and for too many files or folders inside folders; Cancelled.
Result<Buffer> packFolder(const std::filesystem::path& folder, uint64_t limit, Monitor& monitor);

/// `content` deflated (RFC 1951) without a header or trailer, for gzip and zip; `level` is 1 to 9. The same content
/// gives the same bytes. FILE-HEADER when memory runs out, Cancelled.
Result<Bytes> packDeflate(const Bytes& content, int level, Monitor& monitor);
/// `content` as a zstd stream; otherwise like packDeflate().
Result<Bytes> packZstd(const Bytes& content, Monitor& monitor);

} // namespace blobscope::container
