#pragma once

#include "core/mlf/fixes/maker.h"

#include <unordered_map>

/// What the graph and the interface header determine, for several topics.
namespace blobscope::mlf {

/// An input or output of the model as the metadata describes it.
struct GraphTensor {
  std::string_view name; ///< empty for outputs, which have no name in the graph
  uint64_t size = 0;     ///< elements narrower than a byte are packed
  std::string_view type;
  std::optional<uint64_t> device;

  /// {"size": 16, "dtype": "float32"}
  json::Value described() const { return objectValue({{"size", numberValue(size)}, {"dtype", textValue(type)}}); }
};
using GraphTensors = std::optional<std::vector<GraphTensor>>;
/// What is computed of a whole graph, once for all findings.
struct GraphMemo {
  std::unordered_map<const ModuleFacts*, GraphTensors> inputs, outputs;
  std::unordered_map<const Graph*, std::unordered_map<uint64_t, StorageUse>> storages; ///< by id
};

/// Returns the inputs of the graph that are not parameters; nothing if graph or parameters cannot be relied on.
const GraphTensors& graphInputs(const FixContext& context, const ModuleFacts& module);
/// Returns the outputs of the graph, in its order.
const GraphTensors& graphOutputs(const FixContext& context, const ModuleFacts& module);
/// Returns the use of the storage with that id, or null. The entries of the graph must be sound.
const StorageUse* storageUse(const FixContext& context, const Graph& graph, uint64_t id);

/// Returns the list of storages as the graph needs it.
std::optional<json::Value> storageList(const FixContext& context, const Graph& graph);
/// Writes that list to the metadata.
std::optional<Fix> rebuiltStorages(const FixContext& context, const ModuleFacts& module);
/// Writes size and type of one input or output to the metadata, where the graph determines them. `pointer`: of the
/// tensor.
std::optional<Fix> rebuiltTensor(const FixContext& context, const ModuleFacts& module, const std::string& pointer);

/// Raises io_size_bytes of the only entry of "main" where it would become too small. `more`, `less`: the bytes of the
/// inputs and outputs that are added and removed.
void keepIoSize(FixMaker& maker, const FixContext& context, const ModuleFacts& module, uint64_t more, uint64_t less);

/// Whether the macro states the workspace of the module.
bool isWorkspaceMacro(const ModuleFacts& module, const CMacro& macro);
/// Whether the macro states the size of that input or output.
bool isSizeMacro(const ModuleFacts& module, const CMacro& macro, std::string_view tensor);
/// Replaces the value of a macro in the interface header of the module. The value must not be empty.
void patchMacro(FixMaker& maker, const ModuleFacts& module, const CMacro& macro, uint64_t value);

} // namespace blobscope::mlf
