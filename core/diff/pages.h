#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/bytes.h"
#include "core/diff/fields.h"
#include "core/diff/graphs.h"
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
  bool hostCode = true;    ///< text that consists of a host function's instructions is compared by what they do
  bool rawNumbers = false; ///< as in CompareOptions; also in PTX and SASS
  uint64_t cost = kSequenceCost;
  RowOptions rows;
  ByteOptions bytes;
};

/// Two pages, compared according to their kind.
struct PageDiff {
  std::string name;
  view::Page a, b; ///< as compared; pages that were to be made later are made
  /// Of texts, tables, fields, bytes and graphs. Empty if the pages are of different kinds or say why there is nothing
  /// to show.
  std::variant<std::monostate, LineDiff, RowDiff, FieldDiff, ByteDiff, GraphDiff> content;
  bool hostCode = false;   ///< the lines were compared by what the instructions do
  bool deviceCode = false; ///< the same for PTX and SASS
  bool same = false;
  std::string note; ///< a sentence if there is no content
};

/// Compares two pages of one node: texts line by line, tables by key (facts by label), the points of plots as tables by
/// their place on the axis, fields by path, bytes by position, graphs as one merged graph. Makes pages that were left
/// for later. Errors: those of making a page, Cancelled.
Result<PageDiff> comparePages(const view::Page& a, const view::Page& b, const PageOptions& options, Monitor& monitor);

/// A page of each list; kNone if a list has none.
struct PagePair {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t a = kNone, b = kNone;
  friend bool operator==(const PagePair&, const PagePair&) = default;
};

/// Pairs pages with the same name and kind, in the order of `b`; a page that only `a` has follows the page that it
/// follows in `a`.
std::vector<PagePair> pairPages(const view::PageList& a, const view::PageList& b);

} // namespace blobscope::diff
