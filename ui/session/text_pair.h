#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/pages.h"
#include "core/diff/words.h"
#include "core/syntax/line_index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::ui {

/// A run of lines that are shown side by side: `count` lines from `a` and from `b`. For a side without lines it is the
/// position where they would be.
struct LineRun {
  diff::HunkKind kind = diff::HunkKind::Equal;
  uint64_t a = 0, b = 0, count = 0;
  friend bool operator==(const LineRun&, const LineRun&) = default;
};

/// Two texts prepared for a side-by-side view. Immutable.
struct TextPair {
  Bytes a, b;
  std::string language;
  std::shared_ptr<const syntax::LineIndex> indexA, indexB;
  std::vector<LineRun> runs; ///< tile both texts, in order; adjacent runs that are not equal form one change
  /// The differences inside the first changed lines, by the line of `b`; those of other lines are computed when they
  /// are shown.
  std::unordered_map<uint64_t, diff::WordMarks> marks;
  diff::Masks masks;   ///< applied to the words inside changed lines
  uint64_t masked = 0; ///< number of lines that masks make equal
  bool capped = false; ///< a full comparison could have found more equal lines

  bool same() const;
};
using TextPairPtr = std::shared_ptr<const TextPair>;

/// Counts the lines of both texts and pairs similar changed lines, as far as that is possible in about half a second.
/// Error: only Cancelled.
Result<TextPairPtr> makeTextPair(const view::TextPage& a, const view::TextPage& b, const diff::LineDiff& lines,
                                 diff::Masks masks, Monitor& monitor);

} // namespace blobscope::ui
