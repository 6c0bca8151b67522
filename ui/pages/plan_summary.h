#pragma once

#include "core/view/plan_page.h"

#include <QWidget>

namespace blobscope::ui {

/// The parts of the memory at the peak: a bar with all of them, and a line for each with its bytes and share.
class PlanSummary : public QWidget {
  Q_OBJECT
public:
  explicit PlanSummary(QWidget* parent = nullptr);
  void setPlan(view::PlanPagePtr plan);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  view::PlanPagePtr m_plan;
};

} // namespace blobscope::ui
