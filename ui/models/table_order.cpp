#include "ui/models/table_order.h"

#include "core/base/text.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace blobscope::ui {
namespace {

constexpr uint64_t kOrderLook = 4096;

bool hasFolded(std::string_view text, std::string_view lowered) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                     [&](char a, char b) { return lower(a) == b; }) != text.end();
}

Result<Done> filterRows(const view::TableSource& source, const std::string& filter, OrderedRows& out,
                        Monitor& monitor) {
  const std::size_t columns = source.columns().size();
  const auto rows = static_cast<uint32_t>(std::min<uint64_t>(source.rowCount(), UINT32_MAX));
  out.matched.assign(columns, false);
  for (uint32_t row = 0; row < rows; ++row) {
    if (row % kOrderLook == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("filtering rows", row, rows);
    }
    bool match = filter.empty();
    for (std::size_t column = 0; column < columns && !match; ++column) {
      match = hasFolded(source.cell(row, column), filter);
      if (match) out.matched[column] = true;
    }
    if (match) out.rows.push_back(row);
  }
  return Done{};
}

/// Sort keys are computed once, so that comparisons do not read cells.
Result<Done> sortRows(const view::TableSource& source, const TableOrder& order, std::vector<uint32_t>& rows,
                      Monitor& monitor) {
  const auto column = static_cast<std::size_t>(order.column);
  const bool number = source.columns()[column].number;
  struct Key {
    uint64_t number = 0;
    std::string text;
  };
  std::vector<Key> keys(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % kOrderLook == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (number)
      keys[i].number = source.number(rows[i], column);
    else
      keys[i].text = source.cell(rows[i], column);
  }
  std::vector<uint32_t> positions(rows.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](uint32_t a, uint32_t b) {
    const Key &first = keys[order.descending ? b : a], &second = keys[order.descending ? a : b];
    return number ? first.number < second.number : first.text < second.text;
  });
  std::vector<uint32_t> sorted(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) sorted[i] = rows[positions[i]];
  rows = std::move(sorted);
  return Done{};
}

/// Moves the rows of each group together.
Result<Done> groupRows(const view::TableSource& source, const TableOrder& order, OrderedRows& out, Monitor& monitor) {
  std::vector<std::vector<uint32_t>> members;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<TableGroup> groups;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    if (i % kOrderLook == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string title = order.groupOf(out.rows[i]);
    const auto [place, added] = places.emplace(title, groups.size());
    if (added) {
      groups.push_back({title});
      members.emplace_back();
    }
    members[place->second].push_back(out.rows[i]);
    if (order.sum) groups[place->second].sum += source.number(out.rows[i], *order.sum);
  }
  std::vector<std::size_t> positions(groups.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const bool bySum = order.sum && (order.column < 0 || static_cast<std::size_t>(order.column) == *order.sum);
  if (bySum)
    std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
      const bool ascending = order.column >= 0 && !order.descending;
      return ascending ? groups[a].sum < groups[b].sum : groups[a].sum > groups[b].sum;
    });
  out.rows.clear();
  for (const std::size_t position : positions) {
    TableGroup& group = groups[position];
    group.first = static_cast<uint32_t>(out.rows.size());
    group.count = static_cast<uint32_t>(members[position].size());
    out.rows.insert(out.rows.end(), members[position].begin(), members[position].end());
    out.groups.push_back(std::move(group));
  }
  return Done{};
}

} // namespace

Result<OrderedRows> orderRows(const view::TableSource& source, const TableOrder& order, Monitor& monitor) {
  OrderedRows out;
  BLOBSCOPE_CHECK(filterRows(source, order.filter, out, monitor));
  if (order.column >= 0) BLOBSCOPE_CHECK(sortRows(source, order, out.rows, monitor));
  if (order.groupOf) BLOBSCOPE_CHECK(groupRows(source, order, out, monitor));
  return out;
}

} // namespace blobscope::ui
