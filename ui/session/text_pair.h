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

/// Lines that stand beside one another: `count` of them from `a` and from `b`. A side that has none says where they
/// would stand.
struct LineRun {
  diff::HunkKind kind = diff::HunkKind::Equal;
  uint64_t a = 0, b = 0, count = 0;
  friend bool operator==(const LineRun&, const LineRun&) = default;
};

/// Two texts made ready to be shown side by side. Immutable.
struct TextPair {
  Bytes a, b;
  std::string language;
  std::shared_ptr<const syntax::LineIndex> indexA, indexB;
  std::vector<LineRun> runs; ///< tile both texts, in order; neighbours that are no equal ones are one change
  /// What differs in the first changed lines of both, by the line of `b`; in others it is found when they are shown.
  std::unordered_map<uint64_t, diff::WordMarks> marks;
  diff::Masks masks;   ///< of the words inside changed lines
  uint64_t masked = 0; ///< lines that masks make equal
  bool capped = false; ///< more could have been found to be equal

  bool same() const;
};
using TextPairPtr = std::shared_ptr<const TextPair>;

/// Counts the lines of both texts and puts similar changed lines beside one another, as far as that can be done in
/// about half a second. Error: only Cancelled.
Result<TextPairPtr> makeTextPair(const view::TextPage& a, const view::TextPage& b, const diff::LineDiff& lines,
                                 diff::Masks masks, Monitor& monitor);

} // namespace blobscope::ui
