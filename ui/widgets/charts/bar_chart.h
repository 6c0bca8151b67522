#pragma once

#include "core/view/page.h"
#include "ui/theme/theme.h"

#include <QHash>
#include <QWidget>

#include <optional>

namespace blobscope::ui {

/// Amounts of one group as bars to one scale, each of coloured parts, with their sums; a line shows the budget. What
/// does not fit in it is red. Parts of one name have one colour in all charts that share `colors`.
class BarChart : public QWidget {
  Q_OBJECT
public:
  /// Colours by the name of a part.
  using Colors = QHash<QString, Role>;

  BarChart(const view::BarsPage::Group& group, Colors colors, QWidget* parent = nullptr);
  /// Bytes; nothing for no budget.
  void setBudget(std::optional<quint64> budget);
  /// The longest bar.
  quint64 most() const { return m_most; }
  /// Colours for the parts of a page, in the order in which they are met.
  static Colors colorsOf(const view::BarsPage& page);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  static QString describe(const view::BarsPage::Bar& bar);
  int rowAt(int y) const;

  view::BarsPage::Group m_group;
  Colors m_colors;
  quint64 m_most = 0;
  std::optional<quint64> m_budget;
};

} // namespace blobscope::ui
