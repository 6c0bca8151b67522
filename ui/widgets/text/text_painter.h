#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/glyph_batch.h"
#include "ui/widgets/text/text_view.h"

#include <QPainter>

#include <vector>

namespace blobscope::ui {

/// Paints the visible lines of a TextView.
class TextPainter {
public:
  TextPainter(TextView& view, QPainter& painter);
  void paint();

private:
  struct Range {
    uint64_t from, to; ///< range of bytes in the line
    Role role;
  };

  /// Sets m_state to the state of the lexer before a line, as far as it is known.
  void findState(uint64_t line);
  void paintRow(RowPlace place, int y);
  void paintFold(uint64_t line, int y);
  void paintJumps(uint64_t first, uint64_t last);
  /// Paints one arrow.
  void paintJump(const syntax::CodeJump& jump);
  /// Paints the first line of the function that contains the first visible line over that line.
  void paintSticky();
  void paintNumber(uint64_t line, int y);
  void paintDecorations(uint64_t line, int y);
  void paintCaret(std::string_view line, uint64_t offset, int y);
  /// Fills the background of the range; m_cells must contain it.
  /// With `plain`, its text is drawn in the colour of plain text.
  void fill(const Range& range, int y, bool plain = true);
  void drawText(std::string_view line, const std::vector<syntax::Token>& tokens, int y);
  double x(uint64_t column) const;

  TextView& m_view;
  QPainter& m_painter;
  const Theme& m_theme;
  uint64_t m_left; ///< first visible column of the row
  const bool m_focus;
  syntax::LineState m_state = syntax::LineState::Code;
  const std::vector<syntax::Token>* m_tokens = nullptr; ///< of the line
  std::vector<Cell> m_cells;                            ///< visible cells of the row
  std::vector<Range> m_plain; ///< ranges whose text is drawn in its plain colour: hits or selection
  GlyphBatch m_glyphs;        ///< of the line
};

} // namespace blobscope::ui
