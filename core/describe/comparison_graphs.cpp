#include "core/describe/comparison_graphs.h"

#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/diff/pages.h"
#include "core/diff/tensors.h"
#include "core/graph/svg.h"
#include "core/library/node.h"
#include "core/payloads/tensor/tensor_pages.h"

#include <algorithm>
#include <cmath>

namespace blobscope::describe {
namespace {

constexpr std::size_t kReportGraphs = 12, kReportNodes = 4000;

std::string titleOf(const Ref& ref, const std::string& page, const diff::GraphDiff& graphs) {
  std::string counts;
  const auto add = [&counts](uint64_t count, const char* word) {
    if (count > 0) counts += (counts.empty() ? "" : ", ") + groupedText(count) + " " + word;
  };
  add(graphs.changed, "changed");
  add(graphs.added, "added");
  add(graphs.removed, "removed");
  if (counts.empty()) counts = "lines differ";
  return (ref == Ref::file() ? page : ref.shown() + ", " + page) + ": " + counts;
}

/// Adds the graphs of a node of both sides.
Result<Done> addGraphs(const library::PackagePtr& a, const Ref& refA, const library::PackagePtr& b, const Ref& refB,
                       std::vector<ReportGraph>& out, Monitor& monitor) {
  BLOBSCOPE_TRY(pagesA, pagesOf(a, refA, monitor));
  BLOBSCOPE_TRY(pagesB, pagesOf(b, refB, monitor));
  for (const diff::PagePair& pair : diff::pairPages(pagesA, pagesB)) {
    if (pair.a == diff::PagePair::kNone || pair.b == diff::PagePair::kNone || out.size() >= kReportGraphs) continue;
    if (view::pageKind(pagesB[pair.b]) != "graph") continue;
    BLOBSCOPE_TRY(compared, diff::comparePages(pagesA[pair.a], pagesB[pair.b], {}, monitor));
    const auto* const graphs = std::get_if<diff::GraphDiff>(&compared.content);
    if (!graphs || graphs->same() || graphs->merged->nodes.size() > kReportNodes) continue;
    ReportGraph& graph = out.emplace_back();
    graph.title = titleOf(refB, pagesB[pair.b].name, *graphs);
    BLOBSCOPE_CHECK(graph::writeSvg(
        *graphs->merged, {}, graph::Colouring::Mark, graph.title,
        [&graph](std::string_view text) { graph.svg += text; }, monitor));
  }
  return Done{};
}

/// Adds the differences of two tensors as a heat map. Its cells have the difference that is farthest from 0.
Result<Done> addTensors(const payloads::Tensor& a, const payloads::Tensor& b, const Ref& ref,
                        std::vector<ReportGraph>& out, Monitor& monitor) {
  constexpr uint32_t kCells = 96;
  BLOBSCOPE_TRY(numbers, diff::compareTensors(a, b, monitor));
  if (!numbers.compared || !(numbers.maxAbsolute > 0)) return Done{};
  const std::vector<uint64_t> shape = payloads::gridShape(a);
  view::GridSlice slice = view::slicesOf(shape).front();
  if (view::elementOf(numbers.maxAbsoluteAt.at, shape)) slice.at = numbers.maxAbsoluteAt.at;
  const view::GridMap map(shape, std::move(slice));
  BLOBSCOPE_TRY(heat, view::computeHeatMap(*diff::differenceGrid(a, b), map, {0, 0, map.rows(), map.columns()}, kCells,
                                           kCells, false, monitor));
  for (view::HeatMap::Cell& cell : heat.cells)
    cell.mean = std::fabs(cell.least) > std::fabs(cell.greatest) ? cell.least : cell.greatest;
  // A few large differences do not hide the others.
  constexpr double kDeviations = 4;
  const double limit = std::min(numbers.maxAbsolute, kDeviations * numbers.rootMeanSquare);
  const double shown = limit > 0 ? limit : numbers.maxAbsolute;
  ReportGraph& picture = out.emplace_back();
  picture.title = ref.shown() + ": " + groupedText(numbers.differing) + " of " + groupedText(numbers.count) +
                  (numbers.differing == 1 ? " values differs" : " values differ");
  picture.svg = view::heatMapSvg(heat, map, {-shown, shown}, true, "Difference B − A");
  return Done{};
}

} // namespace

Result<std::vector<ReportGraph>> differingGraphs(const diff::DiffTree& tree, const library::PackagePtr& a,
                                                 const library::PackagePtr& b, Monitor& monitor) {
  std::vector<ReportGraph> out;
  if (tree.identical) return out;
  BLOBSCOPE_CHECK(addGraphs(a, Ref::file(), b, Ref::file(), out, monitor));
  for (const diff::DiffNode& node : tree.nodes) {
    if (out.size() >= kReportGraphs) break;
    const bool hasGraphs = node.kind() == diff::NodeKind::Module || node.kind() == diff::NodeKind::Function;
    if (!node.a || !node.b || node.status == diff::Status::Same || !hasGraphs) continue;
    BLOBSCOPE_CHECK(addGraphs(a, *node.a, b, *node.b, out, monitor));
  }
  std::size_t tensors = 0;
  for (const diff::DiffNode& node : tree.nodes) {
    constexpr std::size_t kReportTensors = 12;
    constexpr uint64_t kReportTensorBytes = uint64_t{256} << 20;
    if (tensors >= kReportTensors) break;
    if (!node.a || !node.b || node.status == diff::Status::Same || node.kind() != diff::NodeKind::Tensor) continue;
    const auto first = library::findNode(*a, *node.a, monitor), second = library::findNode(*b, *node.b, monitor);
    if (!first || !second || !first->tensor || !second->tensor) continue;
    if (std::max(first->tensor->data.size(), second->tensor->data.size()) > kReportTensorBytes) continue;
    ++tensors;
    BLOBSCOPE_CHECK(addTensors(*first->tensor, *second->tensor, *node.b, out, monitor));
  }
  return out;
}

} // namespace blobscope::describe
