#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/container/archive/archive.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

using container::numberAt;

// PKWARE APPNOTE 6.3.10, 4.3.7 (local header), 4.3.9 (data descriptor), 4.3.12 (central directory), 4.3.16 (its end).
constexpr std::string_view kLocal("PK\x03\x04", 4), kCentral("PK\x01\x02", 4), kEnd("PK\x05\x06", 4),
    kDescriptor("PK\x07\x08", 4), kEnd64("PK\x06\x07", 4);
constexpr uint64_t kLocalHeader = 30, kCentralHeader = 46, kEndRecord = 22, kEnd64Locator = 20;
constexpr uint64_t kComment = 65'535;
constexpr uint64_t kEncrypted = 1, kHasDescriptor = 8;
constexpr uint64_t kStored = 0, kDeflated = 8;
constexpr uint64_t kMost = UINT32_MAX - 1; ///< all ones mean that the number is stored elsewhere

/// A row of the central directory.
struct Entry {
  uint64_t at = 0; ///< offset of the row
  uint64_t flags = 0, method = 0;
  uint64_t packed = 0, size = 0;
  uint64_t local = 0; ///< offset of the local header
};

struct Directory {
  uint64_t end = 0; ///< offset of the end record
  uint64_t at = 0;
  std::vector<Entry> entries; ///< in stored order
};

Result<Directory> readDirectory(std::string_view text, Monitor& monitor) {
  Directory directory;
  const std::size_t from = text.size() > kEndRecord + kComment ? text.size() - kEndRecord - kComment : 0;
  const std::size_t end = text.rfind(kEnd);
  if (end == std::string_view::npos || end < from || text.size() - end < kEndRecord)
    return archiveError("it has no central directory");
  directory.end = end;
  if (end >= kEnd64Locator && text.substr(end - kEnd64Locator, 4) == kEnd64)
    return archiveError("it is a zip of more than 4 GiB (zip64)");
  const uint64_t count = numberAt<uint16_t>(text, end + 10), size = numberAt<uint32_t>(text, end + 12);
  directory.at = numberAt<uint32_t>(text, end + 16);
  // There are bytes before the archive, or it is split into several files.
  if (directory.at + size != end || numberAt<uint16_t>(text, end + 8) != count)
    return archiveError("its central directory is not directly before its end record");
  uint64_t at = directory.at;
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (end - at < kCentralHeader || text.substr(at, 4) != kCentral)
      return archiveError("row " + std::to_string(i) + " of its central directory is damaged");
    const uint64_t length = kCentralHeader + numberAt<uint16_t>(text, at + 28) + numberAt<uint16_t>(text, at + 30) +
                            numberAt<uint16_t>(text, at + 32);
    if (length > end - at) return archiveError("row " + std::to_string(i) + " of its central directory is truncated");
    directory.entries.push_back({at, numberAt<uint16_t>(text, at + 8), numberAt<uint16_t>(text, at + 10),
                                 numberAt<uint32_t>(text, at + 20), numberAt<uint32_t>(text, at + 24),
                                 numberAt<uint32_t>(text, at + 42)});
    at += length;
  }
  return directory;
}

/// Returns the CRC-32 of the new member.
Result<uint32_t> computeCrc(OutputReader& reader, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  uint32_t crc = 0;
  for (uint64_t at = 0; at < reader.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the checksum", at, reader.size());
    crc = crc32(crc, reader.read(at, kStep).view());
  }
  return crc;
}

} // namespace

Result<Plan> planZipMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor) {
  const std::string_view text = archive.view();
  BLOBSCOPE_TRY(directory, readDirectory(text, monitor));

  // --- 1. The member's row. Members come in the order of their local headers (libarchive), rows in any order. ---
  std::vector<Entry> ordered = directory.entries;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Entry& a, const Entry& b) { return a.local < b.local; });
  if (index >= ordered.size())
    return archiveError("member " + std::to_string(index) + " is not in its central directory");
  const Entry entry = ordered[index];
  const std::string name = "member '" + escaped(member.path) + "'";
  if (entry.flags & kEncrypted) return archiveError(name + " is encrypted");
  if (entry.method != kStored && entry.method != kDeflated)
    return archiveError(name + " is compressed by method " + std::to_string(entry.method));
  if (entry.packed > kMost || entry.size > kMost || entry.local > kMost) return archiveError(name + " has zip64 sizes");
  if (entry.local > directory.at || directory.at - entry.local < kLocalHeader || text.substr(entry.local, 4) != kLocal)
    return archiveError("the local header of " + name + " is damaged");
  if (numberAt<uint32_t>(text, entry.local + 18) > kMost || numberAt<uint32_t>(text, entry.local + 22) > kMost)
    return archiveError(name + " has zip64 sizes");
  const Extent data{entry.local + kLocalHeader + numberAt<uint16_t>(text, entry.local + 26) +
                        numberAt<uint16_t>(text, entry.local + 28),
                    entry.packed};
  if (data.end() > directory.at) return archiveError(name + " reaches into the central directory");
  for (const Entry& row : ordered)
    if (row.local > entry.local && row.local < data.end()) return archiveError(name + " overlaps another one");
  bool same = entry.size == member.bytes.size();
  if (entry.method == kStored) {
    BLOBSCOPE_TRY(difference, findDifference({member.bytes}, archive.slice(data.offset, data.size), monitor));
    same = same && !difference;
  }
  if (!same) return archiveError(name + " does not match its central directory");

  // --- 2. The new bytes, compressed if the old ones were. ---
  const uint64_t size = inner.size();
  if (size > kMost) return sizeError(size, kMost);
  OutputReader reader(inner, member.bytes);
  BLOBSCOPE_TRY(crc, computeCrc(reader, monitor));
  Bytes packed;
  if (entry.method == kDeflated) {
    if (size > limits::kUnpackedBytes) return sizeError(size, limits::kUnpackedBytes);
    BLOBSCOPE_TRY(whole, assemble(inner, member.bytes, monitor));
    BLOBSCOPE_TRY(deflated, container::packDeflate(whole, 6, monitor));
    packed = deflated;
  }
  const uint64_t newSize = entry.method == kDeflated ? packed.size() : size;
  const uint64_t total = text.size() - data.size + newSize;
  if (total > kMost) return sizeError(total, kMost);
  const auto moved = [&](uint64_t offset) { return offset - data.size + newSize; };
  const std::string sizes = numberText(crc, 4, false) + numberText(newSize, 4, false) + numberText(size, 4, false);

  // --- 3. The plan. ---
  MemberBuilder builder(archive, data, std::move(inner));
  // With a descriptor after the data, the local header may contain zeros.
  const bool described = entry.flags & kHasDescriptor;
  if (!described || numberAt<uint32_t>(text, entry.local + 18) != 0)
    builder.replace(entry.local + 14, sizes, "checksum and sizes of the member");
  builder.upTo(data.offset);
  if (entry.method == kDeflated)
    builder.packed(packed, data.size, "compressed member");
  else
    builder.member();
  if (described) {
    const uint64_t at = data.end() + (text.substr(data.end(), 4) == kDescriptor ? 4 : 0);
    if (directory.at - std::min(directory.at, at) < 12 || numberAt<uint32_t>(text, at + 4) != entry.packed)
      return archiveError("the data descriptor of " + name + " is damaged");
    builder.replace(at, sizes, "checksum and sizes of the member");
  }
  for (const Entry& row : directory.entries) {
    if (row.at == entry.at) builder.replace(row.at + 16, sizes, "checksum and sizes of the member");
    if (row.local > entry.local && row.local <= kMost)
      builder.replace(row.at + 42, numberText(moved(row.local), 4, false), "place of a later member");
  }
  builder.replace(directory.end + 16, numberText(moved(directory.at), 4, false), "place of the central directory");
  return builder.take();
}

} // namespace blobscope::write
