#pragma once

#include "ui/widgets/glyph_batch.h"

#include <QFont>

namespace blobscope::ui {

/// Sizes of lines of code and of their numbers, in device-independent pixels.
struct TextMetrics {
  QFont font, numberFont;
  GlyphTable glyphs; ///< of `font`
  double cell = 1;   ///< width of a character
  int lineHeight = 18, baseline = 13;

  /// Takes the fonts of the theme.
  void measure();
  /// Width of the number of the last of `lines` lines, at least `least`, with `margins` beside it.
  int gutter(quint64 lines, int least, int margins) const;
};

} // namespace blobscope::ui
