#pragma once

#include "ui/widgets/charts/bars_accessible.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// The largest difference of each step of two runs on a logarithmic axis. Equal steps are in a row of their own below
/// it. Shape and colour tell whether a step is the same, within the tolerance, or differs. A step can be selected with
/// the mouse and with the arrow keys.
class DifferencePlot : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  enum class Kind { None, Same, Within, Differs };
  struct Point {
    Kind kind = Kind::None;
    double difference = 0; ///< 0 and less is drawn in the row of equal steps
    QString text;          ///< the point as a sentence
  };

  explicit DifferencePlot(QWidget* parent = nullptr);
  /// `first`: the first point that differs; from there on, the background is coloured. `firstText` is its label.
  /// `tolerance`: where a line is drawn, with its label; nullopt if there is no common one.
  void setPoints(std::vector<Point> points, std::optional<int> first, const QString& firstText,
                 std::optional<double> tolerance, const QString& toleranceText);
  const std::vector<Point>& points() const { return m_points; }
  /// -1 for none.
  void setCurrent(int point);
  int current() const { return m_current; }
  /// Returns the point nearest to this place; -1 without points.
  int pointAt(double x) const;

  int barCount() const override { return static_cast<int>(m_points.size()); }
  QString barText(int bar) const override { return m_points[static_cast<std::size_t>(bar)].text; }
  QString currentText() const override { return m_current < 0 ? QString() : barText(m_current); }
  QRect barRect(int bar) const override;
  QSize sizeHint() const override { return {600, 220}; }
  QSize minimumSizeHint() const override { return {260, 140}; }

Q_SIGNALS:
  /// The user selected a point.
  void chosen(int point);
  /// Double click or Enter.
  void activated(int point);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QRectF field() const;
  double xOf(int point) const;
  double yOf(const Point& point) const;
  double yOfPower(double power) const;
  void choose(int point);
  void paintHead(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  void paintFirst(QPainter& painter) const;
  void paintMark(QPainter& painter, QPointF at, Kind kind, double size) const;

  std::vector<Point> m_points;
  std::optional<int> m_first;
  QString m_firstText, m_toleranceText;
  std::optional<double> m_tolerance;
  int m_current = -1;
  int m_low = -9, m_high = 1; ///< powers of ten at the ends of the axis
};

} // namespace blobscope::ui
