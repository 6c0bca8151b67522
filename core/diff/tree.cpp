#include "core/diff/tree.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

constexpr std::array<std::string_view, kStatuses> kStatusNames = {"same",    "changed", "added",
                                                                  "removed", "renamed", "moved"};
constexpr std::array<std::string_view, kNodeKinds> kKindNames = {"module",  "kernel", "function", "tensor",
                                                                 "section", "symbol", "member",   "field"};

struct TopicRow {
  NodeKind kind;
  std::string_view one, several;
};
constexpr std::array<TopicRow, kTopics> kTopicRows = {{{NodeKind::Module, "module", "modules"},
                                                       {NodeKind::Kernel, "kernel", "kernels"},
                                                       {NodeKind::Function, "VM function", "VM functions"},
                                                       {NodeKind::Function, "host function", "host functions"},
                                                       {NodeKind::Tensor, "tensor", "tensors"},
                                                       {NodeKind::Field, "constant", "constants"},
                                                       {NodeKind::Field, "graph node", "graph nodes"},
                                                       {NodeKind::Section, "image", "images"},
                                                       {NodeKind::Section, "section", "sections"},
                                                       {NodeKind::Symbol, "symbol", "symbols"},
                                                       {NodeKind::Member, "member", "members"},
                                                       {NodeKind::Field, "field", "fields"}}};

Status mirroredStatus(Status status) {
  if (status == Status::Added) return Status::Removed;
  return status == Status::Removed ? Status::Added : status;
}

} // namespace

std::string_view statusName(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }
std::string_view nodeKindName(NodeKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<NodeKind> findNodeKind(std::string_view name) {
  for (std::size_t i = 0; i < kNodeKinds; ++i)
    if (kKindNames[i] == name) return static_cast<NodeKind>(i);
  return std::nullopt;
}

NodeKind kindOf(Topic topic) { return kTopicRows[static_cast<std::size_t>(topic)].kind; }
std::string_view topicName(Topic topic) { return kTopicRows[static_cast<std::size_t>(topic)].one; }
std::string_view topicPlural(Topic topic) { return kTopicRows[static_cast<std::size_t>(topic)].several; }

uint64_t DiffTree::count(Status status) const {
  uint64_t sum = 0;
  for (const auto& topic : counts) sum += topic[static_cast<std::size_t>(status)];
  return sum;
}

bool DiffTree::equal() const {
  for (std::size_t status = 1; status < kStatuses; ++status)
    if (count(static_cast<Status>(status)) > 0) return false;
  return true;
}

std::vector<unsigned> DiffTree::depths() const {
  std::vector<unsigned> out;
  out.reserve(nodes.size());
  for (const DiffNode& node : nodes) out.push_back(node.parent < out.size() ? out[node.parent] + 1 : 0);
  return out;
}

const NumberPair* CodeChange::find(std::string_view label) const {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [&](const NumberPair& pair) { return pair.label == label; });
  return found == numbers.end() ? nullptr : &*found;
}

DiffTree onlyKind(const DiffTree& tree, NodeKind kind) {
  DiffTree out;
  out.a = tree.a;
  out.b = tree.b;
  out.identical = tree.identical;
  out.leftOut = tree.leftOut;
  out.notes = tree.notes;
  if (kind == NodeKind::Tensor) out.largestDifference = tree.largestDifference;
  for (std::size_t topic = 0; topic < kTopics; ++topic)
    if (kTopicRows[topic].kind == kind) out.counts[topic] = tree.counts[topic];
  for (const DiffNode& node : tree.nodes) {
    if (node.kind() != kind) continue;
    out.nodes.push_back(node);
    out.nodes.back().parent = DiffNode::kNoParent;
  }
  // Nodes that were not listed may be of any kind; the counts of this kind give the number that is missing.
  uint64_t differing = 0, listed = 0;
  for (const auto& topic : out.counts)
    for (std::size_t status = 1; status < kStatuses; ++status) differing += topic[status];
  for (const DiffNode& node : out.nodes) listed += node.status != Status::Same;
  out.leftOut = differing - listed;
  return out;
}

DiffTree mirrored(const DiffTree& tree) {
  DiffTree out = tree;
  std::swap(out.a, out.b);
  for (DiffNode& node : out.nodes) {
    node.status = mirroredStatus(node.status);
    std::swap(node.a, node.b);
    if (!node.newName.empty()) std::swap(node.name, node.newName);
    if (!node.code) continue;
    CodeChange code = *node.code;
    for (auto* const pairs : {&code.numbers, &code.instructions})
      for (NumberPair& pair : *pairs) std::swap(pair.a, pair.b);
    std::swap(code.removed, code.added);
    node.code = std::make_shared<const CodeChange>(std::move(code));
  }
  for (auto& topic : out.counts)
    std::swap(topic[static_cast<std::size_t>(Status::Added)], topic[static_cast<std::size_t>(Status::Removed)]);
  return out;
}

} // namespace blobscope::diff
