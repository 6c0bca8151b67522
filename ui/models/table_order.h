#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

/// Which rows of a table are shown, and in which order.
struct TableOrder {
  std::string filter; ///< lower case; empty: all rows
  int column = -1;    ///< by which rows are sorted; -1: stored order
  bool descending = false;
  std::function<std::string(uint64_t row)> groupOf; ///< null: no groups
  std::optional<std::size_t> sum;                   ///< column that is added up for each group
};

/// Rows of one group, which follow each other.
struct TableGroup {
  std::string title;
  uint32_t first = 0, count = 0; ///< positions in the list of rows
  uint64_t sum = 0;
};

struct OrderedRows {
  std::vector<uint32_t> rows;
  std::vector<bool> matched; ///< by column: whether the filter matches there
  std::vector<TableGroup> groups;
};

/// Filters, sorts and groups the rows of a table. Groups are sorted by their sums when that column or none sorts the
/// rows, by their first row otherwise. Error: Cancelled.
Result<OrderedRows> orderRows(const view::TableSource& source, const TableOrder& order, Monitor& monitor);

} // namespace blobscope::ui
