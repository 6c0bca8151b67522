#include "ui/pages/page_factory.h"

#include "ui/pages/bars_page.h"
#include "ui/pages/calls_page.h"
#include "ui/pages/checklist_page.h"
#include "ui/pages/facts_page.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/graph_page.h"
#include "ui/pages/grid_page.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/memory_plan_page.h"
#include "ui/pages/plot_page.h"
#include "ui/pages/report_page.h"
#include "ui/pages/size_page.h"
#include "ui/pages/table_page.h"
#include "ui/pages/text_page.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"

#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

class NoticePage : public PageWidget {
public:
  NoticePage(const view::NoticePage& page, QWidget* parent) : PageWidget(parent) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    auto* const label = new PlainLabel(isCoreWord(page.text) ? coreText(page.text) : linesToQt(page.text), this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(label);
    layout->addStretch();
  }
};

} // namespace

PageWidget* createPage(const view::Page& page, const PageContext& context, QWidget* parent) {
  if (const auto* fields = std::get_if<view::FieldsPage>(&page.content))
    return new FieldsPage(*fields, context, parent);
  if (const auto* table = std::get_if<view::TablePage>(&page.content)) {
    if (table->facts) return new FactsPage(*table, context, parent);
    return new TablePage(*table, context, parent);
  }
  if (const auto* text = std::get_if<view::TextPage>(&page.content)) return new TextPage(*text, context, parent);
  if (const auto* hex = std::get_if<view::HexPage>(&page.content)) return new HexPage(*hex, context, parent);
  if (const auto* bars = std::get_if<view::BarsPage>(&page.content)) return new BarsPage(*bars, context, parent);
  if (std::holds_alternative<view::ChecklistPage>(page.content)) return new ChecklistPage(page, context, parent);
  if (const auto* graph = std::get_if<view::GraphPage>(&page.content)) return new GraphPage(*graph, context, parent);
  if (std::holds_alternative<view::ReportPagePtr>(page.content)) return new ReportPage(page, context, parent);
  if (std::holds_alternative<view::PlotPage>(page.content)) return new PlotsPage(page, context, parent);
  if (const auto* plan = std::get_if<view::PlanPagePtr>(&page.content))
    return new MemoryPlanPage(*plan, context, parent);
  if (const auto* calls = std::get_if<view::CallsPagePtr>(&page.content)) return new CallsPage(*calls, context, parent);
  if (const auto* grid = std::get_if<view::GridPage>(&page.content)) return new GridPage(*grid, context, parent);
  if (const auto* map = std::get_if<view::TreemapPagePtr>(&page.content)) return new SizePage(*map, context, parent);
  return new NoticePage(std::get<view::NoticePage>(page.content), parent);
}

} // namespace blobscope::ui
