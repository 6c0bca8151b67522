#include "ui/widgets/hex/field_segments.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr uint64_t kWord = 8;

bool hasLengthWord(const Field& field) {
  switch (field.type) {
  case FieldType::String:
  case FieldType::Sized:
  case FieldType::Words:
  case FieldType::Words64: return true;
  case FieldType::Data: return field.size == field.number + kWord;
  default: return false;
  }
}

} // namespace

FieldSegments::FieldSegments(const FieldTree& tree) {
  const std::vector<Field>& rows = tree.rows;
  m_starts.reserve(rows.size() + rows.size() / 2 + 1);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const Field& field = rows[row];
    if (field.after > row + 1 && row + 1 < rows.size()) {
      // The bytes of a row before its first child are a length or a count.
      const uint64_t below = rows[row + 1].offset;
      if (below > field.offset) add(field.offset, below - field.offset, row, FieldRole::Length);
    } else if (hasLengthWord(field) && field.size >= kWord) {
      add(field.offset, kWord, row, FieldRole::Length);
      add(field.offset + kWord, field.size - kWord, row, field.role);
    } else {
      add(field.offset, field.size, row, field.type == FieldType::List ? FieldRole::Length : field.role);
    }
  }
  const uint64_t size = tree.bytes.size();
  if (m_end < size || m_starts.empty()) {
    m_starts.push_back({m_end, kNoRow, FieldRole::Unknown});
    m_end = std::max(m_end, size);
  }
}

void FieldSegments::add(uint64_t offset, uint64_t size, uint32_t row, FieldRole role) {
  const uint64_t end = Extent{offset, size}.end();
  if (end <= m_end) return; // empty, or owned by an earlier row
  if (offset > m_end) m_starts.push_back({m_end, kNoRow, FieldRole::Unknown});
  m_starts.push_back({std::max(offset, m_end), row, role});
  m_end = end;
}

std::size_t FieldSegments::indexAt(uint64_t offset) const {
  const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), offset,
                                      [](uint64_t wanted, const Start& start) { return wanted < start.offset; });
  return static_cast<std::size_t>(after - m_starts.begin()) - 1;
}

FieldSegments::Segment FieldSegments::segment(std::size_t index) const {
  const Start& start = m_starts[index];
  const uint64_t end = index + 1 < m_starts.size() ? m_starts[index + 1].offset : m_end;
  return {{start.offset, end - start.offset}, start.row, start.role};
}

} // namespace blobscope::ui
