#pragma once

#include "core/base/ref.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What two opened files have in common and what not.
namespace blobscope::diff {

/// Renamed: other name, equal content. Moved: equal content below another parent or at another position.
enum class Status : uint8_t { Same, Changed, Added, Removed, Renamed, Moved };
constexpr std::size_t kStatuses = 6;
/// "same", "changed" …
std::string_view statusName(Status status);

/// The word of the command line.
enum class NodeKind : uint8_t { Module, Kernel, Function, Tensor, Section, Symbol, Member, Field };
constexpr std::size_t kNodeKinds = 8;
/// "module", "kernel" …
std::string_view nodeKindName(NodeKind kind);
/// The kind of that word.
std::optional<NodeKind> findNodeKind(std::string_view name);

/// What a node is, more closely than its kind says.
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
/// A VM function and a host function are functions, an image is a section, a constant that is no tensor and a node of a
/// graph are fields.
NodeKind kindOf(Topic topic);
/// "module", "VM function", "graph node": one of them, in running text.
std::string_view topicName(Topic topic);
/// The same of several: "VM functions".
std::string_view topicPlural(Topic topic);

/// Two nodes that belong together, or one that has no partner.
struct DiffNode {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  Status status = Status::Same;
  Topic topic = Topic::Module;
  uint32_t parent = kNoParent; ///< an earlier node: a member above its modules, a module above its kernels
  std::optional<Ref> a, b;     ///< nothing on the side that has no such node
  std::string name;            ///< in A, else in B; any bytes
  std::string newName;         ///< in B when it is another one; any bytes
  std::string detail;          ///< what differs, one line of printable text: "registers 96 → 168"; may be empty

  NodeKind kind() const { return kindOf(topic); }
};

/// What is known of one side as a whole.
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
  std::array<std::array<uint64_t, kStatuses>, kTopics> counts{}; ///< of all nodes, also of those that are not listed
  uint64_t leftOut = 0;                                          ///< differing nodes that were counted but not listed
  std::vector<std::string> notes;                                ///< what was not compared and why, a sentence each
  std::optional<double> largestDifference; ///< between elements of tensors of the same shape and type

  uint64_t count(Topic topic, Status status) const {
    return counts[static_cast<std::size_t>(topic)][static_cast<std::size_t>(status)];
  }
  uint64_t count(Status status) const;
  /// Whether no node differs.
  bool equal() const;
  /// One per node; none deeper than its parents say.
  std::vector<unsigned> depths() const;
};

/// The tree with nodes of that kind only; they have no parents. Counts, too, are of that kind.
DiffTree onlyKind(const DiffTree& tree, NodeKind kind);
/// The tree as it is when A and B change sides. Details stay as they are.
DiffTree mirrored(const DiffTree& tree);

} // namespace blobscope::diff
