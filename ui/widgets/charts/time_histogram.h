#pragma once

#include <QRectF>
#include <QVector>
#include <QWidget>

namespace blobscope::ui {

/// Two sets of measured times as histograms above each other on one axis, each with a line at its median.
class TimeHistogram : public QWidget {
  Q_OBJECT
public:
  /// One of the rows.
  struct Row {
    QString name;
    QVector<double> times; ///< in microseconds
    double median = 0;
  };
  static constexpr int kBins = 60;

  explicit TimeHistogram(QWidget* parent = nullptr);
  /// Times that are not finite or below 0 are omitted. The axis ends at the 99th percentile of all times, so that a few
  /// slow runs do not hide the rest; those are counted in the last bin.
  void setRows(const Row& above, const Row& below);
  /// Number of times per bin; empty without times.
  const QVector<int>& bins(bool below) const { return m_rows[below ? 1 : 0].bins; }
  std::pair<double, double> range() const { return {m_low, m_high}; }
  QSize sizeHint() const override { return {480, 150}; }
  QSize minimumSizeHint() const override { return {240, 120}; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  struct Drawn {
    Row row;
    QVector<int> bins;
  };
  /// The rectangle of a row.
  QRectF field(bool below) const;
  double xOf(double time) const;
  void paintRow(QPainter& painter, bool below) const;

  Drawn m_rows[2];
  double m_low = 0, m_high = 1;
};

} // namespace blobscope::ui
