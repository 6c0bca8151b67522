#include "ui/widgets/charts/fit_bars.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kFitTitle = 18, kFitBar = 26;

QString countOf(quint64 count) { return QLocale(QLocale::English).toString(count); }

} // namespace

FitBars::FitBars(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of releases
  installAccessibleBars();
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Libraries that fit, by release"));
}

void FitBars::setBars(std::vector<Bar> bars, quint64 total) {
  m_bars = std::move(bars);
  m_total = total;
  QStringList words;
  for (int bar = 0; bar < barCount(); ++bar) words << barText(bar);
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  updateGeometry();
  update();
}

QString FitBars::barText(int bar) const {
  const Bar& one = m_bars[static_cast<std::size_t>(bar)];
  return tr("%1: %2 of %3").arg(one.label, countOf(one.count), countOf(m_total));
}

QRect FitBars::barRect(int bar) const {
  const int count = std::max(barCount(), 1), left = bar * width() / count;
  return {left, kFitTitle, (bar + 1) * width() / count - left, height() - kFitTitle};
}

bool FitBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  for (int bar = 0; bar < barCount(); ++bar)
    if (barRect(bar).contains(help->pos())) {
      QToolTip::showText(help->globalPos(), plainTip(barText(bar)), this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

void FitBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  painter.setFont(textFont(TextRole::Chip));
  const QFontMetrics metrics = painter.fontMetrics();
  painter.setPen(look.color(Role::Secondary));
  painter.drawText(QRect(0, 0, width(), kFitTitle), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(accessibleName(), Qt::ElideRight, width()));
  for (int i = 0; i < barCount(); ++i) {
    const Bar& bar = m_bars[static_cast<std::size_t>(i)];
    const QRect box = barRect(i);
    const bool all = m_total > 0 && bar.count == m_total;
    const QRect track(box.left() + 1, kFitTitle, std::max(box.width() - 3, 2), kFitBar);
    painter.fillRect(track, look.color(Role::Header));
    if (m_total > 0 && bar.count > 0) {
      QRect fill = track;
      fill.setTop(track.bottom() + 1 -
                  std::max(2, static_cast<int>(static_cast<double>(kFitBar) * static_cast<double>(bar.count) /
                                               static_cast<double>(m_total))));
      painter.fillRect(fill, look.color(all ? Role::Ok : Role::Warning));
      const bool inside = fill.height() >= metrics.height();
      painter.setPen(look.color(inside ? Role::Base : Role::Text));
      if (metrics.horizontalAdvance(countOf(bar.count)) <= track.width())
        painter.drawText(inside ? fill : QRect(track.left(), track.top(), track.width(), fill.top() - track.top()),
                         Qt::AlignHCenter | (inside ? Qt::AlignTop : Qt::AlignBottom), countOf(bar.count));
    }
  }
  paintLabels(painter);
}

/// Where not all labels fit, those of bars of all libraries come first, then the newest.
void FitBars::paintLabels(QPainter& painter) const {
  const QFontMetrics metrics(textFont(TextRole::Chip));
  std::vector<QRect> taken;
  for (const bool wanted : {true, false})
    for (int i = barCount() - 1; i >= 0; --i) {
      const Bar& bar = m_bars[static_cast<std::size_t>(i)];
      const bool all = m_total > 0 && bar.count == m_total;
      if (all != wanted) continue;
      QFont font = textFont(TextRole::Chip);
      font.setBold(all);
      const int room = QFontMetrics(font).horizontalAdvance(bar.label) + 4;
      QRect place(barRect(i).center().x() - room / 2, kFitTitle + kFitBar + 1, room, metrics.height() + 2);
      place.moveLeft(std::clamp(place.left(), 0, std::max(width() - room, 0)));
      if (std::ranges::any_of(taken, [&](const QRect& other) { return other.intersects(place); })) continue;
      taken.push_back(place);
      painter.setFont(font);
      painter.setPen(theme().color(all ? Role::Ok : Role::Secondary));
      painter.drawText(place, Qt::AlignCenter, bar.label);
    }
}

} // namespace blobscope::ui
