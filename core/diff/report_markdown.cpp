#include "core/diff/report_markdown.h"

#include "core/base/text.h"
#include "core/diff/summary.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

/// A code span: fenced by one backtick more than the longest run inside.
std::string code(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool padded = text.empty() || text.front() == '`' || text.back() == '`';
  return fence + (padded ? " " : "") + std::string(text) + (padded ? " " : "") + fence;
}

/// Running text in which nothing is markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|~&").find(c) != std::string_view::npos && c != '.' && c != '-' && c != '(' && c != ')') out += '\\';
    out += c;
  }
  return out;
}

} // namespace

Result<Done> writeMarkdown(const DiffTree& tree, const TextSink& sink, Monitor& monitor) {
  sink("# Comparison\n\n| | file | container | size |\n|---|---|---|---|\n");
  for (const Side* const side : {&tree.a, &tree.b})
    sink("| " + std::string(side == &tree.a ? "A" : "B") + " | " + plain(escaped(side->path)) + " | " + plain(side->container) + " | " + sizeText(side->size) + " |\n");
  sink("\n");
  for (const std::string& clause : summaryOf(tree)) sink("- " + plain(clause) + "\n");
  if (!tree.notes.empty()) sink("\n## Notes\n\n");
  for (const std::string& note : tree.notes) sink("- " + plain(note) + "\n");
  if (!tree.nodes.empty()) sink("\n## Nodes\n\n");
  const std::vector<unsigned> depths = tree.depths();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const DiffNode& node = tree.nodes[i];
    std::string line(2 * depths[i], ' ');
    line += "- **" + std::string(statusName(node.status)) + "** " + std::string(topicName(node.topic)) + " " + code(shownName(node));
    if (node.topic == Topic::Module) line += " " + code(refOf(node).toString());
    if (!node.detail.empty()) line += ": " + plain(node.detail);
    sink(line + "\n");
  }
  if (tree.leftOut > 0) sink("\n" + groupedText(tree.leftOut) + " more are not listed.\n");
  return Done{};
}

} // namespace blobscope::diff
