#include "ui/widgets/text/text_metrics.h"

#include "ui/theme/content_text.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {

void TextMetrics::measure() {
  font = contentFont(TextRole::Code);
  glyphs.setFont(font);
  numberFont = font;
  const QFont small = contentFont(TextRole::Chip);
  if (small.pixelSize() > 0)
    numberFont.setPixelSize(small.pixelSize());
  else
    numberFont.setPointSizeF(small.pointSizeF());
  const QFontMetricsF metrics(font);
  // The mean width of many characters, as text is drawn; that of a single character may be rounded.
  cell = metrics.horizontalAdvance(QString(64, QLatin1Char('0'))) / 64;
  lineHeight = std::max(metrics::kTextLine, static_cast<int>(std::ceil(metrics.height())) + 2);
  baseline = static_cast<int>(std::round((lineHeight - metrics.height()) / 2 + metrics.ascent()));
}

int TextMetrics::gutter(quint64 lines, int minimum, int margins) const {
  const double digit = QFontMetricsF(numberFont).horizontalAdvance(QString(16, QLatin1Char('0'))) / 16;
  const auto digits = QString::number(lines).size();
  return std::max(minimum, static_cast<int>(std::ceil(static_cast<double>(digits) * digit)) + margins);
}

} // namespace blobscope::ui
