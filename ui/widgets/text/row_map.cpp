#include "ui/widgets/text/row_map.h"

#include <algorithm>
#include <utility>

namespace blobscope::ui {
namespace {

constexpr uint32_t kUnknownRows = UINT32_MAX;
/// Blocks that advance() measures.
constexpr int kStepBlocks = 32;

} // namespace

void RowMap::setLines(uint64_t lines, uint64_t changed) {
  // A line that was the last one may have grown.
  const uint64_t first = std::min(changed, std::min(lines, m_lines) - 1) / kBlock;
  m_lines = std::max<uint64_t>(lines, 1);
  if (!m_measure) return;
  m_rows.resize(static_cast<std::size_t>((m_lines + kBlock - 1) / kBlock), kUnknownRows);
  for (std::size_t block = static_cast<std::size_t>(first); block < m_rows.size(); ++block)
    m_rows[block] = kUnknownRows;
  m_next = std::min(m_next, first);
  m_summed = false;
}

void RowMap::setMeasure(Measure measure) {
  m_measure = std::move(measure);
  m_rows.clear();
  m_next = 0;
  m_summed = false;
  if (m_measure) m_rows.assign(static_cast<std::size_t>((m_lines + kBlock - 1) / kBlock), kUnknownRows);
}

void RowMap::setHidden(std::vector<Hidden> hidden) {
  m_hidden.clear();
  uint64_t before = 0;
  for (const Hidden& one : hidden) {
    m_hidden.push_back({one.first, one.last, before});
    before += one.last - one.first + 1;
  }
  std::fill(m_rows.begin(), m_rows.end(), kUnknownRows);
  m_next = 0;
  m_summed = false;
}

std::vector<RowMap::Range>::const_iterator RowMap::rangeAt(uint64_t line) const {
  return std::lower_bound(m_hidden.begin(), m_hidden.end(), line,
                          [](const Range& range, uint64_t value) { return range.last < value; });
}

uint64_t RowMap::hiddenBefore(uint64_t line) const {
  const auto range = rangeAt(line);
  if (range == m_hidden.end())
    return m_hidden.empty() ? 0 : m_hidden.back().before + m_hidden.back().last - m_hidden.back().first + 1;
  return range->before + (line > range->first ? line - range->first : 0);
}

uint64_t RowMap::shownLine(uint64_t line) const {
  const auto range = rangeAt(line);
  return range != m_hidden.end() && range->first <= line ? range->first - 1 : line;
}

uint64_t RowMap::nextLine(uint64_t line) const {
  const auto range = rangeAt(line + 1);
  const uint64_t next = range != m_hidden.end() && range->first <= line + 1 ? range->last + 1 : line + 1;
  return std::min(next, m_lines);
}

uint64_t RowMap::shownIn(uint64_t block) const {
  const uint64_t first = block * kBlock, end = std::min(first + kBlock, m_lines);
  return end - first - (hiddenBefore(end) - hiddenBefore(first));
}

void RowMap::measure(uint64_t block) const {
  uint64_t rows = 0;
  const uint64_t first = block * kBlock, end = std::min(first + kBlock, m_lines);
  for (uint64_t line = isHidden(first) ? nextLine(first) : first; line < end; line = nextLine(line))
    rows += m_measure(line);
  m_rows[static_cast<std::size_t>(block)] = static_cast<uint32_t>(std::min<uint64_t>(rows, kUnknownRows - 1));
  m_summed = false;
}

void RowMap::sumUp() const {
  if (m_summed) return;
  m_summed = true;
  m_start.resize(m_rows.size() + 1);
  uint64_t row = 0;
  for (std::size_t block = 0; block < m_rows.size(); ++block) {
    m_start[block] = row;
    row += m_rows[block] == kUnknownRows ? shownIn(block) : m_rows[block];
  }
  m_start[m_rows.size()] = row;
}

uint64_t RowMap::startOf(uint64_t block) const {
  sumUp();
  return m_start[static_cast<std::size_t>(block)];
}

bool RowMap::advance() {
  if (!m_measure) return true;
  for (int i = 0; i < kStepBlocks && m_next < m_rows.size(); ++m_next)
    if (m_rows[static_cast<std::size_t>(m_next)] == kUnknownRows) {
      measure(m_next);
      ++i;
    }
  return m_next >= m_rows.size();
}

uint64_t RowMap::rowCount() const { return m_measure ? startOf(m_rows.size()) : m_lines - hiddenBefore(m_lines); }

uint64_t RowMap::rowOf(uint64_t line) const {
  line = shownLine(std::min(line, m_lines - 1));
  if (!m_measure) return line - hiddenBefore(line);
  const uint64_t block = line / kBlock;
  if (m_rows[static_cast<std::size_t>(block)] == kUnknownRows) measure(block);
  uint64_t row = startOf(block);
  const uint64_t first = block * kBlock;
  for (uint64_t at = isHidden(first) ? nextLine(first) : first; at < line; at = nextLine(at)) row += m_measure(at);
  return row;
}

RowPlace RowMap::placeOf(uint64_t row) const {
  if (!m_measure) {
    row = std::min(row, rowCount() - 1);
    // The last range with so few shown lines before it that the row is behind it.
    const auto after = std::partition_point(m_hidden.begin(), m_hidden.end(),
                                            [row](const Range& range) { return range.first - range.before <= row; });
    if (after == m_hidden.begin()) return {row, 0};
    const Range& range = *std::prev(after);
    return {row + range.before + (range.last - range.first + 1), 0};
  }
  for (;;) {
    sumUp();
    row = std::min(row, m_start.back() - 1);
    const auto after = std::upper_bound(m_start.begin(), m_start.end(), row);
    const auto block = static_cast<uint64_t>(after - m_start.begin()) - 1;
    if (m_rows[static_cast<std::size_t>(block)] == kUnknownRows) {
      measure(block); // the block has at least as many rows as before, so it still contains the row
      continue;
    }
    uint64_t at = startOf(block), line = block * kBlock;
    if (isHidden(line)) line = nextLine(line);
    for (;; line = nextLine(line)) {
      const uint64_t rows = m_measure(line);
      if (row < at + rows || nextLine(line) >= m_lines) return {line, std::min(row - at, rows - 1)};
      at += rows;
    }
  }
}

} // namespace blobscope::ui
