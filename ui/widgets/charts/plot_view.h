#pragma once

#include "core/view/plot.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QPainterPath>
#include <QWidget>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// One plot of a view::PlotPage: axes, the legend, points or bars, reference lines. Colour and shape both tell the
/// series. Points at almost the same place are drawn as one, whose area grows with their number. A point can be
/// selected with the mouse and the arrow keys.
class PlotView : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  using Plot = view::PlotPage::Plot;
  using Point = view::PlotPage::Point;

  explicit PlotView(QWidget* parent = nullptr);
  void setPlot(Plot plot);
  const Plot& plot() const { return m_plot; }
  /// Marks a place and writes its label beside it; nullopt removes the mark.
  void setMarked(std::optional<Point> point);
  /// The colour of the series with this number.
  static Role roleOf(std::size_t series);

  int barCount() const override { return static_cast<int>(m_items.size()); }
  QString barText(int item) const override;
  QString currentText() const override { return m_current < 0 ? QString() : barText(m_current); }
  QRect barRect(int item) const override { return m_items[static_cast<std::size_t>(item)].place.toAlignedRect(); }
  int current() const { return m_current; }
  QSize sizeHint() const override { return {480, 260}; }
  QSize minimumSizeHint() const override { return {220, 170}; }

Q_SIGNALS:
  /// The user selected a point that represents a node; `open`: by double click or Enter.
  void chosen(const Ref& node, bool open);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  /// What is drawn for one point or several.
  struct Item {
    std::size_t series = 0, point = 0; ///< of the first one
    quint64 count = 0;                 ///< things that it represents
    std::size_t points = 1;
    QRectF place;
  };
  struct Range {
    double low = 0, high = 1;
  };
  Range rangeOf(bool horizontal) const;
  QRectF field() const;
  double xOf(double value) const;
  double yOf(double value) const;
  QVector<double> ticks(bool horizontal) const;
  void arrange();
  void arrangePoints(std::size_t series);
  void arrangeBars(std::size_t series, double width);
  int itemAt(const QPointF& place) const;
  void choose(int item, bool open);
  void paintHead(QPainter& painter) const;
  void paintLegend(QPainter& painter, int from, int to) const;
  void paintAxes(QPainter& painter) const;
  void paintLines(QPainter& painter) const;
  void paintStrongLine(QPainter& painter, const view::PlotPage::Line& line) const;
  void paintCurve(QPainter& painter, const view::PlotPage::Series& series, std::size_t number) const;
  void paintItems(QPainter& painter) const;
  void paintLabels(QPainter& painter) const;
  void paintMark(QPainter& painter, const Point& point) const;
  static QPainterPath shapeOf(std::size_t series, const QRectF& place);

  Plot m_plot;
  std::vector<Item> m_items;
  Range m_x, m_y; ///< of the axes; powers of two on logarithmic ones
  std::optional<Point> m_marked;
  int m_current = -1;
};

} // namespace blobscope::ui
