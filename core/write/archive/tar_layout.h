#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The headers of a tar, for planners that change some of them. Source: POSIX.1-1988 ustar, POSIX.1-2001 pax; GNU tar
/// for base-256 numbers and long names.
namespace blobscope::write::tar {

constexpr uint64_t kBlock = 512;
constexpr uint64_t kRecord = 10'240; ///< tar and Python's tarfile fill archives up to a multiple of this
constexpr uint64_t kNameBytes = 100;

/// A header that only describes the next member: type 'x' or 'X' (pax records), 'L' or 'K' (long path, long link).
struct Describing {
  char type = 'x';
  uint64_t header = 0; ///< offset
  Extent content;
};
/// A member with all its headers.
struct Item {
  Extent whole;                       ///< from its first header to the end of its padding
  std::vector<Describing> describing; ///< in stored order
  uint64_t header = 0;                ///< offset of its own header
  Extent content;                     ///< without padding
  char type = '0';
  std::string path;     ///< as stored
  Extent sharedHeaders; ///< headers before it that describe all members after them, 'g' and 'V'; mostly empty
};
struct Layout {
  std::vector<Item> items;
  Extent end; ///< everything after the last member: the end marker and its padding
};

/// Reads the headers of all members, or of the first `count`. Errors: REP-ARCHIVE when one of them is damaged,
/// Cancelled.
Result<Layout> readLayout(std::string_view text, Monitor& monitor, uint64_t count = UINT64_MAX);

/// Rounds up to whole blocks.
uint64_t rounded(uint64_t size);
/// Returns the header with another size, in the notation of the old one, and with its new checksum.
std::string withSize(std::string header, uint64_t size);
/// Returns the header with its checksum.
std::string withChecksum(std::string header);
/// Returns the number as octal digits with leading zeros.
std::string octal(uint64_t value, std::size_t digits);

/// The records of an extended header.
struct PaxRecord {
  std::string key, value;
  std::string stored = {}; ///< as stored, with its length; empty for a new record
};
/// Returns nothing when the records are damaged.
std::optional<std::vector<PaxRecord>> readPax(std::string_view text);
/// Returns the records as text, new ones with their own length in front: "22 size=1234567890\n".
std::string paxText(const std::vector<PaxRecord>& records);

} // namespace blobscope::write::tar
