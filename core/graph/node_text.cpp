#include "core/graph/node_text.h"

#include "core/base/text.h"
#include "core/graph/scene.h"

#include <algorithm>

namespace blobscope::graph {
namespace {

using view::GraphPage;

constexpr std::size_t kListedNodes = 16;

view::DetailRow fact(std::string label, std::string value, std::optional<Ref> link = {}) {
  view::DetailRow row;
  row.label = std::move(label);
  row.value = std::move(value);
  row.link = std::move(link);
  return row;
}

void addNeighbours(view::Details& details, const GraphPage& page, uint32_t node, bool incoming) {
  view::DetailGroup group;
  group.title = incoming ? "Reads" : "Read by";
  if (page.named) group.title = incoming ? "Called or imported by" : "Calls or imports";
  std::size_t count = 0;
  for (const GraphPage::Edge& edge : page.edges) {
    if ((incoming ? edge.to : edge.from) != node || ++count > kListedNodes) continue;
    const uint32_t other = incoming ? edge.from : edge.to;
    const GraphPage::Node& end = page.nodes[other];
    std::string value = end.title;
    if (!end.note.empty()) value += ", " + end.note;
    if (!edge.label.empty()) value += ", " + edge.label;
    group.rows.push_back(fact(std::to_string(other), std::move(value), end.ref));
  }
  if (count > kListedNodes) group.note = groupedText(count - kListedNodes) + " more";
  if (count > 0) details.push_back(std::move(group));
}

} // namespace

view::Details nodeDetails(const GraphPage& page, uint32_t number) {
  view::Details details;
  const GraphPage::Node& node = page.nodes[number];
  view::DetailGroup group;
  group.title = "Node " + std::to_string(number);
  group.rows.push_back(fact("Title", node.title));
  group.rows.push_back(fact("Name", node.name, node.ref));
  if (!node.group.empty()) group.rows.push_back(fact("Group", node.group));
  if (!node.note.empty()) group.rows.push_back(fact(page.bytesOf == "output" ? "Output" : "Note", node.note));
  if (!node.device.empty()) group.rows.push_back(fact("Device", node.device));
  if (node.bytes) group.rows.push_back(fact("Bytes", groupedText(*node.bytes)));
  if (node.mark != GraphPage::Mark::None)
    group.rows.push_back(fact("Difference", std::string(GraphPage::markName(node.mark))));
  details.push_back(std::move(group));
  addNeighbours(details, page, number, true);
  addNeighbours(details, page, number, false);
  return details;
}

std::string boxText(const GraphPage& page, const Picture& picture, uint32_t number) {
  const Picture::Box& box = picture.boxes[number];
  const GraphPage::Node& node = page.nodes[box.node];
  std::string out = box.title;
  if (box.blocks > 1) out += " " + timesText(box.blocks);
  const auto add = [&out](const std::string& text) {
    if (!text.empty()) out += ", " + text;
  };
  add(box.note);
  add(node.group);
  add(node.device);
  if (box.bytes) add(groupedText(*box.bytes) + " bytes");
  add(std::string(GraphPage::markName(box.mark)));
  const auto in = std::ranges::count(picture.edges, number, &Picture::Edge::to);
  const auto from = std::ranges::count(picture.edges, number, &Picture::Edge::from);
  add(std::to_string(in) + " in, " + std::to_string(from) + " out");
  return out;
}

std::string summaryText(const GraphPage& page, const Picture& picture, uint32_t layers) {
  const uint64_t drawn = page.nodes.size() - picture.hiddenValues;
  std::string out = groupedText(drawn) + " " + page.unit + " drawn as " +
                    (picture.boxes.size() == 1 ? "1 box" : groupedText(picture.boxes.size()) + " boxes");
  if (picture.stacks > 0)
    out += ", " + groupedText(picture.foldedNodes) + " of them folded into " + countText(picture.stacks, "stack");
  if (picture.hiddenValues > 0) out += " · " + countText(picture.hiddenValues, "parameter") + " hidden";
  out += " · " + countText(layers, "layer");
  if (page.omitted > 0) out += " · " + groupedText(page.omitted) + " more " + page.unit + " are not drawn";
  return out;
}

} // namespace blobscope::graph
