#pragma once

#include "core/diff/masks.h"
#include "core/diff/sequence.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// What differs inside a pair of lines: bytes of each, in order, without overlaps, cut between characters.
struct WordMarks {
  std::vector<Range> a, b;
  friend bool operator==(const WordMarks&, const WordMarks&) = default;
};

/// Compares two lines word by word: names and numbers, single other characters, runs of blanks. What masks hide is
/// never marked. Marks with nothing but a blank or one byte between them are one; lines with hardly a word in common
/// are marked from the first to the last byte that differs, and so are lines longer than 64 KiB.
WordMarks compareWords(std::string_view a, std::string_view b, Masks masks = {});

/// How much two lines have in common, from 0 to 1: twice the bytes of words that both have, by the bytes of both. Words
/// are counted wherever they stand; 1 for two empty lines. Of longer lines only the first 4,096 bytes are looked at.
double similarity(std::string_view a, std::string_view b, Masks masks = {});

/// A line of each side that stand beside one another; kNone where a side has none.
struct LinePair {
  static constexpr uint64_t kNone = UINT64_MAX;
  uint64_t a = kNone, b = kNone;
  friend bool operator==(const LinePair&, const LinePair&) = default;
};

/// Pairs the lines of a changed hunk so that similar ones stand beside one another, each line once, both sides in
/// order. Lines with less than `least` in common are no pair. Of hunks of more than 16,384 combinations, lines of the
/// same position are tried only. Error: only Cancelled.
Result<std::vector<LinePair>> pairLines(std::span<const std::string_view> a, std::span<const std::string_view> b,
                                        Masks masks, Monitor& monitor, double least = 0.4);

} // namespace blobscope::diff
