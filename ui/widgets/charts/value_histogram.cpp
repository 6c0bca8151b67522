#include "ui/widgets/charts/value_histogram.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kHistogramSide = 12, kHistogramFoot = 20, kHistogramHead = 8;

QString endText(double value) { return QLocale(QLocale::English).toString(value, 'g', 4); }

} // namespace

ValueHistogram::ValueHistogram(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of values
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Histogram of the output"));
}

void ValueHistogram::setValues(Values values, Values other) {
  m_values = std::move(values);
  m_other = std::move(other);
  const QString range = isEmpty() ? QString() : tr("From %1 to %2").arg(endText(m_values.low), endText(m_values.high));
  setAccessibleDescription(plainLine(range));
  update();
}

void ValueHistogram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Window));
  if (isEmpty()) return;
  const bool both = !m_other.bins.isEmpty();
  const double low = both ? std::min(m_values.low, m_other.low) : m_values.low,
               high = both ? std::max(m_values.high, m_other.high) : m_values.high;
  const double range = high > low ? high - low : 1;
  const QRectF place(kHistogramSide, kHistogramHead, std::max(10, width() - 2 * kHistogramSide),
                     std::max(10, height() - kHistogramHead - kHistogramFoot));
  double most = 1;
  // Bins of another width have another height for the same number of values.
  const auto density = [&](const Values& values, double count) {
    const double wide = (values.high > values.low ? values.high - values.low : range) / values.bins.size();
    return count / wide;
  };
  for (const Values* const values : {&m_values, &m_other})
    for (const double count : values->bins) most = std::max(most, density(*values, count) * (range / 64));
  const auto xOf = [&](double value) { return place.left() + (value - low) / range * place.width(); };
  const auto heightOf = [&](const Values& values, double count) {
    return density(values, count) * (range / 64) / most * place.height();
  };
  const auto edge = [](const Values& values, qsizetype bin) {
    const double wide = values.high > values.low ? values.high - values.low : 1;
    return values.low + wide * static_cast<double>(bin) / static_cast<double>(values.bins.size());
  };
  for (qsizetype i = 0; i < m_values.bins.size(); ++i) {
    if (m_values.bins[i] <= 0) continue;
    const double from = xOf(edge(m_values, i)), to = xOf(edge(m_values, i + 1));
    const double tall = std::max(1.5, heightOf(m_values, m_values.bins[i]));
    painter.fillRect(QRectF(from, place.bottom() - tall, std::max(1.0, to - from - 0.6), tall),
                     look.color(both ? Role::AddedWord : Role::Accent));
  }
  if (both) {
    QPainterPath line;
    for (qsizetype i = 0; i < m_other.bins.size(); ++i) {
      const double y = place.bottom() - heightOf(m_other, m_other.bins[i]);
      const QPointF from(xOf(edge(m_other, i)), y), to(xOf(edge(m_other, i + 1)), y);
      i == 0 ? line.moveTo(from) : line.lineTo(from);
      line.lineTo(to);
    }
    painter.setPen(QPen(look.color(Role::Removed), 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
  }
  painter.setPen(look.color(Role::Rule));
  painter.drawLine(place.bottomLeft(), place.bottomRight());
  painter.setFont(textFont(TextRole::Chip));
  painter.setPen(look.color(Role::Secondary));
  const QRectF foot(place.left(), place.bottom() + 2, place.width(), kHistogramFoot - 2);
  painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, endText(low));
  painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, endText(high));
  if (both) painter.drawText(foot, Qt::AlignHCenter | Qt::AlignTop, tr("line: A · bars: B"));
}

} // namespace blobscope::ui
