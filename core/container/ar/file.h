#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The headers of ar archives. Source: System V ABI (ar.h: ARMAG, struct ar_hdr), GNU binutils (thin archives,
/// /SYM64/), 4.4BSD ar(5) and ranlib.h, Microsoft "PE Format", "Archive (Library) File Format".
namespace blobscope::container::ar {

inline constexpr std::string_view kMagic = "!<arch>\n", kThinMagic = "!<thin>\n";
inline constexpr uint64_t kHeaderSize = 60, kSizeField = 48, kSizeDigits = 10; ///< ar_hdr, ar_size

/// A decimal number padded with blanks; nothing for anything else.
std::optional<uint64_t> parseDecimal(std::string_view field);

/// A member's header as stored.
struct Header {
  uint64_t at = 0;              ///< in the archive
  std::string_view name;        ///< ar_name without the blanks at its end
  std::optional<uint64_t> size; ///< ar_size: size of everything after the header; nothing when it is not a number
  bool isMarked = false;        ///< ends in ar_fmag
  uint64_t contentAt() const { return at + kHeaderSize; }
};
/// Nothing when fewer than 60 bytes are left at `at`.
std::optional<Header> readHeader(std::string_view archive, uint64_t at);

/// Whether a member with that name is a symbol table, which lists the offsets of other members by symbol.
bool isSymbolTable(std::string_view name);

/// A name between the header and the content: "#1/" and its length in ar_name.
struct LongName {
  uint64_t size = 0; ///< in the archive, with the NULs that pad it
  std::string_view text;
};
/// The long name of a member of `size` bytes: empty for other headers, nothing when it is longer than the member.
std::optional<LongName> readLongName(std::string_view archive, const Header& header, uint64_t size);

} // namespace blobscope::container::ar
