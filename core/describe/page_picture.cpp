#include "core/describe/page_picture.h"

#include "core/graph/svg.h"
#include "core/graph/treemap.h"
#include "core/view/html.h"
#include "core/view/memory_fit.h"
#include "core/view/plot.h"
#include "core/view/render_html.h"
#include "core/view/table_extras.h"

namespace blobscope::describe {

Result<std::string> pagePicture(const view::Page& page, std::string_view name, Monitor& monitor) {
  std::string out;
  if (const auto* const graph = std::get_if<view::GraphPage>(&page.content)) {
    BLOBSCOPE_CHECK(graph::writeSvg(
        *graph, {}, graph::Colouring::Operator, name, [&out](std::string_view piece) { out += piece; }, monitor));
    return out;
  }
  if (const auto* const map = std::get_if<view::TreemapPagePtr>(&page.content))
    return graph::treemapSvg(**map, name, monitor);
  if (const auto* const plan = std::get_if<view::PlanPagePtr>(&page.content)) out = view::planSvg(**plan);
  if (const auto* const calls = std::get_if<view::CallsPagePtr>(&page.content)) out = view::callsSvg(**calls);
  if (const auto* const plots = std::get_if<view::PlotPage>(&page.content)) out = view::plotSvg(*plots);
  if (const auto* const table = std::get_if<view::TablePage>(&page.content); table && table->extras) {
    if (!table->extras->plots.plots.empty()) out = view::plotSvg(table->extras->plots);
    if (table->extras->fit) out = view::fitSvg(*table->extras->fit);
  }
  if (const auto* const grid = std::get_if<view::GridPage>(&page.content)) {
    BLOBSCOPE_TRY(heat, view::gridSvg(*grid, name, monitor));
    out = std::move(heat);
  }
  return out.empty() ? out : view::svgDocument(out);
}

} // namespace blobscope::describe
