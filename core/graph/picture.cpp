#include "core/graph/picture.h"

#include "core/base/text.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::graph {
namespace {

using Mark = view::GraphPage::Mark;

/// Blocks of at most this many operators are named by all of them.
constexpr uint32_t kNamedOperators = 3;

void describeStack(const view::GraphPage& page, const Stack& stack, Picture::Box& box) {
  const uint32_t period = stack.period();
  box.node = stack.nodes.back();
  box.note = page.nodes[box.node].note;
  box.blocks = stack.blocks;
  box.mark = page.nodes[box.node].mark;
  if (period <= kNamedOperators)
    for (uint32_t i = 0; i < period; ++i) box.title += (i > 0 ? ", " : "") + page.nodes[stack.nodes[i]].title;
  else
    box.title = page.nodes[stack.nodes[0]].title + " … " + page.nodes[stack.nodes[period - 1]].title + ", " +
                groupedText(period) + " " + page.unit;
  for (const uint32_t node : stack.nodes) {
    if (page.nodes[node].mark != box.mark) box.mark = Mark::Changed;
    if (const auto bytes = page.nodes[node].bytes) {
      const uint64_t sum = box.bytes.value_or(0);
      box.bytes = addSaturated(sum, *bytes);
    }
  }
}

/// Whether parameters and constants can be left out: there are other nodes.
bool canHideValues(const view::GraphPage& page) {
  return std::ranges::any_of(page.nodes, [](const auto& node) { return !view::GraphPage::isValue(node.kind); });
}

} // namespace

Picture pictureOf(const view::GraphPage& page, const std::vector<Stack>& stacks, const PictureOptions& options) {
  Picture out;
  std::vector<uint32_t> stackOf(page.nodes.size(), Picture::kNone);
  if (options.foldRepeats)
    for (uint32_t i = 0; i < stacks.size(); ++i)
      if (!options.unfolded.contains(i))
        for (const uint32_t node : stacks[i].nodes) stackOf[node] = i;

  const bool hides = !options.showValues && canHideValues(page);
  out.boxOf.assign(page.nodes.size(), Picture::kNone);
  std::vector<uint32_t> boxOfStack(stacks.size(), Picture::kNone);
  for (uint32_t i = 0; i < page.nodes.size(); ++i) {
    const view::GraphPage::Node& node = page.nodes[i];
    if (hides && node.kind == view::GraphPage::Kind::Constant) {
      ++out.hiddenValues;
      continue;
    }
    const uint32_t stack = stackOf[i];
    if (stack != Picture::kNone) ++out.foldedNodes;
    if (stack != Picture::kNone && boxOfStack[stack] != Picture::kNone) {
      out.boxOf[i] = boxOfStack[stack];
      continue;
    }
    out.boxOf[i] = static_cast<uint32_t>(out.boxes.size());
    Picture::Box& box = out.boxes.emplace_back();
    if (stack == Picture::kNone) {
      box.node = i;
      box.title = node.title;
      box.note = node.note;
      box.bytes = node.bytes;
      box.mark = node.mark;
      continue;
    }
    boxOfStack[stack] = out.boxOf[i];
    box.stack = stack;
    ++out.stacks;
    describeStack(page, stacks[stack], box);
  }

  std::unordered_map<uint64_t, uint32_t> known;
  for (const view::GraphPage::Edge& edge : page.edges) {
    const uint32_t from = out.boxOf[edge.from], to = out.boxOf[edge.to];
    if (from == Picture::kNone || to == Picture::kNone) continue;
    if (from == to && out.boxes[from].stack != Picture::kNone) continue;
    const auto [at, isNew] = known.try_emplace(uint64_t{from} << 32 | to, static_cast<uint32_t>(out.edges.size()));
    if (isNew) {
      out.edges.push_back({from, to, edge.label, 1, edge.mark});
      continue;
    }
    Picture::Edge& joined = out.edges[at->second];
    ++joined.count;
    if (joined.label != edge.label) joined.label.clear();
    if (joined.mark != edge.mark) joined.mark = Mark::Changed;
  }
  return out;
}

} // namespace blobscope::graph
