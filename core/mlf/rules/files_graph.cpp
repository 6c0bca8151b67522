#include "core/base/text.h"
#include "core/mlf/file_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::mlf {
namespace {

std::string shown(std::string_view name) { return shortened(name, 200); }

/// Parameters and graphs use the same type codes up to 7; in the graph all custom types have one code.
bool isSameType(const Parameter& parameter, const ElementType& type) {
  return std::min<uint8_t>(parameter.code, 129) == type.code && parameter.bits == type.bits &&
         parameter.lanes == type.lanes;
}

bool isSameShape(const Parameter& parameter, std::span<const uint64_t> shape) {
  return std::equal(parameter.shape.begin(), parameter.shape.end(), shape.begin(), shape.end(),
                    [](int64_t a, uint64_t b) { return a >= 0 && static_cast<uint64_t>(a) == b; });
}

std::string sizeAndType(uint64_t size, std::string_view type) {
  return std::to_string(size) + " bytes of " + shortened(type, 40);
}

/// Compares the graph, the parameters and the metadata of one module.
class GraphRules {
public:
  GraphRules(const FileFacts& facts, const ModuleFacts& module, Findings& findings, Monitor& monitor)
      : m_facts(facts), m_module(module), m_graph(*module.graph), m_findings(findings), m_monitor(monitor) {}

  void checkParameters();
  void checkInputs();
  void checkOutputs();
  void checkStorages();
  void checkDevices();

private:
  void addMetadata(Rule rule, std::string pointer, std::vector<Argument> arguments) {
    m_findings.add(rule, {"metadata.json", std::move(pointer), {}, {}}, std::move(arguments));
  }
  bool stop(uint64_t done) const { return done % 4096 == 0 && m_monitor.stopRequested(); }
  std::string mainPointer() const { return m_module.module->memoryPointer() + "/functions/main"; }
  void checkStorage(const ListedStorage& listed, const StorageUse& use);

  const FileFacts& m_facts;
  const ModuleFacts& m_module;
  const Graph& m_graph;
  Findings& m_findings;
  Monitor& m_monitor;
};

// --- MLF-610, 611 ---

void GraphRules::checkParameters() {
  if (!m_module.parameters || !m_module.parameters->whole || !m_graph.nodesSound) return;
  const std::string& path = m_module.module->parameters->path;
  std::unordered_map<std::string_view, const GraphNode*> inputs;
  for (const GraphNode& node : m_graph.nodes)
    if (node.isInput) inputs.try_emplace(node.name, &node);
  uint64_t done = 0;
  for (const Parameter& parameter : m_module.parameters->list) {
    if (stop(++done)) return;
    const auto input = inputs.find(parameter.name);
    const Place place{path, {}, {}, parameter.offset};
    if (input == inputs.end()) {
      m_findings.add(Rule::MlfParameterNoInput, place, {arg("file", path), arg("name", shown(parameter.name))});
      continue;
    }
    if (!m_graph.entriesSound || !parameter.sound) continue;
    const GraphEntry& entry = m_graph.entries[input->second->firstEntry];
    if (isSameType(parameter, *entry.type) && isSameShape(parameter, *entry.shape)) continue;
    m_findings.add(Rule::MlfParameterShape, place,
                   {arg("file", path), arg("name", shown(parameter.name)), arg("found", shown(parameter.text())),
                    arg("want", listText(*entry.shape) + " " + std::string(entry.typeName))});
  }
}

// --- MLF-612 ---

/// Names, sizes and types of the inputs that are not parameters. Before TVM 0.11 nothing is listed.
void GraphRules::checkInputs() {
  if (!m_module.memory.listsInputs || !m_graph.entriesSound || !m_module.parameters || !m_module.parameters->whole)
    return;
  std::unordered_set<std::string_view> parameters;
  for (const Parameter& parameter : m_module.parameters->list) parameters.insert(parameter.name);
  std::map<std::string_view, const GraphEntry*> inputs;
  for (const GraphNode& node : m_graph.nodes)
    if (node.isInput && !parameters.contains(node.name))
      inputs.try_emplace(node.name, &m_graph.entries[node.firstEntry]);
  std::set<std::string_view> listed;
  for (const ListedTensor& tensor : m_module.memory.inputs) {
    listed.insert(tensor.name);
    const auto input = inputs.find(tensor.name);
    if (input == inputs.end()) {
      const bool parameter = parameters.contains(tensor.name);
      addMetadata(
          Rule::MlfInputsDisagree, tensor.pointer,
          {arg("why", "'" + shown(tensor.name) + "' is " + (parameter ? "a parameter" : "no input of the graph"))});
      continue;
    }
    const GraphEntry& entry = *input->second;
    const std::optional<uint64_t> size = packedBytes(*entry.shape, *entry.type);
    if (!tensor.sound || !size || (tensor.size == *size && parseElementType(tensor.dtype) == entry.type)) continue;
    addMetadata(Rule::MlfInputsDisagree, tensor.pointer,
                {arg("why", "'" + shown(tensor.name) + "' has " + sizeAndType(tensor.size, tensor.dtype) +
                                ", but the graph says " + sizeAndType(*size, entry.typeName))});
  }
  for (const auto& [name, entry] : inputs)
    if (!listed.contains(name))
      addMetadata(Rule::MlfInputsDisagree, mainPointer(),
                  {arg("why", "lack '" + shown(name) + "', an input of the graph")});
}

// --- MLF-613 ---

/// Number, sizes and types; the graph has no names for its outputs.
void GraphRules::checkOutputs() {
  const std::vector<ListedTensor>& listed = m_module.memory.outputs;
  if (!m_module.memory.listsOutputs || !m_graph.entriesSound || !m_graph.headsSound) return;
  if (!std::all_of(listed.begin(), listed.end(), [](const ListedTensor& tensor) { return tensor.sound; })) return;
  if (listed.size() != m_graph.heads.size())
    return addMetadata(Rule::MlfOutputsDisagree, mainPointer(),
                       {arg("why", std::to_string(listed.size()) + " listed, but the graph has " +
                                       std::to_string(m_graph.heads.size()))});
  struct Kind {
    uint64_t size;
    ElementType type;
    std::string_view text;
    auto key() const { return std::tuple(size, type.code, type.bits, type.lanes); }
  };
  const auto before = [](const Kind& a, const Kind& b) { return a.key() < b.key(); };
  std::vector<Kind> found, want;
  for (const ListedTensor& tensor : listed)
    found.push_back({tensor.size, parseElementType(tensor.dtype).value_or(ElementType{255, 0, 0}), tensor.dtype});
  for (const GraphReference& head : m_graph.heads) {
    const GraphEntry& entry = m_graph.entries[m_graph.entryOf(head)];
    const std::optional<uint64_t> size = packedBytes(*entry.shape, *entry.type);
    if (!size) return;
    want.push_back({*size, *entry.type, entry.typeName});
  }
  std::sort(found.begin(), found.end(), before);
  std::sort(want.begin(), want.end(), before);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].key() == want[i].key()) continue;
    return addMetadata(Rule::MlfOutputsDisagree, mainPointer(),
                       {arg("why", "one has " + sizeAndType(found[i].size, found[i].text) + ", but the graph has " +
                                       sizeAndType(want[i].size, want[i].text))});
  }
}

// --- MLF-614 to 617 ---

/// Checks one storage that metadata and graph both contain. Section 6.3: the exporter reads shape and type in the entry
/// tables at the index of the storage id, although it should use the entry that uses the storage first.
void GraphRules::checkStorage(const ListedStorage& listed, const StorageUse& use) {
  std::optional<uint64_t> legacy;
  if (listed.id < m_graph.entries.size()) {
    const GraphEntry& entry = m_graph.entries[listed.id];
    legacy = packedBytes(*entry.shape, *entry.type);
  }
  const auto text = [](std::optional<uint64_t> bytes) { return bytes ? std::to_string(*bytes) : std::string("none"); };
  if (use.bytes && listed.size != *use.bytes) {
    if (legacy == listed.size)
      addMetadata(Rule::MlfStorageSizeExporter, listed.pointer,
                  {arg("sid", listed.id), arg("found", listed.size), arg("need", *use.bytes)});
    else
      addMetadata(
          Rule::MlfStorageSizeWrong, listed.pointer,
          {arg("sid", listed.id), arg("found", listed.size), arg("legacy", text(legacy)), arg("need", *use.bytes)});
  }
  if (!m_graph.argNodesSound) return;
  if (use.binding ? listed.binding && listed.binding->isString() && listed.binding->text() == *use.binding
                  : !listed.binding)
    return;
  const std::string found = !listed.binding              ? "(none)"
                            : listed.binding->isString() ? shown(listed.binding->text())
                                                         : "(" + std::string(typeWords(*listed.binding)) + ")";
  addMetadata(Rule::MlfStorageBinding, listed.pointer,
              {arg("sid", listed.id), arg("found", found), arg("want", use.binding ? shown(*use.binding) : "(none)")});
}

void GraphRules::checkStorages() {
  if (!m_module.memory.storages || !m_graph.entriesSound) return;
  const std::vector<StorageUse> uses = storageUses(m_graph, m_monitor);
  if (m_monitor.stopRequested()) return;
  std::unordered_map<uint64_t, const StorageUse*> byId;
  std::vector<uint64_t> want, found;
  for (const StorageUse& use : uses) {
    byId.emplace(use.id, &use);
    want.push_back(use.id);
  }
  for (const ListedStorage& listed : *m_module.memory.storages) found.push_back(listed.id);
  if (found != want)
    addMetadata(Rule::MlfStorageIdsDisagree, storagesPointer(*m_module.module, m_facts.model->version),
                {arg("found", listText(found)), arg("want", listText(want))});
  for (const ListedStorage& listed : *m_module.memory.storages)
    if (const auto use = byId.find(listed.id); use != byId.end()) checkStorage(listed, *use->second);
}

// --- MLF-628 ---

void GraphRules::checkDevices() {
  const std::vector<uint64_t>& devices = m_module.memory.devices;
  if (devices.empty() || !m_graph.entriesSound) return;
  std::set<uint64_t> reported;
  for (uint64_t i = 0; i < m_graph.entries.size(); ++i) {
    if (stop(i)) return;
    const std::optional<uint64_t> device = m_graph.entries[i].device;
    if (!device || std::find(devices.begin(), devices.end(), *device) != devices.end() ||
        !reported.insert(*device).second)
      continue;
    const std::string& path = m_module.module->graph->path;
    m_findings.add(Rule::MlfEntryDevice, {path, json::pointerStep("/attrs/device_index/1", i), {}, {}},
                   {arg("file", path), arg("entry", i), arg("device", *device)});
  }
}

// --- MLF-625 ---

/// Checks parameters that _lookup_linked_param() finds in the code and that the file also contains.
void checkLinked(const ModuleFacts& module, Findings& findings) {
  if (!module.parameters || module.parameters->list.empty()) return;
  constexpr std::string_view kLookup = "_lookup_linked_param";
  std::unordered_set<std::string_view> linked;
  bool looksUp = false;
  for (const CodeFile* const code : module.code) {
    if (code->source) {
      looksUp = looksUp || code->source->defines(kLookup);
      linked.insert(code->source->linkedParameters.begin(), code->source->linkedParameters.end());
    }
    if (code->object) {
      looksUp = looksUp || code->object->defines(kLookup);
      linked.insert(code->object->linkedParameters.begin(), code->object->linkedParameters.end());
    }
  }
  if (!looksUp) return;
  const auto count = static_cast<uint64_t>(
      std::count_if(module.parameters->list.begin(), module.parameters->list.end(), [&](const Parameter& parameter) {
        return linked.empty() || linked.contains(parameter.name); // an object may not contain their names
      }));
  const std::string& path = module.module->parameters->path;
  if (count > 0) findings.add(Rule::MlfLinkedParameters, {path, {}, {}, {}}, {arg("file", path), arg("count", count)});
}

} // namespace

void checkGraphAndMemory(const FileFacts& facts, Findings& findings, Monitor& monitor) {
  for (const ModuleFacts& module : facts.modules) {
    if (monitor.stopRequested()) return;
    checkLinked(module, findings);
    if (!module.graph) continue;
    GraphRules rules(facts, module, findings, monitor);
    rules.checkParameters();
    rules.checkInputs();
    rules.checkOutputs();
    rules.checkStorages();
    rules.checkDevices();
  }
}

} // namespace blobscope::mlf
