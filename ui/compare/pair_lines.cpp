#include "ui/compare/pair_lines.h"

#include "ui/widgets/text/line_cells.h"

#include <algorithm>

namespace blobscope::ui {

using diff::HunkKind;

namespace {

/// Characters that do not begin a row.
bool isClosing(char32_t c) { return c == ')' || c == ']' || c == '}' || c == ',' || c == ';' || c == '.' || c == ':'; }

bool isWord(char32_t c) {
  return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

} // namespace

void PairLines::addPart(const LineRun& run, bool folds) {
  if (run.count > 0) m_parts.push_back({run, folds, false});
}

void PairLines::setText(TextPairPtr text) {
  m_text = std::move(text);
  m_parts.clear();
  m_changes.clear();
  if (m_text) {
    const std::vector<LineRun>& runs = m_text->runs;
    const bool differs = !m_text->same();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const LineRun& run = runs[i];
      if (run.kind != HunkKind::Equal) {
        if (i == 0 || runs[i - 1].kind == HunkKind::Equal) m_changes.push_back(m_parts.size());
        addPart(run, false);
        continue;
      }
      const uint64_t before = i > 0 ? kContext : 0, after = i + 1 < runs.size() ? kContext : 0;
      if (!differs || run.count < before + after + kMinimumFold) {
        addPart(run, false);
        continue;
      }
      addPart({run.kind, run.a, run.b, before}, false);
      addPart({run.kind, run.a + before, run.b + before, run.count - before - after}, true);
      const uint64_t last = run.count - after;
      addPart({run.kind, run.a + last, run.b + last, after}, false);
    }
  }
  number();
}

void PairLines::number() {
  m_first.assign(1, 0);
  m_first.reserve(m_parts.size() + 1);
  for (const Part& part : m_parts) m_first.push_back(m_first.back() + rowsOf(part));
}

void PairLines::setFolding(bool folding) {
  m_folding = folding;
  for (Part& part : m_parts) part.open = false;
  number();
}

void PairLines::toggle(std::size_t part) {
  if (part >= m_parts.size() || !m_parts[part].folds) return;
  m_parts[part].open = !m_parts[part].open;
  number();
}

std::size_t PairLines::partAt(uint64_t row) const {
  const auto after = std::upper_bound(m_first.begin(), m_first.end(), row);
  return std::min(static_cast<std::size_t>(after - m_first.begin()) - 1, m_parts.size() - 1);
}

PairLines::Row PairLines::row(uint64_t number) const {
  Row out;
  if (m_parts.empty()) return out;
  out.part = partAt(number);
  const Part& part = m_parts[out.part];
  uint64_t at = number - m_first[out.part];
  out.kind = part.run.kind;
  if (part.folds && m_folding) {
    out.open = part.open;
    if (at == 0) {
      out.folds = part.run.count;
      return out;
    }
    --at;
  }
  if (part.run.kind != HunkKind::Added) out.a = part.run.a + at;
  if (part.run.kind != HunkKind::Removed) out.b = part.run.b + at;
  return out;
}

uint64_t PairLines::rowOfLine(bool sideB, uint64_t line) const {
  const auto begin = [sideB](const Part& part) { return sideB ? part.run.b : part.run.a; };
  auto part = std::partition_point(m_parts.begin(), m_parts.end(), [&](const Part& p) { return begin(p) <= line; });
  // Parts without lines of the side begin where the next part begins.
  while (part != m_parts.begin()) {
    --part;
    const bool has = part->run.kind != (sideB ? HunkKind::Removed : HunkKind::Added);
    if (!has || line >= begin(*part) + part->run.count) continue;
    const auto number = static_cast<std::size_t>(part - m_parts.begin());
    const uint64_t at = line - begin(*part);
    if (!part->folds || !m_folding) return m_first[number] + at;
    return part->open ? m_first[number] + 1 + at : m_first[number];
  }
  return 0;
}

uint64_t PairLines::changeSize(std::size_t change) const {
  std::size_t part = m_changes[change];
  while (part < m_parts.size() && m_parts[part].run.kind != HunkKind::Equal) ++part;
  return m_first[part] - m_first[m_changes[change]];
}

HunkKind PairLines::changeKind(std::size_t change) const {
  const std::size_t first = m_changes[change];
  HunkKind kind = m_parts[first].run.kind;
  for (std::size_t part = first; part < m_parts.size() && m_parts[part].run.kind != HunkKind::Equal; ++part)
    if (m_parts[part].run.kind != kind) return HunkKind::Changed;
  return kind;
}

std::optional<std::size_t> PairLines::changeAt(uint64_t row) const {
  const auto after =
      std::partition_point(m_changes.begin(), m_changes.end(), [&](std::size_t part) { return m_first[part] <= row; });
  if (after == m_changes.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - m_changes.begin()) - 1;
}

uint64_t PairLines::lineCount(bool sideB) const {
  return m_text ? (sideB ? m_text->indexB : m_text->indexA)->lineCount() : 0;
}

WrappedLine wrapLine(std::string_view line, uint64_t columns, std::size_t maxPieces) {
  WrappedLine out;
  columns = std::max<uint64_t>(columns, 2 * kHangingCells);
  CellWalker walker(line);
  WrappedLine::Piece piece;
  uint64_t room = columns;
  std::optional<Cell> cut; // the last possible end of the row: before this cell
  char32_t last = 0;
  for (Cell cell{}; walker.next(cell); last = cell.character) {
    // Spaces may extend beyond the edge.
    const bool fits = cell.column + cell.width - piece.column <= room || cell.character == ' ';
    if (fits) {
      const bool between = last != 0 && cell.character != ' ' && !isClosing(cell.character) &&
                           (last == ' ' || isWord(last) != isWord(cell.character));
      if (between && cell.column > piece.column) cut = cell;
      continue;
    }
    // A break far to the left would leave most of the row empty.
    const Cell at = cut && cut->column - piece.column > room / 2 ? *cut : cell;
    piece.to = at.offset;
    out.pieces.push_back(piece);
    if (out.pieces.size() == maxPieces) {
      const uint64_t all = columnCount(line);
      out.rest = all > at.column ? all - at.column : 0;
      return out;
    }
    piece = {at.offset, at.offset, at.column};
    room = columns - kHangingCells;
    cut.reset();
  }
  piece.to = line.size();
  out.pieces.push_back(piece);
  return out;
}

} // namespace blobscope::ui
