#include "ui/widgets/graph/graph_painter.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

#include <QPainterPath>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr int kLegendLine = 21, kLegendSide = 12, kSwatch = 12;
constexpr double kArrow = 3.5;

QColor mixed(const QColor& color, double strength) {
  const QColor base = theme().color(Role::Base);
  const auto mix = [strength](int a, int b) { return static_cast<int>(b + (a - b) * strength); };
  QColor out = base;
  out.setRgb(mix(color.red(), base.red()), mix(color.green(), base.green()), mix(color.blue(), base.blue()));
  return out;
}

/// The fill of boxes in that colour.
QColor fillOf(const graph::LegendRow& row) {
  const double tint = theme().isDark() ? 0.24 : 0.14;
  return mixed(GraphPainter::colorOf(row), row.strength < 1 ? 0.08 + 0.6 * row.strength : tint);
}

QColor edgeColor(view::GraphPage::Mark mark) {
  using Mark = view::GraphPage::Mark;
  switch (mark) {
  case Mark::Added: return theme().color(Role::Added);
  case Mark::Removed: return theme().color(Role::Removed);
  case Mark::Changed: return theme().color(Role::Changed);
  case Mark::None: break;
  }
  return mixed(theme().color(Role::Faint), 0.65);
}

QRectF rectOf(const graph::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

QFont titleFont(bool bold) {
  QFont font = textFont(TextRole::Secondary);
  font.setWeight(bold ? QFont::Bold : QFont::DemiBold);
  return font;
}

} // namespace

QColor GraphPainter::colorOf(const graph::LegendRow& row) {
  constexpr std::array kRoles = {Role::KindHost,    Role::KindDevice, Role::KindData, Role::KindVm, Role::CodeRegister,
                                 Role::KindUnknown, Role::Added,      Role::Removed,  Role::Changed};
  return theme().color(kRoles[std::min<std::size_t>(row.hue, kRoles.size() - 1)]);
}

QRectF GraphLook::boxRect(std::size_t box) const {
  const QRectF rect = rectOf(scene->layout.boxes[box]);
  return {toWidget(rect.topLeft()), rect.size() * zoom};
}

void GraphPainter::setScene(const graph::Scene* scene) {
  m_edgeBounds.clear();
  if (!scene) return;
  m_edgeBounds.reserve(scene->picture.edges.size());
  for (std::size_t edge = 0; edge < scene->picture.edges.size(); ++edge) {
    const auto points = scene->layout.route(edge);
    QRectF bounds;
    if (!points.empty()) {
      double left = points[0].x, right = left, top = points[0].y, bottom = top;
      for (const graph::Point& point : points) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        top = std::min(top, point.y);
        bottom = std::max(bottom, point.y);
      }
      bounds = QRectF(left - 1, top - 1, right - left + 2, bottom - top + 2);
    }
    m_edgeBounds.push_back(bounds);
  }
}

void GraphPainter::paint(QPainter& painter, const GraphLook& look, const QSize& size) const {
  const QRectF visible(look.origin, QSizeF(size) / look.zoom);
  painter.save();
  painter.scale(look.zoom, look.zoom);
  painter.translate(-look.origin);
  painter.setRenderHint(QPainter::Antialiasing, look.zoom >= kLines);
  paintEdges(painter, look, visible);
  paintBoxes(painter, look, visible);
  painter.restore();
}

void GraphPainter::paintEdges(QPainter& painter, const GraphLook& look, const QRectF& visible) const {
  const graph::Scene& scene = *look.scene;
  const bool simple = look.zoom < kLines;
  std::array<QVector<QLineF>, 4> lines;
  std::vector<std::size_t> marked; // at the selection: on top of the others
  for (std::size_t i = 0; i < m_edgeBounds.size(); ++i) {
    if (!m_edgeBounds[i].intersects(visible)) continue;
    const graph::Picture::Edge& edge = scene.picture.edges[i];
    if (look.current && (edge.from == *look.current || edge.to == *look.current)) {
      marked.push_back(i);
      continue;
    }
    if (!simple) {
      paintEdge(painter, look, i);
      continue;
    }
    const auto points = scene.layout.route(i);
    for (std::size_t k = 1; k < points.size(); ++k)
      lines[static_cast<std::size_t>(edge.mark)] << QLineF(points[k - 1].x, points[k - 1].y, points[k].x, points[k].y);
  }
  for (std::size_t mark = 0; simple && mark < lines.size(); ++mark) {
    painter.setPen(QPen(edgeColor(static_cast<view::GraphPage::Mark>(mark)), 0));
    painter.drawLines(lines[mark]);
  }
  for (const std::size_t edge : marked) paintEdge(painter, look, edge);
}

void GraphPainter::paintEdge(QPainter& painter, const GraphLook& look, std::size_t index) const {
  const graph::Picture::Edge& edge = look.scene->picture.edges[index];
  const std::vector<graph::Point> curve = graph::curveOf(look.scene->layout.route(index), look.scene->sideways);
  if (curve.size() < 4) return;
  const auto at = [&curve](std::size_t i) { return QPointF(curve[i].x, curve[i].y); };
  QPainterPath path(at(0));
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) path.cubicTo(at(i), at(i + 1), at(i + 2));
  const bool in = look.current == edge.to, out = look.current == edge.from;
  QPen pen(in || out ? theme().color(Role::Accent) : edgeColor(edge.mark), in || out ? 1.8 : 1);
  if (out || (!in && edge.mark == view::GraphPage::Mark::Removed)) pen.setDashPattern({4, 2.5});
  if (edge.mark != view::GraphPage::Mark::None && !in && !out) pen.setWidthF(1.6);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  // The head points from the last control point to the end.
  const QPointF end = at(curve.size() - 1);
  const bool sideways = look.scene->sideways;
  const double direction =
      sideways ? (curve[curve.size() - 2].x > end.x() ? -1 : 1) : (curve[curve.size() - 2].y > end.y() ? -1 : 1);
  const auto corner = [&](double along, double across) {
    return sideways ? end + QPointF(-along * direction, across) : end + QPointF(across, -along * direction);
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(pen.color());
  painter.drawPolygon(QPolygonF({end, corner(2 * kArrow, kArrow), corner(2 * kArrow, -kArrow)}));
  if (edge.label.empty() || look.zoom < kLabels) return;
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(theme().color(Role::Secondary));
  painter.drawText(at(curve.size() / 2) + QPointF(4, -3), toQt(edge.label));
}

void GraphPainter::paintBoxes(QPainter& painter, const GraphLook& look, const QRectF& visible) const {
  const graph::Scene& scene = *look.scene;
  const QRectF area = visible.adjusted(-400, -4, 4, 4); // notes are beside their boxes
  if (look.zoom >= kLines) {
    for (std::size_t i = 0; i < scene.layout.boxes.size(); ++i)
      if (rectOf(scene.layout.boxes[i]).intersects(area)) paintBox(painter, look, i);
    return;
  }
  std::vector<QVector<QRectF>> byColor(look.colours.rows.size());
  QVector<QRectF> found;
  for (std::size_t i = 0; i < scene.layout.boxes.size(); ++i) {
    const QRectF rect = rectOf(scene.layout.boxes[i]);
    if (!rect.intersects(visible)) continue;
    byColor[look.colours.rowOf[i]] << rect;
    if (!look.found.empty() && look.found[i]) found << rect;
  }
  painter.setPen(Qt::NoPen);
  for (std::size_t row = 0; row < byColor.size(); ++row) {
    painter.setBrush(mixed(colorOf(look.colours.rows[row]), 0.3 + 0.4 * look.colours.rows[row].strength));
    painter.drawRects(byColor[row]);
  }
  painter.setBrush(theme().color(Role::FoundCurrent));
  painter.drawRects(found);
  if (!look.current) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().color(Role::Accent), 2.5 / look.zoom));
  painter.drawRect(rectOf(scene.layout.boxes[*look.current]));
}

void GraphPainter::paintBox(QPainter& painter, const GraphLook& look, std::size_t index) const {
  const graph::Picture::Box& box = look.scene->picture.boxes[index];
  const QRectF rect = rectOf(look.scene->layout.boxes[index]);
  const graph::LegendRow& row = look.colours.rows[look.colours.rowOf[index]];
  const QColor color = colorOf(row);
  const bool current = look.current == index;
  QColor fill = fillOf(row);
  if (current) fill = theme().color(look.focused ? Role::Selection : Role::InactiveSelection);
  if (!look.found.empty() && look.found[index]) fill = theme().color(current ? Role::FoundCurrent : Role::Found);
  QPen pen(current ? theme().color(Role::Accent) : mixed(color, 0.75), current ? 2 : 1);
  if (box.mark == view::GraphPage::Mark::Removed) pen.setStyle(Qt::DashLine);
  painter.setPen(pen);
  painter.setBrush(fill);
  if (box.blocks > 1)
    for (const double shift : {5.0, 2.5}) painter.drawRoundedRect(rect.translated(shift, shift), 3, 3);
  painter.drawRoundedRect(rect, 3, 3);
  painter.fillRect(QRectF(rect.left() + 3, rect.top() + 4, 2, rect.height() - 8), color);
  if (look.zoom < kLabels) return;
  painter.setFont(titleFont(current));
  painter.setPen(theme().color(Role::Text));
  const QRectF inner = rect.adjusted(9, 0, -5, 0);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, toQt(box.title));
  if (box.blocks > 1) painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, toQt(graph::timesText(box.blocks)));
  if (box.note.empty()) return;
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(theme().color(Role::Secondary));
  painter.drawText(QRectF(rect.right() + graph::kNoteGap + (box.blocks > 1 ? 4 : 0), rect.top(), 400, rect.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, toQt(box.note));
}

QTransform GraphPainter::mapTransform(const graph::Layout& layout, const QRectF& place) {
  const double scale =
      std::min((place.width() - 8) / std::max(layout.width, 1.0), (place.height() - 8) / std::max(layout.height, 1.0));
  const QPointF corner = place.center() - QPointF(layout.width, layout.height) * scale / 2;
  return QTransform(scale, 0, 0, scale, corner.x(), corner.y());
}

void GraphPainter::paintMap(QPainter& painter, const GraphLook& look, const QRectF& place) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(theme().color(Role::ControlBorder), 1));
  painter.setBrush(theme().color(Role::Base));
  painter.drawRect(place);
  painter.setClipRect(place);
  const graph::Layout& layout = look.scene->layout;
  const QTransform transform = mapTransform(layout, place);
  painter.setTransform(transform, true);
  painter.setPen(Qt::NoPen);
  std::vector<QVector<QRectF>> byColor(look.colours.rows.size());
  const double least = 1 / transform.m11(); // one pixel
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const graph::Rect& box = layout.boxes[i];
    byColor[look.colours.rowOf[i]] << QRectF(box.x, box.y, std::max(box.width, least), std::max(box.height, least));
  }
  for (std::size_t row = 0; row < byColor.size(); ++row) {
    painter.setBrush(mixed(colorOf(look.colours.rows[row]), 0.6));
    painter.drawRects(byColor[row]);
  }
  painter.restore();
}

QSize GraphPainter::legendSize(const graph::Colours& colours, const QString& title) {
  const QFontMetrics metrics(textFont(TextRole::Secondary));
  int width = metrics.horizontalAdvance(title) + 40;
  for (const graph::LegendRow& row : colours.rows)
    width = std::max(width, kSwatch + 8 + 24 + metrics.horizontalAdvance(coreText(row.name)) +
                                metrics.horizontalAdvance(toQt(groupedText(row.nodes))));
  return {width + 2 * kLegendSide, kLegendLine * static_cast<int>(colours.rows.size() + 1) + 12};
}

void GraphPainter::paintLegend(QPainter& painter, const graph::Colours& colours, const QString& title,
                               const QRectF& place) {
  QColor base = theme().color(Role::Raised);
  base.setAlphaF(0.93F);
  painter.setPen(QPen(theme().color(Role::ControlBorder), 1));
  painter.setBrush(base);
  painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  QRectF line(place.left() + kLegendSide, place.top() + 6, place.width() - 2 * kLegendSide, kLegendLine);
  painter.setFont(titleFont(false));
  painter.setPen(theme().color(Role::Text));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
  painter.setFont(textFont(TextRole::Secondary));
  for (const graph::LegendRow& row : colours.rows) {
    line.translate(0, kLegendLine);
    painter.setPen(QPen(colorOf(row), 1));
    painter.setBrush(fillOf(row));
    painter.drawRoundedRect(QRectF(line.left(), line.center().y() - kSwatch / 2.0, kSwatch, kSwatch), 3, 3);
    painter.setPen(theme().color(Role::Text));
    painter.drawText(line.adjusted(kSwatch + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, coreText(row.name));
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, toQt(groupedText(row.nodes)));
  }
}

} // namespace blobscope::ui
