#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// Kinds of noise: details in which two builds of the same thing differ. Masked text is shown unchanged and compared as
/// if it were equal everywhere.
enum class Mask : uint8_t {
  Addresses, ///< 0x and at least 4 digits; "1a40:" and "1a40  " at the start of a line; the offsets of SASS, "/*0040*/"
  Serials,   ///< "_123" and "add3" at the end of a word or before "_"; registers and ids "%rd12", "%7", "R12", "UP0"
  Labels,    ///< "$L__BB0_3", "BB0_3", "LBB0_3", ".L12", ".L_x_3"
  Timestamps, ///< "2024-05-06", "2024-05-06T12:34:56.789Z", "12:34:56", "Mon May  6 12:34:56 2024"
  Paths,      ///< absolute paths with at least two components: "/a/b", "C:\a\b"
  LineEnds,   ///< "\n", "\r\n" and none at the end of a text are the same
  Formatting  ///< blanks where no word would join another, and the outer pair of "((x))"; not in strings
};
constexpr std::size_t kMaskCount = 7;

/// A set of masks.
class Masks {
public:
  constexpr Masks() = default;
  static constexpr Masks all() { return Masks((1u << kMaskCount) - 1); }

  constexpr bool has(Mask mask) const { return m_bits >> static_cast<unsigned>(mask) & 1; }
  constexpr bool empty() const { return m_bits == 0; }
  /// Returns whether words of a line are masked, not only its end.
  constexpr bool hidesWords() const { return (m_bits & ~(1u << static_cast<unsigned>(Mask::LineEnds))) != 0; }
  constexpr Masks with(Mask mask) const { return Masks(m_bits | 1u << static_cast<unsigned>(mask)); }
  constexpr Masks without(Mask mask) const { return Masks(m_bits & ~(1u << static_cast<unsigned>(mask))); }
  friend constexpr bool operator==(Masks, Masks) = default;

private:
  constexpr explicit Masks(unsigned bits) : m_bits(bits) {}
  unsigned m_bits = 0;
};

/// Returns the name on the command line: "addresses", "serials", "labels", "timestamps", "paths", "line-ends",
/// "formatting".
std::string_view maskName(Mask mask);
/// Returns the mask with that name.
std::optional<Mask> findMask(std::string_view name);

/// Bytes `[begin, begin + size)` of a line that a mask hides.
struct MaskedSpan {
  uint32_t begin, size;
  Mask mask;
  friend bool operator==(const MaskedSpan&, const MaskedSpan&) = default;
};

/// Finds what masks hide in the line: in order, without overlaps. `out` is cleared first. Takes linear time for any
/// bytes; only the first 1 MiB of a line is searched.
void findMasked(Masks masks, std::string_view line, std::vector<MaskedSpan>& out);

/// Returns the text as which a span of a line is compared: a byte that occurs in no text and identifies the mask. A
/// counter at the end of a name is compared as empty, since the first of several names has none: "add", "add1",
/// "add_1"; and so is what belongs to the formatting.
std::string_view maskedAs(std::string_view line, const MaskedSpan& span);

/// Replaces `out` with the line in which each span is `maskedAs`; `spans` is working memory.
void maskLine(Masks masks, std::string_view line, std::string& out, std::vector<MaskedSpan>& spans);

} // namespace blobscope::diff
