#pragma once

#include "core/graph/layout.h"
#include "core/view/pictures.h"

#include <random>
#include <string>
#include <vector>

/// Graphs for tests and measurements.
namespace blobscope::test {

struct PlainGraph {
  std::vector<graph::Box> boxes;
  std::vector<graph::Edge> edges;
};

/// A graph of many boxes like that of a network: a chain with branches that join again and edges that skip layers. The
/// same for the same `seed`.
inline PlainGraph networkGraph(uint32_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  PlainGraph out;
  out.boxes.resize(count);
  for (uint32_t i = 1; i < count; ++i) {
    const auto before = [&](uint32_t most) { return static_cast<uint32_t>(i - 1 - random() % std::min(i, most)); };
    out.edges.push_back({before(4), i});
    if (random() % 4 == 0) out.edges.push_back({before(12), i});
    if (random() % 40 == 0) out.edges.push_back({before(200), i});
  }
  return out;
}

/// A page from words: one node per title, and edges "0-1 1-2".
inline view::GraphPage pageOf(const std::vector<std::string>& titles, const std::string& edges) {
  view::GraphPage page;
  page.unit = "operators";
  for (const std::string& title : titles) {
    view::GraphPage::Node node;
    node.title = title;
    node.name = title;
    page.nodes.push_back(std::move(node));
  }
  for (std::size_t at = 0; at < edges.size();) {
    const std::size_t end = std::min(edges.find(' ', at), edges.size());
    const std::string word = edges.substr(at, end - at);
    const std::size_t dash = word.find('-');
    page.edges.push_back({static_cast<uint32_t>(std::stoul(word.substr(0, dash))),
                          static_cast<uint32_t>(std::stoul(word.substr(dash + 1))),
                          {}});
    at = end + 1;
  }
  return page;
}

/// A chain of titles.
inline view::GraphPage chainOf(const std::vector<std::string>& titles) {
  std::string edges;
  for (std::size_t i = 1; i < titles.size(); ++i)
    edges += (i > 1 ? " " : "") + std::to_string(i - 1) + "-" + std::to_string(i);
  return pageOf(titles, edges);
}

} // namespace blobscope::test
