#include "ui/text/plurals.h"
#include "ui/widgets/text/text_painter.h"

#include <QPainterPath>

#include <algorithm>

// What a TextPainter draws of the structure of code: signs of folds, arrows of jumps, the function at the top.
namespace blobscope::ui {
namespace {

constexpr int kPageTop = 4, kPageGap = 8;
constexpr double kSign = 3; ///< half of the size of a chevron
/// Widths as in text_view.cpp.
constexpr int kLane = 5;
/// Arrows that are drawn at a time.
constexpr std::size_t kArrows = 500;
constexpr int kHead = 3;

} // namespace

void TextPainter::paintFold(uint64_t line, int y) {
  if (!m_view.foldAt(line)) return;
  const bool folded = m_view.isFolded(line + 1);
  // A chevron that points down or to the right.
  const QPointF middle(m_view.m_numbers + 3.5, y + m_view.m_metrics.lineHeight / 2.0);
  const QPolygonF open(
      {middle + QPointF(-kSign, -kSign / 2), middle + QPointF(0, kSign / 2), middle + QPointF(kSign, -kSign / 2)});
  const QPolygonF closed(
      {middle + QPointF(-kSign / 2, -kSign), middle + QPointF(kSign / 2, 0), middle + QPointF(-kSign / 2, kSign)});
  m_painter.save();
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setPen(QPen(m_theme.color(folded ? Role::Text : Role::Secondary), 1.5));
  m_painter.drawPolyline(folded ? closed : open);
  m_painter.restore();
  if (!folded) return;
  // What is hidden, after the text of the line.
  const Extent extent = m_view.index().line(line);
  const double left = x(columnCount(m_view.m_text.view().substr(extent.offset, extent.size))) + kPageGap;
  m_painter.setFont(m_view.m_metrics.numberFont);
  m_painter.setPen(m_theme.color(Role::Secondary));
  m_painter.drawText(QRectF(left, y, 400, m_view.m_metrics.lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     TextView::tr("… %n line(s)", nullptr, pluralCount(m_view.hiddenLines(line + 1))));
}

void TextPainter::paintJumps(uint64_t first, uint64_t last) {
  if (!m_view.m_structure) return;
  m_painter.save();
  m_painter.setRenderHint(QPainter::Antialiasing);
  const std::vector<syntax::CodeJump> jumps = m_view.m_structure->jumpsBetween(first, last, kArrows);
  // Those of the current line over the others.
  for (const bool current : {false, true})
    for (const syntax::CodeJump& jump : jumps)
      if ((jump.from == m_view.m_line || jump.to == m_view.m_line) == current) paintJump(jump);
  m_painter.restore();
}

void TextPainter::paintJump(const syntax::CodeJump& jump) {
  if (jump.lane >= syntax::CodeJump::kLanes) return;
  const bool current = jump.from == m_view.m_line || jump.to == m_view.m_line;
  const int height = m_view.m_metrics.lineHeight;
  const auto middle = [&](uint64_t line) { return m_view.lineRect(line).y() + height / 2 + 0.5; };
  const double from = middle(jump.from), to = middle(jump.to);
  const double right = m_view.m_gutter - 2.5, lane = right - kHead - 2 - jump.lane * kLane;
  // A jump to its own line is a small loop.
  const double bend = jump.from == jump.to ? height / 3.0 : 0;
  QPainterPath path(QPointF(right, from - bend));
  path.lineTo(lane, from - bend);
  path.lineTo(lane, to + bend);
  path.lineTo(right, to + bend);
  m_painter.setPen(QPen(m_theme.color(current ? Role::Accent : Role::ControlBorder), current ? 1.5 : 1));
  m_painter.setBrush(Qt::NoBrush);
  m_painter.drawPath(path);
  QPainterPath head(QPointF(right - kHead, to + bend - kHead));
  head.lineTo(right, to + bend);
  head.lineTo(right - kHead, to + bend + kHead);
  m_painter.drawPath(head);
}

void TextPainter::paintSticky() {
  const syntax::CodeFunction* const function = m_view.stickyFunction();
  if (!function) return;
  const int height = m_view.m_metrics.lineHeight, width = m_view.viewport()->width();
  m_painter.fillRect(QRect(0, 0, width, kPageTop + height), m_theme.color(Role::Header));
  const Extent extent = m_view.index().line(function->line);
  const std::string_view bytes = m_view.m_text.view().substr(extent.offset, extent.size);
  m_left = 0;
  m_cells.clear();
  m_plain.clear();
  CellWalker walker(bytes);
  const auto right = static_cast<uint64_t>(width / m_view.m_metrics.cell) + 1;
  for (Cell cell{}; walker.next(cell) && cell.column < right;) m_cells.push_back(cell);
  std::vector<syntax::Token> tokens;
  syntax::lexLine(*m_view.m_language, bytes, syntax::LineState::Code, tokens);
  m_painter.save();
  m_painter.setClipRect(QRect(m_view.m_gutter, 0, width - m_view.m_gutter, kPageTop + height));
  drawText(bytes, tokens, kPageTop);
  m_painter.restore();
  paintNumber(function->line, kPageTop);
  m_painter.fillRect(QRect(0, kPageTop + height, width, 1), m_theme.color(Role::Rule));
}

} // namespace blobscope::ui
