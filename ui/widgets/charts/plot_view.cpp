#include "ui/widgets/charts/plot_view.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>

namespace blobscope::ui {
namespace {

using view::PlotPage;

constexpr int kPlotLeft = 62, kPlotEdge = 14, kPlotTitle = 30, kPlotNote = 20, kPlotBottom = 42, kLineLabels = 44;
constexpr double kPointSize = 9, kLargestPoint = 22, kNear = 8;
constexpr double kBarTint = 0.30, kCurrentTint = 0.75;

QColor roleTint(Role role, double share) {
  QColor out = theme().color(role);
  out.setAlphaF(static_cast<float>(share));
  return out;
}

QString axisNumber(double number) {
  const QLocale numbers(QLocale::English);
  return std::trunc(number) == number && std::abs(number) < 1e15 ? numbers.toString(static_cast<qlonglong>(number))
                                                                 : numbers.toString(number, 'g', 4);
}

double onAxis(const PlotPage::Axis& axis, double value) {
  return axis.scale == PlotPage::Scale::Log2 ? std::log2(std::max(value, 1.0)) : value;
}

QString withUnit(const PlotPage::Axis& axis, double value) {
  return axis.unit.empty() ? axisNumber(value) : axisNumber(value) + QLatin1Char(' ') + toQt(axis.unit);
}

bool isBars(PlotPage::Draw draw) { return draw == PlotPage::Draw::Bars; }

} // namespace

PlotView::PlotView(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // axes of numbers
  installAccessibleBars();
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

Role PlotView::roleOf(std::size_t series) {
  constexpr Role kRoles[] = {Role::KindHost, Role::KindData, Role::KindDevice, Role::KindVm, Role::KindUnknown};
  return kRoles[series % std::size(kRoles)];
}

QPainterPath PlotView::shapeOf(std::size_t series, const QRectF& place) {
  QPainterPath path;
  const QPointF center = place.center();
  switch (series % 4) {
  case 0: path.addEllipse(place); break;
  case 1: path.addRect(place.adjusted(1, 1, -1, -1)); break;
  case 2:
    path.addPolygon(QPolygonF({{center.x(), place.top()}, place.bottomRight(), place.bottomLeft()}));
    path.closeSubpath();
    break;
  default:
    path.addPolygon(QPolygonF({{center.x(), place.top()},
                               {place.right(), center.y()},
                               {center.x(), place.bottom()},
                               {place.left(), center.y()}}));
    path.closeSubpath();
  }
  return path;
}

void PlotView::setPlot(Plot plot) {
  m_plot = std::move(plot);
  m_current = -1;
  m_x = rangeOf(true);
  m_y = rangeOf(false);
  setAccessibleName(plainLine(coreText(m_plot.title)));
  setAccessibleDescription(plainLine(toQt(m_plot.subject) + QLatin1Char(' ') + toQt(m_plot.note)));
  arrange();
  update();
}

void PlotView::setMarked(std::optional<Point> point) {
  m_marked = std::move(point);
  update();
}

PlotView::Range PlotView::rangeOf(bool horizontal) const {
  const PlotPage::Axis& axis = horizontal ? m_plot.x : m_plot.y;
  std::optional<double> low, high;
  const auto take = [&](double value) {
    low = low ? std::min(*low, value) : value;
    high = high ? std::max(*high, value) : value;
  };
  for (const PlotPage::Series& series : m_plot.series)
    for (const Point& point : series.points) take(onAxis(axis, horizontal ? point.x : point.y));
  for (const PlotPage::Line& line : m_plot.lines)
    if (line.vertical == horizontal) take(onAxis(axis, line.at));
  const bool open = !axis.to || (high && *high > onAxis(axis, *axis.to));
  if (axis.from) take(onAxis(axis, *axis.from));
  if (axis.to) take(onAxis(axis, *axis.to));
  Range out{low.value_or(0), high.value_or(1)};
  if (out.high <= out.low) out.high = out.low + 1;
  // Room above the highest point.
  if (open && !horizontal) out.high += (out.high - out.low) * 0.08;
  return out;
}

QRectF PlotView::field() const {
  const bool labels = std::ranges::any_of(
      m_plot.lines, [](const PlotPage::Line& line) { return !line.vertical && !line.label.empty(); });
  const double top = kPlotTitle + (m_plot.note.empty() ? 4 : kPlotNote), right = kPlotEdge + (labels ? kLineLabels : 6);
  return {kPlotLeft, top, std::max(40.0, width() - kPlotLeft - right), std::max(30.0, height() - top - kPlotBottom)};
}

double PlotView::xOf(double value) const {
  const QRectF place = field();
  return place.left() + (onAxis(m_plot.x, value) - m_x.low) / (m_x.high - m_x.low) * place.width();
}

double PlotView::yOf(double value) const {
  const QRectF place = field();
  return place.bottom() - (onAxis(m_plot.y, value) - m_y.low) / (m_y.high - m_y.low) * place.height();
}

QVector<double> PlotView::ticks(bool horizontal) const {
  const PlotPage::Axis& axis = horizontal ? m_plot.x : m_plot.y;
  const Range range = horizontal ? m_x : m_y;
  const double room = horizontal ? field().width() / 64 : field().height() / 26;
  const int most = std::max(1, static_cast<int>(room));
  QVector<double> out;
  if (axis.scale == PlotPage::Scale::Log2) {
    const double step = std::max(1.0, std::ceil((range.high - range.low) / most));
    for (double power = std::ceil(range.low); power <= range.high && out.size() < 64; power += step)
      out << std::exp2(power);
    return out;
  }
  if (axis.step <= 0) return axisTicks(range.low, range.high, most);
  double step = axis.step;
  while ((range.high - range.low) / step > most) step *= 2;
  for (double at = std::ceil(range.low / step) * step; at <= range.high && out.size() < 64; at += step) out << at;
  return out;
}

// --- what is drawn

void PlotView::arrange() {
  m_items.clear();
  QVector<double> bars;
  for (const PlotPage::Series& series : m_plot.series)
    if (isBars(series.draw))
      for (const Point& point : series.points) bars << xOf(point.x);
  std::sort(bars.begin(), bars.end());
  double width = 24;
  for (qsizetype i = 1; i < bars.size(); ++i)
    if (bars[i] - bars[i - 1] > 0.5) width = std::min(width, (bars[i] - bars[i - 1]) * 0.8);
  for (std::size_t series = 0; series < m_plot.series.size(); ++series)
    isBars(m_plot.series[series].draw) ? arrangeBars(series, std::max(width, 2.0)) : arrangePoints(series);
  std::stable_sort(m_items.begin(), m_items.end(), [](const Item& a, const Item& b) {
    return std::pair(a.place.center().x(), -a.place.bottom()) < std::pair(b.place.center().x(), -b.place.bottom());
  });
  m_current = std::min(m_current, barCount() - 1);
}

void PlotView::arrangePoints(std::size_t series) {
  const PlotPage::Series& shown = m_plot.series[series];
  // By cells of the size of a point, from the bottom, so that there are never more than fit into the picture.
  std::map<std::pair<int, int>, std::size_t> cells;
  std::vector<Item> items;
  for (std::size_t i = 0; i < shown.points.size(); ++i) {
    const Point& point = shown.points[i];
    const QPointF at(xOf(point.x), yOf(point.y));
    const std::pair cell(static_cast<int>(at.x() / 2), static_cast<int>(at.y() / kNear));
    const auto [found, added] = cells.emplace(cell, items.size());
    if (added) items.push_back({series, i, 0, 0, QRectF(at, at)});
    Item& item = items[found->second];
    item.count += point.count;
    ++item.points;
  }
  for (Item& item : items) {
    const double count = static_cast<double>(item.count);
    const double size = std::min(kPointSize * (1 + std::log2(std::max(count, 1.0)) / 4), kLargestPoint);
    item.place = QRectF(item.place.x() - size / 2, item.place.y() - size / 2, size, size);
    m_items.push_back(item);
  }
}

void PlotView::arrangeBars(std::size_t series, double width) {
  const PlotPage::Series& shown = m_plot.series[series];
  const double bottom = field().bottom();
  for (std::size_t i = 0; i < shown.points.size(); ++i) {
    const double x = xOf(shown.points[i].x), y = yOf(shown.points[i].y);
    m_items.push_back(
        {series, i, shown.points[i].count, 1, QRectF(x - width / 2, y, width, std::max(bottom - y, 1.0))});
  }
}

QString PlotView::barText(int number) const {
  const Item& item = m_items[static_cast<std::size_t>(number)];
  const PlotPage::Series& series = m_plot.series[item.series];
  const Point& point = series.points[item.point];
  QStringList words;
  if (item.points == 1 && !point.label.empty()) words << toQt(point.label);
  words << QStringLiteral("%1 %2").arg(withUnit(m_plot.x, point.x), coreText(m_plot.x.title))
        << QStringLiteral("%1 %2").arg(withUnit(m_plot.y, point.y), coreText(m_plot.y.title));
  if (item.points > 1) words << tr("and %n more place(s) near it", nullptr, pluralCount(item.points - 1));
  if (!series.name.empty())
    words << (m_plot.legend.empty() ? QString() : coreText(m_plot.legend) + QLatin1Char(' ')) + coreText(series.name);
  return plainLine(words.join(QStringLiteral(", ")));
}

int PlotView::itemAt(const QPointF& place) const {
  int found = -1;
  double best = 12;
  for (int i = 0; i < barCount(); ++i) {
    const Item& item = m_items[static_cast<std::size_t>(i)];
    if (isBars(m_plot.series[item.series].draw)) {
      // The whole column: low bars are hard to hit.
      if (std::abs(place.x() - item.place.center().x()) <= item.place.width() / 0.8 / 2 && field().contains(place))
        return i;
      continue;
    }
    const QPointF away = place - item.place.center();
    const double distance = std::hypot(away.x(), away.y());
    if (distance >= best) continue;
    best = distance;
    found = i;
  }
  return found;
}

void PlotView::choose(int item, bool open) {
  if (item < 0 || item >= barCount()) return;
  m_current = item;
  update();
  const Item& chosenItem = m_items[static_cast<std::size_t>(item)];
  const Point& point = m_plot.series[chosenItem.series].points[chosenItem.point];
  if (point.target) Q_EMIT chosen(*point.target, open);
}

bool PlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  if (const int item = itemAt(help->pos()); item >= 0)
    QToolTip::showText(help->globalPos(), plainTip(barText(item)), this);
  else if (help->pos().y() < kPlotTitle + kPlotNote && !m_plot.note.empty())
    QToolTip::showText(help->globalPos(), plainTip(toQt(m_plot.note)), this);
  else
    QToolTip::hideText();
  return true;
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(itemAt(event->position()), false);
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(itemAt(event->position()), true);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Down: choose(std::max(m_current - 1, 0), false); return;
  case Qt::Key_Right:
  case Qt::Key_Up: choose(std::min(m_current + 1, barCount() - 1), false); return;
  case Qt::Key_Home: choose(0, false); return;
  case Qt::Key_End: choose(barCount() - 1, false); return;
  case Qt::Key_Return:
  case Qt::Key_Enter: choose(m_current, true); return;
  default: QWidget::keyPressEvent(event);
  }
}

// --- painting

void PlotView::paintHead(QPainter& painter) const {
  const Theme& look = theme();
  painter.setFont(textFont(TextRole::Heading));
  painter.setPen(look.color(Role::Text));
  const QFontMetrics heading(painter.font());
  const int room = width() - 2 * 12;
  const QString title = heading.elidedText(plainLine(coreText(m_plot.title)), Qt::ElideRight, room);
  painter.drawText(QRect(12, 0, room, kPlotTitle), Qt::AlignLeft | Qt::AlignVCenter, title);
  const int after = 12 + heading.horizontalAdvance(title) + 20;
  int right = width() - 12;
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(look.color(Role::Secondary));
  const QFontMetrics small(painter.font());
  if (const int left = right - after; !m_plot.subject.empty() && left > 60) {
    const QString subject = small.elidedText(plainLine(toQt(m_plot.subject)), Qt::ElideMiddle, left);
    painter.drawText(QRect(after, 0, left, kPlotTitle), Qt::AlignRight | Qt::AlignVCenter, subject);
    right -= small.horizontalAdvance(subject) + 16;
  }
  if (!m_plot.note.empty())
    painter.drawText(QRect(12, kPlotTitle - 6, room, kPlotNote), Qt::AlignLeft | Qt::AlignVCenter,
                     small.elidedText(plainLine(toQt(m_plot.note)), Qt::ElideRight, room));
  paintLegend(painter, after, right);
}

void PlotView::paintLegend(QPainter& painter, int from, int to) const {
  if (m_plot.series.size() < 2) return;
  const QFontMetrics small(painter.font());
  int needed = m_plot.legend.empty() ? 0 : small.horizontalAdvance(coreText(m_plot.legend)) + 12;
  // Names without points are left out when there is not enough room, then the whole legend.
  int all = needed, used = needed;
  for (const PlotPage::Series& series : m_plot.series) {
    const int wide = small.horizontalAdvance(coreText(series.name)) + 34;
    all += wide;
    if (!series.points.empty()) used += wide;
  }
  const bool unused = all <= to - from;
  if (!unused && used > to - from) return;
  int at = to - (unused ? all : used);
  const auto write = [&](const QString& text) {
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(QRect(at, 0, small.horizontalAdvance(text) + 2, kPlotTitle), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
    at += small.horizontalAdvance(text);
  };
  if (!m_plot.legend.empty()) {
    write(plainLine(coreText(m_plot.legend)));
    at += 12;
  }
  for (std::size_t i = 0; i < m_plot.series.size(); ++i) {
    if (!unused && m_plot.series[i].points.empty()) continue;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(roleOf(i)), 1.2));
    painter.setBrush(roleTint(roleOf(i), 0.5));
    painter.drawPath(shapeOf(i, QRectF(at, kPlotTitle / 2.0 - 5, 10, 10)));
    painter.restore();
    at += 16;
    write(plainLine(coreText(m_plot.series[i].name)));
    at += 18;
  }
}

void PlotView::paintAxes(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  painter.setFont(textFont(TextRole::Secondary));
  for (const double tick : ticks(false)) {
    const double y = std::round(yOf(tick));
    painter.fillRect(QRectF(place.left(), y, place.width(), 1), look.color(Role::Rule));
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QRectF(16, y - 10, kPlotLeft - 24, 20), Qt::AlignRight | Qt::AlignVCenter,
                     m_plot.y.unit == "%" ? withUnit(m_plot.y, tick) : axisNumber(tick));
  }
  painter.fillRect(QRectF(place.left(), std::round(place.bottom()), place.width(), 1), look.color(Role::ControlBorder));
  painter.setPen(look.color(Role::Secondary));
  for (const double tick : ticks(true)) {
    const double x = std::round(xOf(tick));
    painter.fillRect(QRectF(x, place.bottom(), 1, 4), look.color(Role::ControlBorder));
    painter.drawText(QRectF(x - 40, place.bottom() + 5, 80, 16), Qt::AlignHCenter | Qt::AlignTop, axisNumber(tick));
  }
  const auto titleOf = [](const PlotPage::Axis& axis) {
    const QString title = plainLine(coreText(axis.title));
    return axis.unit.empty() || axis.unit == "%" ? title : QStringLiteral("%1 (%2)").arg(title, toQt(axis.unit));
  };
  painter.drawText(QRectF(place.left(), place.bottom() + 21, place.width(), 18), Qt::AlignHCenter | Qt::AlignTop,
                   titleOf(m_plot.x));
  painter.save();
  painter.translate(2, place.center().y());
  painter.rotate(-90);
  painter.drawText(
      QRectF(-place.height() / 2, 0, place.height(), 16), Qt::AlignCenter,
      painter.fontMetrics().elidedText(titleOf(m_plot.y), Qt::ElideRight, static_cast<int>(place.height())));
  painter.restore();
}

void PlotView::paintLines(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  painter.setFont(textFont(TextRole::Secondary));
  double lastLabel = -100;
  for (const PlotPage::Line& line : m_plot.lines) {
    if (line.strong && line.vertical) continue;
    painter.setPen(QPen(look.color(Role::Secondary), 1, Qt::DashLine));
    if (line.vertical) {
      const double x = std::round(xOf(line.at)) + 0.5;
      painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()));
      continue;
    }
    const double y = std::round(yOf(line.at)) + 0.5;
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setPen(look.color(Role::Secondary));
    const double text = std::abs(y - lastLabel) < 14 ? lastLabel + 14 : y;
    lastLabel = text;
    painter.drawText(QRectF(place.right() + 6, text - 10, kLineLabels, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     plainLine(toQt(line.label)));
  }
}

void PlotView::paintStrongLine(QPainter& painter, const PlotPage::Line& line) const {
  const QRectF place = field();
  const double x = xOf(line.at);
  QFont bold = textFont(TextRole::Secondary);
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(QPen(theme().color(Role::Accent), 1.5));
  const QFontMetrics metrics(bold);
  const QString label = plainLine(toQt(line.label));
  const bool right = place.right() - x >= std::min<double>(metrics.horizontalAdvance(label) + 8, x - place.left());
  const double room = right ? width() - 8 - x - 6 : x - 6 - place.left();
  // Above the bars around it, which the label must not cover.
  double top = place.bottom() - 30;
  const double from = right ? x - 4 : x - 6 - metrics.horizontalAdvance(label);
  const double to = right ? x + 6 + metrics.horizontalAdvance(label) : x + 4;
  for (const Item& item : m_items)
    if (item.place.right() >= from && item.place.left() <= to) top = std::min(top, item.place.top() - 26);
  top = std::max(top, place.top() - 2);
  painter.drawLine(QPointF(x, top), QPointF(x, place.bottom()));
  painter.drawText(QRectF(right ? x + 6 : place.left(), top - 4, room, 18),
                   (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                   metrics.elidedText(label, Qt::ElideRight, static_cast<int>(room)));
}

void PlotView::paintCurve(QPainter& painter, const PlotPage::Series& series, std::size_t number) const {
  const bool steps = series.draw != PlotPage::Draw::Lines;
  QPolygonF line;
  for (const Point& point : series.points) {
    const QPointF at(xOf(point.x), yOf(point.y));
    if (steps && !line.isEmpty()) line << QPointF(at.x(), line.last().y());
    line << at;
  }
  if (line.isEmpty()) return;
  if (steps) line << QPointF(field().right(), line.last().y());
  if (series.draw == PlotPage::Draw::Areas) {
    QPolygonF area = line;
    area << QPointF(line.last().x(), field().bottom()) << QPointF(line.first().x(), field().bottom());
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleTint(roleOf(number), kBarTint));
    painter.drawPolygon(area);
  }
  painter.setPen(QPen(theme().color(roleOf(number)), 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(line);
}

void PlotView::paintItems(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < m_plot.series.size(); ++i) {
    const PlotPage::Draw draw = m_plot.series[i].draw;
    if (draw != PlotPage::Draw::Points && !isBars(draw)) paintCurve(painter, m_plot.series[i], i);
  }
  const auto isMarkedBar = [&](const Item& item) {
    const double x = m_plot.series[item.series].points[item.point].x;
    return std::ranges::any_of(
        m_plot.lines, [&](const PlotPage::Line& line) { return line.strong && line.vertical && line.at == x; });
  };
  for (int i = 0; i < barCount(); ++i) {
    const Item& item = m_items[static_cast<std::size_t>(i)];
    const PlotPage::Draw draw = m_plot.series[item.series].draw;
    if (draw != PlotPage::Draw::Points && !isBars(draw)) continue;
    const bool strong = i == m_current || (isBars(draw) && isMarkedBar(item));
    const Role role = strong && isBars(draw) ? Role::Accent : roleOf(item.series);
    painter.setPen(QPen(theme().color(role), strong ? 1.6 : 1));
    painter.setBrush(roleTint(role, strong ? kCurrentTint : isBars(draw) ? kBarTint : 0.55));
    if (isBars(draw))
      painter.drawRect(item.place);
    else
      painter.drawPath(shapeOf(item.series, item.place));
    if (i == m_current && !isBars(draw)) {
      painter.setPen(QPen(theme().color(Role::Accent), 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(item.place.center(), item.place.width() / 2 + 4, item.place.width() / 2 + 4);
    }
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void PlotView::paintLabels(QPainter& painter) const {
  painter.setFont(textFont(TextRole::Chip));
  painter.setPen(theme().color(Role::Secondary));
  const QFontMetrics metrics(painter.font());
  std::vector<QRectF> taken;
  if (m_marked) taken.emplace_back(field().left(), yOf(m_marked->y) - 12, xOf(m_marked->x) - field().left() + 14, 24);
  for (const Item& item : m_items) {
    if (m_plot.series[item.series].draw != PlotPage::Draw::Points || item.count < 2) continue;
    const QString text = QStringLiteral("× %1").arg(toQt(groupedText(item.count)));
    const int wide = metrics.horizontalAdvance(text) + 2;
    const QRectF label(item.place.left() - wide - 4, item.place.center().y() - 8, wide, 16);
    if (label.left() < field().left() ||
        std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(label); }))
      continue;
    taken.push_back(label);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, text);
  }
}

void PlotView::paintMark(QPainter& painter, const Point& point) const {
  const QPointF at(xOf(point.x), yOf(point.y));
  const QRectF place = field();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().color(Role::Accent), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(at, 11, 11);
  QFont bold = textFont(TextRole::Secondary);
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(theme().color(Role::Text));
  const bool left = at.x() - place.left() > place.right() - at.x();
  const double room = left ? at.x() - 16 - place.left() : place.right() - at.x() - 16;
  const QFontMetrics metrics(bold);
  const QString label = metrics.elidedText(plainLine(toQt(point.label)), Qt::ElideMiddle, static_cast<int>(room));
  const int wide = metrics.horizontalAdvance(label) + 4;
  // What is behind the text stays visible, but does not disturb it.
  painter.fillRect(QRectF(left ? at.x() - 14 - wide : at.x() + 14, at.y() - 9, wide, 18), roleTint(Role::Base, 0.8));
  painter.drawText(QRectF(left ? place.left() : at.x() + 16, at.y() - 10, room, 20),
                   (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, label);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void PlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(Role::Base));
  paintHead(painter);
  paintAxes(painter);
  paintLines(painter);
  paintItems(painter);
  paintLabels(painter);
  for (const PlotPage::Line& line : m_plot.lines)
    if (line.strong && line.vertical) paintStrongLine(painter, line);
  if (m_marked) paintMark(painter, *m_marked);
  if (hasFocus()) {
    painter.setPen(QPen(theme().color(Role::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
}

} // namespace blobscope::ui
