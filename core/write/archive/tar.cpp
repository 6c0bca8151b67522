#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/container/archive/pax.h"
#include "core/container/archive/tar_number.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

// POSIX.1-1988 ustar, POSIX.1-2001 pax; GNU tar for base-256 numbers and long names.
constexpr uint64_t kBlock = 512;
constexpr uint64_t kSizeField = 124, kSizeBytes = 12, kChecksumField = 148, kChecksumBytes = 8, kTypeField = 156;
constexpr uint64_t kOctal = uint64_t{1} << 33; ///< eleven octal digits can only store smaller numbers
constexpr uint64_t kPaxBytes = 16 << 20;       ///< limit for one extended header; real ones have some hundred bytes

bool isOctal(char c) { return c >= '0' && c <= '7'; }

std::string octal(uint64_t value, std::size_t digits) {
  std::string out(digits, '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, value >>= 3) *at = static_cast<char>('0' + (value & 7));
  return out;
}

/// Returns the header with another size, in the notation of the old one, and with its new checksum.
std::string resized(std::string header, uint64_t size) {
  // --- 1. The size; the terminator of the digits stays. ---
  const std::string_view old = std::string_view(header).substr(kSizeField, kSizeBytes);
  std::string field;
  if (size >= kOctal || old.front() & 0x80) {
    field = std::string(1, '\x80') + std::string(3, '\0') + numberText(size, 8, true);
  } else if (isOctal(old.back())) {
    field = octal(size, kSizeBytes);
  } else {
    field = octal(size, kSizeBytes - 1) + old.back();
  }
  header.replace(kSizeField, kSizeBytes, field);
  // --- 2. The checksum: the sum of all bytes, with the checksum field counted as blanks. ---
  const std::string oldSum = header.substr(kChecksumField, kChecksumBytes);
  header.replace(kChecksumField, kChecksumBytes, std::string(kChecksumBytes, ' '));
  uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  const std::size_t digits = isOctal(oldSum[6]) ? 7 : 6;
  header.replace(kChecksumField, kChecksumBytes, octal(sum, digits) + oldSum.substr(digits));
  return header;
}

uint64_t rounded(uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

/// Returns a pax record, which begins with its own length: "22 size=1234567890\n".
std::string paxRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) length = std::to_string(length).size() + rest.size();
  return std::to_string(length) + rest;
}

/// The records of an extended header, and the old value of `size`. paxOf() replaces `size` when `newSize` is not
/// empty, and returns nothing when the records are damaged.
struct Pax {
  std::optional<uint64_t> size;
  std::string text;
};
std::optional<Pax> paxOf(std::string_view text, std::optional<uint64_t> newSize) {
  Pax pax;
  while (container::hasPaxRecord(text)) {
    const auto next = container::readPaxRecord(text);
    if (!next) return std::nullopt;
    const auto [record, content] = *next;
    if (content.starts_with("size=")) {
      pax.size = parseNumber(content.substr(5, content.find('\n') - 5)); // without a line end, up to the end
      if (!pax.size) return std::nullopt;
      pax.text += newSize ? paxRecord("size", std::to_string(*newSize)) : std::string(record);
    } else {
      pax.text += record;
    }
    text.remove_prefix(record.size());
  }
  return pax;
}

/// A member's headers.
struct Entry {
  uint64_t header = 0;           ///< offset of the member's own header
  std::optional<uint64_t> paxAt; ///< offset of the extended header's header, when the extended header contains a size
  Extent pax;                    ///< the content of the extended header
  Extent content;
};

/// Returns the member with the number `index`. Headers that only describe the next one do not count.
Result<Entry> findEntry(std::string_view text, uint64_t index, Monitor& monitor) {
  std::optional<uint64_t> size, paxAt;
  Extent pax;
  uint64_t seen = 0;
  for (uint64_t at = 0, count = 0; at < text.size() && text.size() - at >= kBlock; ++count) {
    if (count % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string_view header = text.substr(at, kBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) break;
    const auto number = container::readTarNumber(header.substr(kSizeField, kSizeBytes));
    const uint64_t stored = number ? number->value : UINT64_MAX;
    const char type = header[kTypeField];
    const bool describes = type == 'x' || type == 'g' || type == 'X' || type == 'L' || type == 'K' || type == 'V';
    const bool empty = type >= '1' && type <= '6'; // links, devices and folders, whatever size they declare
    const uint64_t bytes = empty ? 0 : describes ? stored : size.value_or(stored);
    if (bytes > text.size() - at - kBlock) return archiveError("the member at " + hexText(at) + " is truncated");
    if (type == 'x' || type == 'X') {
      if (bytes > kPaxBytes) return archiveError("the extended header at " + hexText(at) + " is too large");
      const auto records = paxOf(text.substr(at + kBlock, bytes), std::nullopt);
      if (!records) return archiveError("the extended header at " + hexText(at) + " is damaged");
      if (records->size) size = records->size, paxAt = at, pax = {at + kBlock, bytes};
    } else if (!describes) {
      if (seen++ == index) return Entry{at, paxAt, pax, {at + kBlock, bytes}};
      size.reset();
      paxAt.reset();
    }
    const auto next = checkedAdd(at + kBlock, rounded(bytes));
    if (!next) break;
    at = *next;
  }
  return archiveError("the header of member " + std::to_string(index) + " is not found");
}

} // namespace

Result<Plan> planTarMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor) {
  const std::string_view text = archive.view();
  BLOBSCOPE_TRY(entry, findEntry(text, index, monitor));
  // Sparse files are not stored contiguously, and both readers must count the same members.
  BLOBSCOPE_TRY(difference,
                findDifference({member.bytes}, archive.slice(entry.content.offset, entry.content.size), monitor));
  if (difference) return archiveError("member '" + escaped(member.path) + "' is not stored contiguously");
  const uint64_t size = inner.size();
  MemberBuilder builder(archive, entry.content, std::move(inner));
  if (size != entry.content.size) {
    if (entry.paxAt) {
      const auto records = paxOf(text.substr(entry.pax.offset, entry.pax.size), size);
      if (!records) return archiveError("the extended header at " + hexText(*entry.paxAt) + " is damaged");
      builder.replace(*entry.paxAt, resized(std::string(text.substr(*entry.paxAt, kBlock)), records->text.size()),
                      "size of the extended header");
      builder.upTo(entry.pax.offset);
      builder.skip(std::min<uint64_t>(rounded(entry.pax.size), text.size() - entry.pax.offset));
      builder.literal(records->text + std::string(rounded(records->text.size()) - records->text.size(), '\0'),
                      "size of the member");
    }
    builder.replace(entry.header, resized(std::string(text.substr(entry.header, kBlock)), size), "size of the member");
  }
  builder.member();
  const uint64_t oldPadding =
      std::min<uint64_t>(rounded(entry.content.size), text.size() - entry.content.offset) - entry.content.size;
  const uint64_t padding = rounded(size) - size;
  if (padding != oldPadding) {
    builder.skip(oldPadding);
    builder.literal(std::string(padding, '\0'), "padding");
  }
  return builder.take();
}

} // namespace blobscope::write
