#include "core/diff/summary.h"

#include "core/base/text.h"
#include "core/diff/details.h"

#include <cmath>
#include <cstdio>

namespace blobscope::diff {
namespace {

/// In the order in which they are told.
constexpr Topic kOrder[] = {Topic::Member, Topic::Module,   Topic::Kernel,    Topic::VmFunction,
                            Topic::Tensor, Topic::Constant, Topic::GraphNode, Topic::HostFunction,
                            Topic::Image,  Topic::Field,    Topic::Section,   Topic::Symbol};

/// "412 kernels same, 3 changed", "1 tensor changed"; empty when there are none.
std::string clauseOf(const DiffTree& tree, Topic topic) {
  std::string out;
  for (std::size_t i = 0; i < kStatuses; ++i) {
    const auto status = static_cast<Status>(i);
    const uint64_t count = tree.count(topic, status);
    if (count == 0) continue;
    if (out.empty())
      out = groupedText(count) + " " + std::string(count == 1 ? topicName(topic) : topicPlural(topic)) + " " +
            std::string(statusName(status));
    else
      out += ", " + groupedText(count) + " " + std::string(statusName(status));
  }
  if (topic == Topic::Tensor && tree.largestDifference)
    out += ", max difference " + differenceText(*tree.largestDifference);
  return out;
}

bool differs(const DiffTree& tree, Topic topic) {
  for (std::size_t i = 1; i < kStatuses; ++i)
    if (tree.count(topic, static_cast<Status>(i)) > 0) return true;
  return false;
}

std::string sizeClause(const Side& a, const Side& b) {
  if (a.size == b.size) return "same size, " + groupedText(a.size) + " bytes";
  std::string out = "size " + groupedText(a.size) + " → " + groupedText(b.size) + " bytes";
  if (a.size == 0) return out;
  const double percent = (static_cast<double>(b.size) / static_cast<double>(a.size) - 1) * 100;
  char text[32];
  std::snprintf(text, sizeof text, std::abs(percent) < 0.1 ? " (%+.2g %%)" : " (%+.1f %%)", percent);
  return out + text;
}

} // namespace

std::vector<std::string> summaryOf(const DiffTree& tree) {
  std::vector<std::string> out;
  if (tree.identical)
    out.emplace_back("the files are identical, byte for byte");
  else if (tree.equal())
    out.emplace_back("nothing that was compared differs");
  for (const bool differing : {true, false})
    for (const Topic topic : kOrder)
      if (differs(tree, topic) == differing)
        if (std::string clause = clauseOf(tree, topic); !clause.empty()) out.push_back(std::move(clause));
  if (!tree.identical) out.push_back(sizeClause(tree.a, tree.b));
  return out;
}

std::string summaryLine(const DiffTree& tree) {
  std::string out;
  for (const std::string& clause : summaryOf(tree)) out += (out.empty() ? "" : "; ") + clause;
  return out;
}

std::string shownName(const DiffNode& node) {
  const std::string name = escapedWithin(node.name, 160);
  return node.newName.empty() ? name : name + " → " + escapedWithin(node.newName, 160);
}

const Ref& refOf(const DiffNode& node) {
  static const Ref kFile;
  return node.a ? *node.a : node.b ? *node.b : kFile;
}

} // namespace blobscope::diff
