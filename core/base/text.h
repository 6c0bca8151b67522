#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace blobscope {

/// "0x2b30c1": lower case, no leading zeros.
std::string hexText(uint64_t value);
/// Two lower-case digits per byte.
std::string hexDigits(std::string_view bytes);
/// The same with blanks between the bytes: "7f 45".
std::string spacedHex(std::string_view bytes);
/// The bytes that text of two-digit hex numbers describes; white space between digits is ignored. Nothing when it is
/// not hex.
std::optional<std::string> parseHexDigits(std::string_view text);
/// Without white space at both ends.
std::string_view trimmed(std::string_view text);
/// A decimal or 0x… number. Nothing when the text is neither or the number does not fit.
std::optional<uint64_t> parseNumber(std::string_view text);
/// The bytes in "256 KiB", "64k", "1.5 MB", "4096"; nothing when the text is not a size. A letter alone counts by 1024,
/// as in data sheets of controllers; "kB", "MB", "GB" count by 1000.
std::optional<uint64_t> parseSize(std::string_view text);
/// The units in which sizes are written.
enum class SizeUnits : uint8_t {
  Binary,  ///< KiB, MiB … of 1,024
  Decimal, ///< kB, MB … of 1,000
  Bytes    ///< bytes only
};
/// Sets the units for the whole process, by default Binary. Call it before there are other threads.
void setSizeUnits(SizeUnits units);
/// "0 bytes", "712 bytes", "2.2 MiB (2,270,303 bytes)".
std::string sizeText(uint64_t bytes);
/// "712 B", "2.17 MiB", "71.7 KiB": for lists with little room.
std::string shortSizeText(uint64_t bytes);
/// "12 %", "less than 1 %".
std::string shareText(uint64_t bytes, uint64_t total);
/// "12,800".
std::string groupedText(uint64_t value);
/// "1 byte", "12,800 bytes" for the word "byte".
std::string countText(uint64_t count, std::string_view word);
/// Maximum length of a shown name, and of a value in a message, in bytes of their escaped form.
inline constexpr std::size_t kShownBytes = 400, kMessageBytes = 1'000;
/// Names and other text of a file for people, on one line and safe on a terminal: printable UTF-8 unchanged; control
/// characters, backslashes and bytes that are not UTF-8 as
/// , \\ or \x9f; characters that are invisible or that reorder others as \u202e. Text after `limit` bytes is omitted,
/// and its length is stated: "aaaa… (19,999,600 more bytes)".
std::string escaped(std::string_view bytes, std::size_t limit = kShownBytes);
/// The same without a limit, for content: lines of a text, output of programs.
std::string escapedWhole(std::string_view bytes);
/// The same in at most `limit` bytes, cut between characters and ended with "…" when something was omitted.
std::string escapedWithin(std::string_view bytes, std::size_t limit);
/// Text that was composed for people, in which names are already escaped: line feeds, tabs and backslashes stay,
/// everything else is shown as in escaped(). It has at most about `limit` bytes, with a note of the omitted length as
/// in escaped().
std::string plainText(std::string_view text, std::size_t limit);
/// Whether the bytes are well-formed UTF-8. NUL and other control characters are allowed.
bool isUtf8(std::string_view bytes);
/// First position of `pattern` in `text` at or after `from`, npos when there is none. For binary data: it uses the
/// vectorised search of libc where there is one, which is several times faster than string_view::find.
std::size_t findBytes(std::string_view text, std::string_view pattern, std::size_t from);
/// The C++ name of a symbol: "tvm::ffi::json::Stringify(tvm::ffi::Any const&, …)" for "_ZN3tvm3ffi…". `name` unchanged
/// when it is not mangled by the rules of the Itanium C++ ABI, when it has more than 1,024 bytes, or when it refers so
/// often to parts of itself that its full form could be huge. The result is not escaped.
std::string demangled(std::string_view name);
/// Whether one of the patterns occurs.
bool containsAny(std::string_view text, std::initializer_list<std::string_view> patterns);
/// At most `limit` bytes of `text`, cut at a character and ended with "…" when something was omitted.
std::string shortened(std::string_view text, std::size_t limit);
/// Whether both are the same when the case of ASCII letters is ignored.
bool equalsIgnoringCase(std::string_view a, std::string_view b);
/// "; did you mean 'show'?" with the word that is most like an unknown one; empty when none is like it. `unknown` of
/// more than 64 bytes is like none.
std::string proposalText(std::string_view unknown, std::span<const std::string> words);

} // namespace blobscope
