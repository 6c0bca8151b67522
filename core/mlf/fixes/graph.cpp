#include "core/mlf/graph.h"

#include "core/base/text.h"
#include "core/mlf/fixes/graph_facts.h"
#include "core/mlf/metadata_place.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::mlf {
namespace {

using check::Issue;
using json::Value;
using OptionalFix = std::optional<Fix>;

/// A graph file with a finding.
struct GraphAt {
  const ModuleFacts* module = nullptr;
  const File* file = nullptr;
  const Graph* graph = nullptr;
  const Value* root = nullptr;

  const Value* at(std::string_view pointer) const { return valueAt(*root, pointer); }
};
std::optional<GraphAt> graphAt(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleOf(issue.place.member);
  if (!module || !module->graph || !module->graph->document || module->module->graph->path != issue.place.member)
    return std::nullopt;
  return GraphAt{module, module->module->graph, &*module->graph, &module->graph->document->root};
}

// --- lists that the nodes determine: MLF-502, 511, 513 ---

std::optional<Value> rowPointers(const Graph& graph) {
  if (!graph.nodesSound) return std::nullopt;
  Value::Array items;
  for (const GraphNode& node : graph.nodes) items.push_back(numberValue(node.firstEntry));
  items.push_back(numberValue(graph.nodes.empty() ? 0 : graph.nodes.back().firstEntry + graph.nodes.back().outputs));
  return listValue(std::move(items));
}
std::optional<Value> argNodes(const Graph& graph) {
  Value::Array items;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].isInput && !graph.nodes[i].isOperator) return std::nullopt;
    if (graph.nodes[i].isInput) items.push_back(numberValue(i));
  }
  return graph.nodes.empty() ? std::nullopt : std::optional(listValue(std::move(items)));
}
std::optional<Value> rebuiltList(const Graph& graph, std::string_view key) {
  return key == "node_row_ptr" ? rowPointers(graph) : key == "arg_nodes" ? argNodes(graph) : std::nullopt;
}

/// Returns the length that all lists of the graph's attributes have.
std::optional<std::size_t> attributeLength(const Value& root) {
  std::optional<std::size_t> length;
  const Value* const attributes = root.find("attrs");
  for (const std::string_view key : {"dltype", "storage_id", "shape"}) {
    const Value* const pair = attributes ? attributes->find(key) : nullptr;
    if (!pair || pair->items().size() != 2 || (length && *length != pair->items()[1].items().size()))
      return std::nullopt;
    length = pair->items()[1].items().size();
  }
  return length;
}

OptionalFix rebuildList(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  if (!found) return std::nullopt;
  const std::string key = issue.place.pointer.starts_with("/arg_nodes") ? "arg_nodes" : "node_row_ptr";
  auto list = rebuiltList(*found->graph, key);
  if (!list) return std::nullopt;
  // If the lists of entries agree with this one, the counts of outputs are wrong.
  if (key == "node_row_ptr" && !list->items().empty() &&
      attributeLength(*found->root) != static_cast<std::size_t>(list->items().back().number()))
    return std::nullopt;
  return FixMaker(context)
      .setIn(*found->file, "/" + key, std::move(*list))
      .done("Write '" + key + "' from the nodes of the graph");
}

OptionalFix completeGraph(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  if (!found) return std::nullopt;
  const std::string& pointer = issue.place.pointer;
  FixMaker maker(context);
  if (pointer.empty()) { // keys are missing
    std::string names;
    for (const std::string_view key : {"nodes", "arg_nodes", "heads", "attrs", "node_row_ptr"}) {
      if (found->root->find(key)) continue;
      auto list = rebuiltList(*found->graph, key);
      if (!list || found->root->find("metadata")) return std::nullopt;
      maker.setIn(*found->file, "/" + std::string(key), std::move(*list));
      names += (names.empty() ? "'" : " and '") + std::string(key) + "'";
    }
    return names.empty() ? std::nullopt : std::optional(maker.done("Write " + names + " from the nodes of the graph"));
  }
  const std::string key = lastStep(pointer);
  const Value* const value = found->root->find(key);
  if (!value) return std::nullopt;
  if (value->isArray() || value->isObject()) {
    const Value* const metadata = found->root->find("metadata");
    if (!metadata || (key == "attrs") != value->isObject()) return std::nullopt;
    return maker.dropIn(*found->file, "/metadata")
        .setIn(*found->file, "/metadata", *metadata)
        .done("Move 'metadata' to the end, after '" + key + "'");
  }
  auto list = rebuiltList(*found->graph, key);
  if (!list) return std::nullopt;
  return maker.setIn(*found->file, pointer, std::move(*list)).done("Write '" + key + "' from the nodes of the graph");
}

// --- keys that the executors do not know: MLF-503, 504, 516 ---

OptionalFix removeKey(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  if (!found || !found->at(issue.place.pointer)) return std::nullopt;
  return FixMaker(context)
      .dropIn(*found->file, issue.place.pointer)
      .done("Remove '" + escapedWithin(lastStep(issue.place.pointer), 80) + "' from " +
            escapedWithin(found->file->path, 200));
}

// --- nodes: MLF-505, 506, 507, 508, 509 ---

/// Returns the pointer of the node, "/nodes/2".
std::string nodePointer(std::string_view pointer) {
  return std::string(pointer.substr(0, pointer.find('/', std::string_view("/nodes/").size())));
}
std::optional<uint64_t> decimalIn(const Value& object, std::string_view name) {
  const std::string* const text = textIn(object, name);
  return text ? parseNumber(*text) : std::nullopt;
}
const Value* attributesOf(const Value& node) {
  const Value* const attributes = node.find("attrs");
  return attributes ? attributes : node.find("attr");
}

/// Unknown keys are removed if nothing is missing whose misspelling they may be. A node that needs no inputs gets an
/// empty list.
OptionalFix completeNode(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const std::string pointer = nodePointer(issue.place.pointer);
  const Value* const node = found ? found->at(pointer) : nullptr;
  if (!node || !node->isObject()) return std::nullopt;
  static constexpr std::string_view kTexts[] = {"op", "name"}, kObjects[] = {"attr", "attrs"},
                                    kLists[] = {"inputs", "control_deps"};
  const auto isOneOf = [](const auto& keys, std::string_view key) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  };
  FixMaker maker(context);
  std::string sentence;
  const bool lacksInputs = !node->find("inputs");
  for (const auto& [key, value] : node->members()) {
    const bool known = isOneOf(kTexts, key) || isOneOf(kObjects, key) || isOneOf(kLists, key);
    if (known && (isOneOf(kTexts, key)     ? !value.isString()
                  : isOneOf(kObjects, key) ? !value.isObject()
                                           : !value.isArray()))
      return std::nullopt;
    if (known) continue;
    if (lacksInputs) return std::nullopt;
    maker.dropIn(*found->file, json::pointerStep(pointer, key));
    sentence += (sentence.empty() ? "Remove '" : ", '") + escapedWithin(key, 80) + "'";
  }
  if (!node->find("op") || !node->find("name")) return std::nullopt;
  if (lacksInputs) {
    const Value* const attributes = attributesOf(*node);
    const bool none = *textIn(*node, "op") == "null" ||
                      (attributes && decimalIn(*attributes, "num_inputs") == std::optional<uint64_t>(0));
    if (!none) return std::nullopt;
    maker.setIn(*found->file, pointer + "/inputs", listValue({}));
    sentence = "Set 'inputs' to an empty list";
  }
  return sentence.empty() ? std::nullopt : std::optional(maker.done(sentence + " in node " + lastStep(pointer)));
}

/// There are two kinds of nodes; what else a node has shows which one it is.
OptionalFix setOperation(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const std::string pointer = nodePointer(issue.place.pointer);
  const Value* const node = found ? found->at(pointer) : nullptr;
  if (!node) return std::nullopt;
  const Value *const attributes = attributesOf(*node), *const inputs = node->find("inputs");
  const bool isOperator = attributes && textIn(*attributes, "func_name") && textIn(*attributes, "num_outputs");
  const bool isInput = !attributes && inputs && inputs->isArray() && inputs->items().empty();
  if (!isOperator && !isInput) return std::nullopt;
  const std::string op = isOperator ? "tvm_op" : "null";
  return FixMaker(context)
      .setIn(*found->file, pointer + "/op", textValue(op))
      .done("Set the operation of node " + lastStep(pointer) + " to '" + op + "'");
}

OptionalFix removeInputs(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const std::string pointer = nodePointer(issue.place.pointer);
  const Value* const node = found ? found->at(pointer) : nullptr;
  if (!node || attributesOf(*node)) return std::nullopt;
  return FixMaker(context)
      .setIn(*found->file, pointer + "/inputs", listValue({}))
      .done("Remove the inputs of node " + lastStep(pointer) + ", which is an input itself");
}

/// Returns the number of outputs of a node according to node_row_ptr, if that list is complete.
std::optional<uint64_t> outputsByRows(const Value& root, std::size_t node) {
  const Value *const rows = root.find("node_row_ptr"), *const nodes = root.find("nodes");
  if (!rows || !nodes || rows->items().size() != nodes->items().size() + 1) return std::nullopt;
  const uint64_t last = rows->items().back().number();
  const uint64_t from = rows->items()[node].number(), to = rows->items()[node + 1].number();
  if (attributeLength(root) != static_cast<std::size_t>(last) || from >= to) return std::nullopt;
  return to - from;
}

/// All attributes of a node together, so that the finding is gone afterwards.
OptionalFix completeAttributes(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const std::string pointer = nodePointer(issue.place.pointer);
  const Value* const node = found ? found->at(pointer) : nullptr;
  const Value* const attributes = node ? attributesOf(*node) : nullptr;
  const auto index = indexOf(pointer);
  if (!attributes || !attributes->isObject() || !index) return std::nullopt;
  const std::string at = pointer + (node->find("attrs") ? "/attrs" : "/attr");
  FixMaker maker(context);
  std::string names;
  const auto set = [&](std::string_view key, const std::string& text) {
    maker.setIn(*found->file, json::pointerStep(at, key), textValue(text));
    names += (names.empty() ? "'" : " and '") + escapedWithin(key, 80) + "' to '" + shortened(text, 80) + "'";
  };
  std::set<std::string> done;
  for (const auto& [key, value] : attributes->members()) {
    if (value.isString()) continue;
    if (value.type() != Value::Type::Unsigned) return std::nullopt;
    set(key, std::to_string(value.number()));
    done.insert(key);
  }
  if (!attributes->find("func_name")) return std::nullopt;
  if (!attributes->find("flatten_data")) set("flatten_data", "0"); // always; section 8
  const Value* const inputs = node->find("inputs");
  const auto count = decimalIn(*attributes, "num_inputs");
  if (!done.contains("num_inputs") && (!count || *count > UINT32_MAX)) {
    if (!inputs || !inputs->isArray()) return std::nullopt;
    set("num_inputs", std::to_string(inputs->items().size()));
  }
  const auto outputs = decimalIn(*attributes, "num_outputs");
  if (!done.contains("num_outputs") && (!outputs || *outputs == 0 || *outputs > UINT32_MAX)) {
    const auto rows = outputsByRows(*found->root, *index);
    if (!rows) return std::nullopt;
    set("num_outputs", std::to_string(*rows));
  }
  return names.empty() ? std::nullopt
                       : std::optional(maker.done("Set " + names + " in the attributes of node " + lastStep(pointer)));
}

OptionalFix setInputCount(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const std::string pointer = nodePointer(issue.place.pointer);
  const Value* const node = found ? found->at(pointer) : nullptr;
  const Value* const inputs = node ? node->find("inputs") : nullptr;
  if (!inputs) return std::nullopt;
  const std::string count = std::to_string(inputs->items().size());
  return FixMaker(context)
      .setIn(*found->file, pointer + (node->find("attrs") ? "/attrs" : "/attr") + "/num_inputs", textValue(count))
      .done("Set num_inputs of node " + lastStep(pointer) + " to '" + count + "'");
}

// --- attributes of the graph: MLF-514, 517, 518, 519 ---

/// The tag follows from the key. The elements must have the type that it names.
OptionalFix setTag(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const Value* const pair = found ? found->at(issue.place.pointer) : nullptr;
  if (!pair || pair->items().size() != 2 || !pair->items()[0].isString() || !pair->items()[1].isArray())
    return std::nullopt;
  static const std::map<std::string_view, std::pair<std::string_view, Value::Type>> kTags = {
      {"dltype", {"list_str", Value::Type::String}},
      {"storage_id", {"list_int", Value::Type::Unsigned}},
      {"shape", {"list_shape", Value::Type::Array}},
      {"device_index", {"list_int", Value::Type::Unsigned}},
      {"storage_scope", {"list_str", Value::Type::String}}};
  const auto tag = kTags.find(lastStep(issue.place.pointer));
  if (tag == kTags.end() || pair->items()[0].text() == tag->second.first) return std::nullopt;
  const auto& items = pair->items()[1].items();
  if (!std::all_of(items.begin(), items.end(), [&](const Value& one) { return one.type() == tag->second.second; }))
    return std::nullopt;
  return FixMaker(context)
      .setIn(*found->file, issue.place.pointer + "/0", textValue(tag->second.first))
      .done("Set the tag of '" + std::string(tag->first) + "' to '" + std::string(tag->second.first) + "'");
}

/// Returns the parameter that an entry of the graph is; null if it is another entry.
const Parameter* parameterOf(const GraphAt& at, uint64_t entry) {
  if (!at.graph->nodesSound || !at.module->parameters || !at.module->parameters->whole) return nullptr;
  for (const GraphNode& node : at.graph->nodes)
    if (node.isInput && node.firstEntry == entry) {
      const Parameter* const parameter = at.module->parameters->find(node.name);
      return parameter && parameter->sound ? parameter : nullptr;
    }
  return nullptr;
}

OptionalFix setEntryType(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const auto entry = indexOf(issue.place.pointer);
  const Parameter* const parameter = found && entry ? parameterOf(*found, *entry) : nullptr;
  if (!parameter) return std::nullopt;
  const std::string text = parameter->text(); // "[1, 4] float32"
  const std::string type = text.substr(text.find("] ") + 2);
  if (!parseElementType(type)) return std::nullopt;
  return FixMaker(context)
      .setIn(*found->file, issue.place.pointer, textValue(type))
      .done("Set the type of entry " + std::to_string(*entry) + " to '" + type + "', as in the parameter file");
}

OptionalFix setEntryShape(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const auto entry = indexOf(issue.place.pointer);
  const Parameter* const parameter = found && entry ? parameterOf(*found, *entry) : nullptr;
  if (!parameter) return std::nullopt;
  Value::Array shape;
  for (const int64_t extent : parameter->shape) shape.push_back(numberValue(static_cast<uint64_t>(extent)));
  Value value = listValue(std::move(shape));
  const std::string text = shownJson(value);
  return FixMaker(context)
      .setIn(*found->file, issue.place.pointer, std::move(value))
      .done("Set the shape of entry " + std::to_string(*entry) + " to " + text + ", as in the parameter file");
}

/// A model with memory on one device has all entries there.
OptionalFix setEntryDevice(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  const auto entry = indexOf(issue.place.pointer);
  if (!found || !entry || !issue.place.pointer.starts_with("/attrs/device_index/") ||
      found->module->memory.devices.size() != 1)
    return std::nullopt;
  const uint64_t device = found->module->memory.devices.front();
  return FixMaker(context)
      .setIn(*found->file, issue.place.pointer, numberValue(device))
      .done("Set the device of entry " + std::to_string(*entry) + " to " + std::to_string(device) +
            ", the only one with memory");
}

// --- MLF-531 ---

/// Numbers in linked parameters of the code name storages, so such a graph keeps its numbers.
OptionalFix renumberStorages(const FixContext& context, const Issue& issue) {
  const auto found = graphAt(context, issue);
  if (!found || !found->graph->entriesSound) return std::nullopt;
  for (const CodeFile* const code : found->module->code)
    if ((code->source && code->source->defines("_lookup_linked_param")) ||
        (code->object && code->object->defines("_lookup_linked_param")))
      return std::nullopt;
  std::map<uint64_t, uint64_t> numbers;
  for (const GraphEntry& entry : found->graph->entries) numbers.emplace(*entry.storage, 0);
  uint64_t next = 0;
  for (auto& [old, number] : numbers) number = next++;
  Graph renumbered = *found->graph;
  Value::Array ids;
  for (GraphEntry& entry : renumbered.entries) {
    entry.storage = numbers[*entry.storage];
    ids.push_back(numberValue(*entry.storage));
  }
  FixMaker maker(context);
  maker.setIn(*found->file, "/attrs/storage_id/1", listValue(std::move(ids)));
  const std::string pointer = storagesPointer(*found->module->module, context.model().version);
  if (context.inMetadata(pointer)) {
    auto list = storageList(context, renumbered);
    if (!list) return std::nullopt;
    maker.set(pointer, std::move(*list));
  }
  return maker.done("Number the storages of the graph and of the metadata from 0 without gaps");
}

constexpr FixRow kGraphFixes[] = {
    {check::Rule::MlfGraphKeys, completeGraph},
    {check::Rule::MlfGraphKeyUnknown, removeKey},
    {check::Rule::MlfGraphKeyUnread, removeKey},
    {check::Rule::MlfNodeForm, completeNode},
    {check::Rule::MlfNodeOperation, setOperation},
    {check::Rule::MlfInputHasInputs, removeInputs},
    {check::Rule::MlfNodeAttributes, completeAttributes},
    {check::Rule::MlfNodeInputCount, setInputCount},
    {check::Rule::MlfArgNodes, rebuildList},
    {check::Rule::MlfNodeRowPtr, rebuildList},
    {check::Rule::MlfAttributeForm, setTag},
    {check::Rule::MlfAttributeTag, removeKey},
    {check::Rule::MlfEntryType, setEntryType},
    {check::Rule::MlfEntryShape, setEntryShape},
    {check::Rule::MlfEntryNumber, setEntryDevice},
    {check::Rule::MlfStorageIdGap, renumberStorages},
};

} // namespace

std::span<const FixRow> graphFixes() { return kGraphFixes; }

} // namespace blobscope::mlf
