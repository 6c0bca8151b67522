#pragma once

#include "core/diff/masks.h"
#include "core/diff/sequence.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// What differs within a pair of lines: byte ranges of each, in order, without overlaps, cut between characters.
struct WordMarks {
  std::vector<Range> a, b;
  friend bool operator==(const WordMarks&, const WordMarks&) = default;
};

/// Compares two lines word by word: names and numbers, other single characters, runs of blanks. What masks hide is
/// never marked. Marks with only a blank or one byte between them are merged. Lines that have hardly a word in common
/// are marked from the first to the last byte that differs; so are lines longer than 64 KiB.
WordMarks compareWords(std::string_view a, std::string_view b, Masks masks = {});

/// Returns how much two lines have in common, from 0 to 1: twice the bytes of words that both have, divided by the
/// bytes of both. The position of a word does not matter; the result is 1 for two empty lines. Of longer lines only the
/// first 4,096 bytes are used.
double similarity(std::string_view a, std::string_view b, Masks masks = {});

/// A pair of lines that are shown side by side; kNone if a side has no line.
struct LinePair {
  static constexpr uint64_t kNone = UINT64_MAX;
  uint64_t a = kNone, b = kNone;
  friend bool operator==(const LinePair&, const LinePair&) = default;
};

/// Pairs the lines of a changed hunk so that similar ones are side by side, each line once, both sides in order. Lines
/// with less than `least` in common are not paired. If a hunk has more than 16,384 combinations, only lines at the same
/// position are tried. Error: only Cancelled.
Result<std::vector<LinePair>> pairLines(std::span<const std::string_view> a, std::span<const std::string_view> b,
                                        Masks masks, Monitor& monitor, double least = 0.4);

} // namespace blobscope::diff
