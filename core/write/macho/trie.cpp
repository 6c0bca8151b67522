#include "core/write/macho/trie.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/container/leb128.h"
#include "core/container/macho/constants.h"
#include "core/container/macho/export_trie.h"

#include <algorithm>
#include <limits>

namespace blobscope::write::macho {
namespace {

using container::ulebSize;
using container::ulebText;

/// Names of carriers are short, but the tree of a crafted file can be as deep as the file is large.
constexpr uint64_t kLongestName = 4'096;

Error refuse(std::string reason) { return Error(DiagnosticId::PlanTrie, {{"reason", std::move(reason)}}); }

} // namespace

Result<Trie> Trie::read(std::string_view bytes, Monitor& monitor) {
  Trie trie;
  trie.m_bytes = bytes;
  BLOBSCOPE_CHECK(trie.readNodes(monitor));

  // --- The nodes by offset, with the bytes between them. ---
  std::vector<std::size_t> order(trie.m_nodes.size()), number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return trie.m_nodes[a].offset < trie.m_nodes[b].offset; });
  std::vector<Node> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    sorted.push_back(std::move(trie.m_nodes[order[i]]));
  }
  for (Node& node : sorted)
    if (node.parent != kNone) node.parent = number[node.parent];
  for (Edge& edge : trie.m_edges) edge.child = number[edge.child];
  trie.m_nodes = std::move(sorted);
  if (trie.m_nodes.front().offset != 0) return refuse("its root is not its beginning");
  for (std::size_t i = 0; i < trie.m_nodes.size(); ++i) {
    Node& node = trie.m_nodes[i];
    const uint64_t end = node.offset + node.size;
    const bool last = i + 1 == trie.m_nodes.size();
    const uint64_t next = last ? bytes.size() : trie.m_nodes[i + 1].offset;
    if (next < end) return refuse("two of its nodes overlap at " + hexText(next));
    if (last)
      trie.m_tail = next - end;
    else
      node.gap = next - end;
  }
  if (bytes.substr(bytes.size() - trie.m_tail).find_first_not_of('\0') != std::string_view::npos)
    return refuse("there are other bytes after its last node");
  BLOBSCOPE_TRY(rebuilt, trie.build());
  if (rebuilt != bytes.substr(0, bytes.size() - trie.m_tail))
    return refuse("rewriting it does not reproduce the same bytes");
  return trie;
}

Result<Done> Trie::readNodes(Monitor& monitor) {
  if (m_bytes.empty()) return refuse("it is empty");
  std::vector<bool> entered(m_bytes.size());
  struct Visit {
    uint64_t offset;
    std::size_t parent, edge;
  };
  std::vector<Visit> visits = {{0, kNone, kNone}};
  uint64_t total = 0;
  while (!visits.empty()) {
    const Visit visit = visits.back();
    visits.pop_back();
    if (m_nodes.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (visit.offset >= m_bytes.size()) return refuse("a node at " + hexText(visit.offset) + " is outside of it");
    if (entered[visit.offset]) return refuse("two names lead to the node at " + hexText(visit.offset));
    entered[visit.offset] = true;
    const std::size_t index = m_nodes.size();
    if (visit.edge != kNone) m_edges[visit.edge].child = index;

    Node node;
    node.offset = visit.offset;
    node.parent = visit.parent;
    node.parentEdge = visit.edge;
    const auto damaged = [&] { return refuse("the node at " + hexText(visit.offset) + " is truncated"); };
    const auto stored = container::trieNodeAt(m_bytes, visit.offset);
    if (!stored) return damaged();
    node.sizeWidth = static_cast<unsigned>(stored->terminal.offset - visit.offset);
    node.terminal = m_bytes.substr(stored->terminal.offset, stored->terminal.size);
    node.edges = stored->count;
    uint64_t at = stored->children;
    node.firstEdge = m_edges.size();
    for (std::size_t i = 0; i < node.edges; ++i) {
      const auto edge = container::trieEdgeAt(m_bytes, at);
      if (edge.end != container::TrieEdge::End::Whole) return damaged();
      m_edges.push_back({edge.label, edge.child, kNone, static_cast<unsigned>(edge.childPlace.size)});
      at = edge.childPlace.end();
    }
    node.size = at - visit.offset;
    // The total size of nodes that share no byte cannot exceed the trie.
    total += node.size;
    if (total > m_bytes.size()) return refuse("its nodes overlap");
    for (std::size_t i = node.edges; i-- > 0;)
      visits.push_back({m_edges[node.firstEdge + i].offset, index, node.firstEdge + i});
    m_nodes.push_back(std::move(node));
  }
  return Done{};
}

std::vector<Trie::Export> Trie::exportsAt(uint64_t address, std::size_t limit) const {
  std::vector<Export> found;
  for (std::size_t i = 0; i < m_nodes.size() && found.size() <= limit; ++i) {
    if (m_nodes[i].content().empty()) continue;
    const auto stored = container::readTrieExport(m_nodes[i].content());
    if (!stored || stored->address != address) continue;
    Export one;
    one.node = i;
    // All other flags change what the address means.
    one.plain = (stored->flags & ~container::macho::EXPORT_SYMBOL_FLAGS_WEAK_DEFINITION) == 0;
    std::vector<std::string_view> labels;
    uint64_t length = 0;
    for (std::size_t node = i; m_nodes[node].parent != kNone && length <= kLongestName; node = m_nodes[node].parent) {
      labels.push_back(m_edges[m_nodes[node].parentEdge].label);
      length += std::max<uint64_t>(labels.back().size(), 1);
    }
    if (length > kLongestName) continue;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) one.name += *label;
    found.push_back(std::move(one));
  }
  return found;
}

void Trie::setAddress(const Export& place, uint64_t address) {
  Node& node = m_nodes[place.node];
  const auto stored = container::readTrieExport(node.content());
  if (!stored) return;
  std::string content(node.content());
  content.replace(stored->addressPlace.offset, stored->addressPlace.size, ulebText(address, stored->addressPlace.size));
  node.changed = std::move(content);
}

Result<std::string> Trie::build() const {
  // Widths only grow, so this loop ends.
  std::vector<unsigned> widths(m_edges.size());
  for (std::size_t i = 0; i < m_edges.size(); ++i) widths[i] = m_edges[i].width;
  std::vector<uint64_t> offsets(m_nodes.size());
  for (bool stable = false; !stable;) {
    stable = true;
    uint64_t at = 0;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
      const Node& node = m_nodes[i];
      offsets[i] = at;
      const uint64_t content = node.content().size();
      at += std::max<uint64_t>(node.sizeWidth, ulebSize(content)) + content + 1 + node.gap;
      for (std::size_t edge = node.firstEdge; edge < node.firstEdge + node.edges; ++edge)
        at += m_edges[edge].label.size() + 1 + widths[edge];
    }
    for (std::size_t i = 0; i < m_edges.size(); ++i) {
      const unsigned needed = ulebSize(offsets[m_edges[i].child]);
      if (needed <= widths[i]) continue;
      widths[i] = needed;
      stable = false;
    }
    if (at > std::numeric_limits<uint32_t>::max()) return refuse("it would become too large");
  }
  std::string out;
  for (const Node& node : m_nodes) {
    out += ulebText(node.content().size(), node.sizeWidth);
    out += node.content();
    out += static_cast<char>(node.edges);
    for (std::size_t edge = node.firstEdge; edge < node.firstEdge + node.edges; ++edge) {
      out += m_edges[edge].label;
      out += '\0';
      out += ulebText(offsets[m_edges[edge].child], widths[edge]);
    }
    out += m_bytes.substr(node.offset + node.size, node.gap);
  }
  return out;
}

} // namespace blobscope::write::macho
