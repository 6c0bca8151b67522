#pragma once

#include "ui/widgets/charts/bars_accessible.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// For each release, how many libraries fit: a bar with the number in it, and the label below. A bar of all libraries
/// has another colour.
class FitBars : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  struct Bar {
    QString label;
    quint64 count = 0;
  };

  explicit FitBars(QWidget* parent = nullptr);
  void setBars(std::vector<Bar> bars, quint64 total);
  int barCount() const override { return static_cast<int>(m_bars.size()); }
  QString barText(int bar) const override;
  QRect barRect(int bar) const override;
  QSize sizeHint() const override { return {static_cast<int>(m_bars.size()) * 36, 62}; }
  QSize minimumSizeHint() const override { return {static_cast<int>(m_bars.size()) * 12, 62}; }

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  void paintLabels(QPainter& painter) const;

  std::vector<Bar> m_bars;
  quint64 m_total = 0;
};

} // namespace blobscope::ui
