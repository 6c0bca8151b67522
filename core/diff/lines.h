#pragma once

#include "core/base/bytes.h"
#include "core/diff/masks.h"
#include "core/diff/sequence.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// Sets `out` to the part of the line that is compared. The line comes without its line end.
using Normalise = std::function<void(std::string_view line, std::string& out)>;

struct LineOptions {
  Masks masks;
  /// One for each text, used instead of masks; null: lines are compared as they are.
  Normalise normaliseA = nullptr, normaliseB = nullptr;
  uint64_t cost = kSequenceCost;
};

struct LineDiff {
  /// Line numbers as in syntax::LineIndex; the hunks tile both texts.
  std::vector<Hunk> hunks;
  uint64_t linesA = 1, linesB = 1;
  uint64_t removed = 0, added = 0; ///< lines of `a` and of `b` outside equal hunks
  /// Pairs of lines in equal hunks whose bytes differ, hidden by masks or normalising.
  uint64_t masked = 0;
  bool capped = false; ///< as in SequenceDiff

  bool same() const { return removed == 0 && added == 0; }
};

/// Lines that a text may have between its equal ends; if there are more, they are Changed as a whole.
constexpr uint64_t kComparedLines = kSequenceItems;

/// Compares two texts line by line. Without masks and normalising, same() means that the bytes are equal: the line end
/// ("\n", "\r\n", none at the end of the text) counts unless Mask::LineEnds is set or the text is normalised. Swapped
/// texts give mirrored hunks. Memory: about 50 bytes per line between the equal ends. Error: only Cancelled.
Result<LineDiff> compareLines(const Bytes& a, const Bytes& b, const LineOptions& options, Monitor& monitor);

} // namespace blobscope::diff
