#include "ui/widgets/charts/sample_plot.h"

#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/axis.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kAxisWidth = 64, kLevels = 88, kTitle = 26, kFoot = 22;
constexpr qsizetype kDrawn = 5'000; ///< more points could not be told apart

} // namespace

SamplePlot::SamplePlot(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of time
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Measured times"));
}

void SamplePlot::setSamples(const QString& title, const QVector<double>& samples, const std::optional<Level>& level,
                            const std::optional<Level>& reference) {
  m_title = title;
  m_samples.clear();
  for (const double sample : samples)
    if (std::isfinite(sample) && sample >= 0) m_samples << sample;
  m_level = level;
  m_reference = reference;
  m_range = computeRange();
  describe();
  update();
}

void SamplePlot::setEmptyText(const QString& text) {
  m_empty = text;
  describe();
  update();
}

void SamplePlot::describe() {
  if (m_samples.isEmpty()) {
    setAccessibleDescription(plainLines(m_empty));
    return;
  }
  QStringList words = {m_title, tr("%n run(s)", nullptr, pluralCount(static_cast<std::uint64_t>(m_samples.size())))};
  for (const auto& level : {m_level, m_reference})
    if (level) words << tr("%1 median %2").arg(level->name, timeText(level->median));
  setAccessibleDescription(plainLines(words.join(QStringLiteral(", "))));
}

QString SamplePlot::timeText(double microseconds) {
  const QLocale numbers(QLocale::English);
  const auto text = [&](double value, const QString& unit) {
    return QStringLiteral("%1 %2").arg(numbers.toString(value, 'g', std::abs(value) >= 100 ? 4 : 3), unit);
  };
  if (microseconds >= 1e6) return text(microseconds / 1e6, QStringLiteral("s"));
  if (microseconds >= 1e4) return text(microseconds / 1e3, QStringLiteral("ms"));
  return text(microseconds, QStringLiteral("µs"));
}

std::pair<double, double> SamplePlot::computeRange() const {
  double low = 0, high = 1;
  bool any = false;
  const auto take = [&](double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  };
  for (const double sample : m_samples) take(sample);
  for (const auto& level : {m_level, m_reference})
    if (level) take(level->median);
  // If all values are equal, the range still needs some height for the axis.
  const double room = std::max({(high - low) * 0.08, high * 0.02, 1e-3});
  return {std::max(0.0, low - room), high + room};
}

QRectF SamplePlot::field() const {
  return QRectF(kAxisWidth, kTitle + 4, std::max(20, width() - kAxisWidth - kLevels),
                std::max(20, height() - kTitle - kFoot - 8));
}

bool SamplePlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const QRectF place = field();
  if (m_samples.isEmpty() || !place.contains(help->pos())) {
    QToolTip::hideText();
    return true;
  }
  const double share = (help->pos().x() - place.left()) / place.width();
  const auto run =
      std::clamp<qsizetype>(std::lround(share * static_cast<double>(m_samples.size() - 1)), 0, m_samples.size() - 1);
  QToolTip::showText(
      help->globalPos(),
      plainTip(tr("Run %1: %2")
                   .arg(QLocale(QLocale::English).toString(static_cast<qlonglong>(run + 1)), timeText(m_samples[run]))),
      this);
  return true;
}

void SamplePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Base));
  if (m_samples.isEmpty()) {
    painter.setFont(textFont(TextRole::Body));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    return;
  }
  painter.setFont(textFont(TextRole::Heading));
  painter.setPen(look.color(Role::Text));
  const QRect head(12, 0, width() - 24, kTitle);
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(m_title, Qt::ElideMiddle, head.width()));
  paintAxes(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool referenceAbove = m_reference && m_level && m_reference->median >= m_level->median;
  if (m_reference) paintLevel(painter, *m_reference, Role::Secondary, referenceAbove);
  if (m_level) paintLevel(painter, *m_level, Role::Accent, m_reference && !referenceAbove);
  paintSamples(painter);
}

double SamplePlot::yOf(double value) const {
  const QRectF place = field();
  const auto [low, high] = range();
  return place.bottom() - (value - low) / (high - low) * place.height();
}

void SamplePlot::paintAxes(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  const auto [low, high] = range();
  painter.setFont(textFont(TextRole::Secondary));
  for (const double value : axisTicks(low, high, std::max(1, static_cast<int>(place.height() / 34)))) {
    const double y = yOf(value);
    painter.setPen(look.color(Role::Rule));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRectF(0, y - 10, kAxisWidth - 8, 20), Qt::AlignRight | Qt::AlignVCenter, timeText(value));
  }
  painter.setPen(look.color(Role::Secondary));
  const QRectF foot(place.left(), place.bottom() + 4, place.width(), kFoot);
  painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, QStringLiteral("1"));
  if (m_samples.size() > 1)
    painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, QLocale(QLocale::English).toString(m_samples.size()));
  if (foot.width() > 140) painter.drawText(foot, Qt::AlignHCenter | Qt::AlignTop, tr("run"));
}

void SamplePlot::paintLevel(QPainter& painter, const Level& level, Role role, bool above) const {
  const Theme& look = theme();
  const QRectF place = field();
  const auto [low, high] = range();
  const QFont small = textFont(TextRole::Secondary);
  QColor band = look.color(role);
  band.setAlphaF(0.14F);
  const double top = yOf(std::min(level.upper, high)), bottom = yOf(std::max(level.lower, low));
  if (bottom > top) painter.fillRect(QRectF(place.left(), top, place.width(), bottom - top), band);
  const double y = yOf(level.median);
  painter.setPen(QPen(look.color(role), 1.5));
  painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
  // Two lines of text, above or below the level line, so that the texts of close levels do not overlap.
  const double text = std::clamp(above ? y - 34 : y - 2, 0.0, std::max(0.0, height() - 36.0));
  const QRectF words(place.right() + 8, text, kLevels - 10, 18);
  painter.setPen(look.color(Role::Secondary));
  painter.setFont(small);
  painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(small).elidedText(level.name, Qt::ElideRight, static_cast<int>(words.width())));
  QFont bold = small;
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(look.color(Role::Text));
  painter.drawText(words.translated(0, 16), Qt::AlignLeft | Qt::AlignVCenter, timeText(level.median));
}

void SamplePlot::paintSamples(QPainter& painter) const {
  const QRectF place = field();
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().color(Role::Accent));
  const qsizetype stride = std::max<qsizetype>(1, m_samples.size() / kDrawn);
  for (qsizetype i = 0; i < m_samples.size(); i += stride) {
    const double x = m_samples.size() == 1 ? place.center().x()
                                           : place.left() + place.width() * static_cast<double>(i) /
                                                                static_cast<double>(m_samples.size() - 1);
    painter.drawRect(QRectF(x - 2, yOf(m_samples[i]) - 2, 4, 4));
  }
}

} // namespace blobscope::ui
