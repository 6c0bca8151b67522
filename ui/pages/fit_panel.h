#pragma once

#include "core/view/memory_fit.h"
#include "ui/widgets/charts/bar_chart.h"
#include "ui/widgets/scroll_area.h"

class QBoxLayout;

namespace blobscope::ui {

/// Whether something fits: the answer, and for each memory a bar with a line at its limit. Side by side if there is
/// room, else below each other.
class FitPanel : public ScrollArea {
  Q_OBJECT
public:
  explicit FitPanel(QWidget* parent = nullptr);
  void showFit(const view::MemoryFit& fit);
  QSize sizeHint() const override;

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeGroup(const view::MemoryFit::Group& group, const view::BarsPage::Group& bars,
                     const BarChart::Colors& colors, QWidget* parent) const;
  void arrange();

  QBoxLayout* m_groups = nullptr;
};

} // namespace blobscope::ui
