#include "core/view/render_pictures.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace blobscope::view {
namespace {

constexpr std::size_t kCheckedItems = 4096; // items between two checks of the monitor
/// The number of predecessors that one line names; JSON and the table have all of them.
constexpr std::size_t kShownInputs = 16;

/// For each node, the edges that end there, in order.
class Incoming {
public:
  explicit Incoming(const GraphPage& page) : m_first(page.nodes.size() + 1, 0), m_edges(page.edges.size()) {
    for (const GraphPage::Edge& edge : page.edges) ++m_first[edge.to + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
    std::vector<uint32_t> next(m_first.begin(), m_first.end() - 1);
    for (uint32_t i = 0; i < page.edges.size(); ++i) m_edges[next[page.edges[i].to]++] = i;
  }
  std::size_t count(std::size_t node) const { return m_first[node + 1] - m_first[node]; }
  uint32_t edge(std::size_t node, std::size_t index) const { return m_edges[m_first[node] + index]; }

private:
  std::vector<uint32_t> m_first, m_edges;
};

/// "from 3, 4 (launches) and 12 more"
std::string fromText(const GraphPage& page, const Incoming& incoming, std::size_t node, std::size_t limit) {
  std::string out;
  const std::size_t count = incoming.count(node);
  for (std::size_t i = 0; i < std::min(count, limit); ++i) {
    const GraphPage::Edge& edge = page.edges[incoming.edge(node, i)];
    out += (i > 0 ? ", " : "") + std::to_string(edge.from);
    if (!edge.label.empty()) out += " (" + edge.label + ")";
  }
  if (count > limit) out += " and " + groupedText(count - limit) + " more";
  return out;
}

std::string sizeCell(const std::optional<uint64_t>& bytes) { return bytes ? std::to_string(*bytes) : "–"; }

class GraphTable final : public TableSource {
public:
  explicit GraphTable(std::shared_ptr<const GraphPage> page) : m_page(std::move(page)), m_incoming(*m_page) {}
  std::vector<Column> columns() const override {
    return {{"number", true}, {"node"}, {"kind"}, {"output"}, {"device"}, {"from"}, {"bytes", true, true}, {"name"}};
  }
  uint64_t rowCount() const override { return m_page->nodes.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const GraphPage::Node& node = m_page->nodes[row];
    switch (column) {
    case 0: return std::to_string(row);
    case 1: return node.title;
    case 2: return node.group.empty() ? std::string(GraphPage::kindName(node.kind)) : node.group;
    case 3: return node.note;
    case 4: return node.device;
    case 5: return fromText(*m_page, m_incoming, row, kShownInputs);
    case 6: return sizeCell(node.bytes);
    default: return node.name;
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_page->nodes[row].ref; }

private:
  std::shared_ptr<const GraphPage> m_page;
  Incoming m_incoming;
};

} // namespace

std::shared_ptr<const TableSource> tableOf(std::shared_ptr<const GraphPage> page) {
  return std::make_shared<GraphTable>(std::move(page));
}

Result<Done> renderGraph(const GraphPage& page, const TextSink& sink, Monitor& monitor) {
  const Incoming incoming(page);
  sink(groupedText(page.nodes.size()) + " " + page.unit + ", " + groupedText(page.edges.size()) +
       (page.edges.size() == 1 ? " edge\n" : " edges\n"));
  const int digits = static_cast<int>(std::to_string(page.nodes.size()).size());
  for (std::size_t i = 0; i < page.nodes.size(); ++i) {
    if (i % kCheckedItems == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const GraphPage::Node& node = page.nodes[i];
    std::array<char, 32> number;
    std::snprintf(number.data(), number.size(), "%*zu  ", digits, i);
    std::string line = number.data() + node.title;
    if (!node.note.empty()) line += "  " + node.note;
    if (!node.device.empty()) line += "  " + node.device;
    if (node.bytes) line += "  " + groupedText(*node.bytes) + " bytes";
    if (incoming.count(i) > 0) line += "  from " + fromText(page, incoming, i, kShownInputs);
    if (node.name != node.title && !node.name.empty()) line += "  " + node.name;
    sink(line + "\n");
  }
  if (page.omitted > 0) sink(groupedText(page.omitted) + " more " + page.unit + " are not shown\n");
  return Done{};
}

Result<Done> renderGraph(const GraphPage& page, json::Writer& writer, Monitor& monitor) {
  writer.member("unit", page.unit);
  writer.member("bytes_of", page.bytesOf);
  writer.key("nodes").beginArray();
  for (std::size_t i = 0; i < page.nodes.size(); ++i) {
    if (i % kCheckedItems == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const GraphPage::Node& node = page.nodes[i];
    writer.beginObject();
    writer.member("title", node.title);
    writer.member("name", node.name);
    writer.member("kind", GraphPage::kindName(node.kind));
    writer.member("group", node.group);
    writer.member("note", node.note);
    node.device.empty() ? writer.nullMember("device") : writer.member("device", node.device);
    writer.member("bytes", node.bytes);
    node.ref ? writer.member("ref", node.ref->toString()) : writer.nullMember("ref");
    writer.endObject();
  }
  writer.endArray();
  writer.key("edges").beginArray();
  for (std::size_t i = 0; i < page.edges.size(); ++i) {
    if (i % kCheckedItems == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const GraphPage::Edge& edge = page.edges[i];
    writer.beginObject();
    writer.member("from", uint64_t{edge.from});
    writer.member("to", uint64_t{edge.to});
    writer.member("label", edge.label);
    writer.endObject();
  }
  writer.endArray();
  writer.member("omitted", page.omitted);
  return Done{};
}

} // namespace blobscope::view
