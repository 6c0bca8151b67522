#pragma once

#include "core/view/page_id.h"
#include "core/view/plan_page.h"
#include "ui/pages/page_widget.h"

class QBoxLayout;
class QComboBox;
class QStackedWidget;

namespace blobscope::ui {

class MemoryChart;
class PlanSliders;
class PlanSummary;
class ScrollArea;
class Segments;
class TablePage;
class ThemeLabel;

/// The memory plan of a function of a model: the peak and its parts, sliders for the symbolic sizes, and the memory
/// over the instructions. Another function or size is planned in the background; until then the page stays as it is.
class MemoryPlanPage : public PageWidget {
  Q_OBJECT
public:
  MemoryPlanPage(view::PlanPagePtr plan, const PageContext& context, QWidget* parent);
  ~MemoryPlanPage() override;
  const view::PlanPagePtr& plan() const { return m_plan; }
  MemoryChart& chart() { return *m_chart; }
  PlanSliders& sliders() { return *m_sliders; }
  Segments& views() { return *m_views; }
  /// Plans another function, with the sizes that the user chose.
  void chooseFunction(const std::string& function);
  /// Plans with another value of a size.
  void chooseSize(const std::string& name, qint64 value);
  /// Shows the picture to scale, what changes, or the table.
  void showView(int index);
  bool hasPicture() const override { return true; }
  view::Page picture() const override { return {std::string(view::page_id::kMemoryPlan), m_plan}; }
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;

Q_SIGNALS:
  /// The plan for the last choice is shown, or why there is none.
  void planned();

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeBar();
  QWidget* makeContent();
  QWidget* makePeak(QWidget* parent);
  void setPlan(view::PlanPagePtr plan);
  void startPlan();
  void fillFunctions();
  void showSummary();
  void showStorage(int storage);
  void arrange();

  PageContext m_context;
  QString m_tag;
  view::PlanPagePtr m_plan;
  view::PlanPage::Choice m_choice;
  Segments *m_functions = nullptr, *m_views = nullptr;
  QComboBox* m_functionList = nullptr;
  QStackedWidget* m_stack = nullptr;
  TablePage* m_table = nullptr; ///< made when it is first shown
  ThemeLabel *m_error = nullptr, *m_peakTitle = nullptr, *m_peak = nullptr, *m_peakNote = nullptr, *m_summary = nullptr;
  ThemeLabel* m_notes = nullptr;
  QBoxLayout* m_head = nullptr;
  PlanSummary* m_parts = nullptr;
  ScrollArea* m_sliderArea = nullptr;
  PlanSliders* m_sliders = nullptr;
  MemoryChart* m_chart = nullptr;
};

} // namespace blobscope::ui
