#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::diff {

struct RowOptions {
  /// Columns of `a` (in `b` those with the same title) whose cells together identify a row. A column that `b` lacks is
  /// ignored; without any, rows are compared by position.
  std::vector<std::size_t> keys = {0};
  /// Rows of each table that are compared; the rows after them are only counted.
  uint64_t rows = 2'000'000;
};

/// A column of both tables; kNone if a table does not have it.
struct ColumnPair {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t a = kNone, b = kNone;
  std::string title;
  friend bool operator==(const ColumnPair&, const ColumnPair&) = default;
};

/// A row of both tables; kNone if a table does not have it.
struct RowPair {
  static constexpr uint64_t kNone = UINT64_MAX;
  uint64_t a = kNone, b = kNone;
  /// Bits: columns (RowDiff::columns) that both tables have and whose cells differ. The columns after the 63rd share
  /// the last bit.
  uint64_t changed = 0;
  bool moved = false; ///< at another position among the rows that both have

  bool both() const { return a != kNone && b != kNone; }
  bool differs() const { return !both() || changed != 0 || moved; }
  friend bool operator==(const RowPair&, const RowPair&) = default;
};

struct RowDiff {
  /// Columns of `b` in order; a column that only `a` has follows the one that it follows in `a`.
  std::vector<ColumnPair> columns;
  /// In the order of `b`; a row that only `a` has follows the row that it follows in `a`.
  std::vector<RowPair> rows;
  uint64_t equal = 0, changed = 0, removed = 0, added = 0;
  uint64_t moved = 0;                  ///< among the rows that both have, including changed ones
  uint64_t leftOutA = 0, leftOutB = 0; ///< rows after the first RowOptions::rows

  /// Returns whether both tables are equal as far as they were compared.
  bool same() const;
};

/// Aligns the rows of two tables by key; among rows with the same key, the n-th row of `a` matches the n-th of `b`.
/// Reads each cell once or twice. Memory: about 100 bytes per row. Error: only Cancelled.
Result<RowDiff> compareRows(const view::TableSource& a, const view::TableSource& b, const RowOptions& options,
                            Monitor& monitor);

} // namespace blobscope::diff
