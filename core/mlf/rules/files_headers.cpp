#include "core/base/text.h"
#include "core/mlf/file_facts.h"

#include <algorithm>
#include <set>

namespace blobscope::mlf {
namespace {

std::string joined(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "no fields" : shortened(out, 200);
}

class HeaderRules {
public:
  HeaderRules(const FileFacts& facts, const ModuleFacts& module, Findings& findings)
      : m_facts(facts), m_module(module), m_path(module.module->header->path), m_header(*module.header),
        m_names(module.names), m_findings(findings) {}

  void checkEntryPoints();
  void checkWorkspace();
  void checkSizes();
  void checkStructs();

private:
  void add(Rule rule, uint64_t line, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), arg("file", m_path));
    m_findings.add(rule, {m_path, {}, line, {}}, std::move(arguments));
  }
  void checkMacro(Rule rule, const std::string& part, uint64_t want);
  void checkStruct(std::string_view kind, const std::vector<ListedTensor>& tensors);

  const FileFacts& m_facts;
  const ModuleFacts& m_module;
  const std::string& m_path;
  const CSource& m_header;
  const std::vector<std::string>& m_names;
  Findings& m_findings;
};

// --- MLF-605, 606 ---

void HeaderRules::checkEntryPoints() {
  for (const CFunction& function : m_header.declarations)
    if (m_facts.isMissing(function.name))
      add(Rule::MlfEntryPointUndefined, function.line, {arg("name", shortened(function.name, 200))});
  const bool declared = std::any_of(m_names.begin(), m_names.end(), [&](const std::string& name) {
    return m_header.declares("tvmgen_" + name + "_run") || m_header.defines("tvmgen_" + name + "_run");
  });
  if (!declared)
    add(Rule::MlfEntryPointUndeclared, 1, {arg("name", "tvmgen_" + shortened(m_names.back(), 120) + "_run")});
}

// --- MLF-607, 608 ---

/// Two macros may have the same name, for example for a tensor called "workspace"; one with the right value is enough.
void HeaderRules::checkMacro(Rule rule, const std::string& part, uint64_t want) {
  const CMacro* wrong = nullptr;
  for (const CMacro& macro : m_header.macros) {
    if (macro.name != "TVMGEN_" + upperCase(sanitized(m_module.module->name)) + "_" + part &&
        macro.name != "TVMGEN_" + upperCase(m_module.module->name) + "_" + part)
      continue;
    if (macro.number() == std::to_string(want)) return;
    wrong = &macro;
  }
  if (wrong)
    add(rule, wrong->line,
        {arg("macro", shortened(wrong->name, 120)),
         arg("found", wrong->number().value_or("'" + shortened(wrong->value, 40) + "'")), arg("want", want)});
}

void HeaderRules::checkWorkspace() {
  if (m_module.memory.workspace) checkMacro(Rule::MlfWorkspaceMacro, "WORKSPACE_SIZE", *m_module.memory.workspace);
}

void HeaderRules::checkSizes() {
  for (const auto* list : {&m_module.memory.inputs, &m_module.memory.outputs})
    for (const ListedTensor& tensor : *list)
      if (tensor.sound) checkMacro(Rule::MlfTensorMacro, upperCase(sanitized(tensor.name)) + "_SIZE", tensor.size);
}

// --- MLF-609 ---

void HeaderRules::checkStruct(std::string_view kind, const std::vector<ListedTensor>& tensors) {
  const CStruct* found = nullptr;
  for (const std::string& name : m_names)
    if (!found) found = m_header.findStruct("tvmgen_" + name + "_" + std::string(kind));
  if (!found) return;
  std::set<std::string> fields, want;
  for (const std::string_view field : found->fields) fields.emplace(field);
  for (const ListedTensor& tensor : tensors) want.insert(sanitized(tensor.name));
  if (fields != want)
    add(Rule::MlfTensorStruct, found->line,
        {arg("struct", shortened(found->name, 120)), arg("found", joined(fields)), arg("want", joined(want))});
}

void HeaderRules::checkStructs() {
  if (m_module.memory.listsInputs) checkStruct("inputs", m_module.memory.inputs);
  if (m_module.memory.listsOutputs) checkStruct("outputs", m_module.memory.outputs);
}

// --- MLF-622 ---

void checkIncludes(const FileFacts& facts, const CodeFile& code, Findings& findings) {
  for (const CName& include : code.source->includes) {
    const std::string_view name = include.text.substr(include.text.rfind('/') + 1); // npos + 1 is 0
    if (!name.starts_with("tvmgen_") || !name.ends_with(".h")) continue;
    if (facts.model->find("codegen/host/include/" + std::string(name))) continue;
    findings.add(Rule::MlfHeaderMissing, {code.file->path, {}, include.line, {}},
                 {arg("file", code.file->path), arg("header", shortened(include.text, 200))});
  }
}

// --- MLF-626 ---

/// With several pools `main` states their sum or one of them.
void checkWorkspaces(const ModuleFacts& module, Findings& findings) {
  if (module.module->executor != Executor::Aot || !module.memory.workspace) return;
  uint64_t sum = 0;
  bool fits = false;
  const CWorkspace* one = nullptr;
  const CodeFile* file = nullptr;
  for (const CodeFile* const code : module.code) {
    if (!code->source) continue;
    for (const CWorkspace& workspace : code->source->workspaces) {
      sum = checkedAdd(sum, workspace.size).value_or(UINT64_MAX);
      fits = fits || workspace.size == *module.memory.workspace;
      if (!one) {
        one = &workspace;
        file = code;
      }
    }
  }
  if (!one || fits || sum == *module.memory.workspace) return;
  findings.add(Rule::MlfWorkspaceArray, {file->file->path, {}, one->line, {}},
               {arg("file", file->file->path), arg("found", sum), arg("want", *module.memory.workspace)});
}

} // namespace

void checkHeaders(const FileFacts& facts, Findings& findings, Monitor& monitor) {
  for (const ModuleFacts& module : facts.modules) {
    if (monitor.stopRequested()) return;
    checkWorkspaces(module, findings);
    if (!module.header) continue;
    HeaderRules rules(facts, module, findings);
    if (!module.breaksC()) rules.checkEntryPoints();
    rules.checkWorkspace();
    rules.checkSizes();
    rules.checkStructs();
  }
  for (const CodeFile& code : facts.code)
    if (code.source && code.fits) checkIncludes(facts, code, findings);
}

} // namespace blobscope::mlf
