#pragma once

#include "core/view/grid.h"
#include "ui/widgets/charts/bars_accessible.h"
#include "ui/widgets/grid/grid_colors.h"

#include <QImage>
#include <QPointF>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>

namespace blobscope::ui {

/// Two dimensions of an array as colours: a rectangle per value, or the mean where several share a pixel. Also an image
/// made from the array. The wheel zooms, dragging moves the picture, a click or the arrow keys choose a value. The
/// numbers come from setHeat() after regionNeeded(): the widget reads only the values under the mouse.
class HeatMapView : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  explicit HeatMapView(QWidget* parent = nullptr);

  /// Shows another array or slice, completely.
  void setSlice(std::shared_ptr<const view::GridSource> source, std::shared_ptr<const view::GridMap> map);
  void setTitles(const QString& rows, const QString& columns);
  void setColors(const GridColors& colors);
  /// Colours cells of several values by the one farthest from 0 instead of by their mean.
  void setShowsExtremes(bool extremes) { m_extremes = extremes; }
  void setHeat(std::shared_ptr<const view::HeatMap> heat);
  /// Shows an image of the whole slice instead of colours; null: colours again.
  void setImage(std::shared_ptr<const view::GridImage> image);
  /// The part that another view shows as numbers.
  void setFrame(const view::GridRegion& frame);
  void setCurrent(uint64_t row, uint64_t column);
  /// Positive steps zoom in.
  void zoom(int steps);
  void showAll();
  /// Pixels per value, relative to those that show the whole slice.
  double magnification() const;
  /// The values that are visible.
  view::GridRegion visible() const;
  bool showsImage() const { return m_image != nullptr; }
  /// Whether only some of the values of the picture were read, and how many.
  bool isSampled() const { return m_heat && m_heat->isSampled(); }
  uint64_t valuesRead() const { return m_heat ? m_heat->read : 0; }
  /// Where the picture is: to be restored in another view of the same slice.
  struct Place {
    double scaleX = 0, scaleY = 0, left = 0, top = 0;
  };
  Place place() const { return {m_scaleX, m_scaleY, m_left, m_top}; }
  void setPlace(const Place& place);

  int barCount() const override { return m_map && m_map->rows() > 0 && m_map->columns() > 0 ? 1 : 0; }
  QString barText(int) const override { return currentText(); }
  QString currentText() const override;
  QRect barRect(int bar) const override;
  QSize sizeHint() const override { return {420, 380}; }
  QSize minimumSizeHint() const override { return {200, 160}; }

Q_SIGNALS:
  /// The picture needs the values of a region in at most `rows` × `columns` cells.
  void regionNeeded(const view::GridRegion& region, quint32 rows, quint32 columns);
  void chosen(quint64 row, quint64 column);
  /// Double click or Enter.
  void activated();
  void zoomed();

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  double rows() const { return m_map ? static_cast<double>(m_map->rows()) : 0; }
  double columns() const { return m_map ? static_cast<double>(m_map->columns()) : 0; }
  /// Where the picture is drawn.
  QRectF field() const;
  double fitX() const;
  double fitY() const;
  void zoomAround(double factor, QPointF point);
  void clampPlace();
  void moved();
  void choose(uint64_t row, uint64_t column);
  std::optional<std::pair<uint64_t, uint64_t>> valueAt(QPointF point) const;
  QRectF rectOf(double row, double column, double rows, double columns) const;
  QString textOf(uint64_t row, uint64_t column) const;
  const QImage& picture();
  void paintCells(QPainter& painter);
  void paintMarks(QPainter& painter) const;
  void paintExtremes(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  void paintScale(QPainter& painter) const;

  std::shared_ptr<const view::GridSource> m_source;
  std::shared_ptr<const view::GridMap> m_map;
  std::shared_ptr<const view::HeatMap> m_heat;
  std::optional<std::size_t> m_least, m_greatest; ///< cells of m_heat with the extreme values; nothing: all are empty
  std::shared_ptr<const view::GridImage> m_image;
  QString m_rowTitle, m_columnTitle;
  GridColors m_colors;
  view::GridRegion m_frame;
  uint64_t m_row = 0, m_column = 0;
  double m_scaleX = 0, m_scaleY = 0; ///< pixels per value; at most those of the whole slice: show all
  double m_left = 0, m_top = 0;      ///< column and row at the left and upper edge
  QImage m_picture;                  ///< of m_heat in these colours; null: to be made
  bool m_pictureDark = false;
  std::optional<QPointF> m_drag;
  bool m_dragged = false, m_extremes = false;
  QTimer m_request;
};

} // namespace blobscope::ui
