#pragma once

#include "core/graph/scene.h"
#include "ui/theme/theme.h"

#include <QHash>
#include <QPainter>
#include <QRectF>
#include <QTransform>

#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// What GraphPainter draws, and where.
struct GraphLook {
  std::shared_ptr<const graph::Scene> scene;
  graph::Colours colours;
  QPointF origin;                  ///< point of the scene at the top left corner of the widget
  double zoom = 1;                 ///< pixels per unit of the scene
  std::optional<uint32_t> current; ///< selected box
  std::vector<bool> found;         ///< one per box, or empty: those that a search found
  bool focused = false;            ///< the widget has the keyboard focus

  QPointF toWidget(QPointF point) const { return (point - origin) * zoom; }
  QPointF toScene(QPointF point) const { return point / zoom + origin; }
  QRectF boxRect(std::size_t box) const;
};

/// Draws a graph. What is not visible costs a comparison per box and edge; below kLabels texts are left out, below
/// kLines curves and smooth edges too, so that every frame takes a few milliseconds.
class GraphPainter {
public:
  static constexpr double kLabels = 0.6, kLines = 0.3;

  /// Prepares for a scene: the bounds of its edges.
  void setScene(const graph::Scene* scene);
  void paint(QPainter& painter, const GraphLook& look, const QSize& size) const;
  /// Draws all boxes, small, in `place`.
  static void paintMap(QPainter& painter, const GraphLook& look, const QRectF& place);
  /// Where paintMap() draws a point of the scene.
  static QTransform mapTransform(const graph::Layout& layout, const QRectF& place);
  static void paintLegend(QPainter& painter, const graph::Colours& colours, const QString& title, const QRectF& place);
  static QSize legendSize(const graph::Colours& colours, const QString& title);
  static QColor colorOf(const graph::LegendRow& row);

private:
  void paintEdges(QPainter& painter, const GraphLook& look, const QRectF& visible) const;
  void paintEdge(QPainter& painter, const GraphLook& look, std::size_t edge) const;
  void paintBoxes(QPainter& painter, const GraphLook& look, const QRectF& visible) const;
  void paintBox(QPainter& painter, const GraphLook& look, std::size_t box) const;

  std::vector<QRectF> m_edgeBounds;
};

} // namespace blobscope::ui
