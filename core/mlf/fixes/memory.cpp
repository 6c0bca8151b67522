#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/mlf/fixes/graph_facts.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/metadata_place.h"
#include "core/mlf/parameters.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

using check::Issue;
using json::Value;
using OptionalFix = std::optional<Fix>;

std::string keyAt(std::string_view pointer, std::string_view name) { return json::pointerStep(pointer, name); }

OptionalFix setNumber(const FixContext& context, const std::string& pointer, uint64_t number,
                      const std::string& why = {}) {
  return FixMaker(context)
      .set(pointer, numberValue(number))
      .done("Set " + whereText(pointer) + " to " + std::to_string(number) + why);
}

/// Returns the number that a string states in decimal digits: "64".
std::optional<uint64_t> numberInText(const Value* value) {
  return value && value->isString() ? parseNumber(value->text()) : std::nullopt;
}

// --- MLF-201, 202 ---

OptionalFix rebuildMemory(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  if (!module || module->module->isOperator) return std::nullopt;
  const unsigned version = context.model().version;
  if (issue.place.pointer != storagesPointer(*module->module, version)) return std::nullopt;
  if (version == 1 && module->module->executor == Executor::Aot)
    return FixMaker(context).set(issue.place.pointer, listValue({})).done("Set memory to [], as for all AOT models");
  return rebuiltStorages(context, *module);
}

/// One entry that is not in a list.
OptionalFix listMain(const FixContext& context, const Issue& issue) {
  const Value* const main = context.inMetadata(issue.place.pointer);
  if (!main || !main->isObject() || !main->find("workspace_size_bytes")) return std::nullopt;
  return FixMaker(context)
      .set(issue.place.pointer, listValue({*main}))
      .done("Turn " + whereText(issue.place.pointer) + " into a list with one entry");
}

// --- MLF-203, 209, 210 ---

/// Returns the size of the parameters; nothing if they were not read whole.
std::optional<uint64_t> parameterBytes(const ModuleFacts& module) {
  if (!module.parameters || !module.parameters->whole) return std::nullopt;
  std::optional<uint64_t> sum = 0;
  for (const Parameter& parameter : module.parameters->list) {
    if (!parameter.sound) return std::nullopt;
    if (sum) sum = checkedAdd(*sum, parameter.dataBytes);
  }
  return sum;
}

/// Returns the only entry of "main"; null if there are several.
const Value* onlyMain(const FixContext& context, const ModuleFacts& module) {
  const Value* const main = context.inMetadata(module.module->memoryPointer() + "/functions/main");
  return main && main->items().size() == 1 ? &main->items().front() : nullptr;
}

/// Returns the bytes of all inputs and outputs of the graph.
std::optional<uint64_t> inputAndOutputBytes(const FixContext& context, const ModuleFacts& module) {
  const GraphTensors& inputs = graphInputs(context, module);
  const GraphTensors& outputs = graphOutputs(context, module);
  if (!inputs || !outputs) return std::nullopt;
  std::optional<uint64_t> sum = 0;
  for (const auto* list : {&*inputs, &*outputs})
    for (const GraphTensor& tensor : *list)
      if (sum) sum = checkedAdd(*sum, tensor.size);
  return sum;
}

/// Numbers as text, and sizes that graph and parameters determine.
OptionalFix completeMain(const FixContext& context, const Issue& issue) {
  const Value* const entry = context.inMetadata(issue.place.pointer);
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  if (!entry || !entry->isObject() || !module) return std::nullopt;
  const bool graph = module->module->executor == Executor::Graph && onlyMain(context, *module) == entry;
  FixMaker maker(context);
  std::string done;
  for (const std::string_view key : {"device", "workspace_size_bytes", "constants_size_bytes", "io_size_bytes"}) {
    if (countIn(*entry, key)) continue;
    std::optional<uint64_t> value = numberInText(entry->find(key));
    if (!value && key == "constants_size_bytes" && graph) value = parameterBytes(*module);
    if (!value && key == "io_size_bytes" && graph) value = inputAndOutputBytes(context, *module);
    if (!value) return std::nullopt;
    const std::string pointer = keyAt(issue.place.pointer, key);
    maker.set(pointer, numberValue(*value));
    done += (done.empty() ? "Set " : ", and ") + whereText(pointer) + " to " + std::to_string(*value);
  }
  return done.empty() ? std::nullopt : std::optional(maker.done(std::move(done)));
}

/// The sum is in the finding's arguments only as text with separators, so it is computed from the same members.
OptionalFix raiseIo(const FixContext& context, const Issue& issue) {
  if (context.hasIssue("MLF-612") || context.hasIssue("MLF-613")) return std::nullopt; // the sizes are wrong
  const Value* const entry = context.inMetadata(parentOf(issue.place.pointer));
  std::optional<uint64_t> sum = 0;
  for (const std::string_view list : {"inputs", "outputs"})
    if (const Value* const tensors = entry ? entry->find(list) : nullptr)
      for (const auto& [name, tensor] : tensors->members())
        if (const auto size = countIn(tensor, "size"); sum && size) sum = checkedAdd(*sum, *size);
  return sum ? setNumber(context, issue.place.pointer, *sum, ", the size of inputs and outputs") : std::nullopt;
}

OptionalFix setConstants(const FixContext& context, const Issue& issue) {
  if (context.hasIssue("MLF-409") || context.hasIssue("MLF-610")) return std::nullopt; // some do not belong here
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  const auto bytes = module && onlyMain(context, *module) ? parameterBytes(*module) : std::nullopt;
  return bytes ? setNumber(context, issue.place.pointer, *bytes, ", the size of the parameters") : std::nullopt;
}

// --- MLF-204, 205, 206, 208 ---

/// Returns the list that a map from function to workspace describes; nothing if it describes something else.
std::optional<Value> listOfMap(const Value& map) {
  Value::Array list;
  for (const auto& [name, value] : map.members()) {
    const Value* const workspace = value.isObject() ? value.find("workspace") : &value;
    if (!workspace || !workspace->isArray()) return std::nullopt;
    list.push_back(objectValue({{"function_name", textValue(name)}, {"workspace", *workspace}}));
  }
  return list.empty() ? std::nullopt : std::optional(listValue(std::move(list)));
}

OptionalFix listFunctions(const FixContext& context, const Issue& issue) {
  const std::string& pointer = issue.place.pointer;
  const Value* const value = context.inMetadata(pointer);
  if (!value) return std::nullopt;
  if (lastStep(pointer) == "operator_functions") {
    auto list = value->isObject() ? listOfMap(*value) : std::nullopt;
    if (!list) return std::nullopt;
    return FixMaker(context).set(pointer, std::move(*list)).done("Turn the map 'operator_functions' into a list");
  }
  if (!value->isObject()) return std::nullopt;
  // An entry of a workspace whose numbers are texts, or a workspace of one entry that is not in a list.
  if (parentOf(pointer).ends_with("/workspace")) {
    FixMaker maker(context);
    for (const std::string_view key : {"device", "workspace_size_bytes"}) {
      if (countIn(*value, key)) continue;
      const auto number = numberInText(value->find(key));
      if (!number) return std::nullopt;
      maker.set(keyAt(pointer, key), numberValue(*number));
    }
    return maker.done("Write the numbers of " + whereText(pointer) + " as numbers");
  }
  const Value* const workspace = value->find("workspace");
  if (!textIn(*value, "function_name") || !workspace || !countIn(*workspace, "device") ||
      !countIn(*workspace, "workspace_size_bytes"))
    return std::nullopt;
  const std::string inner = keyAt(pointer, "workspace");
  return FixMaker(context)
      .set(inner, listValue({*workspace}))
      .done("Turn " + whereText(inner) + " into a list with one entry");
}

/// The entry that repeats another one, if both are equal.
OptionalFix removeRepeated(const FixContext& context, const Issue& issue, std::string_view key) {
  const Value* const list = context.inMetadata(parentOf(issue.place.pointer));
  const auto index = indexOf(issue.place.pointer);
  if (!list || !index || *index >= list->items().size()) return std::nullopt;
  const Value& repeated = list->items()[*index];
  const Value* const name = repeated.find(key);
  if (!name) return std::nullopt;
  const auto first = std::find_if(list->items().begin(), list->items().end(), [&](const Value& one) {
    const Value* const other = one.find(key);
    return other && isSame(*other, *name);
  });
  if (&*first == &repeated || !isSame(*first, repeated)) return std::nullopt;
  return FixMaker(context)
      .drop(issue.place.pointer)
      .done("Remove " + whereText(issue.place.pointer) + ", which repeats an earlier entry");
}

OptionalFix removeFunction(const FixContext& context, const Issue& issue) {
  return removeRepeated(context, issue, "function_name");
}
OptionalFix removeDevice(const FixContext& context, const Issue& issue) {
  return removeRepeated(context, issue, "device");
}

/// The interface header and the generated code state the workspace of the first entry as well. The header is rewritten
/// with it; code is never changed.
OptionalFix raiseWorkspace(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  const Value* const entry = context.inMetadata(issue.place.pointer);
  const auto device = entry ? countIn(*entry, "device") : std::nullopt;
  if (!module || !device) return std::nullopt;
  const std::string functions = module->module->memoryPointer() + "/functions";
  uint64_t need = 0;
  if (const Value* const list = context.inMetadata(functions + "/operator_functions"))
    for (const Value& function : list->items())
      if (const Value* const workspace = function.find("workspace"))
        for (const Value& one : workspace->items())
          if (countIn(one, "device") == device) need = std::max(need, countIn(one, "workspace_size_bytes").value_or(0));
  const Value* const main = context.inMetadata(functions + "/main");
  if (!main) return std::nullopt;
  const Value::Array& items = main->items();
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Value& one) { return countIn(one, "device") == device; });
  if (found == items.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - items.begin());
  const std::string pointer = keyAt(json::pointerStep(functions + "/main", index), "workspace_size_bytes");
  FixMaker maker(context);
  maker.set(pointer, numberValue(need));
  if (index == 0) {
    const auto stated = module->memory.workspace;
    for (const CodeFile* const code : module->code)
      if (code->source && !code->source->workspaces.empty()) return std::nullopt;
    if (module->header)
      for (const CMacro& macro : module->header->macros)
        if (stated && isWorkspaceMacro(*module, macro) && macro.number() == std::to_string(*stated))
          patchMacro(maker, *module, macro, need);
  }
  return maker.done("Raise " + whereText(pointer) + " to " + std::to_string(need) +
                    ", the largest workspace of a function");
}

// --- MLF-211, 212, 213 ---

OptionalFix rebuildStorages(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  return module && module->module->executor == Executor::Graph ? rebuiltStorages(context, *module) : std::nullopt;
}

OptionalFix removeStorages(const FixContext& context, const Issue& issue) {
  return FixMaker(context)
      .drop(issue.place.pointer)
      .done("Remove " + whereText(issue.place.pointer) + "; the AOT executor has no storages");
}

// --- MLF-214, 215, 216 ---

/// Only for the graph executor; nothing else states what the inputs are.
OptionalFix rebuildTensors(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleAt(issue.place.pointer);
  return module ? rebuiltTensor(context, *module, issue.place.pointer) : std::nullopt;
}

OptionalFix setBufferSize(const FixContext& context, const Issue& issue) {
  const Value* const buffer = context.inMetadata(parentOf(issue.place.pointer));
  const Value* const shape = buffer ? buffer->find("shape") : nullptr;
  const std::string* const type = buffer ? textIn(*buffer, "dtype") : nullptr;
  const auto element = type ? parseElementType(*type) : std::nullopt;
  if (!shape || !element) return std::nullopt;
  std::vector<uint64_t> dimensions;
  for (const Value& dimension : shape->items()) dimensions.push_back(dimension.number());
  const auto bytes = packedBytes(dimensions, *element);
  return bytes ? setNumber(context, issue.place.pointer, *bytes, ", as shape and type say") : std::nullopt;
}

constexpr FixRow kMemoryFixes[] = {
    {check::Rule::MlfMemoryForm, rebuildMemory},      {check::Rule::MlfMainMissing, listMain},
    {check::Rule::MlfMainEntry, completeMain},        {check::Rule::MlfOperatorList, listFunctions},
    {check::Rule::MlfOperatorTwice, removeFunction},  {check::Rule::MlfDeviceTwice, removeDevice},
    {check::Rule::MlfMainWorkspace, raiseWorkspace},  {check::Rule::MlfIoSize, raiseIo},
    {check::Rule::MlfConstantsSize, setConstants},    {check::Rule::MlfStoragesMissing, rebuildStorages},
    {check::Rule::MlfStoragesUnused, removeStorages}, {check::Rule::MlfStorageForm, rebuildStorages},
    {check::Rule::MlfTensorForm, rebuildTensors},     {check::Rule::MlfTensorSize, rebuildTensors},
    {check::Rule::MlfBufferSize, setBufferSize},
};

} // namespace

std::span<const FixRow> memoryFixes() { return kMemoryFixes; }

} // namespace blobscope::mlf
