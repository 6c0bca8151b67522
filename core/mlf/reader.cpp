#include "core/mlf/reader.h"

#include "core/base/text.h"
#include "core/mlf/tar.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::mlf {
namespace {

constexpr std::string_view kSources = "codegen/host/src", kObjects = "codegen/host/lib",
                           kHeaders = "codegen/host/include";
constexpr unsigned kInnerArchives = 2;           ///< projects inside projects
constexpr std::size_t kModulesOfArchive = 1'024; ///< the largest archive seen has two

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

const std::string* textOf(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value && value->isString() ? &value->text() : nullptr;
}

std::vector<std::string> targetsOf(const json::Value& object) {
  std::vector<std::string> targets;
  const json::Value* const target = object.find("target");
  if (!target) return targets;
  for (const auto& [name, value] : target->members())
    if (value.isString()) targets.push_back(value.text());
  for (const json::Value& value : target->items())
    if (value.isString()) targets.push_back(value.text());
  return targets;
}

Executor executorOf(const json::Value& object, unsigned version) {
  const json::Value* list = object.find(version >= 5 ? "executors" : "runtimes");
  if (!list) list = object.find(version >= 5 ? "runtimes" : "executors");
  if (!list || list->items().empty()) return Executor::None;
  const std::string& name = list->items().front().text();
  return name == "graph" ? Executor::Graph : name == "aot" ? Executor::Aot : Executor::None;
}

/// Returns the modules of the metadata, without their files.
std::vector<ModelModule> modulesOf(const Model& model) {
  const json::Value& root = model.metadata->root;
  std::vector<ModelModule> modules;
  const auto add = [&](const json::Value& object, std::string pointer, std::string_view key) {
    ModelModule module;
    const std::string* const name = textOf(object, "model_name");
    // If key and name differ, the files show which one is used.
    module.name = !key.empty() && (!name || model.find(parametersPath(key)) || !model.find(parametersPath(*name))) ? key
                  : name ? std::string_view(*name)
                         : std::string_view();
    module.pointer = std::move(pointer);
    module.metadata = &object;
    const std::string* const style = textOf(object, "style");
    module.isOperator = model.version >= 4 && style && *style == "operator";
    if (!module.isOperator) module.executor = executorOf(object, model.version);
    module.targets = targetsOf(object);
    modules.push_back(std::move(module));
  };
  const json::Value* const map = root.find("modules");
  if (map && map->isObject()) {
    for (const auto& [key, value] : map->members()) {
      if (modules.size() >= kModulesOfArchive) break;
      if (value.isObject()) add(value, json::pointerStep("/modules", key), key);
    }
  } else if (root.isObject() && !map) {
    add(root, "", "");
  }
  return modules;
}

/// Returns the module to which a generated file belongs; null if none fits.
ModelModule* ownerOf(std::vector<ModelModule>& modules, std::string_view name) {
  if (modules.size() == 1) return &modules.front();
  const auto generated = parseGeneratedName(name);
  ModelModule *whole = nullptr, *begins = nullptr;
  for (ModelModule& module : modules) {
    if (module.name.empty()) continue;
    if (generated && generated->model == module.name) whole = &module;
    if (name.starts_with(module.name) && (!begins || begins->name.size() < module.name.size())) begins = &module;
  }
  return whole ? whole : begins;
}

void assignFiles(Model& model) {
  std::unordered_map<std::string, std::vector<ModelModule*>>
      byHeader; // lower case: one lookup per file instead of a comparison with each module
  for (ModelModule& module : model.modules) byHeader["tvmgen_" + lower(module.name) + ".h"].push_back(&module);
  for (ModelModule& module : model.modules) {
    if (module.name.empty()) continue;
    if (!module.isOperator) module.parameters = model.find(parametersPath(module.name));
    if (module.executor == Executor::Graph) module.graph = model.find(graphPath(model.version, module.name));
  }
  for (const File& file : model.files) {
    const std::string_view name = baseName(file.path);
    if (isInside(file.path, kHeaders)) {
      const std::string header = lower(name);
      if (const auto found = byHeader.find(header); found != byHeader.end())
        for (ModelModule* const module : found->second)
          if (!module->header || name == header) module->header = &file;
      continue;
    }
    const bool inSources = isInside(file.path, kSources);
    if (!inSources && !isInside(file.path, kObjects)) continue;
    ModelModule* const owner = ownerOf(model.modules, name);
    if (!owner) continue;
    // The extension determines the type; the folder only if the extension is unknown.
    const std::string_view extension = name.substr(std::min(name.rfind('.'), name.size() - 1) + 1);
    const bool source = extension == "c" || extension == "cc" || extension == "cpp" ||
                        (extension != "o" && inSources && parseGeneratedName(name));
    if (source)
      owner->sources.push_back(&file);
    else if (extension == "o" || (!inSources && parseGeneratedName(name)))
      owner->objects.push_back(&file);
  }
  const auto number = [](const File* file) {
    const auto name = parseGeneratedName(baseName(file->path));
    return name ? name->number : UINT64_MAX;
  };
  const auto before = [&](const File* a, const File* b) { return number(a) < number(b); };
  for (ModelModule& module : model.modules) {
    std::stable_sort(module.sources.begin(), module.sources.end(), before);
    std::stable_sort(module.objects.begin(), module.objects.end(), before);
  }
}

/// Returns whether the archive was built for the C runtime: targets say so up to 0.8; otherwise files that only its
/// code generators write show it.
bool usesCRuntime(const Model& model) {
  if (model.hasFolder("runtime") || model.hasFolder("templates")) return true;
  for (const ModelModule& module : model.modules) {
    for (const std::string& target : module.targets)
      if ((target + " ").find(" -runtime=c ") != std::string::npos) return true;
    for (const auto* files : {&module.sources, &module.objects})
      for (const File* file : *files)
        for (const std::string_view word : {"_tvm_func_registry", "TVMSystemLibEntryPoint", "TVMFuncRegistry"})
          if (findBytes(file->bytes.view(), word, 0) != std::string_view::npos) return true;
  }
  return false;
}

Result<Model> readArchive(const Bytes& bytes, std::string inner, unsigned depth, Findings& findings,
                          const BudgetPtr& budget, Monitor& monitor) {
  BLOBSCOPE_TRY(tar, readTar(bytes, budget, monitor));
  // --- 1. A project: the archive in it that is in the highest folder. ---
  if (tar.container.kind == ArchiveKind::MicroTvmProject && depth < kInnerArchives) {
    const File* found = nullptr;
    for (const File& file : tar.files)
      if (baseName(file.path) == "model.tar" && (!found || std::count(file.path.begin(), file.path.end(), '/') <
                                                               std::count(found->path.begin(), found->path.end(), '/')))
        found = &file;
    if (found)
      return readArchive(found->bytes, inner.empty() ? found->path : inner + "!" + found->path, depth + 1, findings,
                         budget, monitor);
  }
  Model model;
  model.container = std::move(tar.container);
  model.container.inner = std::move(inner);
  model.files = std::move(tar.files);
  if (model.container.kind != ArchiveKind::Mlf) return model;

  // --- 2. Metadata and version. ---
  auto parsed = json::parseLocated(model.find("metadata.json")->bytes);
  if (!parsed) {
    model.whyNoMetadata = parsed.error().message();
    return model;
  }
  model.metadata = std::make_unique<const json::LocatedDocument>(std::move(*parsed));
  const json::Value* const version = model.metadata->root.find("version");
  if (!version || version->type() != json::Value::Type::Unsigned || version->number() < 1 || version->number() > 7)
    return model;
  model.version = static_cast<unsigned>(version->number());
  findings.setVersion(model.version);

  // --- 3. Modules and their files. ---
  model.modules = modulesOf(model);
  assignFiles(model);
  model.usesCRuntime = usesCRuntime(model);
  return model;
}

} // namespace

const File* Model::find(std::string_view path) const {
  const auto found = std::lower_bound(files.begin(), files.end(), path,
                                      [](const File& file, std::string_view wanted) { return file.path < wanted; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

bool Model::hasFolder(std::string_view path) const {
  const std::string prefix = std::string(path) + "/";
  const auto found = std::lower_bound(files.begin(), files.end(), prefix,
                                      [](const File& file, const std::string& wanted) { return file.path < wanted; });
  return found != files.end() && found->path.starts_with(prefix);
}

Result<Model> readModel(const Bytes& file, Findings& findings, Monitor& monitor) {
  return readModel(file, findings, Budget::forFile(file.size()), monitor);
}

Result<Model> readModel(const Bytes& file, Findings& findings, const BudgetPtr& budget, Monitor& monitor) {
  return readArchive(file, {}, 0, findings, budget, monitor);
}

std::optional<GeneratedName> parseGeneratedName(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
  GeneratedName parts;
  parts.extension = name.substr(dot + 1);
  const std::string_view stem = name.substr(0, dot);
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1; // npos + 1 is 0
  if (digits == stem.size() || digits < 3 || stem.substr(digits - 3, 3) != "lib") return std::nullopt;
  if (digits > 3) {
    if (stem[digits - 4] != '_' || digits == 4) return std::nullopt;
    parts.model = stem.substr(0, digits - 4);
  }
  const std::string_view text = stem.substr(digits);
  if (text.size() > 18 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  for (const char c : text) parts.number = parts.number * 10 + static_cast<uint64_t>(c - '0');
  return parts;
}

std::vector<uint64_t> lineStarts(std::string_view text) {
  std::vector<uint64_t> starts = {0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

std::string_view baseName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool isInside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '/' &&
         path.find('/', folder.size() + 1) == std::string_view::npos;
}

std::string graphPath(unsigned version, std::string_view name) {
  if (version <= 4) return "runtime-config/graph/graph.json";
  if (version <= 6) return "executor-config/graph/graph.json";
  return "executor-config/graph/" + std::string(name) + ".graph";
}

std::string listingPath(unsigned version, std::string_view name) {
  if (version <= 3) return "relay.txt";
  if (version <= 6) return "src/relay.txt";
  return "src/" + std::string(name) + ".relay";
}

std::string parametersPath(std::string_view name) { return "parameters/" + std::string(name) + ".params"; }

} // namespace blobscope::mlf
