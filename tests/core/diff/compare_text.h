#pragma once

#include "core/describe/comparison.h"
#include "core/diff/compare.h"
#include "tests/support/test_support.h"

#include <QtGlobal>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Comparisons of files as lines of text.
namespace blobscope::test {

/// "changed kernel add m1/kernel:add m1/kernel:add", children indented by two.
inline std::string nodesText(const diff::DiffTree& tree, bool details = false) {
  std::string out;
  const std::vector<unsigned> depths = tree.depths();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const diff::DiffNode& node = tree.nodes[i];
    out += std::string(2 * depths[i], ' ') + std::string(diff::statusName(node.status)) + " " +
           std::string(diff::topicName(node.topic)) + " " + describe::shownName(node);
    if (details && !node.detail.empty()) out += ": " + node.detail;
    out += "\n";
  }
  return out;
}

/// All nodes with status and refs, sorted: two comparisons must agree on these, whatever their order.
inline std::vector<std::string> nodeSet(const diff::DiffTree& tree) {
  std::vector<std::string> out;
  for (const diff::DiffNode& node : tree.nodes)
    out.push_back(std::string(diff::statusName(node.status)) + " " + std::string(diff::topicName(node.topic)) + " " +
                  (node.a ? node.a->toString() : "-") + " " + (node.b ? node.b->toString() : "-") + " " + node.name +
                  ">" + node.newName);
  std::sort(out.begin(), out.end());
  return out;
}

inline library::PackagePtr openedFile(std::string_view file) {
  auto package = openBytes(file);
  if (!package) qFatal("a made file cannot be opened: %s", package.error().message().c_str());
  return *package;
}

inline diff::DiffTree compared(std::string_view a, std::string_view b, const diff::CompareOptions& options = {}) {
  NullMonitor monitor;
  auto tree = diff::compare(openedFile(a), openedFile(b), options, monitor);
  if (!tree) qFatal("cannot be compared: %s", tree.error().message().c_str());
  return std::move(*tree);
}

/// Without sections and symbols, which differ when the linker moves something.
inline diff::CompareOptions contentOnly() {
  diff::CompareOptions options;
  options.container = false;
  return options;
}

} // namespace blobscope::test
