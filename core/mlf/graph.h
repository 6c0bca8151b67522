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

/// The JSON file of the graph executor as values. Source: core/formats/model-library-format.md 8; apache/tvm v0.12.0
/// src/runtime/graph_executor/graph_executor.h.
namespace blobscope::mlf {

/// An element type as TVM spells it: "int8", "uint1", "bfloat16", "custom[name]32", "float32x4". The default number of
/// bits is 32, for "handle" 64. Source: apache/tvm v0.12.0 include/tvm/runtime/data_type.h, String2DLDataType.
struct ElementType {
  uint8_t code = 0; ///< 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 6 and 7 8-bit floats, 129 custom
  uint64_t bits = 0, lanes = 1;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};
/// Returns nothing if TVM cannot parse the text.
std::optional<ElementType> parseElementType(std::string_view text);
/// Returns the bytes of a tensor in memory: whole bytes for each element. Nothing if the number does not fit in 64
/// bits.
std::optional<uint64_t> bytesInMemory(std::span<const uint64_t> shape, const ElementType& type);
/// Returns the bytes of a tensor as the exporter counts them: elements narrower than a byte are packed and the sum is
/// rounded up once. Nothing if the number does not fit in 64 bits.
std::optional<uint64_t> packedBytes(std::span<const uint64_t> shape, const ElementType& type);
/// Returns "[1, 8]", truncated if it is long.
std::string listText(std::span<const uint64_t> values);

/// One output of a node.
struct GraphReference {
  uint64_t node = 0, output = 0;
};

struct GraphNode {
  std::string_view name, op;
  std::string_view function;          ///< func_name of an operator; empty if it has none
  bool isInput = false;               ///< op "null": an input or a parameter
  bool isOperator = false;            ///< op "tvm_op"
  std::vector<GraphReference> inputs; ///< the valid ones
  uint64_t outputs = 1;
  uint64_t firstEntry = 0; ///< the sum of the outputs of earlier nodes

  bool isNop() const { return function == "__nop"; }
};

/// An output of a node with its attributes; nothing where an element is missing or invalid.
struct GraphEntry {
  uint64_t node = 0;
  std::string_view typeName;
  std::optional<ElementType> type;
  std::optional<std::vector<uint64_t>> shape;
  std::optional<uint64_t> storage;
  std::optional<uint64_t> device;

  std::optional<uint64_t> memoryBytes() const { return type && shape ? bytesInMemory(*shape, *type) : std::nullopt; }
};

/// Valid as long as the File from which it was read.
struct Graph {
  const File* file = nullptr;
  std::shared_ptr<const json::LocatedDocument> document; ///< null if the text is not JSON
  std::vector<GraphNode> nodes;
  std::vector<uint64_t> argNodes;    ///< as listed
  std::vector<GraphReference> heads; ///< the valid ones
  std::vector<GraphEntry> entries;   ///< empty unless entriesSound
  bool hasStorageScope = false, hasControlDeps = false, hasDevices = false;

  // What can be relied on; otherwise the rules that depend on it are skipped.
  bool nodesSound = false; ///< every node has an op, a name, inputs and outputs that exist
  bool headsSound = false;
  bool argNodesSound = false;
  bool entriesSound = false; ///< nodesSound, and every entry has type, shape, storage (and device, if there are any)

  /// Returns the input or parameter node with that name, or null. Linear.
  const GraphNode* findInput(std::string_view name) const;
  /// Returns the number of the entry; the reference must be valid.
  uint64_t entryOf(GraphReference reference) const { return nodes[reference.node].firstEntry + reference.output; }
};

/// A storage of the graph.
struct StorageUse {
  uint64_t id = 0;
  uint64_t firstEntry = 0;                 ///< the first entry in it
  std::optional<uint64_t> bytes;           ///< the largest entry; nothing if it does not fit in 64 bits
  std::optional<std::string_view> binding; ///< what TVM writes as input_binding, if it writes one
};
/// Returns the storages in the order of their first use, as the metadata lists them. `binding` is set only if the
/// graph's list of inputs is sound. The entries must be sound. If the monitor requests a stop, the list is incomplete.
std::vector<StorageUse> storageUses(const Graph& graph, Monitor& monitor);

/// Reads a graph file and checks the rules 501 to 519: what makes it unreadable for the executors.
Graph readGraph(const File& file, Findings& findings, Monitor& monitor);

/// Returns "an object", "a string", for messages.
std::string_view typeWords(const json::Value& value);

} // namespace blobscope::mlf
