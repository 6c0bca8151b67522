#include "core/describe/comparison_markdown.h"

#include "core/base/text.h"
#include "core/describe/code_changes.h"
#include "core/describe/comparison.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

using diff::DiffNode;
using diff::DiffTree;
using diff::Side;
using diff::statusName;
using diff::Topic;
using diff::topicName;

constexpr std::size_t kText = 4'000;

/// Removes what a line must not contain: the text is built from escaped names, so this changes nothing in practice.
std::string oneLine(std::string_view text) {
  std::string out = plainText(text, kText);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

/// Returns a code span: fenced by one backtick more than the longest run inside. Nothing in it is markup, a mention or
/// a link.
std::string code(std::string_view raw) {
  const std::string text = oneLine(raw);
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool padded = text.empty() || text.front() == '`' || text.back() == '`' || text.front() == ' ';
  return fence + (padded ? " " : "") + text + (padded ? " " : "") + fence;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns running text in which nothing is markup. A backslash does not stop GitHub and GitLab from linking mentions
/// (@name), issues (#12, !12, GH-12), addresses and emoji, because they search the rendered text; a comment in between
/// does.
std::string plain(std::string_view raw) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>#+!|~&$^", kSigns = "@#!:$%";
  constexpr std::string_view kPart = "<!-- -->";
  const std::string text = oneLine(raw);
  std::string out;
  const std::size_t number = text.find_first_not_of("0123456789");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    // At the start of a line, "-", "=" and "1." make lists and headings; "www." makes an address.
    const bool begins = i == 0 && (c == '-' || c == '=');
    const bool numbers = i == number && i > 0 && (c == '.' || c == ')');
    const bool address =
        c == '.' && i >= 3 && (text[i - 1] | 0x20) == 'w' && (text[i - 2] | 0x20) == 'w' && (text[i - 3] | 0x20) == 'w';
    if (kMarkup.find(c) != std::string_view::npos || begins || numbers || address) out += '\\';
    out += c;
    const bool sign = kSigns.find(c) != std::string_view::npos &&
                      (c == '@' || std::string_view(" )],.;").find(next) == std::string_view::npos);
    const bool issue =
        c == '-' && isDigit(next) && i >= 2 && (text[i - 1] | 0x20) == 'h' && (text[i - 2] | 0x20) == 'g';
    if (sign || issue) out += kPart;
  }
  return out;
}

} // namespace

Result<Done> writeMarkdown(const DiffTree& tree, const TextSink& sink, Monitor& monitor) {
  sink("# Comparison\n\n| | file | container | size |\n|---|---|---|---|\n");
  for (const Side* const side : {&tree.a, &tree.b})
    sink("| " + std::string(side == &tree.a ? "A" : "B") + " | " + plain(escaped(side->path)) + " | " +
         plain(side->container) + " | " + sizeText(side->size) + " |\n");
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
    line += "- **" + std::string(statusName(node.status)) + "** " + std::string(topicName(node.topic)) + " " +
            code(shownName(node));
    if (node.topic == Topic::Module) line += " " + code(refOf(node).shown());
    if (!node.detail.empty()) line += ": " + plain(node.detail);
    if (const std::string mix = node.code ? mixText(*node.code) : std::string(); !mix.empty())
      line += (node.detail.empty() ? ": " : "; ") + plain(mix);
    sink(line + "\n");
  }
  if (tree.leftOut > 0) sink("\n" + groupedText(tree.leftOut) + " more are not listed.\n");
  return Done{};
}

} // namespace blobscope::describe
