#include "core/base/text.h"
#include "core/mlf/export_time.h"
#include "core/mlf/graph.h"
#include "core/mlf/metadata_place.h"
#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"
#include "core/mlf/target.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

using json::Value;
using Type = Value::Type;

constexpr std::size_t kShownValue = 80;

/// The keys that version and style require.
struct Layout {
  unsigned version;
  std::string_view executors, otherExecutors;
  bool hasStyle, hasDependencies;
};
Layout layoutOf(unsigned version) {
  const bool late = version >= 5;
  return {version, late ? "executors" : "runtimes", late ? "runtimes" : "executors", version >= 4, late};
}

void addDuplicates(const json::LocatedDocument& document, const std::string& file, Findings& findings) {
  for (const json::Duplicate& duplicate : document.duplicates) {
    Place place;
    place.member = file;
    place.pointer = duplicate.pointer;
    findings.add(Rule::MlfDuplicateKey, std::move(place),
                 {arg("file", file), {"key", escapedWithin(lastStep(duplicate.pointer), kShownValue)}});
  }
}

/// MLF-104, 105. Returns whether the version is known.
bool checkVersion(const Value& root, Findings& findings) {
  const Value* const version = root.find("version");
  if (!version) {
    findings.add(Rule::MlfVersionMissing, metadataPlace(""), {{"value", "missing"}});
    return false;
  }
  if (!version->isWhole()) {
    findings.add(Rule::MlfVersionMissing, metadataPlace("/version"),
                 {{"value", version->isString() ? escapedWithin(version->text(), kShownValue)
                                                : std::string(typeWords(*version))}});
    return false;
  }
  if (version->type() == Type::Unsigned && version->number() >= 1 && version->number() <= 7) return true;
  findings.add(Rule::MlfVersionUnknown, metadataPlace("/version"), {{"value", valueText(*version)}});
  return false;
}

// --- dates ---

std::string dateHint(std::string_view text) {
  if (text.size() >= 20 && text[10] == 'T') return "; it has a T instead of a space";
  if (text.size() == 19 && parseExportTime(std::string(text) + "Z")) return "; the Z is missing";
  if (text.size() > 20 && text[19] == '.') return "; it has fractions of a second";
  if (text.size() > 20 && (text[19] == '+' || text[19] == '-')) return "; it has an offset instead of the Z";
  return {};
}

/// Returns "8 h", "7 h 30 min", "3 min 5 s".
std::string durationText(uint64_t seconds) {
  std::string out;
  const auto add = [&](uint64_t value, const char* unit) {
    if (value > 0) out += (out.empty() ? "" : " ") + std::to_string(value) + unit;
  };
  add(seconds / 86'400, " d");
  add(seconds / 3'600 % 24, " h");
  add(seconds / 60 % 60, " min");
  if (seconds < 3'600) add(seconds % 60, " s");
  return out;
}

/// MLF-116, 117.
void checkDate(const Model& model, const Value& date, const std::string& pointer, Findings& findings) {
  constexpr int64_t kTolerance = 120, kQuarter = 900, kFarthestZone = 14 * 3'600;
  const auto stated = parseExportTime(date.text());
  if (!stated) {
    findings.add(Rule::MlfExportTime, metadataPlace(pointer),
                 {{"value", escapedWithin(date.text(), kShownValue)}, {"hint", dateHint(date.text())}});
    return;
  }
  const auto stamp = metadataStamp(model.container);
  if (!stamp) return;
  const int64_t delta = *stated - *stamp;
  const int64_t distance = delta < 0 ? -delta : delta;
  if (distance <= kTolerance) return;
  const int64_t quarters = (distance + kQuarter / 2) / kQuarter;
  std::string hint;
  if (const int64_t off = distance - quarters * kQuarter;
      distance <= kFarthestZone && off >= -kTolerance && off <= kTolerance) {
    const int64_t minutes = quarters * 15;
    const std::string rest = std::to_string(minutes % 60);
    hint = "; the builder's clock was at UTC" + std::string(delta < 0 ? "-" : "+") + std::to_string(minutes / 60) +
           (minutes % 60 != 0 ? ":" + rest : "");
  }
  findings.add(Rule::MlfExportTimeZone, metadataPlace(pointer),
               {{"delta", durationText(static_cast<uint64_t>(distance))}, {"hint", hint}});
}

// --- names and targets ---

/// MLF-118, 119.
void checkName(const std::string& name, const std::string& pointer, Findings& findings) {
  const std::string shown = escapedWithin(name, kShownValue);
  if (name.empty() || name == "." || name == ".." || name.find_first_of("/\\") != std::string::npos ||
      name.find('\0') != std::string::npos)
    findings.add(Rule::MlfModelNameFile, metadataPlace(pointer), {{"name", shown}});
  else if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
           std::string::npos)
    findings.add(Rule::MlfModelNameC, metadataPlace(pointer), {{"name", shown}});
}

/// MLF-121 to 124. `device` is the key in versions 1 to 5.
void checkTarget(const std::string& text, const std::string& pointer, const std::string* device, bool isOperator,
                 Findings& findings) {
  const Target target = parseTarget(text);
  if (!target.why.empty()) {
    findings.add(Rule::MlfTargetText, metadataPlace(pointer),
                 {{"target", escapedWithin(text, kShownValue)}, {"why", target.why}});
    return;
  }
  const std::string kind = escapedWithin(target.kind, kShownValue);
  const unsigned usual = deviceOfKind(target.kind);
  if (usual == 0) findings.add(Rule::MlfTargetKind, metadataPlace(pointer), {{"kind", kind}});
  if (isOperator && target.kind != "llvm" && target.kind != "c" && usual != 0)
    findings.add(Rule::MlfOperatorTarget, metadataPlace(pointer), {{"kind", kind}});
  // Hexagon was 14 before DLPack had a number for it; afterwards 16.
  const bool fits =
      usual == 0 || !device || *device == std::to_string(usual) || (target.kind == "hexagon" && *device == "16");
  if (!fits) findings.add(Rule::MlfTargetDevice, metadataPlace(pointer), {{"kind", kind}, {"key", *device}});
}

/// MLF-120 and the rules about each target.
void checkTargets(const Layout& layout, const Value& target, const std::string& pointer, bool isOperator,
                  Findings& findings) {
  const bool map = layout.version <= 5;
  const auto wrong = [&](const std::string& found, const std::string& at) {
    findings.add(Rule::MlfTargetForm, metadataPlace(at),
                 {{"found", found},
                  arg("version", uint64_t{layout.version}),
                  {"want", map ? "an object from device type to string" : "a list of strings"}});
  };
  if (map ? !target.isObject() : !target.isArray()) return wrong(std::string(typeWords(target)), pointer);
  for (const auto& [key, value] : target.members()) {
    const std::string at = json::pointerStep(pointer, key);
    if (key.empty() || key.find_first_not_of("0123456789") != std::string::npos)
      wrong("an object with the key '" + escapedWithin(key, kShownValue) + "'", at);
    else if (!value.isString())
      wrong("an object that holds " + std::string(typeWords(value)), at);
    else
      checkTarget(value.text(), at, &key, isOperator, findings);
  }
  for (std::size_t i = 0; i < target.items().size(); ++i) {
    const std::string at = json::pointerStep(pointer, i);
    if (!target.items()[i].isString())
      wrong("a list that holds " + std::string(typeWords(target.items()[i])), at);
    else
      checkTarget(target.items()[i].text(), at, nullptr, isOperator, findings);
  }
}

// --- executors, dependencies ---

/// MLF-108, 110, 111, 112.
void checkExecutors(const Layout& layout, const ModelModule& module, Findings& findings) {
  const Value& object = *module.metadata;
  const Value* list = object.find(layout.executors);
  std::string pointer = json::pointerStep(module.pointer, layout.executors);
  if (const Value* const other = object.find(layout.otherExecutors)) {
    const std::string at = json::pointerStep(module.pointer, layout.otherExecutors);
    findings.add(
        Rule::MlfExecutorsKey, metadataPlace(at),
        {arg("version", uint64_t{layout.version}), arg("want", layout.executors), arg("found", layout.otherExecutors)});
    if (!list) list = other, pointer = at;
  }
  if (!list) {
    findings.add(Rule::MlfKeyMissing, metadataPlace(module.pointer),
                 {{"where", whereText(module.pointer)}, arg("key", layout.executors)});
    return;
  }
  if (!list->isArray()) {
    findings.add(Rule::MlfKeyType, metadataPlace(pointer),
                 {{"where", whereText(pointer)}, arg("type", typeWords(*list)), {"want", "a list"}});
    return;
  }
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    const std::string at = json::pointerStep(pointer, i);
    const Value& name = list->items()[i];
    if (!name.isString())
      findings.add(Rule::MlfKeyType, metadataPlace(at),
                   {{"where", whereText(at)}, arg("type", typeWords(name)), {"want", "a string"}});
    else if (name.text() != "graph" && name.text() != "aot")
      findings.add(Rule::MlfExecutorUnknown, metadataPlace(at), {{"name", escapedWithin(name.text(), kShownValue)}});
  }
  const uint64_t want = module.isOperator ? 0 : 1;
  if (list->items().size() != want)
    findings.add(Rule::MlfExecutorCount, metadataPlace(pointer),
                 {{"where", whereText(pointer)},
                  arg("count", uint64_t{list->items().size()}),
                  {"want", want == 0 ? "none" : "one"}});
}

/// Returns the path inside the archive that an `mlf_path` names.
std::string pathOfUrl(std::string_view url) {
  std::string path;
  while (!url.empty()) {
    const std::string_view part = url.substr(0, url.find('/'));
    if (!part.empty() && part != ".") path += (path.empty() ? "" : "/") + std::string(part);
    url.remove_prefix(std::min(part.size() + 1, url.size()));
  }
  return path;
}

/// MLF-125, 126, 127. Returns whether the list is invalid or names the folder `runtime`.
bool checkDependencies(const Model& model, const Value& list, const std::string& pointer, Findings& findings) {
  if (!list.isArray()) {
    findings.add(Rule::MlfKeyType, metadataPlace(pointer),
                 {{"where", whereText(pointer)}, arg("type", typeWords(list)), {"want", "a list"}});
    return true;
  }
  bool announced = false;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value& entry = list.items()[i];
    const std::string at = json::pointerStep(pointer, i);
    std::string why;
    if (!entry.isObject()) why = "is " + std::string(typeWords(entry));
    for (const std::string_view key : {"short_name", "url", "url_type", "version_spec"}) {
      if (!why.empty()) break;
      const Value* const value = entry.find(key);
      if (!value)
        why = "lacks '" + std::string(key) + "'";
      else if (!value->isString())
        why = std::string(key) + " is " + std::string(typeWords(*value));
    }
    if (!why.empty()) {
      findings.add(Rule::MlfDependencyForm, metadataPlace(at), {arg("index", uint64_t{i}), {"why", why}});
      announced = true;
      continue;
    }
    checkKnownKeys(entry, at, {"short_name", "url", "url_type", "version_spec"}, findings);
    const std::string name = escapedWithin(entry.find("short_name")->text(), kShownValue),
                      &type = entry.find("url_type")->text(), &url = entry.find("url")->text();
    const std::string path = pathOfUrl(url);
    const auto& entries = model.container.entries;
    if (type != "mlf_path") {
      findings.add(Rule::MlfDependencyType, metadataPlace(json::pointerStep(at, "url_type")),
                   {{"name", name}, {"value", escapedWithin(type, kShownValue)}});
      announced = true;
    } else if (!path.empty() && !model.find(path) && !model.hasFolder(path) &&
               std::none_of(entries.begin(), entries.end(), [&](const TarEntry& one) { return one.path == path; })) {
      findings.add(Rule::MlfDependencyPath, metadataPlace(json::pointerStep(at, "url")),
                   {{"name", name}, {"url", escapedWithin(url, kShownValue)}});
      announced = true;
    }
    announced = announced || path.empty() || path == "runtime" || path.starts_with("runtime/");
  }
  return announced;
}

// --- a module ---

/// Returns whether the module's dependencies explain `runtime/`.
bool checkModule(const Model& model, const ModelModule& module, bool inMap, Findings& findings) {
  const Layout layout = layoutOf(model.version);
  const Value& object = *module.metadata;
  const auto at = [&](std::string_view key) { return json::pointerStep(module.pointer, key); };

  // --- 1. Keys. ---
  for (const auto& [key, value] : object.members()) {
    const bool known = key == "model_name" || key == "export_datetime" || key == "target" || key == "memory" ||
                       key == layout.executors || key == layout.otherExecutors || (key == "version" && !inMap) ||
                       (key == "style" && layout.hasStyle) ||
                       (key == "external_dependencies" && layout.hasDependencies);
    if (!known)
      findings.add(Rule::MlfKeyUnknown, metadataPlace(at(key)),
                   {{"key", escapedWithin(key, kShownValue)}, {"where", whereText(module.pointer)}});
  }
  const auto need = [&](std::string_view key) -> const Value* {
    const Value* const value = object.find(key);
    if (!value)
      findings.add(Rule::MlfKeyMissing, metadataPlace(module.pointer),
                   {{"where", whereText(module.pointer)}, arg("key", key)});
    return value;
  };
  const auto needText = [&](std::string_view key) -> const Value* {
    const Value* const value = need(key);
    if (value && !value->isString())
      findings.add(Rule::MlfKeyType, metadataPlace(at(key)),
                   {{"where", whereText(at(key))}, arg("type", typeWords(*value)), {"want", "a string"}});
    return value && value->isString() ? value : nullptr;
  };

  // --- 2. Values. ---
  if (const Value* const name = needText("model_name")) checkName(name->text(), at("model_name"), findings);
  if (const Value* const date = needText("export_datetime")) checkDate(model, *date, at("export_datetime"), findings);
  if (const Value* const target = need("target"))
    checkTargets(layout, *target, at("target"), module.isOperator, findings);
  need("memory");
  if (layout.hasStyle)
    if (const Value* const style = needText("style");
        style && style->text() != "full-model" && style->text() != "operator")
      findings.add(Rule::MlfStyleUnknown, metadataPlace(at("style")),
                   {{"value", escapedWithin(style->text(), kShownValue)}});
  checkExecutors(layout, module, findings);
  const Value* const dependencies = layout.hasDependencies ? object.find("external_dependencies") : nullptr;
  return dependencies && checkDependencies(model, *dependencies, at("external_dependencies"), findings);
}

void addLayoutMismatch(unsigned version, const char* found, const std::string& pointer, Findings& findings) {
  findings.add(Rule::MlfMetadataLayout, metadataPlace(pointer), {{"found", found}, arg("version", uint64_t{version})});
}

} // namespace

void checkMetadata(const Model& model, Findings& findings, Monitor& monitor) {
  // --- 1. The text. ---
  if (!model.whyNoMetadata.empty())
    findings.add(Rule::MlfMetadataJson, metadataPlace(""), {{"why", model.whyNoMetadata}});
  if (!model.metadata) return;
  addDuplicates(*model.metadata, "metadata.json", findings);
  const Value& root = model.metadata->root;
  if (!root.isObject()) {
    findings.add(Rule::MlfMetadataRoot, metadataPlace(""), {arg("type", typeWords(root))});
    return;
  }
  // --- 2. Version: it determines the meaning of the keys. ---
  if (!checkVersion(root, findings)) return;
  const Value* const map = root.find("modules");
  if (map) {
    if (!map->isObject()) {
      findings.add(Rule::MlfKeyType, metadataPlace("/modules"),
                   {{"where", "modules"}, arg("type", typeWords(*map)), {"want", "an object"}});
      return;
    }
    if (model.version < 7)
      addLayoutMismatch(model.version, "modules", "/modules", findings);
    else if (map->members().empty())
      findings.add(Rule::MlfNoModules, metadataPlace("/modules"));
    else if (std::any_of(model.modules.begin(), model.modules.end(),
                         [](const ModelModule& one) { return one.isOperator; }))
      addLayoutMismatch(model.version, "operator in modules", "/modules", findings);
    checkKnownKeys(root, "", {"version", "modules"}, findings);
    for (const auto& [key, value] : map->members()) {
      const std::string at = json::pointerStep("/modules", key);
      if (!value.isObject()) {
        findings.add(Rule::MlfKeyType, metadataPlace(at),
                     {{"where", whereText(at)}, arg("type", typeWords(value)), {"want", "an object"}});
        continue;
      }
      const Value* const name = value.find("model_name");
      if (name && name->isString() && name->text() != key)
        findings.add(Rule::MlfModuleName, metadataPlace(json::pointerStep(at, "model_name")),
                     {{"key", escapedWithin(key, kShownValue)}, {"name", escapedWithin(name->text(), kShownValue)}});
    }
  } else if (model.version == 7 && !(model.modules.size() == 1 && model.modules.front().isOperator)) {
    addLayoutMismatch(model.version, "flat", "", findings);
  }

  // --- 3. Each module, and graph files for violations of JSON itself. ---
  bool announced = false;
  for (const ModelModule& module : model.modules) {
    if (monitor.stopRequested()) return;
    announced = checkModule(model, module, map != nullptr, findings) || announced;
    if (module.graph)
      if (const auto graph = json::parseLocated(module.graph->bytes))
        addDuplicates(*graph, module.graph->path, findings);
  }
  if (!announced && !model.modules.empty() && model.hasFolder("runtime"))
    findings.add(Rule::MlfRuntimeNotListed, metadataPlace(""));
}

} // namespace blobscope::mlf
