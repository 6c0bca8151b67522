#include "core/base/text.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/rules/checks.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::mlf {
namespace {

constexpr std::size_t kShownName = 200;

std::string shown(std::string_view name) { return shortened(name, kShownName); }
bool isBuiltIn(std::string_view function) { return function == "__nop" || function == "__copy"; }

/// Trailing spaces are normal; section 6.5.
std::string_view withoutTrailingSpaces(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

class FunctionRules {
public:
  FunctionRules(const FileFacts& facts, Findings& findings, Monitor& monitor)
      : m_facts(facts), m_findings(findings), m_monitor(monitor) {}

  void checkCalled(const ModuleFacts& module);
  void checkListed(const ModuleFacts& module);
  void checkUnlisted(const ModuleFacts& module);
  void checkMain(const ModuleFacts& module);
  void checkRegistry(const ModuleFacts& module, const CodeFile& code);
  void checkOperators(const ModuleFacts& module);
  void checkTwice();

private:
  bool stop(uint64_t done) const { return done % 4096 == 0 && m_monitor.stopRequested(); }
  bool isOwnTarget(const ModuleFacts& module, const CSource& source) const;
  bool isKernelName(const ModuleFacts& module, std::string_view function) const;

  const FileFacts& m_facts;
  Findings& m_findings;
  Monitor& m_monitor;
};

// --- MLF-601 ---

void FunctionRules::checkCalled(const ModuleFacts& module) {
  if (!module.graph || module.code.empty()) return;
  for (uint64_t i = 0; i < module.graph->nodes.size(); ++i) {
    if (stop(i)) return;
    const std::string_view function = module.graph->nodes[i].function;
    if (function.empty() || isBuiltIn(function) || !m_facts.isMissing(function)) continue;
    m_findings.add(Rule::MlfGraphFunctionUndefined,
                   {module.module->graph->path, json::pointerStep("/nodes", i), {}, {}},
                   {arg("file", module.module->graph->path), arg("node", i), arg("name", shown(function))},
                   module.breaksC() ? std::optional(Rule::MlfModelNameC) : std::nullopt);
  }
}

// --- MLF-602 ---

void FunctionRules::checkListed(const ModuleFacts& module) {
  if (!module.memory.functions || module.code.empty()) return;
  std::set<std::string_view> called; // MLF-601 reports the missing ones
  if (module.graph)
    for (const GraphNode& node : module.graph->nodes) called.insert(node.function);
  for (const auto& [name, pointer] : *module.memory.functions)
    if (m_facts.isMissing(name))
      m_findings.add(Rule::MlfListedFunctionUndefined, {"metadata.json", pointer, {}, {}}, {arg("name", shown(name))},
                     called.contains(name) ? std::optional(Rule::MlfGraphFunctionUndefined) : std::nullopt);
}

// --- MLF-603 ---

bool FunctionRules::isOwnTarget(const ModuleFacts& module, const CSource& source) const {
  return std::any_of(source.targets.begin(), source.targets.end(), [&](const CName& comment) {
    return std::any_of(module.module->targets.begin(), module.module->targets.end(), [&](const std::string& target) {
      return withoutTrailingSpaces(target) == withoutTrailingSpaces(comment.text);
    });
  });
}

/// Returns whether the function is named like a kernel of this module: "tvmgen_MODEL_fused…" from version 3 on,
/// "fused_…" before. With several modules it belongs to the longest name that fits.
bool FunctionRules::isKernelName(const ModuleFacts& module, std::string_view function) const {
  if (m_facts.model->version <= 2) return function.starts_with("fused_");
  constexpr std::string_view kPrefix = "tvmgen_";
  if (!function.starts_with(kPrefix)) return false;
  function.remove_prefix(kPrefix.size());
  const auto fits = [&](const ModuleFacts& one) {
    return std::any_of(one.names.begin(), one.names.end(), [&](const std::string& name) {
      return function.starts_with(name) && function.substr(name.size()).starts_with("_fused");
    });
  };
  if (!fits(module)) return false;
  constexpr std::size_t kComparedModules = 256; // each name with each other; real archives have up to three
  return m_facts.modules.size() > kComparedModules ||
         std::none_of(m_facts.modules.begin(), m_facts.modules.end(), [&](const ModuleFacts& other) {
           return other.module->name.size() > module.module->name.size() && fits(other);
         });
}

/// External functions need not be listed. They are recognized by their file, which does not say that it was generated
/// for one of the module's targets.
void FunctionRules::checkUnlisted(const ModuleFacts& module) {
  if (!module.memory.functions) return;
  std::set<std::string_view> listed, reported;
  for (const auto& [name, pointer] : *module.memory.functions) listed.insert(name);
  const auto report = [&](std::string_view name, Place place) {
    if (listed.contains(name) || !reported.insert(name).second) return;
    m_findings.add(Rule::MlfFunctionUnlisted, std::move(place), {arg("name", shown(name))});
  };
  std::set<std::string_view> own;
  for (const CodeFile* const code : module.code)
    if (code->source && isOwnTarget(module, *code->source))
      for (const CFunction& function : code->source->definitions) own.insert(function.name);
  if (module.graph)
    for (uint64_t i = 0; i < module.graph->nodes.size(); ++i) {
      if (stop(i)) return;
      const std::string_view function = module.graph->nodes[i].function;
      if (function.empty() || isBuiltIn(function)) continue;
      if (isKernelName(module, function) || own.contains(function))
        report(function, {module.module->graph->path, json::pointerStep("/nodes", i), {}, {}});
    }
  if (m_facts.model->version <= 2) return;
  for (const CodeFile* const code : module.code) {
    if (code->source)
      for (const CFunction& function : code->source->definitions)
        if (isKernelName(module, function.name)) report(function.name, {code->file->path, {}, function.line, {}});
    if (code->object)
      for (const ObjectFacts::Function& function : code->object->functions)
        if (isKernelName(module, function.name)) report(function.name, {code->file->path, {}, {}, {}});
  }
}

// --- MLF-604 ---

void FunctionRules::checkMain(const ModuleFacts& module) {
  const unsigned version = m_facts.model->version;
  if (module.module->executor != Executor::Aot || module.code.empty() || !m_facts.complete) return;
  const std::vector<std::string> names = aotMainNames(version, module.names);
  if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return m_facts.defined.contains(name); }))
    m_findings.add(Rule::MlfAotMainUndefined, {"metadata.json", module.module->pointer, {}, {}},
                   {arg("name", shown(module.module->name))});
}

// --- MLF-623 ---

/// Returns the names in the registry's string after a count of `width` bytes; nothing if it has another form. Section
/// 7.3.
std::optional<std::vector<std::string_view>> registryNames(std::string_view text, std::size_t width) {
  if (text.size() < width) return std::nullopt;
  std::vector<std::string_view> names;
  for (text.remove_prefix(width); !text.empty();) {
    const std::size_t end = text.find('\0');
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    names.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return names;
}

uint64_t registryCount(std::string_view text, std::size_t width) {
  uint64_t count = 0;
  for (std::size_t i = 0; i < width && i < text.size(); ++i)
    count |= uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  return count;
}

void FunctionRules::checkRegistry(const ModuleFacts& module, const CodeFile& code) {
  if (!code.source || !code.source->registry) return;
  const CRegistry& registry = *code.source->registry;
  const auto broken = [&](const std::string& why) {
    m_findings.add(Rule::MlfFunctionRegistry, {code.file->path, {}, registry.line, {}},
                   {arg("file", code.file->path), arg("why", why)});
  };
  const unsigned version = m_facts.model->version;
  // The width for which the count equals the number of names; otherwise the one that the characters suggest.
  std::optional<std::vector<std::string_view>> names;
  std::size_t width = 0;
  for (const std::size_t tried : {std::size_t{1}, std::size_t{2}}) {
    auto found = registryNames(registry.text, tried);
    if (!found || found->size() != registryCount(registry.text, tried)) continue;
    names = std::move(found);
    width = tried;
    break;
  }
  if (!names) {
    width = registry.text.size() >= 2 && registry.text[1] == '\0' ? 2 : 1;
    names = registryNames(registry.text, width);
    if (!names) return broken("not a count and names that end with a NUL");
    return broken("the count is " + std::to_string(registryCount(registry.text, width)) + ", " +
                  std::to_string(names->size()) + " names follow");
  }
  // An empty registry is all zeros in either width.
  if (!names->empty() && version >= 6 && width == 1)
    broken("the count has 1 byte, version " + std::to_string(version) + " needs 2");
  if (!names->empty() && version <= 4 && width == 2)
    broken("the count has 2 bytes, version " + std::to_string(version) + " needs 1");
  if (registry.functions.size() != names->size())
    broken(std::to_string(names->size()) + " names but " + std::to_string(registry.functions.size()) + " functions");
  if (!module.graph) return;
  const std::set<std::string_view> known(names->begin(), names->end());
  std::set<std::string_view> reported;
  for (uint64_t i = 0; i < module.graph->nodes.size(); ++i) {
    if (stop(i)) return;
    const std::string_view function = module.graph->nodes[i].function;
    if (!function.empty() && !isBuiltIn(function) && !known.contains(function) && reported.insert(function).second)
      broken("lacks '" + shown(function) + "', which the graph calls");
  }
}

// --- MLF-627 ---

void FunctionRules::checkOperators(const ModuleFacts& module) {
  const json::Value* const memory = module.module->memory();
  if (!module.module->isOperator || !memory || module.code.empty()) return;
  for (const auto& [name, value] : memory->members())
    if (m_facts.isMissing(name))
      m_findings.add(Rule::MlfOperatorUndefined,
                     {"metadata.json", json::pointerStep(module.module->memoryPointer(), name), {}, {}},
                     {arg("name", shown(name))});
}

// --- MLF-621 ---

void FunctionRules::checkTwice() {
  std::map<std::string_view, const CodeFile*> first;
  uint64_t done = 0;
  for (const CodeFile& code : m_facts.code) {
    if (!code.fits) continue;
    const auto define = [&](std::string_view name, std::optional<uint64_t> line) {
      const auto [place, isNew] = first.try_emplace(name, &code);
      if (isNew || place->second == &code) return;
      m_findings.add(Rule::MlfFunctionTwice, {code.file->path, {}, line, {}},
                     {arg("name", shown(name)), arg("a", place->second->file->path), arg("b", code.file->path)});
    };
    if (code.source)
      for (const CFunction& function : code.source->definitions) {
        if (stop(++done)) return;
        if (function.cLinkage) define(function.name, function.line);
      }
    if (code.object)
      for (const ObjectFacts::Function& function : code.object->functions) {
        if (stop(++done)) return;
        if (!function.weak) define(function.name, {});
      }
  }
}

} // namespace

void checkFunctions(const FileFacts& facts, Findings& findings, Monitor& monitor) {
  FunctionRules rules(facts, findings, monitor);
  for (const ModuleFacts& module : facts.modules) {
    if (monitor.stopRequested()) return;
    rules.checkCalled(module);
    rules.checkUnlisted(module);
    // The names that these rules compare end at the first character that is invalid in an identifier.
    if (!module.breaksC()) {
      rules.checkListed(module);
      rules.checkMain(module);
      for (const CodeFile* const code : module.code) rules.checkRegistry(module, *code);
    }
    rules.checkOperators(module);
  }
  rules.checkTwice();
}

void checkAcrossFiles(const Model& model, Findings& findings, Monitor& monitor) {
  if (!model.modules.empty()) checkAcrossFiles(readFileFacts(model, monitor), findings, monitor);
}

void checkAcrossFiles(const FileFacts& facts, Findings& findings, Monitor& monitor) {
  if (facts.modules.empty() || monitor.stopRequested()) return;
  checkFunctions(facts, findings, monitor);
  checkHeaders(facts, findings, monitor);
  checkGraphAndMemory(facts, findings, monitor);
  checkObjects(facts, findings, monitor);
}

} // namespace blobscope::mlf
