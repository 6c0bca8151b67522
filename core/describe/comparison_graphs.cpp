#include "core/describe/comparison_graphs.h"

#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/diff/pages.h"
#include "core/graph/svg.h"

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
  return out;
}

} // namespace blobscope::describe
