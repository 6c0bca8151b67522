#pragma once

#include "core/view/plot.h"

#include <QWidget>

#include <optional>

class QBoxLayout;

namespace blobscope::ui {

class PlotView;
class Segments;
class ThemeLabel;

/// Below a table: a plot of all rows, and those of the selected row, one at a time.
class TablePlots : public QWidget {
  Q_OBJECT
public:
  explicit TablePlots(QWidget* parent = nullptr);
  /// The plots of all rows; the first one is shown.
  void setAll(const view::PlotPage& page);
  /// The plots of the selected row, and where it is in the first plot of all rows.
  void setRow(const view::PlotPage& page, std::optional<view::PlotPage::Point> point);
  /// Without plots, there is nothing to show.
  bool isEmpty() const { return !m_hasAll && m_row.plots.empty(); }
  PlotView& all() { return *m_all; }
  PlotView& row() { return *m_one; }
  Segments& choices() { return *m_choices; }

Q_SIGNALS:
  /// As PlotView::chosen().
  void chosen(const Ref& node, bool open);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void arrange();
  void showRowPlot();

  QBoxLayout* m_layout;
  PlotView *m_all, *m_one;
  QWidget* m_right;
  QWidget* m_rule;
  Segments* m_choices;
  ThemeLabel* m_empty;
  view::PlotPage m_row;
  bool m_hasAll = false;
};

} // namespace blobscope::ui
