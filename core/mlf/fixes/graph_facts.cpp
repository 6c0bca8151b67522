#include "core/mlf/fixes/graph_facts.h"

#include "core/base/extent.h"
#include "core/mlf/metadata_place.h"

#include <algorithm>
#include <unordered_set>

namespace blobscope::mlf {
namespace {

std::optional<GraphTensor> tensorOf(const GraphEntry& entry, std::string_view name) {
  const auto size = packedBytes(*entry.shape, *entry.type);
  return size ? std::optional(GraphTensor{name, *size, entry.typeName, entry.device}) : std::nullopt;
}

bool isSizeMacroNamed(const ModuleFacts& module, const CMacro& macro, const std::string& part) {
  return macro.name == "TVMGEN_" + upperCase(sanitized(module.module->name)) + "_" + part ||
         macro.name == "TVMGEN_" + upperCase(module.module->name) + "_" + part;
}

/// Whether the metadata describes that output already.
bool isDescribed(const json::Value& tensor, const GraphTensor& output) {
  const std::string* const type = textIn(tensor, "dtype");
  return countIn(tensor, "size") == output.size && type && parseElementType(*type) == parseElementType(output.type);
}

/// Outputs have no names in the graph: an output that does not fit is the one that is left when all others are matched.
std::optional<GraphTensor> missingOutput(std::vector<GraphTensor> outputs, const json::Value& listed,
                                         const json::Value& wanted) {
  if (outputs.size() != listed.members().size()) return std::nullopt;
  for (const auto& [name, tensor] : listed.members()) {
    if (&tensor == &wanted) continue;
    const auto found =
        std::find_if(outputs.begin(), outputs.end(), [&](const GraphTensor& one) { return isDescribed(tensor, one); });
    if (found == outputs.end()) return std::nullopt;
    outputs.erase(found);
  }
  return outputs.front();
}

GraphTensors inputsOf(const ModuleFacts& module) {
  if (!module.graph || !module.graph->entriesSound || !module.parameters || !module.parameters->whole)
    return std::nullopt;
  std::unordered_set<std::string_view> parameters;
  for (const Parameter& parameter : module.parameters->list) parameters.insert(parameter.name);
  std::vector<GraphTensor> out;
  for (const GraphNode& node : module.graph->nodes) {
    if (!node.isInput || parameters.contains(node.name)) continue;
    const auto tensor = tensorOf(module.graph->entries[node.firstEntry], node.name);
    if (!tensor) return std::nullopt;
    out.push_back(*tensor);
  }
  return out;
}

GraphTensors outputsOf(const ModuleFacts& module) {
  if (!module.graph || !module.graph->entriesSound || !module.graph->headsSound) return std::nullopt;
  std::vector<GraphTensor> out;
  for (const GraphReference& head : module.graph->heads) {
    const auto tensor = tensorOf(module.graph->entries[module.graph->entryOf(head)], {});
    if (!tensor) return std::nullopt;
    out.push_back(*tensor);
  }
  return out;
}

} // namespace

const GraphTensors& graphInputs(const FixContext& context, const ModuleFacts& module) {
  const auto [at, added] = context.memo().inputs.try_emplace(&module);
  if (added) at->second = inputsOf(module);
  return at->second;
}

const GraphTensors& graphOutputs(const FixContext& context, const ModuleFacts& module) {
  const auto [at, added] = context.memo().outputs.try_emplace(&module);
  if (added) at->second = outputsOf(module);
  return at->second;
}

const StorageUse* storageUse(const FixContext& context, const Graph& graph, uint64_t id) {
  const auto [at, added] = context.memo().storages.try_emplace(&graph);
  if (added)
    for (const StorageUse& use : storageUses(graph, context.monitor())) at->second.try_emplace(use.id, use);
  const auto found = at->second.find(id);
  return found == at->second.end() ? nullptr : &found->second;
}

std::optional<json::Value> storageList(const FixContext& context, const Graph& graph) {
  if (!graph.entriesSound || !graph.argNodesSound) return std::nullopt;
  json::Value::Array items;
  for (const StorageUse& use : storageUses(graph, context.monitor())) {
    if (!use.bytes) return std::nullopt;
    json::Value::Object members = {{"storage_id", numberValue(use.id)}, {"size_bytes", numberValue(*use.bytes)}};
    if (use.binding) members.emplace_back("input_binding", textValue(*use.binding));
    json::Value item;
    item.data = std::move(members);
    items.push_back(std::move(item));
  }
  return listValue(std::move(items));
}

std::optional<Fix> rebuiltStorages(const FixContext& context, const ModuleFacts& module) {
  auto list = module.graph ? storageList(context, *module.graph) : std::nullopt;
  if (!list) return std::nullopt;
  const std::string pointer = storagesPointer(*module.module, context.model().version);
  return FixMaker(context)
      .set(pointer, std::move(*list))
      .done("Write " + whereText(pointer) + " from the storages of the graph");
}

std::optional<Fix> rebuiltTensor(const FixContext& context, const ModuleFacts& module, const std::string& pointer) {
  const json::Value* const listed = context.inMetadata(parentOf(pointer));
  const json::Value* const tensor = context.inMetadata(pointer);
  const std::string kind = lastStep(parentOf(pointer)), name = lastStep(pointer);
  if (!listed || !tensor) return std::nullopt;
  std::optional<GraphTensor> want;
  if (kind == "inputs") {
    if (const auto& inputs = graphInputs(context, module))
      for (const GraphTensor& one : *inputs)
        if (one.name == name) want = one;
  } else if (kind == "outputs") {
    if (const auto& outputs = graphOutputs(context, module)) want = missingOutput(*outputs, *listed, *tensor);
  }
  if (!want || isDescribed(*tensor, *want)) return std::nullopt;
  FixMaker maker(context);
  std::string sentence = "Set " + whereText(pointer) + " to " + std::to_string(want->size) + " bytes of " +
                         std::string(want->type) + ", as in the graph";
  keepIoSize(maker, context, module, want->size, countIn(*tensor, "size").value_or(0));
  if (!tensor->isObject()) {
    maker.set(pointer, want->described());
    return maker.done(std::move(sentence));
  }
  if (countIn(*tensor, "size") != want->size) maker.set(pointer + "/size", numberValue(want->size));
  const std::string* const type = textIn(*tensor, "dtype");
  if (!type || parseElementType(*type) != parseElementType(want->type))
    maker.set(pointer + "/dtype", textValue(want->type));
  return maker.done(std::move(sentence));
}

void keepIoSize(FixMaker& maker, const FixContext& context, const ModuleFacts& module, uint64_t more, uint64_t less) {
  const std::string pointer = module.module->memoryPointer() + "/functions/main";
  const json::Value* const main = context.inMetadata(pointer);
  if (!main || main->items().size() != 1) return;
  const auto io = countIn(main->items().front(), "io_size_bytes");
  std::optional<uint64_t> sum = more;
  for (const auto* const list : {&module.memory.inputs, &module.memory.outputs})
    for (const ListedTensor& tensor : *list)
      if (sum) sum = checkedAdd(*sum, tensor.size);
  if (!io || !sum || *sum < less || *io >= *sum - less) return;
  maker.set(pointer + "/0/io_size_bytes", numberValue(*sum - less));
}

bool isWorkspaceMacro(const ModuleFacts& module, const CMacro& macro) {
  return isSizeMacroNamed(module, macro, "WORKSPACE_SIZE");
}
bool isSizeMacro(const ModuleFacts& module, const CMacro& macro, std::string_view tensor) {
  return isSizeMacroNamed(module, macro, upperCase(sanitized(tensor)) + "_SIZE");
}

void patchMacro(FixMaker& maker, const ModuleFacts& module, const CMacro& macro, uint64_t value) {
  const File& header = *module.module->header;
  const auto offset = static_cast<uint64_t>(macro.value.data() - header.bytes.view().data());
  maker.patch(header, offset, macro.value.size(), std::to_string(value));
}

} // namespace blobscope::mlf
