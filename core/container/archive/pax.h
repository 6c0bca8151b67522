#pragma once

#include "core/base/text.h"

#include <optional>
#include <string_view>

namespace blobscope::container {

/// A record of a tar's extended header: "22 size=1234567890\n".
struct PaxRecord {
  std::string_view whole;   ///< with its length in front
  std::string_view content; ///< behind the length and the blank, to the end of the record
};

/// Whether the records go on at the beginning of `text`: zeros fill the header up to a block.
inline bool hasPaxRecord(std::string_view text) { return !text.empty() && text.front() != '\0'; }

/// The record at the beginning of `text`. Nothing when its length is no number or does not fit; what the content looks
/// like is not checked. Source: POSIX.1-2001 pax.
inline std::optional<PaxRecord> readPaxRecord(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto length = blank == std::string_view::npos ? std::nullopt : parseNumber(text.substr(0, blank));
  if (!length || *length <= blank + 1 || *length > text.size()) return std::nullopt;
  const std::string_view whole = text.substr(0, *length);
  return PaxRecord{whole, whole.substr(blank + 1)};
}

} // namespace blobscope::container
