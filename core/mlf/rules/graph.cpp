#include "core/mlf/graph.h"
#include "core/base/text.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/parameters.h"
#include "core/mlf/rules/checks.h"

#include <algorithm>
#include <map>

namespace blobscope::mlf {
namespace {

/// Longest texts that fit in the C runtime's default buffers; core/formats/model-library-format.md 8, each tested.
constexpr std::size_t kNameLength = 118, kTypeLength = 8, kKeyLength = 18, kGraphKeyLength = 14;
constexpr std::size_t kArguments = 9, kDimensions = 6;
constexpr uint64_t kNever = UINT64_MAX;

class GraphRules {
public:
  GraphRules(const Graph& graph, Findings& findings, Monitor& monitor)
      : m_graph(graph), m_findings(findings), m_monitor(monitor) {}

  void checkInputNames();
  void checkDevices();
  void checkNops();
  void checkOverwrites();
  void checkStorageGaps();

  void checkUnsupported();
  void checkLengths();
  void checkArguments();
  void checkDimensions();
  void checkFirstInput(const Parameters& parameters);
  void checkStorageTable();

private:
  void add(Rule rule, std::string pointer, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), arg("file", m_graph.file->path));
    m_findings.add(rule, {m_graph.file->path, std::move(pointer), {}, {}}, std::move(arguments));
  }
  static std::string nodePointer(uint64_t node) { return json::pointerStep("/nodes", node); }
  static std::string entryPointer(std::string_view list, uint64_t entry) {
    return json::pointerStep("/attrs/" + std::string(list) + "/1", entry);
  }
  bool stop(uint64_t done) const { return done % 4096 == 0 && m_monitor.stopRequested(); }
  void checkLength(const std::string& pointer, const std::string& what, std::size_t length, std::size_t limit) {
    if (length > limit)
      add(Rule::MlfCRuntimeText, pointer, {arg("what", what), arg("length", length), arg("limit", limit)});
  }

  const Graph& m_graph;
  Findings& m_findings;
  Monitor& m_monitor;
};

// --- MLF-521 ---

void GraphRules::checkInputNames() {
  std::vector<std::pair<std::string_view, uint64_t>> names;
  for (uint64_t i = 0; i < m_graph.nodes.size(); ++i)
    if (m_graph.nodes[i].isInput) names.emplace_back(m_graph.nodes[i].name, i);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i].first == names[i - 1].first && (i == 1 || names[i - 2].first != names[i].first))
      add(Rule::MlfInputTwice, nodePointer(names[i].second) + "/name", {arg("name", shortened(names[i].first, 120))});
}

// --- MLF-520 ---

void GraphRules::checkDevices() {
  std::map<uint64_t, uint64_t> deviceOf;
  for (uint64_t i = 0; i < m_graph.entries.size(); ++i) {
    if (stop(i)) return;
    const GraphEntry& entry = m_graph.entries[i];
    if (!entry.device) continue;
    const auto [place, isNew] = deviceOf.try_emplace(*entry.storage, *entry.device);
    if (isNew || place->second == *entry.device || place->second == kNever) continue;
    add(Rule::MlfStorageDevices, entryPointer("device_index", i),
        {arg("sid", *entry.storage), arg("a", place->second), arg("b", *entry.device)});
    place->second = kNever; // reported once
  }
}

// --- MLF-522 ---

void GraphRules::checkNops() {
  for (uint64_t i = 0; i < m_graph.nodes.size(); ++i) {
    if (stop(i)) return;
    const GraphNode& node = m_graph.nodes[i];
    if (!node.isOperator || !node.isNop()) continue;
    const auto broken = [&](const std::string& why) {
      add(Rule::MlfNopNode, nodePointer(i), {arg("node", i), arg("why", why)});
    };
    if (node.inputs.empty()) {
      broken("__nop without an input");
      continue;
    }
    const GraphEntry& from = m_graph.entries[m_graph.entryOf(node.inputs[0])];
    const GraphEntry& to = m_graph.entries[node.firstEntry];
    if (from.storage != to.storage)
      broken("__nop writes to storage " + std::to_string(*to.storage) + ", but its input is in storage " +
             std::to_string(*from.storage));
    else if (const auto before = from.memoryBytes(), after = to.memoryBytes(); before && after && *before != *after)
      broken("__nop makes " + std::to_string(*after) + " bytes of " + std::to_string(*before));
  }
}

// --- MLF-523, 524 ---

/// Visits the nodes in execution order. For each storage: the entries that name its current content (several after a
/// __nop), or the input to which it belongs.
void GraphRules::checkOverwrites() {
  std::vector<std::vector<uint64_t>> readers(m_graph.entries.size()); // ascending; kNever: an output of the graph
  uint64_t done = 0;
  for (uint64_t i = 0; i < m_graph.nodes.size(); ++i)
    for (const GraphReference& reference : m_graph.nodes[i].inputs) {
      if (stop(++done)) return;
      readers[m_graph.entryOf(reference)].push_back(i);
    }
  if (m_graph.headsSound)
    for (const GraphReference& head : m_graph.heads) readers[m_graph.entryOf(head)].push_back(kNever);

  std::map<uint64_t, std::string_view> inputs; // storage → name
  for (const GraphNode& node : m_graph.nodes)
    if (node.isInput) inputs.try_emplace(*m_graph.entries[node.firstEntry].storage, node.name);

  std::map<uint64_t, std::vector<uint64_t>> content;
  const auto firstReader = [&](const std::vector<uint64_t>& entries, uint64_t from) {
    std::optional<uint64_t> first;
    for (const uint64_t entry : entries) {
      const auto reader = std::lower_bound(readers[entry].begin(), readers[entry].end(), from);
      if (reader != readers[entry].end() && (!first || *reader < *first)) first = *reader;
    }
    return first;
  };
  for (uint64_t i = 0; i < m_graph.nodes.size(); ++i) {
    const GraphNode& node = m_graph.nodes[i];
    if (!node.isOperator) continue;
    for (uint64_t output = 0; output < node.outputs; ++output) {
      if (stop(++done)) return;
      const uint64_t entry = node.firstEntry + output, storage = *m_graph.entries[entry].storage;
      if (node.isNop()) { // copies nothing; MLF-522 reports it if it should
        content[storage].push_back(entry);
        continue;
      }
      if (const auto input = inputs.find(storage); input != inputs.end()) {
        add(Rule::MlfInputOverwritten, nodePointer(i), {arg("node", i), arg("name", shortened(input->second, 120))});
        continue;
      }
      std::vector<uint64_t>& present = content[storage];
      if (const std::optional<uint64_t> reader = firstReader(present, i))
        add(Rule::MlfStorageOverwritten, nodePointer(i),
            {arg("node", i), arg("sid", storage),
             arg("reader", *reader == kNever ? "(output of the graph)" : std::to_string(*reader))});
      present = {entry};
    }
  }
}

// --- MLF-531 ---

void GraphRules::checkStorageGaps() {
  std::vector<uint64_t> used;
  for (const GraphEntry& entry : m_graph.entries) used.push_back(*entry.storage);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::string missing;
  unsigned shown = 0;
  uint64_t next = 0;
  const auto sendEvent = [&](uint64_t first, uint64_t last) {
    missing += (missing.empty() ? "" : ", ") + std::to_string(first) + (last > first ? "–" + std::to_string(last) : "");
  };
  for (const uint64_t storage : used) {
    if (storage > next && ++shown > 8) {
      missing += ", …";
      break;
    }
    if (storage > next) sendEvent(next, storage - 1);
    next = storage + 1;
  }
  if (!missing.empty()) add(Rule::MlfStorageIdGap, "/attrs/storage_id", {arg("missing", missing)});
}

// --- MLF-525 to 530: the C runtime ---

void GraphRules::checkUnsupported() {
  for (const std::string_view function : {"__nop", "__copy"}) {
    const auto node = std::find_if(m_graph.nodes.begin(), m_graph.nodes.end(),
                                   [&](const GraphNode& n) { return n.function == function; });
    if (node != m_graph.nodes.end())
      add(Rule::MlfCRuntimeFeature, nodePointer(static_cast<uint64_t>(node - m_graph.nodes.begin())),
          {arg("what", function)});
  }
  if (m_graph.hasStorageScope) add(Rule::MlfCRuntimeFeature, "/attrs/storage_scope", {arg("what", "storage_scope")});
  if (m_graph.hasControlDeps) add(Rule::MlfCRuntimeFeature, "/nodes", {arg("what", "control_deps")});
}

void GraphRules::checkLengths() {
  const json::Value& root = m_graph.document->root;
  if (const json::Value* const nodes = root.find("nodes"))
    for (uint64_t i = 0; i < nodes->items().size(); ++i) {
      if (stop(i)) return;
      const std::string pointer = nodePointer(i), of = " of node " + std::to_string(i);
      const json::Value* const name = nodes->items()[i].find("name");
      if (name) checkLength(pointer + "/name", "name" + of, name->text().size(), kNameLength);
      const json::Value* attributes = nodes->items()[i].find("attrs");
      if (!attributes) attributes = nodes->items()[i].find("attr");
      if (!attributes) continue;
      for (const auto& [key, value] : attributes->members()) {
        const std::string what = "'" + shortened(key, 40) + "'" + of;
        checkLength(pointer, "attribute key " + what, key.size(), kKeyLength);
        checkLength(pointer, "attribute " + what, value.text().size(), kNameLength);
      }
    }
  const json::Value* const attributes = root.find("attrs");
  if (!attributes) return;
  for (const auto& [key, value] : attributes->members())
    checkLength("/attrs", "attribute key '" + shortened(key, 40) + "'", key.size(), kGraphKeyLength);
  for (uint64_t i = 0; i < m_graph.entries.size(); ++i) {
    if (stop(i)) return;
    checkLength(entryPointer("dltype", i), "type of entry " + std::to_string(i), m_graph.entries[i].typeName.size(),
                kTypeLength);
  }
}

void GraphRules::checkArguments() {
  for (uint64_t i = 0; i < m_graph.nodes.size(); ++i) {
    if (stop(i)) return;
    const GraphNode& node = m_graph.nodes[i];
    const std::optional<uint64_t> count = checkedAdd(node.inputs.size(), node.outputs);
    if (node.isOperator && count && *count > kArguments)
      add(Rule::MlfCRuntimeArguments, nodePointer(i), {arg("node", i), arg("count", *count)});
  }
}

void GraphRules::checkDimensions() {
  for (uint64_t i = 0; i < m_graph.entries.size(); ++i) {
    if (stop(i)) return;
    const GraphEntry& entry = m_graph.entries[i];
    if (entry.shape && entry.shape->size() > kDimensions)
      add(Rule::MlfCRuntimeDimensions, entryPointer("shape", i), {arg("entry", i), arg("ndim", entry.shape->size())});
  }
}

void GraphRules::checkFirstInput(const Parameters& parameters) {
  const auto first =
      std::find_if(m_graph.nodes.begin(), m_graph.nodes.end(), [](const GraphNode& n) { return n.isInput; });
  if (first == m_graph.nodes.end() || !parameters.find(first->name)) return;
  add(Rule::MlfCRuntimeInput, nodePointer(static_cast<uint64_t>(first - m_graph.nodes.begin())),
      {arg("name", shortened(first->name, 120))});
}

void GraphRules::checkStorageTable() {
  std::map<uint64_t, uint64_t> first; // storage → entry
  for (uint64_t i = 0; i < m_graph.entries.size(); ++i)
    if (*m_graph.entries[i].storage >= m_graph.nodes.size()) first.try_emplace(*m_graph.entries[i].storage, i);
  for (const auto& [storage, entry] : first)
    add(Rule::MlfCRuntimeStorage, entryPointer("storage_id", entry),
        {arg("sid", storage), arg("nodes", m_graph.nodes.size())});
}

/// `parameters`: of the module; null: it has none.
void checkGraph(const Graph& graph, const Parameters* parameters, bool cRuntime, Findings& findings, Monitor& monitor) {
  if (!graph.document || monitor.stopRequested()) return;
  GraphRules rules(graph, findings, monitor);
  if (graph.nodesSound) rules.checkInputNames();
  if (graph.entriesSound) {
    rules.checkDevices();
    rules.checkNops();
    rules.checkOverwrites();
    rules.checkStorageGaps();
  }
  if (!cRuntime) return;
  rules.checkUnsupported();
  if (graph.nodesSound) {
    rules.checkLengths();
    rules.checkArguments();
    if (parameters) rules.checkFirstInput(*parameters);
  }
  if (graph.entriesSound) {
    rules.checkDimensions();
    rules.checkStorageTable();
  }
}

} // namespace

void checkGraphs(const Model& model, Findings& findings, Monitor& monitor) {
  checkGraphs(model, {}, findings, monitor);
}

void checkGraphs(const Model& model, const FileFacts& facts, Findings& findings, Monitor& monitor) {
  for (std::size_t i = 0; i < model.modules.size(); ++i) {
    if (monitor.stopRequested()) return;
    const ModelModule& module = model.modules[i];
    if (i < facts.modules.size()) {
      const ModuleFacts& own = facts.modules[i];
      if (!own.graph) continue;
      for (const check::Finding& found : own.graphFindings.all())
        findings.add(found.rule, found.place, found.arguments, found.because);
      checkGraph(*own.graph, own.parameters ? &*own.parameters : nullptr, model.usesCRuntime, findings, monitor);
    } else if (module.graph) {
      const Graph graph = readGraph(*module.graph, findings, monitor);
      Findings ignored; // checkParameters() reports them
      const Parameters parameters = module.parameters && model.usesCRuntime
                                        ? readParameters(*module.parameters, {}, ignored, monitor)
                                        : Parameters();
      checkGraph(graph, &parameters, model.usesCRuntime, findings, monitor);
    }
  }
}

} // namespace blobscope::mlf
