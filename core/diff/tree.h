#pragma once

#include "core/base/ref.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What two opened files have in common, and where they differ.
namespace blobscope::diff {

/// Renamed: different name, equal content. Moved: equal content under another parent or at another position.
enum class Status : uint8_t { Same, Changed, Added, Removed, Renamed, Moved };
constexpr std::size_t kStatuses = 6;
/// "same", "changed" …
std::string_view statusName(Status status);

/// The kinds of nodes that the command line knows.
enum class NodeKind : uint8_t { Module, Kernel, Function, Tensor, Section, Symbol, Member, Field };
constexpr std::size_t kNodeKinds = 8;
/// "module", "kernel" …
std::string_view nodeKindName(NodeKind kind);
/// Returns the kind with that name.
std::optional<NodeKind> findNodeKind(std::string_view name);

/// A finer classification of nodes than their kind.
enum class Topic : uint8_t {
  Module,
  Kernel,
  VmFunction,
  HostFunction,
  Tensor,
  Constant,
  GraphNode,
  Image,
  Section,
  Symbol,
  Member,
  Field
};
constexpr std::size_t kTopics = 12;
/// Returns the kind of a topic: VM functions and host functions are functions, an image is a section, and a constant
/// that is not a tensor and a graph node are fields.
NodeKind kindOf(Topic topic);
/// Returns the singular for running text: "module", "VM function", "graph node".
std::string_view topicName(Topic topic);
/// Returns the plural: "VM functions".
std::string_view topicPlural(Topic topic);

/// A number on both sides.
struct NumberPair {
  std::string label;
  std::optional<uint64_t> a, b;
  friend bool operator==(const NumberPair&, const NumberPair&) = default;
};

/// What is known about the code of a kernel that differs.
struct CodeChange {
  /// "registers" of a thread, "occupancy" in per cent, "shared memory" and "stack" in bytes, "code" in bytes: those
  /// that are known, also where they do not differ.
  std::vector<NumberPair> numbers;
  std::string listing; ///< "PTX" or "SASS": from what the instructions were read; empty when they are not known
  std::vector<NumberPair> instructions;   ///< per class, those that occur (syntax::instructionClassName)
  std::optional<uint64_t> removed, added; ///< instructions and other lines, without what only has another number

  const NumberPair* find(std::string_view label) const;
};

/// Two nodes that correspond to each other, or one that has no partner.
struct DiffNode {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  Status status = Status::Same;
  Topic topic = Topic::Module;
  uint32_t parent = kNoParent; ///< an earlier node: a member above its modules, a module above its kernels
  std::optional<Ref> a, b;     ///< nothing if that side has no such node
  std::string name;            ///< in A, otherwise in B; any bytes
  std::string newName;         ///< in B if it is different; any bytes
  std::string detail;          ///< the difference in one line of printable text: "registers 96 → 168"; may be empty
  std::shared_ptr<const CodeChange> code; ///< of a changed kernel, otherwise null

  NodeKind kind() const { return kindOf(topic); }
};

/// What is known about one side as a whole.
struct Side {
  std::string path;
  uint64_t size = 0;
  std::string container; ///< "ELF shared, x86_64"
};

/// All pairs of nodes, parents before children.
struct DiffTree {
  Side a, b;
  bool identical = false; ///< byte for byte
  std::vector<DiffNode> nodes;
  std::array<std::array<uint64_t, kStatuses>, kTopics> counts{}; ///< of all nodes, including those that are not listed
  uint64_t leftOut = 0;                                          ///< differing nodes that were counted but not listed
  std::vector<std::string> notes;                                ///< what was not compared and why, one sentence each
  std::optional<double> largestDifference; ///< between elements of tensors of the same shape and type

  uint64_t count(Topic topic, Status status) const {
    return counts[static_cast<std::size_t>(topic)][static_cast<std::size_t>(status)];
  }
  uint64_t count(Status status) const;
  /// Returns whether no node differs.
  bool equal() const;
  /// Returns the depth of each node according to its parents.
  std::vector<unsigned> depths() const;
};

/// Returns the tree with nodes of that kind only. They have no parents, and only they are counted.
DiffTree onlyKind(const DiffTree& tree, NodeKind kind);
/// Returns the tree with A and B swapped. Details are unchanged.
DiffTree mirrored(const DiffTree& tree);

} // namespace blobscope::diff
