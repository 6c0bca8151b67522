#pragma once

#include "core/base/monitor.h"
#include "core/mlf/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The file of the graph executor as values. Source: core/formats/model-library-format.md 8; apache/tvm v0.12.0
/// src/runtime/graph_executor/graph_executor.h.
namespace blobscope::mlf {

/// An element type as TVM spells it: "int8", "uint1", "bfloat16", "custom[name]32", "float32x4". Bits are 32 when they
/// are not written, of "handle" 64. Source: apache/tvm v0.12.0 include/tvm/runtime/data_type.h, String2DLDataType.
struct ElementType {
  uint8_t code = 0; ///< 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 6 and 7 8-bit floats, 129 custom
  uint64_t bits = 0, lanes = 1;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};
/// Nothing when TVM cannot parse the text.
std::optional<ElementType> parseElementType(std::string_view text);
/// Bytes of a tensor in memory: whole bytes for each element. Nothing when they do not fit in 64 bits.
std::optional<uint64_t> bytesInMemory(std::span<const uint64_t> shape, const ElementType& type);
/// Bytes of a tensor as the exporter counts them: elements narrower than a byte packed, rounded up once. Nothing when
/// they do not fit in 64 bits.
std::optional<uint64_t> packedBytes(std::span<const uint64_t> shape, const ElementType& type);
/// "[1, 8]", cut when it is long.
std::string listText(std::span<const uint64_t> values);

/// One output of a node.
struct GraphReference {
  uint64_t node = 0, output = 0;
};

struct GraphNode {
  std::string_view name, op;
  std::string_view function;          ///< func_name of an operator, empty when it has none
  bool isInput = false;               ///< op "null": an input or a parameter
  bool isOperator = false;            ///< op "tvm_op"
  std::vector<GraphReference> inputs; ///< those that are sound
  uint64_t outputs = 1;
  uint64_t firstEntry = 0; ///< the sum of the outputs before

  bool isNop() const { return function == "__nop"; }
};

/// An output of a node with what the attributes say about it; nothing where an element is missing or no good.
struct GraphEntry {
  uint64_t node = 0;
  std::string_view typeName;
  std::optional<ElementType> type;
  std::optional<std::vector<uint64_t>> shape;
  std::optional<uint64_t> storage;
  std::optional<uint64_t> device;

  std::optional<uint64_t> memoryBytes() const { return type && shape ? bytesInMemory(*shape, *type) : std::nullopt; }
};

/// Valid as long as the File it was read from.
struct Graph {
  const File* file = nullptr;
  std::shared_ptr<const json::LocatedDocument> document; ///< null when the text is no JSON
  std::vector<GraphNode> nodes;
  std::vector<uint64_t> argNodes;    ///< as listed
  std::vector<GraphReference> heads; ///< those that are sound
  std::vector<GraphEntry> entries;   ///< empty unless entriesSound
  bool hasStorageScope = false, hasControlDeps = false, hasDevices = false;

  // What can be relied upon; the rules about what follows from it are left out otherwise.
  bool nodesSound = false; ///< every node has an op, a name, inputs and outputs that exist
  bool headsSound = false;
  bool argNodesSound = false;
  bool entriesSound = false; ///< nodesSound, and every entry has type, shape, storage (and device, if there are any)

  /// The input or parameter node of that name, null when there is none. Linear.
  const GraphNode* findInput(std::string_view name) const;
  /// Number of the entry; the reference is sound.
  uint64_t entryOf(GraphReference reference) const { return nodes[reference.node].firstEntry + reference.output; }
};

/// Reads a graph file and adds the rules 501 to 519: what makes it unreadable for the executors.
Graph readGraph(const File& file, Findings& findings, Monitor& monitor);

/// "an object", "a string": for messages.
std::string_view typeWords(const json::Value& value);

} // namespace blobscope::mlf
