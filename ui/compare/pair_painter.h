#pragma once

#include "ui/compare/text_pair_view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/glyph_batch.h"
#include "ui/widgets/text/line_cells.h"

#include <QPainter>

#include <vector>

namespace blobscope::ui {

/// Paints the visible rows of a TextPairView.
class PairPainter {
public:
  static constexpr int kRuler = 14, kGutter = 42, kNumberMargins = 16, kRightGap = 8;

  PairPainter(TextPairView& view, QPainter& painter);
  void paint();

private:
  struct Range {
    uint64_t from, to; ///< range of bytes in the line
    Role role;
  };
  /// A line of one side as it is painted.
  struct Line {
    Side side = Side::A;
    uint64_t number = 0;
    const WrappedLine* wrapped = nullptr;
    const std::vector<diff::Range>* marks = nullptr; ///< words that differ
    diff::HunkKind kind = diff::HunkKind::Equal;
  };

  void paintRow(uint64_t row, int y);
  void paintFold(const PairLines::Row& row, QRect rect, bool current);
  void paintLine(const Line& line, QRect rect);
  void paintPiece(const Line& line, std::size_t piece, QRect rect, const std::vector<Range>& ranges);
  void paintRuler();
  void hatch(QRect rect);

  TextPairView& m_view;
  QPainter& m_painter;
  const Theme& m_theme;
  const uint64_t m_left; ///< first visible column
  GlyphBatch m_glyphs;
  std::vector<Cell> m_cells;
};

/// Hatches a rectangle where a side has no content.
void paintHatching(QPainter& painter, QRect rect);

} // namespace blobscope::ui
