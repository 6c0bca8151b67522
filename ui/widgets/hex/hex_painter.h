#pragma once

#include "ui/widgets/glyph_batch.h"
#include "ui/widgets/hex/hex_view.h"

#include <QPainter>

#include <bitset>
#include <cmath>
#include <string_view>

namespace blobscope::ui {

/// Paints the header and the visible rows of a HexView.
class HexPainter {
public:
  HexPainter(HexView& view, QPainter& painter);
  void paint();

private:
  /// Columns `[first, end)` of a row.
  struct Run {
    int first, end;
  };

  void paintHeader();
  void paintRow(uint64_t row, int y);
  void paintFields(Extent row, int y);
  void paintOwners(Extent row, int y);
  void paintHits(Extent row, int y);
  void paintSelection(Extent row, int y);
  void paintDamage(Extent row, int y);
  void paintChanges(Extent row, int y);
  /// Flags, notes and the mark of changed bytes, at the left of the row.
  void paintMarks(Extent row, int y);
  void paintBytes(Extent row, int y);
  void paintFocus(int y);

  /// Returns the columns of the row that `bytes` covers; empty when there are none.
  Run runOf(Extent row, Extent bytes) const;
  /// Returns the rectangle of a run: around its bytes, or around its characters.
  QRectF box(Run run, int y, bool characters) const;
  void hatch(const QRectF& box, int y);
  QColor tint(const QColor& color, double share) const;
  /// Paints the tint of a field's run with the line below it and, if the field `starts` there, the mark at its first
  /// byte.
  void paintField(const QRectF& box, const QColor& color, double share, bool starts);
  double snapped(double value) const { return std::round(value * m_ratio) / m_ratio; }

  HexView& m_view;
  QPainter& m_painter;
  const Theme& m_theme;
  const HexView::Geometry& m_geometry;
  const Extent m_selected;
  const bool m_focus;
  const double m_ratio;                   ///< device pixels of one unit
  const double m_line;                    ///< width of the lines of fields: whole device pixels
  GlyphBatch m_glyphs;                    ///< of the row
  std::bitset<HexView::kColumns> m_found; ///< columns of the row that are inside a hit
};

} // namespace blobscope::ui
