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
  /// Columns (of `a`; in `b` those of the same title) whose cells together name a row. One that `b` lacks is left out;
  /// without any, rows are compared by position.
  std::vector<std::size_t> keys = {0};
  /// Of each table; the rows behind are counted and not compared.
  uint64_t rows = 2'000'000;
};

/// A column of both tables; kNone where a table does not have it.
struct ColumnPair {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t a = kNone, b = kNone;
  std::string title;
  friend bool operator==(const ColumnPair&, const ColumnPair&) = default;
};

/// A row of both tables; kNone where a table does not have it.
struct RowPair {
  static constexpr uint64_t kNone = UINT64_MAX;
  uint64_t a = kNone, b = kNone;
  /// Columns (RowDiff::columns) that both tables have and whose cells differ, as bits. Those behind the 63rd share the
  /// last bit.
  uint64_t changed = 0;
  bool moved = false; ///< stands in another order among the rows of both

  bool both() const { return a != kNone && b != kNone; }
  bool differs() const { return !both() || changed != 0 || moved; }
  friend bool operator==(const RowPair&, const RowPair&) = default;
};

struct RowDiff {
  /// Those of `b` in order, those of `a` alone behind the ones they stood behind.
  std::vector<ColumnPair> columns;
  /// In the order of `b`; rows of `a` alone stand behind the rows that they stood behind.
  std::vector<RowPair> rows;
  uint64_t equal = 0, changed = 0, removed = 0, added = 0;
  uint64_t moved = 0;                  ///< of those of both, changed ones too
  uint64_t leftOutA = 0, leftOutB = 0; ///< rows behind RowOptions::rows

  /// Whether both tables show the same, as far as they were compared.
  bool same() const;
};

/// Aligns the rows of two tables by key; of rows with one key the n-th of each belong together. Reads each cell once or
/// twice. Memory: about 100 bytes a row. Error: only Cancelled.
Result<RowDiff> compareRows(const view::TableSource& a, const view::TableSource& b, const RowOptions& options,
                            Monitor& monitor);

} // namespace blobscope::diff
