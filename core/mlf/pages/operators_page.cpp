#include "core/base/text.h"
#include "core/mlf/memory_use.h"
#include "core/mlf/pages/pages.h"
#include "core/mlf/reader.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::mlf {
namespace {

/// A function with the nodes that call it, its definition and its needs.
struct Operator {
  std::string_view name;
  std::vector<std::string_view> nodes; ///< nodes of the graph that call it
  const CodeFile* code = nullptr;      ///< the file that defines it
  uint64_t line = 0;                   ///< in a source
  std::optional<uint64_t> workspace;   ///< the largest over all devices
  bool listed = false;                 ///< in operator_functions
};

class Collector {
public:
  Collector(const Archive& archive, const ModuleFacts& facts) : m_archive(archive), m_facts(facts) {}

  std::vector<Operator> collect() {
    for (const FunctionMemory& one : functionMemory(m_archive.model, *m_facts.module)) {
      Operator& at = row(one.name);
      at.listed = true;
      at.workspace = std::max(at.workspace.value_or(0), one.bytes);
    }
    if (m_facts.graph)
      for (const GraphNode& node : m_facts.graph->nodes)
        if (node.isOperator && !node.isNop()) row(node.function).nodes.push_back(node.name);
    for (const CodeFile* const code : m_facts.code) define(*code);
    return std::move(m_rows);
  }

private:
  Operator& row(std::string_view name) {
    const auto [at, isNew] = m_byName.try_emplace(name, m_rows.size());
    if (isNew) m_rows.push_back({name, {}, nullptr, 0, std::nullopt, false});
    return m_rows[at->second];
  }
  void define(const CodeFile& code) {
    const auto found = [&](std::string_view name, uint64_t line) {
      const auto at = m_byName.find(name);
      if (at == m_byName.end() || m_rows[at->second].code) return;
      m_rows[at->second].code = &code;
      m_rows[at->second].line = line;
    };
    if (code.source)
      for (const CFunction& function : code.source->definitions) found(function.name, function.line);
    if (code.object)
      for (const ObjectFacts::Function& function : code.object->functions) found(function.name, 0);
  }

  const Archive& m_archive;
  const ModuleFacts& m_facts;
  std::vector<Operator> m_rows;
  std::unordered_map<std::string_view, std::size_t> m_byName;
};

/// Line starts of sources; each source is read once, even if it defines several functions.
using Lines = std::unordered_map<const File*, std::vector<uint64_t>>;

/// Returns the function in the opened object, otherwise the line of the source.
Ref targetOf(const library::Package& package, const Operator& one, Lines& lines) {
  if (!one.code) return package.ref(Ref::file());
  const File& file = *one.code->file;
  if (one.code->object)
    if (const library::PackageMember* const member = findMember(package, file.stored); member && member->package) {
      for (const host::Function& function : member->package->host.functions)
        if (function.name == one.name) return member->package->ref(Ref::named(Ref::Kind::Host, function.name));
      return member->package->ref(Ref::named(Ref::Kind::Symbol, one.name));
    }
  const auto [known, isNew] = lines.try_emplace(&file);
  if (isNew) known->second = lineStarts(file.bytes.view());
  const std::vector<uint64_t>& starts = known->second;
  const bool placed = one.line > 0 && one.line <= starts.size();
  return refOf(package, {}, &file, placed ? std::optional(starts[one.line - 1]) : std::nullopt)
      .value_or(package.ref(Ref::file()));
}

std::string nodesText(const std::vector<std::string_view>& nodes) {
  if (nodes.empty()) return "–";
  std::string out = escaped(nodes.front());
  if (nodes.size() > 1) out += " and " + groupedText(nodes.size() - 1) + " more";
  return out;
}

} // namespace

view::Page operatorsPage(const Archive& archive, const library::Package& package) {
  const bool several = archive.facts.modules.size() > 1;
  std::vector<view::Column> columns;
  if (several) columns.push_back({"model"});
  columns.insert(
      columns.end(),
      {{"function"}, {"graph node"}, {"calls", true}, {"workspace", true, true}, {"defined in"}, {"line", true}});
  std::vector<std::vector<std::string>> rows;
  std::vector<Ref> targets;
  Lines lines;
  for (const ModuleFacts& module : archive.facts.modules) {
    for (const Operator& one : Collector(archive, module).collect()) {
      std::vector<std::string> cells;
      if (several) cells.push_back(escaped(module.module->name));
      const std::string missing = archive.facts.complete && !archive.facts.defined.contains(one.name) ? "nowhere" : "–";
      cells.insert(cells.end(),
                   {escaped(one.name), nodesText(one.nodes), module.graph ? std::to_string(one.nodes.size()) : "",
                    one.workspace ? std::to_string(*one.workspace) : "",
                    one.code ? escaped(baseName(one.code->file->path)) : missing,
                    one.line > 0 ? std::to_string(one.line) : ""});
      rows.push_back(std::move(cells));
      targets.push_back(targetOf(package, one, lines));
    }
  }
  return view::tablePage(view::page_id::kOperators, std::move(columns), std::move(rows), std::move(targets));
}

} // namespace blobscope::mlf
