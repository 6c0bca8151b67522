#include "ui/compare/pair_painter.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QScrollBar>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

using diff::HunkKind;

constexpr int kEdge = 3, kHatch = 9, kMarkHeight = 4;
constexpr char32_t kPairDot = 0xB7;

Role tokenRole(syntax::TokenKind kind) {
  constexpr std::array kRoles = {Role::Text,       Role::CodeKeyword, Role::CodeType,     Role::CodeNumber,
                                 Role::CodeString, Role::CodeComment, Role::CodeRegister, Role::CodeLabel};
  return kRoles[static_cast<std::size_t>(kind)];
}

Role markRole(HunkKind kind) {
  return kind == HunkKind::Added ? Role::Added : kind == HunkKind::Removed ? Role::Removed : Role::Changed;
}

} // namespace

void paintHatching(QPainter& painter, QRect rect) {
  painter.fillRect(rect, theme().color(Role::Alternate));
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().color(Role::Rule), 1));
  // The pattern is aligned with that of the rows above and below.
  const int first = (rect.left() + rect.top()) / kHatch * kHatch;
  for (int sum = first; sum < rect.right() + rect.bottom() + kHatch; sum += kHatch)
    painter.drawLine(QPointF(sum - rect.bottom() - 1, rect.bottom() + 1), QPointF(sum - rect.top(), rect.top()));
  painter.restore();
}

PairPainter::PairPainter(TextPairView& view, QPainter& painter)
    : m_view(view), m_painter(painter), m_theme(theme()),
      m_left(static_cast<uint64_t>(view.horizontalScrollBar()->value())), m_glyphs(view.m_metrics.glyphs) {}

void PairPainter::paint() {
  const QRect all = m_view.viewport()->rect();
  m_painter.fillRect(all, m_theme.color(Role::Base));
  const uint64_t rows = m_view.m_lines.rowCount();
  int y = -static_cast<int>(m_view.m_sub) * m_view.m_metrics.lineHeight;
  for (uint64_t row = m_view.m_scroll.top(); row < rows && y < all.height(); ++row) {
    paintRow(row, y);
    y += m_view.heightOf(row);
  }
  if (y < all.height()) m_painter.fillRect(QRect(0, y, all.width(), all.height() - y), m_theme.color(Role::Alternate));
  if (!m_view.m_inline) paintRuler();
}

void PairPainter::paintRow(uint64_t number, int y) {
  const PairLines::Row row = m_view.m_lines.row(number);
  const int height = m_view.heightOf(number);
  const bool current = number == m_view.m_row && m_view.hasFocus();
  if (row.folds > 0) {
    paintFold(row, QRect(0, y, m_view.viewport()->width(), height), current);
    return;
  }
  const TextPairView::Layout& layout = m_view.layoutOf(number);
  const diff::WordMarks* const marks = row.kind == HunkKind::Changed ? m_view.m_words->marks(row.a, row.b) : nullptr;
  int top = y;
  for (const Side side : {Side::A, Side::B}) {
    const bool first = side == Side::A;
    const uint64_t line = first ? row.a : row.b;
    const std::size_t lines = first ? layout.linesA : layout.linesB;
    const TextPairView::Column column = m_view.column(side);
    const int own = static_cast<int>(lines) * m_view.m_metrics.lineHeight;
    const QRect rect(column.left, top, column.width, own);
    if (lines > 0)
      paintLine(
          {side, line, first ? &layout.a : &layout.b, marks ? (first ? &marks->a : &marks->b) : nullptr, row.kind},
          rect);
    if (m_view.m_inline) {
      top += own;
    } else if (own < height && row.kind != HunkKind::Equal) {
      hatch(QRect(column.left, y + own, column.width, height - own));
    }
  }
  if (!current) return;
  const TextPairView::Column column = m_view.column(m_view.m_side);
  const QRect frame(column.left, y, column.width, height);
  const QColor accent = m_theme.color(Role::Accent);
  m_painter.fillRect(QRect(frame.left(), frame.top(), frame.width(), 1), accent);
  m_painter.fillRect(QRect(frame.left(), frame.bottom(), frame.width(), 1), accent);
  m_painter.fillRect(QRect(frame.left(), frame.top(), 2, frame.height()), accent);
  m_painter.fillRect(QRect(frame.right(), frame.top(), 1, frame.height()), accent);
}

void PairPainter::paintFold(const PairLines::Row& row, QRect rect, bool current) {
  m_painter.fillRect(rect, m_theme.color(Role::Alternate));
  m_painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), m_theme.color(Role::Rule));
  m_painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), m_theme.color(Role::Rule));
  m_painter.save();
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setPen(QPen(m_theme.color(Role::Secondary), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF center(22, rect.top() + rect.height() / 2.0);
  m_painter.drawPolyline(row.open
                             ? QPolygonF({center + QPointF(-4, -2), center + QPointF(0, 2), center + QPointF(4, -2)})
                             : QPolygonF({center + QPointF(-2, -4), center + QPointF(2, 0), center + QPointF(-2, 4)}));
  m_painter.restore();
  m_painter.setFont(m_view.m_foldFont);
  m_painter.setPen(m_theme.color(Role::Secondary));
  m_painter.drawText(rect.adjusted(m_view.m_gutter, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     TextPairView::tr("%n equal line(s)", nullptr, pluralCount(row.folds)));
  if (!current) return;
  m_painter.setPen(m_theme.color(Role::Accent));
  m_painter.setBrush(Qt::NoBrush);
  m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

void PairPainter::hatch(QRect rect) { paintHatching(m_painter, rect); }

void PairPainter::paintLine(const Line& line, QRect rect) {
  const bool differs = line.kind != HunkKind::Equal, first = line.side == Side::A;
  if (differs) {
    m_painter.fillRect(rect, m_theme.color(first ? Role::RemovedLine : Role::AddedLine));
    m_painter.fillRect(QRect(rect.left(), rect.top(), kEdge, rect.height()),
                       m_theme.color(first ? Role::Removed : Role::Added));
  }
  const int height = m_view.m_metrics.lineHeight;
  m_painter.setFont(m_view.m_metrics.numberFont);
  m_painter.setPen(m_theme.color(!differs ? Role::Faint : first ? Role::Removed : Role::Added));
  QString number = QString::number(line.number + 1);
  // When the sides are shown below one another, the sign tells which side it is.
  if (m_view.m_inline && differs) number = (first ? QStringLiteral("−") : QStringLiteral("+")) + number;
  m_painter.drawText(QRect(rect.left(), rect.top(), m_view.m_gutter - 10, height), Qt::AlignRight | Qt::AlignVCenter,
                     number);

  std::vector<Range> ranges;
  if (differs && line.marks)
    for (const diff::Range& mark : *line.marks)
      ranges.push_back({mark.begin, mark.end(), first ? Role::RemovedWord : Role::AddedWord});
  const Extent selected = m_view.selection();
  if (selected.size > 0 && line.side == m_view.m_side) {
    const Extent extent = m_view.index(line.side).line(line.number);
    if (selected.offset <= extent.end() && selected.end() > extent.offset)
      ranges.push_back({selected.offset > extent.offset ? selected.offset - extent.offset : 0,
                        selected.end() - extent.offset, m_view.hasFocus() ? Role::Selection : Role::InactiveSelection});
  }
  m_painter.save();
  m_painter.setClipRect(QRect(rect.left() + m_view.m_gutter, rect.top(), rect.width() - m_view.m_gutter, rect.height()),
                        Qt::IntersectClip);
  for (std::size_t piece = 0; piece < line.wrapped->pieces.size(); ++piece) {
    const QRect place(rect.left(), rect.top() + static_cast<int>(piece) * height, rect.width(), height);
    if (place.bottom() < 0 || place.top() > m_view.viewport()->height()) continue;
    paintPiece(line, piece, place, ranges);
  }
  if (line.wrapped->rest > 0) {
    const QRect place(rect.left() + m_view.m_gutter + static_cast<int>(kHangingCells * m_view.m_metrics.cell),
                      rect.top() + static_cast<int>(line.wrapped->pieces.size()) * height, rect.width(), height);
    m_painter.setFont(m_view.m_metrics.font);
    m_painter.setPen(m_theme.color(Role::Secondary));
    m_painter.drawText(
        place, Qt::AlignLeft | Qt::AlignVCenter,
        TextPairView::tr("… %1 more characters in this line").arg(toQt(groupedText(line.wrapped->rest))));
  }
  m_painter.restore();
}

void PairPainter::paintPiece(const Line& line, std::size_t number, QRect rect, const std::vector<Range>& ranges) {
  const WrappedLine::Piece& piece = line.wrapped->pieces[number];
  const std::string_view bytes = m_view.lineBytes(line.side, line.number);
  const double cell = m_view.m_metrics.cell;
  const double origin = rect.left() + m_view.m_gutter + (number > 0 ? static_cast<double>(kHangingCells) * cell : 0.0);
  const uint64_t start = m_view.m_wrap ? piece.column : std::max(piece.column, m_left);
  const auto x = [&](uint64_t column) {
    return origin + (static_cast<double>(column) - static_cast<double>(start)) * cell;
  };
  const auto room = static_cast<uint64_t>(rect.width() / cell) + 1;
  m_cells.clear();
  CellWalker walker(bytes, start);
  for (Cell next{}; walker.next(next) && next.offset < piece.to && next.column < start + room;) m_cells.push_back(next);
  if (m_cells.empty()) return;

  for (const Range& range : ranges) {
    const auto from = std::partition_point(m_cells.begin(), m_cells.end(),
                                           [&](const Cell& c) { return c.offset + c.size <= range.from; });
    const auto after = std::partition_point(from, m_cells.end(), [&](const Cell& c) { return c.offset < range.to; });
    if (from == after) continue;
    const Cell& last = *std::prev(after);
    const double left = x(from->column), right = x(last.column + last.width);
    const bool word = range.role == Role::RemovedWord || range.role == Role::AddedWord;
    m_painter.fillRect(word ? QRectF(left, rect.top() + 1, right - left, rect.height() - 2)
                            : QRectF(left, rect.top(), right - left, rect.height()),
                       m_theme.color(range.role));
  }

  const std::vector<syntax::Token>& tokens = m_view.m_words->tokens(line.side, line.number);
  auto token = std::partition_point(tokens.begin(), tokens.end(),
                                    [&](const syntax::Token& t) { return t.begin + t.size <= m_cells.front().offset; });
  const double baseline = rect.top() + m_view.m_metrics.baseline;
  m_painter.setFont(m_view.m_metrics.font);
  std::size_t range = 0; // the ranges of words are in order, the selection is the last one
  const bool selected =
      !ranges.empty() && (ranges.back().role == Role::Selection || ranges.back().role == Role::InactiveSelection);
  const std::size_t words = ranges.size() - (selected ? 1 : 0);
  for (const Cell& here : m_cells) {
    if (here.character == ' ') continue;
    while (token != tokens.end() && token->begin + token->size <= here.offset) ++token;
    while (range < words && ranges[range].to <= here.offset) ++range;
    const bool marked = range < words && ranges[range].from <= here.offset;
    const bool plain = marked || (selected && here.offset >= ranges.back().from && here.offset < ranges.back().to);
    Role role = plain || token == tokens.end() || token->begin > here.offset ? Role::Text : tokenRole(token->kind);
    const bool control = here.character == kPairDot && static_cast<uint8_t>(bytes[here.offset]) != 0xC2;
    if (control && !plain) role = Role::Faint;
    if ((here.character < 0x80 || here.character == kPairDot) && !here.marked) {
      m_glyphs.add(role, static_cast<uint8_t>(here.character), x(here.column));
    } else {
      // A fallback font may draw it with a different width.
      m_painter.setPen(m_theme.color(role));
      m_painter.drawText(QPointF(x(here.column), baseline), cellText(bytes, here));
    }
  }
  m_glyphs.draw(m_painter, baseline);
}

void PairPainter::paintRuler() {
  const int left = m_view.rulerLeft(), height = m_view.viewport()->height();
  m_painter.fillRect(QRect(left, 0, kRuler, height), m_theme.color(Role::Window));
  m_painter.fillRect(QRect(left, 0, 1, height), m_theme.color(Role::Rule));
  m_painter.fillRect(QRect(left + kRuler - 1, 0, 1, height), m_theme.color(Role::Rule));
  const uint64_t rows = m_view.m_lines.rowCount();
  if (rows == 0) return;
  // At the height of the lines if all of them are visible, else to scale.
  const bool all = m_view.m_last == TextPairView::Place{};
  const double scale = (height - 4.0) / static_cast<double>(rows);
  const int bottomEdge = all ? std::min(m_view.rowRect(rows - 1).bottom() + 1, height) : height;
  int last = -kMarkHeight;
  for (std::size_t change = 0; change < m_view.m_lines.changeCount(); ++change) {
    const uint64_t row = m_view.m_lines.changeRow(change), size = m_view.m_lines.changeSize(change);
    const QRect first = all ? m_view.rowRect(row) : QRect();
    const int y = all ? std::max(first.top(), 2) : 2 + static_cast<int>(static_cast<double>(row) * scale);
    if (y < last) continue;
    const int tall = all ? m_view.rowRect(row + size - 1).bottom() + 1 - y
                         : std::max(kMarkHeight, static_cast<int>(static_cast<double>(size) * scale));
    last = y + tall;
    m_painter.fillRect(QRect(left + 3, y, 8, std::min(tall, height - 2 - y)),
                       m_theme.color(markRole(m_view.m_lines.changeKind(change))));
  }
  // A frame around the visible part.
  const auto [from, to] = m_view.thumb();
  const double top = 2 + from * (height - 4),
               bottom = all ? std::max(bottomEdge - 2, 10) : 2 + std::min(to, 1.0) * (height - 4);
  m_painter.save();
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setBrush(Qt::NoBrush);
  m_painter.setPen(QPen(m_theme.color(Role::ControlBorder), 1));
  m_painter.drawRoundedRect(QRectF(left + 2.5, top + 0.5, kRuler - 5, std::max(bottom - top - 1, 8.0)), 3, 3);
  m_painter.restore();
}

} // namespace blobscope::ui
