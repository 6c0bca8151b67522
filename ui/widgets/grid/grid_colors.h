#pragma once

#include "core/view/color_scale.h"
#include "ui/theme/theme.h"

#include <QRgb>

namespace blobscope::ui {

/// The colours of numbers between two limits, in the current theme.
struct GridColors {
  bool isSigned = false; ///< the colours diverge from the middle
  double low = 0, high = 1;

  QRgb of(double value) const { return at((value / 2 - low / 2) / (high / 2 - low / 2)); }
  /// `part`: 0 at the lower limit, 1 at the upper one.
  QRgb at(double part) const {
    using view::ColorScale;
    const ColorScale scale = !isSigned          ? ColorScale::Plain
                             : theme().isDark() ? ColorScale::SignedDark
                                                : ColorScale::Signed;
    return QRgb{0xff000000} | view::scaleColor(scale, part);
  }
};

} // namespace blobscope::ui
