#include "ui/widgets/charts/time_histogram.h"

#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/axis.h"
#include "ui/widgets/charts/sample_plot.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kNames = 56, kRight = 16, kFoot = 22, kGap = 18;

} // namespace

TimeHistogram::TimeHistogram(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of time
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(tr("Times of old and new"));
}

void TimeHistogram::setRows(const Row& above, const Row& below) {
  m_rows[0].row = above;
  m_rows[1].row = below;
  QVector<double> all;
  for (Drawn& drawn : m_rows) {
    drawn.row.times.removeIf([](double time) { return !std::isfinite(time) || time < 0; });
    all += drawn.row.times;
    drawn.bins.clear();
  }
  QStringList words;
  if (!all.isEmpty()) {
    std::sort(all.begin(), all.end());
    m_low = all.front();
    m_high = all[std::min(all.size() - 1, static_cast<qsizetype>(static_cast<double>(all.size()) * 0.99))];
    const double room = std::max({(m_high - m_low) * 0.04, m_high * 0.01, 1e-3});
    m_low = std::max(0.0, m_low - room);
    m_high += room;
    for (Drawn& drawn : m_rows) {
      drawn.bins.fill(0, kBins);
      for (const double time : drawn.row.times)
        ++drawn.bins[std::clamp(static_cast<int>((time - m_low) / (m_high - m_low) * kBins), 0, kBins - 1)];
      words << tr("%1: median %2, %n run(s)", nullptr, pluralCount(static_cast<std::uint64_t>(drawn.row.times.size())))
                   .arg(drawn.row.name, SamplePlot::timeText(drawn.row.median));
    }
  }
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  update();
}

QRectF TimeHistogram::field(bool below) const {
  const double height = std::max(6.0, (this->height() - kFoot - 2 * kGap) / 2.0);
  return {kNames, kGap + (below ? height + kGap : 0.0), std::max(40.0, width() - kNames - double{kRight}), height};
}

double TimeHistogram::xOf(double time) const {
  const QRectF place = field(false);
  return place.left() + std::clamp((time - m_low) / (m_high - m_low), 0.0, 1.0) * place.width();
}

void TimeHistogram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Base));
  if (m_rows[0].bins.isEmpty()) return;
  const QRectF place = field(false);
  painter.setFont(textFont(TextRole::Secondary));
  for (const double value : axisTicks(m_low, m_high, std::max(1, static_cast<int>(place.width() / 110)))) {
    const double x = xOf(value);
    painter.setPen(look.color(Role::Rule));
    painter.drawLine(QPointF(x, place.top()), QPointF(x, field(true).bottom()));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRectF(x - 60, field(true).bottom() + 3, 120, kFoot - 4), Qt::AlignHCenter | Qt::AlignTop,
                     SamplePlot::timeText(value));
  }
  for (const bool below : {false, true}) paintRow(painter, below);
}

void TimeHistogram::paintRow(QPainter& painter, bool below) const {
  const Theme& look = theme();
  const Drawn& drawn = m_rows[below ? 1 : 0];
  const QRectF place = field(below);
  painter.setPen(look.color(Role::Secondary));
  painter.setFont(textFont(TextRole::Secondary));
  painter.drawText(QRectF(0, place.bottom() - 18, kNames - 8, 18), Qt::AlignRight | Qt::AlignVCenter, drawn.row.name);
  painter.setPen(look.color(Role::Rule));
  painter.drawLine(place.bottomLeft(), place.bottomRight());
  const int most = std::max(1, *std::max_element(drawn.bins.begin(), drawn.bins.end()));
  const double width = place.width() / kBins;
  // The old ones are hollow, the new ones filled.
  painter.setPen(below ? QPen(Qt::NoPen) : QPen(look.color(Role::Secondary), 1));
  painter.setBrush(look.color(below ? Role::Accent : Role::Header));
  for (int i = 0; i < kBins; ++i) {
    if (drawn.bins[i] == 0) continue;
    const double height = std::max(2.0, place.height() * drawn.bins[i] / most);
    painter.drawRect(QRectF(place.left() + i * width + 1, place.bottom() - height, std::max(1.0, width - 2), height));
  }
  const double x = xOf(drawn.row.median);
  painter.setPen(QPen(look.color(Role::Text), 2));
  painter.drawLine(QPointF(x, place.top() - 4), QPointF(x, place.bottom()));
  QFont bold = textFont(TextRole::Secondary);
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  const QString text = SamplePlot::timeText(drawn.row.median);
  const double words = QFontMetricsF(bold).horizontalAdvance(text) + 2;
  // At the right of the line, where there is room.
  const double left = x + 6 + words <= width * kBins + place.left() ? x + 6 : x - 6 - words;
  painter.drawText(QRectF(left, place.top() - kGap + 1, words, kGap), Qt::AlignLeft | Qt::AlignVCenter, text);
}

} // namespace blobscope::ui
