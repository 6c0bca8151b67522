#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QVector>
#include <QWidget>

#include <optional>

namespace blobscope::ui {

/// Measured times in the order of the runs: a point each, a line at the median, the middle half shaded. A reference is
/// a second line.
class SamplePlot : public QWidget {
  Q_OBJECT
public:
  /// A horizontal line with a band around it.
  struct Level {
    QString name;
    double median = 0, lower = 0, upper = 0;
  };

  explicit SamplePlot(QWidget* parent = nullptr);
  /// Times in microseconds; invalid ones are omitted. Without samples, only the empty text is shown.
  void setSamples(const QString& title, const QVector<double>& samples, const std::optional<Level>& level,
                  const std::optional<Level>& reference);
  void setEmptyText(const QString& text);
  const QVector<double>& samples() const { return m_samples; }
  /// Returns the lower and upper end of the axis.
  std::pair<double, double> range() const { return m_range; }
  QSize sizeHint() const override { return {360, 200}; }
  QSize minimumSizeHint() const override { return {200, 110}; }
  /// Formats a time: "0.5 µs", "12 ms".
  static QString timeText(double microseconds);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  /// Returns the rectangle of the plot.
  QRectF field() const;
  std::pair<double, double> computeRange() const;
  double yOf(double value) const;
  void paintAxes(QPainter& painter) const;
  void paintLevel(QPainter& painter, const Level& level, Role role, bool above) const;
  void paintSamples(QPainter& painter) const;
  void describe();

  QString m_title, m_empty;
  QVector<double> m_samples;
  std::optional<Level> m_level, m_reference;
  std::pair<double, double> m_range = computeRange(); // every sample is placed with it
};

} // namespace blobscope::ui
