#pragma once

#include "core/view/page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QHash>
#include <QWidget>

#include <optional>

namespace blobscope::ui {

/// Sizes of one group as bars to scale, each made of coloured parts, with their sums; a line shows the budget. What
/// exceeds it is red. Parts with the same name have the same colour in all charts that share `colors`.
class BarChart : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  /// Colours by part name.
  using Colors = QHash<QString, Role>;

  BarChart(const view::BarsPage::Group& group, Colors colors, QWidget* parent = nullptr);
  /// Budget in bytes; nullopt for none.
  void setBudget(std::optional<quint64> budget);
  /// Size of the longest bar.
  quint64 most() const { return m_largest; }
  /// Assigns colours to the parts of a page, in order of appearance.
  static Colors colorsOf(const view::BarsPage& page);
  QSize sizeHint() const override;
  int barCount() const override { return static_cast<int>(m_group.bars.size()); }
  QString barText(int bar) const override { return describe(m_group.bars[static_cast<std::size_t>(bar)]); }
  QRect barRect(int bar) const override;
  QSize minimumSizeHint() const override;

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  static QString describe(const view::BarsPage::Bar& bar);
  int rowAt(int y) const;

  view::BarsPage::Group m_group;
  Colors m_colors;
  quint64 m_largest = 0;
  std::optional<quint64> m_budget;
};

} // namespace blobscope::ui
