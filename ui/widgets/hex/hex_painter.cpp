#include "ui/widgets/hex/hex_painter.h"

#include <QScrollBar>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr double kLine = 1.4;  ///< width of the line below a field and at its first byte
constexpr double kBoxSide = 3; ///< margin of a byte's box beside its digits
constexpr double kHatchStep = 6, kHatchShare = 0.28;
constexpr uint8_t kUnprintable = 0xB7; ///< shown for bytes that are not characters
constexpr std::string_view kDigits = "0123456789abcdef";

bool isPrintable(uint8_t byte) { return byte >= 0x20 && byte < 0x7F; }

Extent common(Extent a, Extent b) {
  const uint64_t from = std::max(a.offset, b.offset), to = std::min(a.end(), b.end());
  return {from, to > from ? to - from : 0};
}

} // namespace

HexPainter::HexPainter(HexView& view, QPainter& painter)
    : m_view(view), m_painter(painter), m_theme(theme()), m_geometry(view.m_geometry), m_selected(view.selection()),
      m_focus(view.hasFocus()), m_ratio(painter.device()->devicePixelRatioF()),
      m_line(std::max(1.0, std::round(kLine * m_ratio)) / m_ratio), m_glyphs(view.m_glyphs) {}

void HexPainter::paint() {
  const QRect all = m_view.viewport()->rect();
  m_painter.fillRect(all, m_theme.color(Role::Base));
  m_painter.save();
  m_painter.translate(-m_view.horizontalScrollBar()->value(), 0);
  m_painter.save();
  m_painter.setClipRect(QRect(0, HexView::kHeader + 1, static_cast<int>(m_geometry.width) + 1, all.height()));
  const uint64_t first = m_view.m_scroll.top();
  const uint64_t rows = m_view.rowCount();
  int y = HexView::kTop;
  for (uint64_t row = first; row < rows && y < all.height(); ++row, y += m_geometry.row) paintRow(row, y);
  m_painter.restore();
  paintHeader();
  m_painter.restore();
  m_painter.fillRect(QRect(0, HexView::kHeader, all.width(), 1), m_theme.color(Role::Rule));
}

void HexPainter::paintHeader() {
  m_painter.setPen(m_theme.color(Role::Faint));
  m_painter.setFont(m_view.m_headFont);
  m_painter.drawText(QRectF(m_geometry.left, 0, m_geometry.bytes - m_geometry.left, HexView::kHeader),
                     Qt::AlignLeft | Qt::AlignVCenter, HexView::tr("offset"));
  m_painter.drawText(QRectF(m_geometry.text, 0, HexView::kColumns * m_geometry.cell, HexView::kHeader),
                     Qt::AlignLeft | Qt::AlignVCenter, HexView::tr("text"));
  m_painter.setFont(m_view.m_headCodeFont);
  for (int column = 0; column < HexView::kColumns; ++column)
    m_painter.drawText(QRectF(m_geometry.byteX(column), 0, 2 * m_geometry.cell + 2, HexView::kHeader), Qt::AlignCenter,
                       QString(QLatin1Char(kDigits[static_cast<std::size_t>(column)])));
}

HexPainter::Run HexPainter::runOf(Extent row, Extent bytes) const {
  const Extent part = common(row, bytes);
  if (part.size == 0) return {0, 0};
  const int first = m_view.columnOf(part.offset);
  return {first, first + static_cast<int>(part.size)};
}

QRectF HexPainter::box(Run run, int y, bool characters) const {
  const double top = snapped(y + 1.5), height = snapped(y + m_geometry.row - 2.5) - top;
  double left = m_geometry.byteX(run.first) - kBoxSide;
  double right = m_geometry.byteX(run.end - 1) + 2 * m_geometry.cell + kBoxSide;
  if (characters) {
    left = m_geometry.textX(run.first);
    right = m_geometry.textX(run.end);
  }
  return {snapped(left), top, snapped(right) - snapped(left) - 1, height};
}

QColor HexPainter::tint(const QColor& color, double share) const {
  const QColor base = m_theme.color(Role::Base);
  const auto mix = [share](int from, int to) { return qRound(from * (1 - share) + to * share); };
  return {mix(base.red(), color.red()), mix(base.green(), color.green()), mix(base.blue(), color.blue())};
}

void HexPainter::paintField(const QRectF& box, const QColor& color, double share, bool starts) {
  m_painter.fillRect(box, tint(color, share));
  m_painter.fillRect(QRectF(box.x(), box.bottom() - m_line, box.width(), m_line), color);
  if (starts) m_painter.fillRect(QRectF(box.x(), box.y(), m_line, box.height()), color);
}

void HexPainter::hatch(const QRectF& box, int y) {
  m_painter.save();
  m_painter.setClipRect(box, Qt::IntersectClip);
  m_painter.setPen(QPen(tint(m_theme.color(Role::Error), kHatchShare), 1));
  // The hatching of all rows forms one pattern.
  const double height = box.height();
  const double phase = kHatchStep - (y % static_cast<int>(kHatchStep));
  const double first = (std::floor(box.left() / kHatchStep) - 5) * kHatchStep + phase;
  for (double x = first; x < box.right(); x += kHatchStep)
    m_painter.drawLine(QPointF(x, box.bottom()), QPointF(x + height, box.top()));
  m_painter.restore();
}

void HexPainter::paintRow(uint64_t row, int y) {
  const uint64_t start = row * HexView::kColumns; // counted from the start of the first row
  const uint64_t from = start > m_view.m_lead ? start - m_view.m_lead : 0;
  const uint64_t to = std::min(start + HexView::kColumns - m_view.m_lead, m_view.m_bytes.size());
  const Extent bytes = {from, to - from};

  m_painter.setFont(m_view.m_font);
  m_painter.setPen(m_theme.color(Role::Faint));
  const uint64_t shown = m_view.m_base - m_view.m_lead + start;
  m_painter.drawText(QPointF(m_geometry.left, y + m_geometry.baseline),
                     QStringLiteral("%1").arg(shown, m_geometry.digits, 16, QLatin1Char('0')));
  if (m_view.m_segments)
    paintFields(bytes, y);
  else
    paintOwners(bytes, y);
  paintSelection(bytes, y);
  paintChanges(bytes, y);
  paintHits(bytes, y);
  paintDamage(bytes, y);
  paintBytes(bytes, y);
  paintMarks(bytes, y);
  if (m_focus && m_view.rowOf(m_view.m_cursor) == row) paintFocus(y);
}

void HexPainter::paintFields(Extent row, int y) {
  const FieldSegments& segments = *m_view.m_segments;
  for (std::size_t i = segments.indexAt(row.offset); i < segments.count(); ++i) {
    const FieldSegments::Segment segment = segments.segment(i);
    if (segment.bytes.offset >= row.end()) break;
    const Run run = runOf(row, segment.bytes);
    if (run.first == run.end || segment.row == FieldSegments::kNoRow) continue;
    const bool hover = m_view.m_hover == segment.row;
    const QColor color = m_theme.color(fieldRoleColor(segment.role));
    const double share = hover ? (m_theme.fieldTint(false) + m_theme.fieldTint(true)) / 2 : m_theme.fieldTint(false);
    for (const bool characters : {false, true}) {
      const QRectF rect = box(run, y, characters);
      if (segment.role == FieldRole::Unknown)
        hatch(rect, y);
      else
        paintField(rect, color, share, segment.bytes.offset >= row.offset);
    }
  }
}

void HexPainter::paintOwners(Extent row, int y) {
  auto owner = std::partition_point(m_view.m_owners.begin(), m_view.m_owners.end(),
                                    [&](const HexView::Owner& one) { return one.bytes.end() <= row.offset; });
  for (; owner != m_view.m_owners.end() && owner->bytes.offset < row.end(); ++owner)
    for (const bool characters : {false, true})
      m_painter.fillRect(box(runOf(row, owner->bytes), y, characters),
                         tint(m_theme.color(owner->role), m_theme.fieldTint(false)));
}

void HexPainter::paintSelection(Extent row, int y) {
  const Extent part = common(row, m_selected);
  if (part.size == 0) return;
  // 1. Fields in the selection keep their colour, with more strength; other bytes get the selection colour.
  const auto paintPart = [&](Extent bytes, std::optional<FieldRole> role, bool starts) {
    const Run run = runOf(row, bytes);
    for (const bool characters : {false, true}) {
      const QRectF rect = box(run, y, characters);
      if (!role || *role == FieldRole::Unknown) {
        m_painter.fillRect(rect, m_theme.color(m_focus ? Role::Selection : Role::InactiveSelection));
        continue;
      }
      paintField(rect, m_theme.color(fieldRoleColor(*role)), m_theme.fieldTint(true), starts);
    }
  };
  if (!m_view.m_segments) {
    paintPart(part, std::nullopt, false);
  } else {
    const FieldSegments& segments = *m_view.m_segments;
    for (std::size_t i = segments.indexAt(part.offset); i < segments.count(); ++i) {
      const FieldSegments::Segment segment = segments.segment(i);
      if (segment.bytes.offset >= part.end()) break;
      const Extent bytes = common(part, segment.bytes);
      if (bytes.size == 0) continue;
      const bool owned = segment.row != FieldSegments::kNoRow;
      paintPart(bytes, owned ? std::optional(segment.role) : std::nullopt, segment.bytes.offset >= bytes.offset);
    }
    const uint64_t end = segments.segment(segments.count() - 1).bytes.end();
    if (const Extent rest = common(part, {end, UINT64_MAX}); rest.size > 0) paintPart(rest, std::nullopt, false);
  }
  // 2. One frame around the selection: sides in every row, top and bottom where the row above or below is not selected.
  const Run run = runOf(row, part);
  const QColor frame = m_theme.color(Role::Text);
  const uint64_t above = m_selected.offset + HexView::kColumns;
  const bool last = m_selected.end() <= row.end(), first = m_selected.offset >= row.offset;
  for (const bool characters : {false, true}) {
    const QRectF rect = box(run, y, characters);
    const double top = first ? rect.top() : y, bottom = last ? rect.bottom() : y + m_geometry.row;
    const auto line = [&](const QRectF& area) { m_painter.fillRect(area, frame); };
    line({rect.left(), top, m_line, bottom - top});
    line({rect.right() - m_line, top, m_line, bottom - top});
    // Columns whose byte above, or below, is not selected.
    if (const Run open = runOf(row, common(part, {part.offset, above > part.offset ? above - part.offset : 0}));
        open.first < open.end) {
      const QRectF edge = box(open, y, characters);
      line({edge.left(), first ? rect.top() : static_cast<double>(y), edge.width(), m_line});
    }
    const uint64_t below = m_selected.end() > HexView::kColumns ? m_selected.end() - HexView::kColumns : 0;
    const uint64_t openFrom = std::max(part.offset, below);
    if (const Run open = runOf(row, common(part, {openFrom, part.end() - std::min(openFrom, part.end())}));
        open.first < open.end) {
      const QRectF edge = box(open, y, characters);
      line({edge.left(), bottom - m_line, edge.width(), m_line});
    }
  }
}

void HexPainter::paintHits(Extent row, int y) {
  m_found.reset();
  if (!m_view.m_hits) return;
  const FindHits& hits = *m_view.m_hits;
  auto hit =
      std::partition_point(hits.begin(), hits.end(), [&](const FindHit& h) { return h.offset + h.size <= row.offset; });
  for (; hit != hits.end() && hit->offset < row.end(); ++hit) {
    const bool current = m_view.m_currentHit == static_cast<std::size_t>(hit - hits.begin());
    const Run run = runOf(row, {hit->offset, hit->size});
    for (int column = run.first; column < run.end; ++column) m_found.set(static_cast<std::size_t>(column));
    for (const bool characters : {false, true})
      m_painter.fillRect(box(run, y, characters), m_theme.color(current ? Role::FoundCurrent : Role::Found));
  }
}

void HexPainter::paintDamage(Extent row, int y) {
  if (!m_view.m_damage) return;
  const Run run = runOf(row, *m_view.m_damage);
  if (run.first == run.end) return;
  const QColor color = m_theme.color(Role::Error);
  for (const bool characters : {false, true}) {
    const QRectF rect = box(run, y, characters);
    m_painter.fillRect(rect, tint(color, m_theme.fieldTint(true)));
    m_painter.setPen(QPen(color, kLine));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(rect.adjusted(kLine / 2, 0, -kLine / 2, 0.6));
  }
}

void HexPainter::paintChanges(Extent row, int y) {
  if (m_view.m_opened.empty() && m_view.m_typed.empty()) return;
  const QColor edge = m_theme.color(Role::Changed);
  for (uint64_t at = row.offset; at < row.end(); ++at) {
    if (!m_view.openedByte(at)) continue;
    const int column = m_view.columnOf(at);
    for (const bool characters : {false, true}) {
      const QRectF rect = box({column, column + 1}, y, characters);
      m_painter.fillRect(rect, m_theme.color(Role::ChangedWord));
      m_painter.setPen(QPen(edge, 1));
      m_painter.setBrush(Qt::NoBrush);
      m_painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    m_painter.fillRect(QRectF(0, y, 3, m_geometry.row), edge);
  }
}

void HexPainter::paintMarks(Extent row, int y) {
  // In the order of their offsets; of several in a row, the first is shown.
  const HexView::Mark* shown = nullptr;
  for (const HexView::Mark& mark : m_view.m_marks) {
    if (mark.bytes.offset >= row.end()) break;
    if (mark.bytes.offset >= row.offset && (!shown || (shown->isNote && !mark.isNote))) shown = &mark;
  }
  if (!shown) return;
  const QRectF place(6, y + (m_geometry.row - 14) / 2.0, 13, 14);
  m_painter.save();
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setPen(Qt::NoPen);
  if (shown->isNote) {
    // A sheet with a folded corner.
    const QColor color = m_theme.color(Role::Note);
    m_painter.setPen(QPen(color, 1.3));
    m_painter.setBrush(m_theme.color(Role::NoteBackground));
    m_painter.drawPolygon(QPolygonF({place.topLeft(),
                                     place.topRight(),
                                     {place.right(), place.bottom() - 5},
                                     {place.right() - 5, place.bottom()},
                                     place.bottomLeft()}));
    m_painter.drawPolyline(
        QPolygonF({QPointF(place.right(), place.bottom() - 5), QPointF(place.right() - 5, place.bottom() - 5),
                   QPointF(place.right() - 5, place.bottom())}));
  } else {
    // A ribbon, with its digit.
    m_painter.setBrush(m_theme.color(Role::Accent));
    m_painter.drawPolygon(QPolygonF({place.topLeft(),
                                     place.topRight(),
                                     place.bottomRight(),
                                     {place.center().x(), place.bottom() - 4},
                                     place.bottomLeft()}));
    if (shown->digit > 0) {
      m_painter.setPen(m_theme.color(Role::OnAccent));
      m_painter.setFont(m_view.m_headFont);
      m_painter.drawText(place.adjusted(0, -1, 0, -3), Qt::AlignCenter, QString::number(shown->digit));
    }
  }
  m_painter.restore();
}

void HexPainter::paintBytes(Extent row, int y) {
  for (uint64_t i = 0; i < row.size; ++i) {
    const uint8_t byte = m_view.byteAt(row.offset + i);
    const int column = m_view.columnOf(row.offset + i);
    // Faint text would not be readable on the colours of selections and hits.
    const Role faint = m_found.test(static_cast<std::size_t>(column)) ? Role::Text
                       : m_selected.contains(row.offset + i)          ? Role::Secondary
                                                                      : Role::Faint;
    const Role role = byte == 0 ? faint : Role::Text;
    const double x = m_geometry.byteX(column);
    m_glyphs.add(role, static_cast<uint8_t>(kDigits[byte >> 4]), x);
    m_glyphs.add(role, static_cast<uint8_t>(kDigits[byte & 15]), x + m_geometry.cell);
    const bool printable = isPrintable(byte);
    m_glyphs.add(printable ? Role::Text : faint, printable ? byte : kUnprintable, m_geometry.textX(column));
  }
  m_glyphs.draw(m_painter, y + m_geometry.baseline);
}

void HexPainter::paintFocus(int y) {
  if (m_view.m_bytes.empty()) return;
  const int column = m_view.columnOf(m_view.m_cursor);
  m_painter.save();
  m_painter.setBrush(Qt::NoBrush);
  for (const bool characters : {false, true}) {
    // Where keys overwrite, the frame is thicker.
    m_painter.setPen(QPen(m_theme.color(Role::Accent), m_view.m_whyNot && characters == m_view.m_typesText ? 2 : 1));
    m_painter.drawRect(box({column, column + 1}, y, characters).adjusted(-0.5, -1, 0.5, 1));
  }
  m_painter.restore();
}

} // namespace blobscope::ui
