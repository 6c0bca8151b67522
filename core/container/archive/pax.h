#pragma once

#include "core/base/text.h"

#include <optional>
#include <string_view>

namespace blobscope::container {

/// A record of a tar's extended header: "22 size=1234567890\n".
struct PaxRecord {
  std::string_view whole;   ///< including its length at the start
  std::string_view content; ///< after the length and the blank, to the end of the record
};

/// Whether another record follows at the beginning of `text`: the header is padded to a block with zeros.
inline bool hasPaxRecord(std::string_view text) { return !text.empty() && text.front() != '\0'; }

/// The record at the beginning of `text`. Nothing when its length is not a number or does not fit; the form of the
/// content is not checked. Source: POSIX.1-2001 pax.
inline std::optional<PaxRecord> readPaxRecord(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto length = blank == std::string_view::npos ? std::nullopt : parseNumber(text.substr(0, blank));
  if (!length || *length <= blank + 1 || *length > text.size()) return std::nullopt;
  const std::string_view whole = text.substr(0, *length);
  return PaxRecord{whole, whole.substr(blank + 1)};
}

} // namespace blobscope::container
