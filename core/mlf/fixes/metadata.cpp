#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/mlf/export_time.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/metadata_place.h"
#include "core/mlf/reader.h"
#include "core/mlf/target.h"

#include <algorithm>
#include <set>

namespace blobscope::mlf {
namespace {

using check::Issue;
using json::Value;
using OptionalFix = std::optional<Fix>;

constexpr std::size_t kShownValue = 80;

std::string quotedText(std::string_view text) { return "'" + escapedWithin(text, kShownValue) + "'"; }

/// "Set modules.net.style to "operator"".
OptionalFix setTo(const FixContext& context, const std::string& pointer, Value value, const std::string& why = {}) {
  std::string sentence = "Set " + whereText(pointer) + " to " + shownJson(value) + why;
  return FixMaker(context).set(pointer, std::move(value)).done(std::move(sentence));
}

// --- MLF-102 ---

/// Returns the place of a member of an object in its text, with the comma that separates it. `value`: of its value.
Extent memberWithComma(std::string_view text, Extent value) {
  constexpr std::string_view kSpace = " \t\r\n";
  // The key ends before the colon. A quote in it follows an odd number of backslashes.
  const std::size_t colon = text.rfind(':', value.offset);
  const std::size_t close = text.rfind('"', colon);
  std::size_t open = close;
  for (bool inside = true; inside && open > 0;) {
    open = text.rfind('"', open - 1);
    std::size_t backslashes = 0;
    while (open > backslashes && text[open - backslashes - 1] == '\\') ++backslashes;
    inside = backslashes % 2 == 1;
  }
  std::size_t end = value.offset + value.size;
  const std::size_t next = text.find_first_not_of(kSpace, end);
  if (next != std::string_view::npos && text[next] == ',') {
    end = std::min(text.find_first_not_of(kSpace, next + 1), text.size());
  } else if (const std::size_t before = text.find_last_not_of(kSpace, open - 1);
             before != std::string_view::npos && text[before] == ',') {
    open = before;
  }
  return {open, end - open};
}

/// Only where all values are equal; readers may keep any of them.
OptionalFix removeDuplicate(const FixContext& context, const Issue& issue) {
  const File* const file = context.model().find(issue.place.member);
  if (!file) return std::nullopt;
  const auto document = json::parseLocated(file->bytes);
  const Value* const object = document ? valueAt(document->root, parentOf(issue.place.pointer)) : nullptr;
  if (!object) return std::nullopt;
  const std::string name = lastStep(issue.place.pointer);
  const Value *first = nullptr, *last = nullptr;
  for (const auto& [key, value] : object->members()) {
    if (key != name) continue;
    if (first && !isSame(*first, value)) return std::nullopt;
    if (!first) first = &value;
    last = &value;
  }
  if (!last || last == first) return std::nullopt;
  const Extent place = memberWithComma(file->bytes.view(), last->extent);
  return FixMaker(context)
      .patch(*file, place.offset, place.size, {})
      .done("Remove the last of the members " + quotedText(name) + "; all have the same value");
}

// --- MLF-104, 105, 106: the version ---

/// Which parts of the metadata are not taken into account.
struct VersionOptions {
  bool modulesCount = true; ///< whether the layout of the metadata, flat or by module, counts
};

/// Returns the versions to which everything in the archive belongs; section 3 and 5.
std::vector<unsigned> possibleVersions(const Model& model, const Value& module, bool inModules,
                                       VersionOptions options) {
  const bool isOperator = textIn(module, "style") && *textIn(module, "style") == "operator";
  const Value *const target = module.find("target"), *const memory = module.find("memory");
  const auto has = [&](const auto& fits) { return std::any_of(model.files.begin(), model.files.end(), fits); };
  const auto exists = [&](std::string_view path) { return model.find(path) != nullptr; };
  const bool byName = has([](const File& file) {
    return (isInside(file.path, "src") && file.path.ends_with(".relay")) || file.path.ends_with(".graph");
  });
  const auto generated = [&](bool bare) {
    return has([&](const File& file) {
      if (!isInside(file.path, "codegen/host/src") && !isInside(file.path, "codegen/host/lib")) return false;
      const auto name = parseGeneratedName(baseName(file.path));
      return name && name->model.empty() == bare;
    });
  };
  std::vector<unsigned> out;
  for (unsigned version = 1; version <= 7; ++version) {
    const auto only = [&](bool present, unsigned first, unsigned last) {
      return !present || (version >= first && version <= last);
    };
    const bool keys = only(module.find("style") != nullptr, 4, 7) && only(!module.find("style"), 1, 3) &&
                      only(module.find("runtimes") != nullptr, 1, 4) &&
                      only(module.find("executors") != nullptr, 5, 7) && only(target && target->isObject(), 1, 5) &&
                      only(target && target->isArray(), 6, 7) && only(memory && memory->isArray(), 1, 1) &&
                      only(memory && memory->isObject(), 2, 7) &&
                      only(module.find("external_dependencies") != nullptr, 5, 7);
    const bool files = only(exists("relay.txt"), 1, 3) && only(exists("src/relay.txt"), 4, 6) && only(byName, 7, 7) &&
                       only(exists("runtime-config/graph/graph.json"), 1, 4) &&
                       only(exists("executor-config/graph/graph.json"), 5, 6) &&
                       only(generated(true) && !isOperator, 1, 2) && only(generated(false) && !isOperator, 3, 7);
    const bool layout = !options.modulesCount || (inModules ? version == 7 : version < 7 || isOperator);
    if (keys && files && layout) out.push_back(version);
  }
  return out;
}

/// Returns the object with the keys of a module: the root, or the first one in "modules".
const Value* anyModule(const Value& root, bool& inModules) {
  const Value* const map = root.find("modules");
  inModules = map != nullptr;
  if (!map) return &root;
  return map->members().empty() ? nullptr : &map->members().front().second;
}

OptionalFix setVersion(const FixContext& context, const Issue&) {
  const Value* const root = context.inMetadata("");
  if (!root || !root->isObject()) return std::nullopt;
  bool inModules = false;
  const Value* const module = anyModule(*root, inModules);
  if (!module || !module->isObject()) return std::nullopt;
  const std::vector<unsigned> possible = possibleVersions(context.model(), *module, inModules, {});
  const Value* const stated = root->find("version");
  if (stated && stated->isString()) { // "5" instead of 5
    const auto number = parseNumber(stated->text());
    if (number && std::find(possible.begin(), possible.end(), *number) != possible.end())
      return setTo(context, "/version", numberValue(*number));
    return std::nullopt;
  }
  if (possible.size() != 1) return std::nullopt;
  return setTo(context, "/version", numberValue(possible.front()), ", the only one that keys and files fit");
}

OptionalFix setLayout(const FixContext& context, const Issue&) {
  const Model& model = context.model();
  const Value* const root = context.inMetadata("");
  bool inModules = false;
  const Value* const module = root ? anyModule(*root, inModules) : nullptr;
  if (!module || !module->isObject()) return std::nullopt;
  const std::vector<unsigned> possible = possibleVersions(model, *module, inModules, {.modulesCount = false});
  if (std::find(possible.begin(), possible.end(), model.version) == possible.end()) return std::nullopt;
  Value::Object out;
  std::string sentence;
  if (inModules) {
    if (root->find("modules")->members().size() != 1 || module->find("version")) return std::nullopt;
    for (const auto& [key, value] : root->members())
      if (key != "modules" && !module->find(key)) out.emplace_back(key, value);
    out.insert(out.end(), module->members().begin(), module->members().end());
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    sentence = "Move the description of the model out of 'modules'";
  } else {
    const std::string* const name = textIn(*root, "model_name");
    if (!name || name->empty()) return std::nullopt;
    Value::Object inside;
    for (const auto& [key, value] : root->members())
      if (key != "version") inside.emplace_back(key, value);
    Value object;
    object.data = std::move(inside);
    out.emplace_back("modules", objectValue({{*name, std::move(object)}}));
    out.emplace_back("version", numberValue(model.version));
    sentence = "Move the description of the model to modules[" + quotedText(*name) + "]";
  }
  Value value;
  value.data = std::move(out);
  return FixMaker(context).set("", std::move(value)).done(std::move(sentence));
}

// --- MLF-107, 108, 111, 112, 113: values that the rest of the archive determines ---

std::optional<Value> determinedName(const FixContext& context, const ModuleFacts& module) {
  if (!module.module->pointer.empty()) return textValue(lastStep(module.module->pointer));
  std::set<std::string> names;
  for (const File& file : context.model().files)
    if (isInside(file.path, "parameters") && file.path.ends_with(".params"))
      names.insert(std::string(baseName(file.path).substr(0, baseName(file.path).size() - 7)));
  return names.size() == 1 ? std::optional(textValue(*names.begin())) : std::nullopt;
}

/// The graph executor has a file, the AOT executor a function.
std::optional<Value> determinedExecutors(const FixContext& context, const ModuleFacts& module) {
  const unsigned version = context.model().version;
  const Value* const memory = module.module->memory();
  if (module.module->isOperator) return listValue({});
  const bool hasGraph = context.model().find(graphPath(version, module.module->name)) != nullptr;
  const bool hasStorages = memory && (version == 1 ? !memory->items().empty() : memory->find("sids") != nullptr);
  const std::vector<std::string> names = aotMainNames(version, module.names);
  const bool hasMain = std::any_of(names.begin(), names.end(),
                                   [&](const std::string& name) { return context.facts().defined.contains(name); });
  if (hasGraph && !hasMain) return listValue({textValue("graph")});
  if (hasMain && !hasGraph && !hasStorages) return listValue({textValue("aot")});
  return std::nullopt;
}

/// Operator archives have no executor, and the memory of each function by its name.
std::optional<Value> determinedStyle(const ModuleFacts& module) {
  const Value& object = *module.module->metadata;
  const Value* executors = object.find("executors");
  if (!executors) executors = object.find("runtimes");
  const Value* const memory = module.module->memory();
  if (!executors || !executors->isArray() || !memory || !memory->isObject()) return std::nullopt;
  const bool full = memory->find("functions") != nullptr;
  if (full && executors->items().size() == 1) return textValue("full-model");
  const bool lists = std::all_of(memory->members().begin(), memory->members().end(),
                                 [](const auto& member) { return member.second.isArray(); });
  if (!full && executors->items().empty() && lists && !memory->members().empty()) return textValue("operator");
  return std::nullopt;
}

/// Each generated source names the target for which it was generated.
std::optional<Value> determinedTarget(const FixContext& context, const ModuleFacts& module) {
  std::set<std::string> targets;
  for (const CodeFile* const code : module.code)
    if (code->source)
      for (const CName& comment : code->source->targets) targets.insert(std::string(comment.text));
  if (targets.size() != 1) return std::nullopt;
  const std::string& target = *targets.begin();
  if (context.model().version >= 6) return listValue({textValue(target)});
  const Target parsed = parseTarget(target);
  const unsigned device = parsed.why.empty() ? deviceOfKind(parsed.kind) : 0;
  return device > 0 ? std::optional(objectValue({{std::to_string(device), textValue(target)}})) : std::nullopt;
}

OptionalFix setDetermined(const FixContext& context, const std::string& pointer) {
  const ModuleFacts* const module = context.moduleAt(pointer);
  if (!module || parentOf(pointer) != module->module->pointer) return std::nullopt;
  auto value = determinedValue(context, *module, lastStep(pointer));
  return value ? setTo(context, pointer, std::move(*value)) : std::nullopt;
}

OptionalFix addKey(const FixContext& context, const Issue& issue) {
  return setDetermined(context, json::pointerStep(issue.place.pointer, argumentOf(issue, "key")));
}

/// A list of modules becomes an object by their names; a dependency alone becomes a list; executors alone as well.
OptionalFix setType(const FixContext& context, const Issue& issue) {
  const std::string& pointer = issue.place.pointer;
  const Value* const value = context.inMetadata(pointer);
  if (!value) return std::nullopt;
  if (pointer == "/modules" && value->isArray()) {
    Value::Object modules;
    std::set<std::string_view> names;
    for (const Value& module : value->items()) {
      const std::string* const name = textIn(module, "model_name");
      if (!name || !names.insert(*name).second) return std::nullopt;
      modules.emplace_back(*name, module);
    }
    if (modules.empty()) return std::nullopt;
    Value object;
    object.data = std::move(modules);
    return FixMaker(context).set(pointer, std::move(object)).done("Turn 'modules' into an object by the models' names");
  }
  const std::string key = lastStep(pointer);
  const bool isExecutor = (key == "executors" || key == "runtimes") && value->isString() &&
                          (value->text() == "graph" || value->text() == "aot");
  if (isExecutor || (key == "external_dependencies" && value->isObject() && value->find("url")))
    return setTo(context, pointer, listValue({*value}));
  return setDetermined(context, pointer);
}

OptionalFix setExecutors(const FixContext& context, const Issue& issue) {
  std::string_view pointer = issue.place.pointer;
  if (indexOf(pointer)) pointer = parentOf(pointer); // MLF-111 names the item
  return setDetermined(context, std::string(pointer));
}

OptionalFix setStyle(const FixContext& context, const Issue& issue) {
  return setDetermined(context, issue.place.pointer);
}

// --- MLF-109 ---

/// If the object lacks a key, the unknown one may be its misspelling.
OptionalFix removeUnknownKey(const FixContext& context, const Issue& issue) {
  const std::string& member = issue.place.member;
  const std::string_view object = parentOf(issue.place.pointer);
  for (const std::string_view rule :
       {"MLF-107", "MLF-125", "MLF-201", "MLF-202", "MLF-203", "MLF-204", "MLF-211", "MLF-213", "MLF-214"})
    if (context.hasIssue(rule, member, object)) return std::nullopt;
  return FixMaker(context)
      .drop(issue.place.pointer)
      .done("Remove the key " + quotedText(lastStep(issue.place.pointer)) + " from " + whereText(object));
}

// --- MLF-110 ---

OptionalFix renameExecutors(const FixContext& context, const Issue& issue) {
  const std::string want(argumentOf(issue, "want"));
  const std::string_view object = parentOf(issue.place.pointer);
  const Value *const other = context.inMetadata(issue.place.pointer), *const own = context.inMetadata(
                                                                          json::pointerStep(object, want));
  if (!other || (own && !isSame(*own, *other))) return std::nullopt;
  const std::string name = quotedText(lastStep(issue.place.pointer));
  if (own)
    return FixMaker(context)
        .drop(issue.place.pointer)
        .done("Remove the key " + name + ", which repeats '" + want + "'");
  return FixMaker(context).renameKey(issue.place.pointer, want).done("Rename the key " + name + " to '" + want + "'");
}

// --- MLF-115 ---

/// The names of the files show which of the two names is used.
OptionalFix setModelName(const FixContext& context, const Issue& issue) {
  const std::string_view object = parentOf(issue.place.pointer);
  const ModuleFacts* const module = context.moduleAt(object);
  if (!module) return std::nullopt;
  const std::string key = lastStep(object);
  if (module->module->name == key) return setTo(context, issue.place.pointer, textValue(key));
  if (context.inMetadata(json::pointerStep(parentOf(object), module->module->name))) return std::nullopt;
  return FixMaker(context)
      .renameKey(object, module->module->name)
      .done("Rename " + whereText(object) + " to " + quotedText(module->module->name) + ", as the files are named");
}

// --- MLF-116, 117 ---

OptionalFix setTimeStamp(const FixContext& context, const std::string& pointer) {
  const auto stamp = metadataStamp(context.model().container);
  const auto text = stamp ? exportTimeText(*stamp) : std::nullopt;
  return text ? setTo(context, pointer, textValue(*text), ", the time stamp of metadata.json") : std::nullopt;
}

OptionalFix rewriteTime(const FixContext& context, const Issue& issue) {
  const Value* const value = context.inMetadata(issue.place.pointer);
  const auto seconds = value ? parseSimilarTime(value->text()) : std::nullopt;
  const auto text = seconds ? exportTimeText(*seconds) : std::nullopt;
  if (text) return setTo(context, issue.place.pointer, textValue(*text));
  return setTimeStamp(context, issue.place.pointer);
}

OptionalFix useTimeStamp(const FixContext& context, const Issue& issue) {
  return setTimeStamp(context, issue.place.pointer);
}

constexpr FixRow kMetadataFixes[] = {
    {check::Rule::MlfDuplicateKey, removeDuplicate},
    {check::Rule::MlfVersionMissing, setVersion},
    {check::Rule::MlfVersionUnknown, setVersion},
    {check::Rule::MlfMetadataLayout, setLayout},
    {check::Rule::MlfKeyMissing, addKey},
    {check::Rule::MlfKeyType, setType},
    {check::Rule::MlfKeyUnknown, removeUnknownKey},
    {check::Rule::MlfExecutorsKey, renameExecutors},
    {check::Rule::MlfExecutorUnknown, setExecutors},
    {check::Rule::MlfExecutorCount, setExecutors},
    {check::Rule::MlfStyleUnknown, setStyle},
    {check::Rule::MlfModuleName, setModelName},
    {check::Rule::MlfExportTime, rewriteTime},
    {check::Rule::MlfExportTimeZone, useTimeStamp},
};

} // namespace

std::optional<Value> determinedValue(const FixContext& context, const ModuleFacts& module, std::string_view key) {
  if (key == "model_name") return determinedName(context, module);
  if (key == "executors" || key == "runtimes") return determinedExecutors(context, module);
  if (key == "style") return determinedStyle(module);
  if (key == "target") return determinedTarget(context, module);
  if (key == "export_datetime") {
    const auto stamp = metadataStamp(context.model().container);
    const auto text = stamp ? exportTimeText(*stamp) : std::nullopt;
    return text ? std::optional(textValue(*text)) : std::nullopt;
  }
  return std::nullopt;
}

std::span<const FixRow> metadataFixes() { return kMetadataFixes; }

} // namespace blobscope::mlf
