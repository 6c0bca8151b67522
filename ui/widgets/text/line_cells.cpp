#include "ui/widgets/text/line_cells.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::ui {
namespace {

struct Decoded {
  char32_t character;
  uint32_t size;
};

/// Decodes one character; an invalid byte becomes U+FFFD of size 1.
Decoded decode(std::string_view bytes) {
  constexpr Decoded kBad = {0xFFFD, 1};
  const auto at = [&](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return {first, 1};
  const uint32_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() < size) return kBad;
  char32_t character = first & (0xFFU >> (size + 1));
  for (uint32_t i = 1; i < size; ++i) {
    if ((at(i) & 0xC0) != 0x80) return kBad;
    character = character << 6 | (at(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kShortest = {0, 0, 0x80, 0x800, 0x10000};
  if (character < kShortest[size] || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) return kBad;
  return {character, size};
}

/// Whether the character is in one of the blocks that East Asian typography draws two cells wide (Unicode 15,
/// EastAsianWidth.txt, W and F); approximate.
bool isWide(char32_t c) {
  constexpr std::array<std::array<char32_t, 2>, 12> kWide = {{{0x1100, 0x115F},
                                                              {0x2E80, 0x303E},
                                                              {0x3041, 0x33FF},
                                                              {0x3400, 0x4DBF},
                                                              {0x4E00, 0x9FFF},
                                                              {0xA000, 0xA4CF},
                                                              {0xAC00, 0xD7A3},
                                                              {0xF900, 0xFAFF},
                                                              {0xFE30, 0xFE6F},
                                                              {0xFF00, 0xFF60},
                                                              {0x1F300, 0x1FAFF},
                                                              {0x20000, 0x3FFFD}}};
  return c >= 0x1100 && std::any_of(kWide.begin(), kWide.end(), [c](const auto& r) { return c >= r[0] && c <= r[1]; });
}

bool isMark(char32_t c) { return c >= 0x300 && QChar::isMark(c); }

/// Control and format characters would affect the text next to them.
bool isControl(char32_t c) {
  if (c < 0xA0) return c < 0x20 || c >= 0x7F;
  const QChar::Category category = QChar::category(c);
  return category == QChar::Other_Format || category == QChar::Separator_Line || category == QChar::Separator_Paragraph;
}

} // namespace

CellWalker::CellWalker(std::string_view line, uint64_t column) : m_line(line) {
  if (line.size() > kLongLine) {
    m_offset = m_column = std::min<uint64_t>(column, line.size());
    return;
  }
  Cell cell;
  while (read(cell) && cell.column + cell.width <= column) {
    m_offset = cell.offset + cell.size;
    m_column = cell.column + cell.width;
  }
}

bool CellWalker::read(Cell& cell) const {
  if (m_offset >= m_line.size()) return false;
  const bool byBytes = m_line.size() > kLongLine;
  const auto byte = static_cast<uint8_t>(m_line[m_offset]);
  cell = {m_offset, m_column, 1, 1, byte, false};
  if (byte >= 0x20 && byte < 0x7F) {
    if (byBytes || m_offset + 1 == m_line.size() || static_cast<uint8_t>(m_line[m_offset + 1]) < 0x80) return true;
  } else if (byte == '\t') {
    cell.character = ' ';
    if (!byBytes) cell.width = static_cast<uint32_t>(kTabWidth - m_column % kTabWidth);
    return true;
  } else if (byBytes) {
    cell.character = byte < 0x80 ? 0xB7 : 0xFFFD;
    return true;
  }
  const Decoded first = decode(m_line.substr(m_offset));
  cell.size = first.size;
  cell.character = isControl(first.character) ? 0xB7 : first.character;
  cell.width = isWide(cell.character) ? 2 : 1;
  while (m_offset + cell.size < m_line.size() && cell.size < 64) {
    const Decoded mark = decode(m_line.substr(m_offset + cell.size));
    if (!isMark(mark.character)) break;
    cell.size += mark.size;
    cell.marked = true;
  }
  return true;
}

bool CellWalker::next(Cell& cell) {
  if (!read(cell)) return false;
  m_offset = cell.offset + cell.size;
  m_column = cell.column + cell.width;
  return true;
}

uint64_t columnCount(std::string_view line) { return columnOf(line, line.size()); }

uint64_t columnOf(std::string_view line, uint64_t offset) {
  if (line.size() > kLongLine) return std::min<uint64_t>(offset, line.size());
  CellWalker walker(line);
  Cell cell{};
  while (walker.next(cell))
    if (cell.offset + cell.size > offset) return cell.column;
  return cell.column + cell.width;
}

uint64_t offsetOf(std::string_view line, double column, bool nearest) {
  if (column <= 0) return 0;
  if (line.size() > kLongLine)
    return std::min<uint64_t>(static_cast<uint64_t>(nearest ? std::round(column) : column), line.size());
  CellWalker walker(line, static_cast<uint64_t>(column));
  Cell cell{};
  if (!walker.next(cell)) return line.size();
  const bool right = nearest && column >= static_cast<double>(cell.column) + cell.width / 2.0;
  return right ? cell.offset + cell.size : cell.offset;
}

QString cellText(std::string_view line, const Cell& cell) {
  if (cell.marked) return QString::fromUtf8(line.data() + cell.offset, static_cast<qsizetype>(cell.size));
  return QString::fromUcs4(&cell.character, 1);
}

} // namespace blobscope::ui
