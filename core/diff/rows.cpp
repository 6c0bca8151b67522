#include "core/diff/rows.h"

#include "core/base/thread_rule.h"
#include "core/diff/numbers.h"
#include "core/diff/sequence.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

constexpr uint64_t kLook = 1'024;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Pairs columns by title; the n-th with a title matches the n-th.
std::vector<ColumnPair> alignColumns(const std::vector<view::Column>& a, const std::vector<view::Column>& b) {
  std::vector<ColumnPair> out;
  std::vector<bool> taken(a.size(), false);
  for (std::size_t j = 0; j < b.size(); ++j) {
    ColumnPair pair{ColumnPair::kNone, j, b[j].title};
    for (std::size_t i = 0; i < a.size() && pair.a == ColumnPair::kNone; ++i) {
      if (taken[i] || a[i].title != b[j].title) continue;
      taken[i] = true;
      pair.a = i;
    }
    out.push_back(std::move(pair));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (taken[i]) continue;
    auto place = out.begin();
    for (auto at = out.begin(); at != out.end(); ++at)
      if (at->a != ColumnPair::kNone && at->a < i) place = at + 1;
    out.insert(place, {i, ColumnPair::kNone, a[i].title});
  }
  return out;
}

/// Returns the key of each row as a number.
Result<std::vector<uint32_t>> readKeys(const view::TableSource& table, const std::vector<std::size_t>& columns,
                                       uint64_t rows, Numbers& numbers, Monitor& monitor) {
  std::vector<uint32_t> out(columns.empty() ? 0 : rows);
  std::string key;
  for (uint64_t row = 0; row < out.size(); ++row) {
    if (row % kLook == 0) {
      if (monitor.stopRequested()) return cancelled();
      monitor.progress("reading rows", row, rows);
    }
    key.clear();
    for (const std::size_t column : columns) {
      const std::string cell = table.cell(row, column);
      if (columns.size() > 1) key += std::to_string(cell.size()) + ':';
      key += cell;
    }
    out[row] = numbers.of(key);
  }
  return out;
}

/// Returns for each row of `a` the row of `b` with the same key; the n-th row with a key matches the n-th.
std::vector<uint64_t> partners(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t keys) {
  constexpr uint32_t kEnd = UINT32_MAX;
  std::vector<uint32_t> first(keys, kEnd), next(b.size(), kEnd);
  for (std::size_t row = b.size(); row-- > 0;) {
    next[row] = first[b[row]];
    first[b[row]] = static_cast<uint32_t>(row);
  }
  std::vector<uint64_t> out(a.size(), RowPair::kNone);
  for (std::size_t row = 0; row < a.size(); ++row) {
    uint32_t& place = first[a[row]];
    if (place == kEnd) continue;
    out[row] = place;
    place = next[place];
  }
  return out;
}

/// Returns the pairs and the rows that only one table has, in the order of `b`.
Result<std::vector<RowPair>> ordered(const std::vector<uint64_t>& partnerOfA, uint64_t rowsB, Monitor& monitor) {
  std::vector<uint64_t> partnerOfB(rowsB, RowPair::kNone);
  std::vector<uint64_t> pairedA;
  std::vector<uint32_t> pairedB;
  for (uint64_t row = 0; row < partnerOfA.size(); ++row) {
    if (partnerOfA[row] == RowPair::kNone) continue;
    partnerOfB[partnerOfA[row]] = row;
    pairedA.push_back(row);
    pairedB.push_back(static_cast<uint32_t>(partnerOfA[row]));
  }
  std::vector<uint8_t> stays(rowsB, 0);
  BLOBSCOPE_TRY(longest, longestAscending(pairedB, monitor));
  for (const uint32_t at : longest) stays[pairedB[at]] = 1;

  std::vector<RowPair> out;
  out.reserve(partnerOfA.size() + rowsB - pairedA.size());
  uint64_t nextA = 0;
  const auto addAlone = [&](uint64_t end) {
    for (; nextA < end; ++nextA)
      if (partnerOfA[nextA] == RowPair::kNone) out.push_back({nextA, RowPair::kNone});
  };
  for (uint64_t row = 0; row < rowsB;) {
    // Rows that only one table has are between two rows that stay: those of `a` first.
    uint64_t end = row;
    while (end < rowsB && !stays[end]) ++end;
    addAlone(end < rowsB ? partnerOfB[end] : partnerOfA.size());
    for (; row < end; ++row) out.push_back({partnerOfB[row], row, 0, partnerOfB[row] != RowPair::kNone});
    if (row == rowsB) break;
    nextA = partnerOfB[row] + 1;
    out.push_back({partnerOfB[row], row});
    ++row;
  }
  addAlone(partnerOfA.size());
  return out;
}

} // namespace

bool RowDiff::same() const {
  return changed == 0 && removed == 0 && added == 0 && moved == 0 && leftOutA == leftOutB &&
         std::all_of(columns.begin(), columns.end(),
                     [](const ColumnPair& pair) { return pair.a != ColumnPair::kNone && pair.b != ColumnPair::kNone; });
}

Result<RowDiff> compareRows(const view::TableSource& a, const view::TableSource& b, const RowOptions& options,
                            Monitor& monitor) {
  longWork("diff::compareRows");
  RowDiff out;
  out.columns = alignColumns(a.columns(), b.columns());
  const uint64_t most = std::min<uint64_t>(options.rows, UINT32_MAX - 1);
  const uint64_t rowsA = std::min(a.rowCount(), most), rowsB = std::min(b.rowCount(), most);
  out.leftOutA = a.rowCount() - rowsA;
  out.leftOutB = b.rowCount() - rowsB;

  // --- 1. Corresponding rows. ---
  std::vector<std::size_t> keysA, keysB;
  for (const ColumnPair& pair : out.columns) {
    if (pair.a == ColumnPair::kNone || pair.b == ColumnPair::kNone) continue;
    if (std::find(options.keys.begin(), options.keys.end(), pair.a) == options.keys.end()) continue;
    keysA.push_back(pair.a);
    keysB.push_back(pair.b);
  }
  std::vector<uint64_t> partnerOfA(rowsA, RowPair::kNone);
  if (keysA.empty()) {
    for (uint64_t row = 0; row < std::min(rowsA, rowsB); ++row) partnerOfA[row] = row;
  } else {
    Numbers numbers;
    BLOBSCOPE_TRY(numbersA, readKeys(a, keysA, rowsA, numbers, monitor));
    BLOBSCOPE_TRY(numbersB, readKeys(b, keysB, rowsB, numbers, monitor));
    partnerOfA = partners(numbersA, numbersB, numbers.count());
    if (monitor.stopRequested()) return cancelled();
  }
  BLOBSCOPE_TRY(rows, ordered(partnerOfA, rowsB, monitor));
  out.rows = std::move(rows);

  // --- 2. Cells that differ; those of the key do not. ---
  std::vector<std::pair<ColumnPair, uint64_t>> compared;
  for (std::size_t i = 0; i < out.columns.size(); ++i) {
    const ColumnPair& pair = out.columns[i];
    if (pair.a == ColumnPair::kNone || pair.b == ColumnPair::kNone) continue;
    if (std::find(keysA.begin(), keysA.end(), pair.a) != keysA.end()) continue;
    compared.emplace_back(pair, uint64_t{1} << std::min<std::size_t>(i, 63));
  }
  uint64_t done = 0;
  for (RowPair& row : out.rows) {
    if (done++ % kLook == 0) {
      if (monitor.stopRequested()) return cancelled();
      monitor.progress("comparing rows", done, out.rows.size());
    }
    if (row.a == RowPair::kNone) {
      ++out.added;
    } else if (row.b == RowPair::kNone) {
      ++out.removed;
    } else {
      for (const auto& [pair, bit] : compared)
        if (a.cell(row.a, pair.a) != b.cell(row.b, pair.b)) row.changed |= bit;
      ++(row.changed != 0 ? out.changed : out.equal);
      out.moved += row.moved;
    }
  }
  return out;
}

} // namespace blobscope::diff
