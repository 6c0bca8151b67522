#pragma once

#include "ui/widgets/glyph_batch.h"

#include <QFont>

namespace blobscope::ui {

/// Sizes of code lines and of line numbers, in device-independent pixels.
struct TextMetrics {
  QFont font, numberFont;
  GlyphTable glyphs; ///< of `font`
  double cell = 1;   ///< width of a character
  int lineHeight = 18, baseline = 13;

  /// Uses the fonts of the pages.
  void measure();
  /// Returns the width of the line numbers for `lines` lines, at least `minimum`, plus `margins`.
  int gutter(quint64 lines, int minimum, int margins) const;
};

} // namespace blobscope::ui
