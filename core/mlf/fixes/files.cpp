#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/mlf/fixes/graph_facts.h"
#include "core/mlf/metadata_place.h"

#include <algorithm>
#include <set>

namespace blobscope::mlf {
namespace {

using check::Issue;
using json::Value;
using OptionalFix = std::optional<Fix>;

// --- MLF-602 ---

/// Without the entry, a function that the graph calls would not be listed.
OptionalFix removeListed(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  const Value* const entry = context.inMetadata(issue.place.pointer);
  const std::string* const name = entry ? textIn(*entry, "function_name") : nullptr;
  if (!module || !name) return std::nullopt;
  if (module->graph && std::any_of(module->graph->nodes.begin(), module->graph->nodes.end(),
                                   [&](const GraphNode& node) { return node.function == *name; }))
    return std::nullopt;
  return FixMaker(context)
      .drop(issue.place.pointer)
      .done("Remove '" + escapedWithin(*name, 200) + "' from operator_functions");
}

// --- MLF-607, 608 ---

const CMacro* macroAt(const ModuleFacts* module, const Issue& issue) {
  if (!module || !module->header || !issue.place.line) return nullptr;
  for (const CMacro& macro : module->header->macros)
    if (macro.line == *issue.place.line && !macro.value.empty()) return &macro;
  return nullptr;
}

OptionalFix rewriteMacro(const FixContext& context, const ModuleFacts& module, const CMacro& macro, uint64_t value) {
  FixMaker maker(context);
  patchMacro(maker, module, macro, value);
  return maker.done("Set " + escapedWithin(macro.name, 120) + " in the header to " + std::to_string(value) +
                    ", as in the metadata");
}

OptionalFix rewriteWorkspace(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleOf(issue.place.member);
  const CMacro* const macro = macroAt(module, issue);
  if (!macro || !module->memory.workspace) return std::nullopt;
  return rewriteMacro(context, *module, *macro, *module->memory.workspace);
}

/// Tensors whose names differ only in characters that C does not allow share a macro.
OptionalFix rewriteSize(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleOf(issue.place.member);
  const CMacro* const macro = macroAt(module, issue);
  if (!macro) return std::nullopt;
  std::set<uint64_t> sizes;
  for (const auto* list : {&module->memory.inputs, &module->memory.outputs})
    for (const ListedTensor& tensor : *list)
      if (isSizeMacro(*module, *macro, tensor.name) && tensor.sound) sizes.insert(tensor.size);
  return sizes.size() == 1 ? rewriteMacro(context, *module, *macro, *sizes.begin()) : std::nullopt;
}

// --- MLF-612, 613 ---

/// Returns the pointer of the list to which an input on that device belongs.
std::optional<std::string> listOfInputs(const FixContext& context, const ModuleFacts& module,
                                        std::optional<uint64_t> device) {
  const std::string pointer = module.module->memoryPointer() + "/functions/main";
  const Value* const main = context.inMetadata(pointer);
  std::optional<std::string> found;
  for (std::size_t i = 0; main && i < main->items().size(); ++i) {
    const Value& entry = main->items()[i];
    const Value* const inputs = entry.find("inputs");
    if (!inputs || !inputs->isObject()) continue;
    if (main->items().size() > 1 && (!device || countIn(entry, "device") != device)) continue;
    if (found) return std::nullopt;
    found = json::pointerStep(pointer, i) + "/inputs";
  }
  return found;
}

/// Inputs and outputs of a model up to which the metadata is completed; the largest real model seen has 12.
constexpr std::size_t kMostTensors = 1'000;

OptionalFix rebuildInputs(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  if (!module) return std::nullopt;
  const GraphTensors& inputs = graphInputs(context, *module);
  if (!inputs) return std::nullopt;
  if (lastStep(issue.place.pointer) == "main") { // an input is missing
    FixMaker maker(context);
    std::string names;
    uint64_t added = 0;
    if (inputs->size() > kMostTensors) return std::nullopt;
    std::unordered_set<std::string_view> listed;
    for (const ListedTensor& one : module->memory.inputs) listed.insert(one.name);
    for (const GraphTensor& input : *inputs) {
      if (listed.contains(input.name)) continue;
      const auto list = listOfInputs(context, *module, input.device);
      if (!list) return std::nullopt;
      maker.set(json::pointerStep(*list, input.name), input.described());
      added = checkedAdd(added, input.size).value_or(UINT64_MAX);
      names += (names.empty() ? "'" : ", '") + escapedWithin(input.name, 80) + "'";
    }
    if (!names.empty()) keepIoSize(maker, context, *module, added, 0);
    return names.empty()
               ? std::nullopt
               : std::optional(maker.done("Add " + escapedWithin(names, 200) + " to the inputs, as in the graph"));
  }
  const std::string name = lastStep(issue.place.pointer);
  if (std::none_of(inputs->begin(), inputs->end(), [&](const GraphTensor& one) { return one.name == name; }))
    return FixMaker(context).drop(issue.place.pointer).done("Remove '" + escapedWithin(name, 80) + "' from the inputs");
  return rebuiltTensor(context, *module, issue.place.pointer);
}

/// Only where one output differs and the others fit; the graph has no names for its outputs.
OptionalFix rebuildOutputs(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  if (!module || module->memory.outputs.empty() || module->memory.outputs.size() > kMostTensors) return std::nullopt;
  OptionalFix found;
  for (const ListedTensor& tensor : module->memory.outputs)
    if (auto fix = rebuiltTensor(context, *module, tensor.pointer)) {
      if (found) return std::nullopt;
      found = std::move(fix);
    }
  return found;
}

// --- MLF-614 to 617 ---

OptionalFix rebuildStorageIds(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  return module ? rebuiltStorages(context, *module) : std::nullopt;
}

/// Returns the use of the storage that the metadata lists at `pointer`, or null.
const StorageUse* useAt(const FixContext& context, const std::string& pointer) {
  const ModuleFacts* const module = context.moduleAt(pointer);
  const Value* const listed = context.inMetadata(pointer);
  const auto id = listed ? countIn(*listed, "storage_id") : std::nullopt;
  if (!id || !module || !module->graph || !module->graph->entriesSound) return nullptr;
  return storageUse(context, *module->graph, *id);
}

OptionalFix setStorageSize(const FixContext& context, const Issue& issue) {
  const StorageUse* const use = useAt(context, issue.place.pointer);
  if (!use || !use->bytes) return std::nullopt;
  const std::string pointer = issue.place.pointer + "/size_bytes";
  return FixMaker(context)
      .set(pointer, numberValue(*use->bytes))
      .done("Set " + whereText(pointer) + " to " + std::to_string(*use->bytes) + ", which the graph needs");
}

OptionalFix setBinding(const FixContext& context, const Issue& issue) {
  const StorageUse* const use = useAt(context, issue.place.pointer);
  if (!use) return std::nullopt;
  const std::string pointer = issue.place.pointer + "/input_binding";
  if (!use->binding) return FixMaker(context).drop(pointer).done("Remove " + whereText(pointer));
  return FixMaker(context)
      .set(pointer, textValue(*use->binding))
      .done("Set " + whereText(pointer) + " to '" + escapedWithin(*use->binding, 80) + "'");
}

constexpr FixRow kFileFixes[] = {
    {check::Rule::MlfListedFunctionUndefined, removeListed},
    {check::Rule::MlfWorkspaceMacro, rewriteWorkspace},
    {check::Rule::MlfTensorMacro, rewriteSize},
    {check::Rule::MlfInputsDisagree, rebuildInputs, true},
    {check::Rule::MlfOutputsDisagree, rebuildOutputs, true},
    {check::Rule::MlfStorageIdsDisagree, rebuildStorageIds, true},
    {check::Rule::MlfStorageSizeWrong, setStorageSize},
    {check::Rule::MlfStorageSizeExporter, setStorageSize},
    {check::Rule::MlfStorageBinding, setBinding},
};

} // namespace

std::span<const FixRow> fileFixes() { return kFileFixes; }

} // namespace blobscope::mlf
