#include "core/base/text.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/metadata_place.h"
#include "core/mlf/reader.h"
#include "core/mlf/target.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

using check::Issue;
using json::Value;
using OptionalFix = std::optional<Fix>;

constexpr std::string_view kRuntime = "tvm_standalone_crt", kRuntimeUrl = "./runtime", kPathType = "mlf_path";

/// Returns the key under which versions 1 to 5 list a target: the type of the device of its kind.
std::optional<std::string> deviceKey(std::string_view text) {
  const Target target = parseTarget(text);
  const unsigned device = target.why.empty() ? deviceOfKind(target.kind) : 0;
  return device > 0 ? std::optional(std::to_string(device)) : std::nullopt;
}

// --- MLF-120, 124 ---

OptionalFix convertTargets(const FixContext& context, const Issue& issue) {
  const std::string& pointer = issue.place.pointer;
  const Value* const target = context.inMetadata(pointer);
  if (!target) return std::nullopt;
  const bool map = context.model().version <= 5, whole = lastStep(pointer) == "target";
  if (whole && map && target->isArray()) {
    Value::Object members;
    for (const Value& item : target->items()) {
      const auto key = item.isString() ? deviceKey(item.text()) : std::nullopt;
      if (!key || std::any_of(members.begin(), members.end(), [&](const auto& one) { return one.first == *key; }))
        return std::nullopt;
      members.emplace_back(*key, item);
    }
    Value value;
    value.data = std::move(members);
    return FixMaker(context)
        .set(pointer, std::move(value))
        .done("Turn " + whereText(pointer) + " into an object from device type to string");
  }
  if (whole && !map && target->isObject()) {
    Value::Array items;
    for (const auto& [key, value] : target->members()) {
      if (!value.isString()) return std::nullopt;
      items.push_back(value);
    }
    return FixMaker(context)
        .set(pointer, listValue(std::move(items)))
        .done("Turn " + whereText(pointer) + " into a list of strings");
  }
  // A key that is not a number.
  const auto key = !whole && map && target->isString() ? deviceKey(target->text()) : std::nullopt;
  if (!key || context.inMetadata(json::pointerStep(parentOf(pointer), *key))) return std::nullopt;
  return FixMaker(context)
      .renameKey(pointer, *key)
      .done("Rename the key '" + escapedWithin(lastStep(pointer), 80) + "' to '" + *key +
            "', the device type of the target");
}

/// The kind and the key disagree; the devices for which memory is listed decide.
OptionalFix moveTarget(const FixContext& context, const Issue& issue) {
  const std::string& pointer = issue.place.pointer;
  const Value* const target = context.inMetadata(pointer);
  const ModuleFacts* const module = context.moduleAt(pointer);
  const auto key = target ? deviceKey(target->text()) : std::nullopt;
  if (!key || !module || context.inMetadata(json::pointerStep(parentOf(pointer), *key))) return std::nullopt;
  const auto& devices = module->memory.devices;
  const auto lists = [&](const std::string& device) {
    return std::any_of(devices.begin(), devices.end(), [&](uint64_t one) { return std::to_string(one) == device; });
  };
  if (!lists(*key) || lists(lastStep(pointer))) return std::nullopt;
  return FixMaker(context)
      .renameKey(pointer, *key)
      .done("Rename the key '" + escapedWithin(lastStep(pointer), 80) + "' to '" + *key +
            "', the device type of the target and of its memory");
}

// --- MLF-125 to 128 ---

/// Returns whether a path of the archive is what a dependency may point to.
bool isInArchive(const FixContext& context, std::string_view url) {
  if (!url.starts_with("./")) return false;
  const std::string_view path = url.substr(2);
  return context.model().find(path) || context.model().hasFolder(path);
}

/// "url_type" is always the same; the name and the place of the C runtime belong together.
OptionalFix completeDependency(const FixContext& context, const Issue& issue) {
  const Value* const entry = context.inMetadata(issue.place.pointer);
  if (!entry || !entry->isObject()) return std::nullopt;
  const std::string *const name = textIn(*entry, "short_name"), *const url = textIn(*entry, "url");
  FixMaker maker(context);
  std::string added;
  for (const std::string_view key : {"short_name", "url", "url_type", "version_spec"}) {
    if (textIn(*entry, key)) continue;
    std::string_view value;
    if (key == "short_name" && url && *url == kRuntimeUrl) value = kRuntime;
    if (key == "url" && name && *name == kRuntime && context.model().hasFolder("runtime")) value = kRuntimeUrl;
    if (key == "url_type" && url && isInArchive(context, *url)) value = kPathType;
    if (value.empty()) return std::nullopt;
    const std::string pointer = json::pointerStep(issue.place.pointer, key);
    maker.set(pointer, textValue(value));
    added += (added.empty() ? "Set " : ", and ") + whereText(pointer) + " to '" + std::string(value) + "'";
  }
  return added.empty() ? std::nullopt : std::optional(maker.done(std::move(added)));
}

OptionalFix setUrl(const FixContext& context, const Issue& issue) {
  const Value* const entry = context.inMetadata(parentOf(issue.place.pointer));
  const std::string* const name = entry ? textIn(*entry, "short_name") : nullptr;
  if (!name || *name != kRuntime || !context.model().hasFolder("runtime")) return std::nullopt;
  return FixMaker(context)
      .set(issue.place.pointer, textValue(kRuntimeUrl))
      .done("Set " + whereText(issue.place.pointer) + " to './runtime', where the C runtime is");
}

OptionalFix setUrlType(const FixContext& context, const Issue& issue) {
  const Value* const entry = context.inMetadata(parentOf(issue.place.pointer));
  const std::string* const url = entry ? textIn(*entry, "url") : nullptr;
  if (!url || !isInArchive(context, *url)) return std::nullopt;
  return FixMaker(context)
      .set(issue.place.pointer, textValue(kPathType))
      .done("Set " + whereText(issue.place.pointer) + " to 'mlf_path', since '" + escapedWithin(*url, 80) +
            "' is in the archive");
}

/// The version of the runtime is in one of its headers: apache/tvm v0.12.0 include/tvm/runtime/c_runtime_api.h,
/// TVM_VERSION.
OptionalFix listRuntime(const FixContext& context, const Issue&) {
  const File* const header = context.model().find("runtime/include/tvm/runtime/c_runtime_api.h");
  if (!header || context.facts().modules.size() != 1) return std::nullopt;
  const CSource source = scanC(header->bytes.view(), false, context.monitor());
  const auto macro = std::find_if(source.macros.begin(), source.macros.end(),
                                  [](const CMacro& one) { return one.name == "TVM_VERSION"; });
  if (macro == source.macros.end() || macro->value.size() < 3 || !macro->value.starts_with('"') ||
      !macro->value.ends_with('"'))
    return std::nullopt;
  const std::string_view version = macro->value.substr(1, macro->value.size() - 2);
  Value entry = objectValue({{"short_name", textValue(kRuntime)},
                             {"url", textValue(kRuntimeUrl)},
                             {"url_type", textValue(kPathType)},
                             {"version_spec", textValue(version)}});
  const std::string pointer =
      json::pointerStep(context.facts().modules.front().module->pointer, "external_dependencies");
  const Value* const list = context.inMetadata(pointer);
  if (list && !list->isArray()) return std::nullopt;
  FixMaker maker(context);
  list ? maker.set(pointer + "/-", std::move(entry)) : maker.set(pointer, listValue({std::move(entry)}));
  return maker.done("List the C runtime of TVM " + escapedWithin(version, 40) + " in " + whereText(pointer));
}

constexpr FixRow kTargetFixes[] = {
    {check::Rule::MlfTargetForm, convertTargets},         {check::Rule::MlfTargetDevice, moveTarget},
    {check::Rule::MlfDependencyForm, completeDependency}, {check::Rule::MlfDependencyPath, setUrl},
    {check::Rule::MlfDependencyType, setUrlType},         {check::Rule::MlfRuntimeNotListed, listRuntime},
};

} // namespace

std::span<const FixRow> targetFixes() { return kTargetFixes; }

} // namespace blobscope::mlf
