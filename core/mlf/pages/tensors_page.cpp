#include "core/base/text.h"
#include "core/mlf/pages/pages.h"

#include <unordered_map>

namespace blobscope::mlf {
namespace {

struct TensorRow {
  std::string name, role, type, shape, storage;
  std::optional<uint64_t> bytes;
  Ref target;
};

std::string shapeText(const GraphEntry& entry) { return entry.shape ? listText(*entry.shape) : std::string(); }

/// Inputs, outputs and parameters of one module, each once.
class Tensors {
public:
  Tensors(const Archive& archive, const ModuleFacts& facts, const library::Package& package)
      : m_archive(archive), m_facts(facts), m_package(package) {}

  std::vector<TensorRow> collect() {
    m_metadata =
        refOf(m_package, {}, m_archive.model.find("metadata.json"), std::nullopt).value_or(m_package.ref(Ref::file()));
    if (m_facts.graph && m_facts.graph->entriesSound) {
      ofGraph(*m_facts.graph);
    } else {
      for (const ListedTensor& tensor : m_facts.memory.inputs) listed(tensor, "input");
      for (const ListedTensor& tensor : m_facts.memory.outputs) listed(tensor, "output");
      if (m_facts.parameters)
        for (const Parameter& parameter : m_facts.parameters->list) ofFile(parameter, "constant");
    }
    return std::move(m_rows);
  }

private:
  void listed(const ListedTensor& tensor, std::string_view role) {
    m_rows.push_back({escaped(tensor.name), std::string(role), escapedWithin(tensor.dtype, 40), "", "",
                      tensor.sound ? std::optional(tensor.size) : std::nullopt, m_metadata});
  }
  Ref parameterRef(std::string_view name) const {
    Ref ref = refOf(m_package, {}, m_facts.module->parameters, std::nullopt).value_or(m_package.ref(Ref::file()));
    if (!ref.members.empty() && ref.kind == Ref::Kind::File) {
      Ref inside = Ref::named(Ref::Kind::Param, name);
      inside.members = ref.members;
      return inside;
    }
    return ref;
  }
  void ofFile(const Parameter& parameter, std::string_view role) {
    const std::string text = parameter.text(); // "[1, 8] float32"
    const std::size_t blank = text.rfind(' ');
    m_rows.push_back({escaped(parameter.name), std::string(role), text.substr(blank + 1), text.substr(0, blank), "",
                      parameter.dataBytes, parameterRef(parameter.name)});
  }
  void ofGraph(const Graph& graph) {
    std::unordered_map<std::string_view, const Parameter*> parameters;
    if (m_facts.parameters)
      for (const Parameter& parameter : m_facts.parameters->list) parameters.emplace(parameter.name, &parameter);
    const Ref inGraph = refOf(m_package, {}, graph.file, std::nullopt).value_or(m_package.ref(Ref::file()));
    const auto add = [&](const GraphEntry& entry, std::string name, std::string role, Ref target) {
      m_rows.push_back({std::move(name), std::move(role), escapedWithin(entry.typeName, 40), shapeText(entry),
                        entry.storage ? std::to_string(*entry.storage) : "", entry.memoryBytes(), std::move(target)});
    };
    for (const GraphNode& node : graph.nodes) {
      if (!node.isInput) continue;
      const bool parameter = parameters.contains(node.name);
      add(graph.entries[node.firstEntry], escaped(node.name), parameter ? "parameter" : "input",
          parameter ? parameterRef(node.name) : inGraph);
    }
    if (!graph.headsSound) return;
    for (std::size_t i = 0; i < graph.heads.size(); ++i) {
      const std::string name = i < m_facts.memory.outputs.size() && m_facts.memory.outputs.size() == graph.heads.size()
                                   ? escaped(m_facts.memory.outputs[i].name)
                                   : "output " + std::to_string(i);
      add(graph.entries[graph.entryOf(graph.heads[i])], name,
          "output of " + escaped(graph.nodes[graph.heads[i].node].name), inGraph);
    }
  }

  const Archive& m_archive;
  const ModuleFacts& m_facts;
  const library::Package& m_package;
  Ref m_metadata;
  std::vector<TensorRow> m_rows;
};

} // namespace

view::Page tensorsPage(const Archive& archive, const library::Package& package) {
  const bool several = archive.facts.modules.size() > 1;
  std::vector<view::Column> columns;
  if (several) columns.push_back({"model"});
  columns.insert(columns.end(), {{"name"}, {"role"}, {"type"}, {"shape"}, {"bytes", true, true}, {"storage", true}});
  std::vector<std::vector<std::string>> rows;
  std::vector<Ref> targets;
  for (const ModuleFacts& module : archive.facts.modules)
    for (TensorRow& one : Tensors(archive, module, package).collect()) {
      std::vector<std::string> cells;
      if (several) cells.push_back(escaped(module.module->name));
      cells.insert(cells.end(), {std::move(one.name), std::move(one.role), std::move(one.type), std::move(one.shape),
                                 one.bytes ? std::to_string(*one.bytes) : "", std::move(one.storage)});
      rows.push_back(std::move(cells));
      targets.push_back(std::move(one.target));
    }
  return view::tablePage("Tensors", std::move(columns), std::move(rows), std::move(targets));
}

} // namespace blobscope::mlf
