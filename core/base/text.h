#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope {

/// "0x2b30c1": lower case, no leading zeros.
std::string hexText(uint64_t value);
/// Two lower-case digits per byte.
std::string hexDigits(std::string_view bytes);
/// The bytes that two-digit hex text stands for; white space between digits is ignored. Nothing when it is not hex.
std::optional<std::string> parseHexDigits(std::string_view text);
/// Decimal or 0x… Nothing when it is neither or does not fit.
std::optional<uint64_t> parseNumber(std::string_view text);
/// Bytes of "256 KiB", "64k", "1.5 MB", "4096"; nothing when it is not an amount. A letter alone counts by 1024, as
/// data sheets of controllers have it; "kB", "MB", "GB" by 1000.
std::optional<uint64_t> parseSize(std::string_view text);
/// "0 bytes", "712 bytes", "2.2 MiB (2,270,303 bytes)".
std::string sizeText(uint64_t bytes);
/// "12 %", "less than 1 %".
std::string shareText(uint64_t bytes, uint64_t total);
/// "12,800".
std::string groupedText(uint64_t value);
/// What of a name is shown at most, and of a value in a message, in bytes of their escaped form.
inline constexpr std::size_t kShownBytes = 400, kMessageBytes = 1'000;
/// Names and other text of a file for people, on one line and safe on a terminal: printable UTF-8 as it is; control
/// characters, backslashes and bytes that are not UTF-8 as \n, \\ or \x9f; characters that nobody sees or that reorder
/// others as \u202e. What is above `limit` is left out, and its length stated: "aaaa… (19,999,600 more bytes)".
std::string escaped(std::string_view bytes, std::size_t limit = kShownBytes);
/// The same without a limit, for content: lines of a text, output of programs.
std::string escapedWhole(std::string_view bytes);
/// The same in at most `limit` bytes, cut between characters and ended with "…" when something was left out.
std::string escapedWithin(std::string_view bytes, std::size_t limit);
/// Text that was composed for people, where names in it are escaped already: line feeds, tabs and backslashes stay, all
/// else is shown as in escaped(); at most about `limit` bytes, with a note of the length like there.
std::string plainText(std::string_view text, std::size_t limit);
/// Whether the bytes are well-formed UTF-8 (NUL and other control characters are).
bool isUtf8(std::string_view bytes);
/// First place of `pattern` in `text` at or behind `from`, npos when there is none. For binary data: where libc has a
/// vectorised search it is used, several times faster than string_view::find.
std::size_t findBytes(std::string_view text, std::string_view pattern, std::size_t from);
/// At most `limit` bytes of `text`, cut at a character and ended with "…" when something was left out.
std::string shortened(std::string_view text, std::size_t limit);

} // namespace blobscope
