#include "ui/pages/plot_page.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/plot_view.h"
#include "ui/widgets/scroll_area.h"

#include <QVBoxLayout>

namespace blobscope::ui {

PlotsPage::PlotsPage(const view::Page& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_page(page) {
  Q_UNUSED(context)
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(plainLine(coreText(page.name)));
  scroll->setFocusPolicy(Qt::NoFocus); // the plots have the focus
  outer->addWidget(scroll);
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(8, 12, 12, 12);
  layout->setSpacing(16);
  for (const view::PlotPage::Plot& plot : std::get<view::PlotPage>(page.content).plots) {
    auto* const view = new PlotView(content);
    view->setPlot(plot);
    view->setMinimumHeight(200);
    view->setMaximumHeight(340);
    connect(view, &PlotView::chosen, this, &PlotsPage::nodeChosen);
    layout->addWidget(view, 1);
    if (!focusProxy()) setFocusProxy(view);
  }
  layout->addStretch();
  scroll->setWidget(content);
}

} // namespace blobscope::ui
