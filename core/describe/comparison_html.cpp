#include "core/describe/comparison_html.h"

#include "core/base/text.h"
#include "core/describe/code_changes.h"
#include "core/describe/comparison.h"
#include "core/describe/size_changes.h"
#include "core/view/html.h"

#include <vector>

namespace blobscope::describe {
namespace {

using diff::DiffNode;
using diff::DiffTree;
using diff::Side;
using diff::Status;
using diff::statusName;
using diff::Topic;
using diff::topicName;
using diff::topicPlural;

using view::htmlText;

std::string nodeText(const DiffNode& node) {
  const std::string status(statusName(node.status));
  std::string out = "<span class=\"status " + status + "\">" + status + "</span><span class=\"topic\">" +
                    std::string(topicName(node.topic)) + "</span> <code>" + htmlText(shownName(node)) + "</code>";
  if (node.topic == Topic::Module) out += " <span class=\"topic\">" + htmlText(refOf(node).shown()) + "</span>";
  if (!node.detail.empty()) out += " <span class=\"detail\">" + htmlText(node.detail) + "</span>";
  return out;
}

/// Writes the resources and the instructions of one kernel as a table.
void writeKernel(const DiffNode& node, const TextSink& sink) {
  const diff::CodeChange& code = *node.code;
  sink("<h3><code>" + htmlText(shownName(node)) +
       "</code></h3>\n<table>\n<thead><tr><th></th><th>A</th><th>B</th>"
       "<th>difference</th></tr></thead>\n<tbody>\n");
  const auto cell = [](const std::optional<uint64_t>& value) {
    return "<td class=\"number\">" + (value ? groupedText(*value) : "–") + "</td>";
  };
  const auto rows = [&](const std::vector<diff::NumberPair>& pairs, const std::string& indent) {
    for (const diff::NumberPair& pair : pairs) {
      std::string change;
      if (pair.a && pair.b && *pair.a != *pair.b)
        change = *pair.b > *pair.a ? "+" + groupedText(*pair.b - *pair.a) : "−" + groupedText(*pair.a - *pair.b);
      sink("<tr><th>" + indent + htmlText(pair.label) + (pair.label == "occupancy" ? " (%)" : "") + "</th>" +
           cell(pair.a) + cell(pair.b) + "<td class=\"number\">" + change + "</td></tr>\n");
    }
  };
  rows(code.numbers, {});
  rows(code.instructions, code.listing + ": ");
  sink("</tbody>\n</table>\n");
}

void writeCounts(const DiffTree& tree, const TextSink& sink) {
  sink("<h2>Counts</h2>\n<table>\n<thead><tr><th></th>");
  for (std::size_t i = 0; i < diff::kStatuses; ++i)
    sink("<th>" + std::string(statusName(static_cast<Status>(i))) + "</th>");
  sink("</tr></thead>\n<tbody>\n");
  for (std::size_t topic = 0; topic < diff::kTopics; ++topic) {
    uint64_t sum = 0;
    for (const uint64_t count : tree.counts[topic]) sum += count;
    if (sum == 0) continue;
    sink("<tr><th>" + std::string(topicPlural(static_cast<Topic>(topic))) + "</th>");
    for (const uint64_t count : tree.counts[topic])
      sink("<td class=\"number\">" + (count == 0 ? "" : groupedText(count)) + "</td>");
    sink("</tr>\n");
  }
  sink("</tbody>\n</table>\n");
}

} // namespace

Result<Done> writeHtml(const DiffTree& tree, const TextSink& sink, Monitor& monitor,
                       const std::vector<ReportGraph>& graphs, const sizes::SizeComparison* sizes,
                       const sizes::SizeComparison* memory) {
  sink(view::htmlHead("Comparison"));
  sink("<table>\n<tbody>\n");
  for (const Side* const side : {&tree.a, &tree.b})
    sink("<tr><th>" + std::string(side == &tree.a ? "A" : "B") + "</th><td><code>" + htmlText(escaped(side->path)) +
         "</code></td><td>" + htmlText(side->container) + "</td><td>" + htmlText(sizeText(side->size)) +
         "</td></tr>\n");
  sink("</tbody>\n</table>\n<div class=\"summary\"><ul>\n");
  for (const std::string& clause : summaryOf(tree)) sink("<li>" + htmlText(clause) + "</li>\n");
  sink("</ul></div>\n");
  if (!tree.notes.empty()) {
    sink("<h2>Notes</h2>\n<ul>\n");
    for (const std::string& note : tree.notes) sink("<li>" + htmlText(note) + "</li>\n");
    sink("</ul>\n");
  }
  writeCounts(tree, sink);
  if (memory) writeHtml(*memory, sink, "Memory");
  if (sizes) writeHtml(*sizes, sink);
  for (const ReportGraph& graph : graphs)
    sink("<details><summary>" + htmlText(graph.title) + "</summary><div class=\"picture\">\n" + graph.svg +
         "</div></details>\n");
  if (tree.nodes.empty()) {
    sink("</body>\n</html>\n");
    return Done{};
  }

  sink("<h2>Nodes</h2>\n<ul class=\"tree\">\n");
  const std::vector<unsigned> depths = tree.depths();
  unsigned open = 0; // lists that are open inside the outermost one
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    for (; open > depths[i]; --open) sink("</ul></details></li>\n");
    const bool parent = i + 1 < tree.nodes.size() && depths[i + 1] > depths[i];
    if (parent) {
      sink("<li><details open><summary>" + nodeText(tree.nodes[i]) + "</summary><ul>\n");
      ++open;
    } else {
      sink("<li>" + nodeText(tree.nodes[i]) + "</li>\n");
    }
  }
  for (; open > 0; --open) sink("</ul></details></li>\n");
  sink("</ul>\n");
  if (tree.leftOut > 0) sink("<p>" + groupedText(tree.leftOut) + " more are not listed.</p>\n");
  bool titled = false;
  for (const DiffNode& node : tree.nodes) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!node.code) continue;
    if (!titled) sink("<h2>Code of changed kernels</h2>\n");
    titled = true;
    writeKernel(node, sink);
  }
  sink("</body>\n</html>\n");
  return Done{};
}

} // namespace blobscope::describe
