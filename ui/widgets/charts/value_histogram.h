#pragma once

#include <QString>
#include <QVector>
#include <QWidget>

namespace blobscope::ui {

/// The values of a tensor as bars of equal width, and those of another one as a line on the same axes.
class ValueHistogram : public QWidget {
  Q_OBJECT
public:
  struct Values {
    double low = 0, high = 0; ///< of the first and the last bin
    QVector<double> bins;     ///< number of values in each; empty for none
  };

  explicit ValueHistogram(QWidget* parent = nullptr);
  /// `other` may be empty.
  void setValues(Values values, Values other);
  bool isEmpty() const { return m_values.bins.isEmpty(); }
  QSize sizeHint() const override { return {240, 96}; }
  QSize minimumSizeHint() const override { return {120, 80}; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  Values m_values, m_other;
};

} // namespace blobscope::ui
