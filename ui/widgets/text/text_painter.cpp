#include "ui/widgets/text/text_painter.h"

#include "ui/theme/icons.h"

#include <QScrollBar>

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kTop = 4;     ///< space above the first line
constexpr int kTextGap = 8; ///< space between line numbers and text
constexpr int kNumberGap = 10;
constexpr int kLineIcon = 14, kIconMargin = 5; ///< of the icon beside a line number
constexpr double kWaveStep = 2;                ///< height of a wave, and half of its length
constexpr char32_t kDot = 0xB7;
constexpr double kLineEndCells = 0.6; ///< width of a selected line end

Role roleOf(syntax::TokenKind kind) {
  constexpr std::array kRoles = {Role::Text,       Role::CodeKeyword, Role::CodeType,     Role::CodeNumber,
                                 Role::CodeString, Role::CodeComment, Role::CodeRegister, Role::CodeLabel};
  return kRoles[static_cast<std::size_t>(kind)];
}

} // namespace

TextPainter::TextPainter(TextView& view, QPainter& painter)
    : m_view(view), m_painter(painter), m_theme(theme()),
      m_left(static_cast<uint64_t>(view.horizontalScrollBar()->value())), m_focus(view.hasFocus()),
      m_glyphs(view.m_metrics.glyphs) {}

double TextPainter::x(uint64_t column) const {
  const double cells = column >= m_left ? static_cast<double>(column - m_left) : -static_cast<double>(m_left - column);
  return m_view.m_gutter + kTextGap + cells * m_view.m_metrics.cell;
}

void TextPainter::paint() {
  const QRect all = m_view.viewport()->rect();
  m_painter.fillRect(all, m_theme.color(Role::Base));
  m_painter.fillRect(QRect(0, 0, m_view.m_gutter, all.height()), m_theme.color(Role::Alternate));

  const RowMap& rows = m_view.m_rows;
  const auto shown = static_cast<uint64_t>((all.height() - kTop) / m_view.m_metrics.lineHeight) + 1;
  const uint64_t last = std::min(m_view.m_scroll.top() + shown, rows.rowCount());
  RowPlace place = rows.placeOf(m_view.m_scroll.top());
  const uint64_t first = place.line;
  if (!m_view.m_states->knows(m_view.lastStateLine())) m_view.m_guessed = true;

  int y = kTop;
  uint64_t before = UINT64_MAX;
  for (uint64_t row = m_view.m_scroll.top(); row < last; ++row, y += m_view.m_metrics.lineHeight) {
    if (place.line != before) {
      if (before == UINT64_MAX || place.line != before + 1) findState(place.line);
      m_tokens = &m_view.tokensOf(place.line, m_state);
      before = place.line;
    }
    paintRow(place, y);
    if (++place.part < rows.rowsOf(place.line)) continue;
    place = {rows.nextLine(place.line), 0};
    if (place.line >= m_view.index().lineCount()) break;
  }
  if (m_view.m_lanes > 0) paintJumps(first, before);
  paintSticky();
  m_view.m_tokens.erase(m_view.m_tokens.begin(), m_view.m_tokens.lower_bound(first > shown ? first - shown : 0));
  m_view.m_tokens.erase(m_view.m_tokens.lower_bound(before + shown), m_view.m_tokens.end());
}

void TextPainter::findState(uint64_t line) {
  // From recently painted lines, else from the checkpoints, else a guess.
  const auto known = m_view.m_tokens.find(line);
  const auto before = line == 0 ? m_view.m_tokens.end() : m_view.m_tokens.find(line - 1);
  if (known != m_view.m_tokens.end())
    m_state = known->second.before;
  else if (before != m_view.m_tokens.end())
    m_state = before->second.after;
  else
    m_state = m_view.m_states->before(m_view.index(), line);
}

void TextPainter::paintRow(RowPlace place, int y) {
  const uint64_t line = place.line;
  const bool wraps = m_view.isWrapping();
  if (wraps) m_left = m_view.partStart(place.part);
  const bool lastPart = !wraps || place.part + 1 == m_view.m_rows.rowsOf(line);
  const int height = m_view.m_metrics.lineHeight, width = m_view.viewport()->width();
  const Extent extent = m_view.index().line(line);
  const std::string_view bytes = m_view.m_text.view().substr(extent.offset, extent.size);
  const bool current = line == m_view.m_line;
  if (current) m_painter.fillRect(QRect(0, y, width, height), m_theme.color(Role::Hover));

  m_cells.clear();
  m_plain.clear();
  const uint64_t right = m_left + (wraps ? m_view.m_columns : static_cast<uint64_t>(width / m_view.m_metrics.cell) + 1);
  CellWalker walker(bytes, m_left);
  for (Cell cell{}; walker.next(cell) && cell.column < right;) m_cells.push_back(cell);

  m_painter.save();
  m_painter.setClipRect(QRect(m_view.m_gutter, y, width - m_view.m_gutter, height));
  const Extent selected = m_view.selection();
  if (selected.size > 0 && selected.offset <= extent.end() && selected.end() > extent.offset) {
    const Role role = m_focus ? Role::Selection : Role::InactiveSelection;
    const uint64_t from = selected.offset > extent.offset ? selected.offset - extent.offset : 0;
    fill({from, selected.end() - extent.offset, role}, y);
    const uint64_t cellsEnd = m_cells.empty() ? 0 : m_cells.back().offset + m_cells.back().size;
    if (selected.end() > extent.end() && cellsEnd == bytes.size() && lastPart) {
      const uint64_t column = m_cells.empty() ? 0 : m_cells.back().column + m_cells.back().width;
      m_painter.fillRect(QRectF(x(column), y, kLineEndCells * m_view.m_metrics.cell, height), m_theme.color(role));
    }
  }
  if (!m_view.m_name.empty())
    for (const Extent& name : m_view.namesOf(bytes, *m_tokens))
      fill({name.offset, name.end(), Role::InactiveSelection}, y, false);
  if (m_view.m_hits && !m_cells.empty()) {
    // Only visible hits: a long line may contain all of them.
    const FindHits& hits = *m_view.m_hits;
    const uint64_t first = extent.offset + m_cells.front().offset, last = extent.offset + m_cells.back().offset;
    auto hit =
        std::partition_point(hits.begin(), hits.end(), [&](const FindHit& h) { return h.offset + h.size <= first; });
    for (; hit != hits.end() && hit->offset <= last; ++hit) {
      const bool isCurrent = m_view.m_currentHit == static_cast<std::size_t>(hit - hits.begin());
      const uint64_t from = hit->offset > extent.offset ? hit->offset - extent.offset : 0;
      fill({from, hit->offset + hit->size - extent.offset, isCurrent ? Role::FoundCurrent : Role::Found}, y);
    }
  }
  drawText(bytes, *m_tokens, y);
  paintDecorations(line, y);
  const bool caret = current && m_focus && m_view.cursorRow() == m_view.m_rows.rowOf(line) + place.part;
  if (caret) paintCaret(bytes, m_view.m_cursor - extent.offset, y);
  m_painter.restore();

  if (current) {
    const QColor accent = m_theme.color(Role::Accent);
    if (m_focus) {
      if (place.part == 0) m_painter.fillRect(QRect(0, y, width, 1), accent);
      if (lastPart) m_painter.fillRect(QRect(0, y + height - 1, width, 1), accent);
      m_painter.fillRect(QRect(width - 1, y, 1, height), accent);
    }
    m_painter.fillRect(QRect(0, y, 2, height), accent);
  }
  if (place.part > 0) return;
  paintNumber(line, y);
  if (m_view.m_hasFolds) paintFold(line, y);
}

void TextPainter::paintNumber(uint64_t line, int y) {
  m_painter.setFont(m_view.m_metrics.numberFont);
  m_painter.setPen(m_theme.color(line == m_view.m_line ? Role::Text : Role::Faint));
  m_painter.drawText(QRect(0, y, m_view.m_numbers - kNumberGap, m_view.m_metrics.lineHeight),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(line + 1));
  const auto [name, role] = m_view.iconOf(line);
  if (name.isEmpty()) return;
  const double ratio = m_painter.device()->devicePixelRatioF();
  const int top = y + (m_view.m_metrics.lineHeight - kLineIcon) / 2;
  m_painter.drawPixmap(QPoint(kIconMargin, top), iconPixmap(name, role, kLineIcon, ratio));
}

void TextPainter::paintDecorations(uint64_t line, int y) {
  for (const TextView::Decoration& one : m_view.decorationsOf(line)) {
    const auto first = std::partition_point(
        m_cells.begin(), m_cells.end(), [&](const Cell& cell) { return cell.offset + cell.size <= one.bytes.offset; });
    const auto after =
        std::partition_point(first, m_cells.end(), [&](const Cell& cell) { return cell.offset < one.bytes.end(); });
    if (first == after) continue;
    const double left = x(first->column), right = x(std::prev(after)->column + std::prev(after)->width);
    m_painter.setPen(m_theme.color(one.role));
    if (one.kind == TextView::Decoration::Kind::Frame) {
      m_painter.drawRect(QRectF(left - 0.5, y + 1.5, right - left, m_view.m_metrics.lineHeight - 4));
      continue;
    }
    QPolygonF wave;
    const double bottom = y + m_view.m_metrics.lineHeight - 2.5;
    int step = 0;
    for (double at = left; at <= right; at += kWaveStep, ++step) wave << QPointF(at, bottom - (step % 2) * kWaveStep);
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.drawPolyline(wave);
    m_painter.restore();
  }
}

void TextPainter::paintCaret(std::string_view line, uint64_t offset, int y) {
  const uint64_t column = columnOf(line, offset);
  if (column < m_left) return;
  m_painter.fillRect(QRectF(std::round(x(column)) - 1, y + 1, 1, m_view.m_metrics.lineHeight - 2),
                     m_theme.color(Role::Text));
}

void TextPainter::fill(const Range& range, int y, bool plain) {
  const auto first = std::partition_point(m_cells.begin(), m_cells.end(),
                                          [&](const Cell& cell) { return cell.offset + cell.size <= range.from; });
  const auto after =
      std::partition_point(first, m_cells.end(), [&](const Cell& cell) { return cell.offset < range.to; });
  if (plain) m_plain.push_back(range);
  if (first == after) return;
  const Cell& last = *std::prev(after);
  const double left = x(first->column), right = x(last.column + last.width);
  const bool found = range.role == Role::Found || range.role == Role::FoundCurrent;
  const QRectF rect = found ? QRectF(left - 1, y + 1, right - left + 2, m_view.m_metrics.lineHeight - 2)
                            : QRectF(left, y, right - left, m_view.m_metrics.lineHeight);
  m_painter.fillRect(rect, m_theme.color(range.role));
}

void TextPainter::drawText(std::string_view line, const std::vector<syntax::Token>& tokens, int y) {
  const double baseline = y + m_view.m_metrics.baseline;
  m_painter.setFont(m_view.m_metrics.font);
  const std::vector<Extent> links = m_view.linksOf(line, tokens);
  auto link = links.begin();
  auto token =
      m_cells.empty() ? tokens.end() : std::partition_point(tokens.begin(), tokens.end(), [&](const syntax::Token& t) {
        return t.begin + t.size <= m_cells.front().offset;
      });
  for (const Cell& cell : m_cells) {
    if (cell.character == ' ') continue;
    while (token != tokens.end() && token->begin + token->size <= cell.offset) ++token;
    const bool plain = std::any_of(m_plain.begin(), m_plain.end(), [&](const Range& range) {
      return cell.offset >= range.from && cell.offset < range.to;
    });
    Role role = plain || token == tokens.end() || token->begin > cell.offset ? Role::Text : roleOf(token->kind);
    while (link != links.end() && link->end() <= cell.offset) ++link;
    if (!plain && link != links.end() && link->contains(cell.offset)) {
      role = Role::Accent;
      m_painter.fillRect(QRectF(x(cell.column), std::round(baseline) + 2, cell.width * m_view.m_metrics.cell, 1),
                         m_theme.color(role));
    }
    const bool control = cell.character == kDot && static_cast<uint8_t>(line[cell.offset]) != 0xC2;
    if (control && !plain) role = Role::Faint;
    if ((cell.character < 0x80 || cell.character == kDot) && !cell.marked) {
      m_glyphs.add(role, static_cast<uint8_t>(cell.character), x(cell.column));
    } else {
      // A fallback font may draw it with a different width.
      m_painter.setPen(m_theme.color(role));
      m_painter.drawText(QPointF(x(cell.column), baseline), cellText(line, cell));
    }
  }
  m_glyphs.draw(m_painter, baseline);
}

} // namespace blobscope::ui
