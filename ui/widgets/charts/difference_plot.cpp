#include "ui/widgets/charts/difference_plot.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kPlotLabels = 58, kPlotRight = 16, kPlotHead = 28, kPlotFoot = 24, kSameRow = 26, kPage = 10;
constexpr int kLowestPower = -15, kHighestPower = 15;

/// "1e-3", "0.1", "10"
QString powerText(int power) {
  if (power >= -1 && power <= 3) return QLocale(QLocale::English).toString(std::pow(10, power), 'g', 6);
  return QStringLiteral("1e%1").arg(power);
}

} // namespace

DifferencePlot::DifferencePlot(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of steps
  installAccessibleBars();
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Largest difference of each node's output"));
}

void DifferencePlot::setPoints(std::vector<Point> points, std::optional<int> first, const QString& firstText,
                               std::optional<double> tolerance, const QString& toleranceText) {
  m_points = std::move(points);
  m_first = first;
  m_firstText = plainLine(firstText);
  m_tolerance = tolerance && *tolerance > 0 ? tolerance : std::nullopt;
  m_toleranceText = plainLine(toleranceText);
  m_current = -1;
  double low = m_tolerance.value_or(1e-6), high = m_tolerance.value_or(1e-6);
  for (const Point& point : m_points)
    if (point.difference > 0 && std::isfinite(point.difference)) {
      low = std::min(low, point.difference);
      high = std::max(high, point.difference);
    }
  m_low = std::clamp(static_cast<int>(std::floor(std::log10(low))) - 1, kLowestPower, kHighestPower - 1);
  m_high = std::clamp(static_cast<int>(std::ceil(std::log10(high))) + 1, m_low + 2, kHighestPower);
  setAccessibleDescription(plainLine(m_firstText));
  update();
}

void DifferencePlot::setCurrent(int point) {
  if (point == m_current || point >= barCount()) return;
  m_current = point;
  update();
}

QRectF DifferencePlot::field() const {
  return {kPlotLabels, kPlotHead, std::max(40.0, width() - kPlotLabels - double{kPlotRight}),
          std::max(40.0, height() - kPlotHead - kPlotFoot - double{kSameRow})};
}

double DifferencePlot::xOf(int point) const {
  const QRectF place = field();
  return barCount() <= 1 ? place.center().x() : place.left() + 6 + (place.width() - 12) * point / (barCount() - 1.0);
}

double DifferencePlot::yOfPower(double power) const {
  const QRectF place = field();
  return place.bottom() -
         (std::clamp(power, double(m_low), double(m_high)) - m_low) / (m_high - m_low) * place.height();
}

double DifferencePlot::yOf(const Point& point) const {
  if (point.kind == Kind::Differs && !(std::isfinite(point.difference) && point.difference > 0))
    return yOfPower(m_high);
  if (!(point.difference > 0)) return field().bottom() + kSameRow / 2.0 + 2;
  return yOfPower(std::log10(point.difference));
}

QRect DifferencePlot::barRect(int bar) const {
  const double at = xOf(bar);
  return {static_cast<int>(at) - 4, static_cast<int>(yOf(m_points[static_cast<std::size_t>(bar)])) - 4, 9, 9};
}

int DifferencePlot::pointAt(double x) const {
  if (m_points.empty()) return -1;
  const QRectF place = field();
  const double share = (x - place.left() - 6) / std::max(1.0, place.width() - 12);
  return std::clamp(static_cast<int>(std::lround(share * (barCount() - 1))), 0, barCount() - 1);
}

void DifferencePlot::choose(int point) {
  if (point < 0 || point >= barCount()) return;
  setCurrent(point);
  Q_EMIT chosen(point);
}

bool DifferencePlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  if (const int point = pointAt(help->pos().x()); point >= 0 && help->pos().y() > kPlotHead)
    QToolTip::showText(help->globalPos(), plainTip(barText(point)), this);
  else
    QToolTip::hideText();
  return true;
}

void DifferencePlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(pointAt(event->position().x()));
}

void DifferencePlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const int point = pointAt(event->position().x()); point >= 0) Q_EMIT activated(point);
}

void DifferencePlot::keyPressEvent(QKeyEvent* event) {
  const int last = barCount() - 1, at = std::max(m_current, 0);
  switch (event->key()) {
  case Qt::Key_Left: choose(std::max(at - 1, 0)); return;
  case Qt::Key_Right: choose(std::min(at + 1, last)); return;
  case Qt::Key_PageUp: choose(std::max(at - kPage, 0)); return;
  case Qt::Key_PageDown: choose(std::min(at + kPage, last)); return;
  case Qt::Key_Home: choose(0); return;
  case Qt::Key_End: choose(last); return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_current >= 0) Q_EMIT activated(m_current);
    return;
  default: QWidget::keyPressEvent(event);
  }
}

void DifferencePlot::paintHead(QPainter& painter) const {
  const Theme& look = theme();
  painter.setFont(textFont(TextRole::Heading));
  painter.setPen(look.color(Role::Text));
  const QFontMetrics heading(painter.font());
  const int room = width() - 24;
  const QString title = heading.elidedText(accessibleName(), Qt::ElideRight, room);
  painter.drawText(QRect(12, 0, room, kPlotHead), Qt::AlignLeft | Qt::AlignVCenter, title);
  int at = 12 + heading.horizontalAdvance(title) + 24;
  painter.setFont(textFont(TextRole::Secondary));
  const QFontMetrics small(painter.font());
  for (const auto& [kind, word] :
       {std::pair(Kind::Same, tr("same bits")), std::pair(Kind::Within, tr("within tolerance")),
        std::pair(Kind::Differs, tr("differs"))}) {
    const int wide = small.horizontalAdvance(word);
    if (at + 16 + wide > width() - 8) break;
    paintMark(painter, QPointF(at + 4, kPlotHead / 2.0), kind, 6);
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRect(at + 14, 0, wide + 2, kPlotHead), Qt::AlignLeft | Qt::AlignVCenter, word);
    at += wide + 34;
  }
}

void DifferencePlot::paintMark(QPainter& painter, QPointF at, Kind kind, double size) const {
  const Theme& look = theme();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  switch (kind) {
  case Kind::Same:
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(std::floor(at.x()), at.y() - size / 2 - 1, 1, size + 2), look.color(Role::Secondary));
    break;
  case Kind::Within:
    painter.setPen(QPen(look.color(Role::Secondary), 1.4));
    painter.setBrush(look.color(Role::Base));
    painter.drawEllipse(at, size / 2, size / 2);
    break;
  case Kind::Differs:
    painter.fillRect(QRectF(at.x() - size / 2, at.y() - size / 2, size, size), look.color(Role::Error));
    break;
  case Kind::None: break;
  }
  painter.restore();
}

void DifferencePlot::paintAxes(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  painter.setFont(textFont(TextRole::Secondary));
  const int powers = m_high - m_low, step = std::max(1, static_cast<int>(std::ceil(powers * 22.0 / place.height())));
  for (int power = m_low; power <= m_high; power += step) {
    const double y = yOfPower(power);
    painter.setPen(look.color(Role::Rule));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRectF(0, y - 10, kPlotLabels - 8, 20), Qt::AlignRight | Qt::AlignVCenter, powerText(power));
  }
  const double bottom = place.bottom() + kSameRow;
  painter.drawText(QRectF(0, bottom - kSameRow + 2, kPlotLabels - 8, kSameRow - 4), Qt::AlignRight | Qt::AlignVCenter,
                   tr("same"));
  painter.setPen(look.color(Role::Rule));
  painter.drawLine(QPointF(place.left(), bottom), QPointF(place.right(), bottom));
  if (m_points.empty()) return;
  // The number of the first difference has its place; ticks that would touch it are left out.
  const QFontMetrics metrics(painter.font());
  const auto label = [&](int number, bool strong) {
    const double x = xOf(number);
    QFont font = textFont(TextRole::Secondary);
    if (strong) font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(look.color(strong ? Role::Text : Role::Secondary));
    painter.drawText(QRectF(x - 40, bottom + 3, 80, kPlotFoot - 4), Qt::AlignHCenter | Qt::AlignTop,
                     QLocale(QLocale::English).toString(number));
  };
  if (m_first) label(*m_first, true);
  for (const double tick : axisTicks(0, barCount() - 1, std::max(1, static_cast<int>(place.width() / 90)))) {
    const int number = static_cast<int>(tick);
    if (number != tick ||
        (m_first && std::abs(xOf(number) - xOf(*m_first)) < metrics.horizontalAdvance(QStringLiteral("00,000"))))
      continue;
    label(number, false);
  }
}

void DifferencePlot::paintFirst(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  if (m_first) {
    const double x = xOf(*m_first);
    painter.fillRect(QRectF(x, place.top() - 2, place.right() - x, place.height() + kSameRow + 2),
                     look.color(Role::ErrorBackground));
  }
}

void DifferencePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Base));
  const QRectF place = field();
  paintFirst(painter);
  paintHead(painter);
  paintAxes(painter);
  if (m_tolerance) {
    const double y = yOfPower(std::log10(*m_tolerance));
    painter.setPen(QPen(look.color(Role::Secondary), 1, Qt::DashLine));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setFont(textFont(TextRole::Secondary));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRectF(place.left() + 6, y - 20, 200, 18), Qt::AlignLeft | Qt::AlignVCenter, m_toleranceText);
  }
  // Above several points per pixel, those of one column are drawn once per height.
  for (int i = 0; i < barCount(); ++i) {
    const Point& point = m_points[static_cast<std::size_t>(i)];
    paintMark(painter, QPointF(xOf(i), yOf(point)), point.kind, 6);
  }
  if (m_first) {
    const double x = xOf(*m_first);
    painter.setPen(QPen(look.color(Role::Error), 1.4));
    painter.drawLine(QPointF(x, place.top() - 2), QPointF(x, place.bottom() + kSameRow));
    QFont bold = textFont(TextRole::Secondary);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(look.color(Role::Text));
    const QFontMetrics metrics(bold);
    const int wide = metrics.horizontalAdvance(m_firstText) + 2;
    const bool right = x + 8 + wide <= place.right() || place.right() - x > x - place.left();
    const double room = right ? place.right() - x - 8 : x - 8 - place.left();
    const QString text = metrics.elidedText(m_firstText, Qt::ElideMiddle, static_cast<int>(room));
    painter.drawText(QRectF(right ? x + 8 : place.left(), place.top() - 2, room, 18),
                     (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text);
  }
  if (m_current >= 0) {
    const QPointF at(xOf(m_current), yOf(m_points[static_cast<std::size_t>(m_current)]));
    painter.setPen(QPen(look.color(Role::Accent), 1));
    if (m_current != m_first)
      painter.drawLine(QPointF(at.x(), place.top()), QPointF(at.x(), place.bottom() + kSameRow));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look.color(Role::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, 7, 7);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  if (hasFocus()) {
    painter.setPen(QPen(look.color(Role::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
}

} // namespace blobscope::ui
