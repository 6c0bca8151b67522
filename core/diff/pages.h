#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/bytes.h"
#include "core/diff/fields.h"
#include "core/diff/lines.h"
#include "core/diff/rows.h"
#include "core/view/page.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace blobscope::diff {

struct PageOptions {
  Masks masks;             ///< of texts
  bool hostCode = true;    ///< texts that are a host function's instructions are compared by what they do
  bool rawNumbers = false; ///< as in CompareOptions
  uint64_t cost = kSequenceCost;
  RowOptions rows;
  ByteOptions bytes;
};

/// Two pages, compared by what they are.
struct PageDiff {
  std::string name;
  view::Page a, b; ///< as compared: made, when they were to be made later
  /// Of texts, tables, fields and bytes. Nothing when they are not of one kind or say why there is nothing to show.
  std::variant<std::monostate, LineDiff, RowDiff, FieldDiff, ByteDiff> content;
  bool hostCode = false; ///< the lines were compared by what instructions do
  bool same = false;
  std::string note; ///< a sentence when there is no content
};

/// Compares two pages of one node: texts line by line, tables by key (facts by label), fields by path, bytes by
/// position. Makes pages that were left for later; their errors. Cancelled.
Result<PageDiff> comparePages(const view::Page& a, const view::Page& b, const PageOptions& options, Monitor& monitor);

/// A page of each list; kNone where a list has none.
struct PagePair {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t a = kNone, b = kNone;
  friend bool operator==(const PagePair&, const PagePair&) = default;
};

/// Pages of the same name and kind, in the order of `b`; what only `a` has behind what it stood behind.
std::vector<PagePair> pairPages(const view::PageList& a, const view::PageList& b);

} // namespace blobscope::diff
