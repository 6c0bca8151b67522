#pragma once

#include "core/graph/layering.h"
#include "core/graph/scene.h"
#include "ui/widgets/charts/bars_accessible.h"
#include "ui/widgets/graph/graph_painter.h"

#include <QPixmap>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// A graph of boxes and edges that is moved by dragging and by the wheel, and scaled by Ctrl and the wheel, + and −.
/// 0 is the size of the layout, Home shows everything. Arrows along the edges go to the next box that an edge leads to,
/// those across them along the layer. Enter opens the selected box, Backspace closes it.
class GraphView : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  static constexpr double kMinimumZoom = 0.005, kMaximumZoom = 4;

  explicit GraphView(QWidget* parent = nullptr);

  /// Shows a scene of the page. The node that is selected stays selected; the first scene is shown as a whole, or from
  /// its beginning if it would be too small.
  void setScene(std::shared_ptr<const view::GraphPage> page, std::shared_ptr<const graph::Scene> scene);
  const std::shared_ptr<const graph::Scene>& scene() const { return m_look.scene; }
  void setColouring(graph::Colouring colouring);
  graph::Colouring colouring() const { return m_colouring; }
  const graph::Colours& colours() const { return m_look.colours; }

  std::optional<uint32_t> current() const { return m_look.current; }
  /// Selects a box and makes it visible; nothing: none.
  void setCurrent(std::optional<uint32_t> box);
  /// Selects the box that shows a node of the page; returns false when none does.
  bool setCurrentNode(uint32_t node);
  /// Marks the boxes whose title or name contains the text, in any case; empty: none.
  void find(const QString& text);
  std::size_t foundCount() const;
  /// Selects the next or previous box that find() marked; returns false when there is none.
  bool goToFound(bool backwards);

  double zoom() const { return m_look.zoom; }
  void setZoom(double zoom, QPointF fixed);
  void showAll();
  void showCurrent();
  QRectF visiblePart() const;

  int barCount() const override;
  QString barText(int bar) const override;
  QString currentText() const override;
  QRect barRect(int bar) const override;
  QSize sizeHint() const override { return {700, 500}; }
  QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
  /// Another box is selected, or none.
  void currentChanged();
  void opened(uint32_t box);
  void closed(uint32_t box);
  void zoomChanged();
  void menuRequested(const QPoint& place);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  std::optional<uint32_t> boxAt(QPointF place) const;
  void move(QPointF by);
  void limitOrigin();
  void reveal(uint32_t box);
  void follow(bool along, bool forwards);
  QRectF mapPlace() const;
  QRectF legendPlace() const;
  void placeLegend();
  void goToMapPoint(QPointF place);
  void paintOverlays(QPainter& painter);

  GraphPainter m_painter;
  GraphLook m_look;
  std::shared_ptr<const view::GraphPage> m_page;
  graph::Colouring m_colouring = graph::Colouring::Operator;
  graph::Adjacency m_next, m_previous; ///< boxes
  std::vector<uint32_t> m_placeInOrder;
  bool m_wasShown = false, m_isFitted = false;
  std::optional<QPointF> m_pressed; ///< where the mouse button went down
  QPointF m_dragged;                ///< where the mouse was at the last move
  bool m_isDragging = false, m_isInMap = false;
  bool m_legendAtRight = false;
  QPixmap m_map;
};

} // namespace blobscope::ui
