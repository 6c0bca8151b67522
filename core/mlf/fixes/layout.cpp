#include "core/base/text.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/reader.h"

#include <algorithm>
#include <set>

namespace blobscope::mlf {
namespace {

using check::Issue;
using OptionalFix = std::optional<Fix>;

std::string shownPath(std::string_view path) { return "'" + escapedWithin(path, 200) + "'"; }

OptionalFix moveFile(const FixContext& context, const File& file, const std::string& path) {
  return FixMaker(context)
      .rename(file.stored, storedPath(path))
      .done("Move " + shownPath(file.path) + " to " + shownPath(path));
}

// --- MLF-302 ---

/// Only for an archive of one model: its files are numbered from 0 without a gap, so that one free number is left.
OptionalFix renameCode(const FixContext& context, const Issue& issue) {
  const Model& model = context.model();
  const File* const file = model.find(issue.place.member);
  if (!file || model.modules.size() != 1) return std::nullopt;
  const ModelModule& module = model.modules.front();
  const bool bare = model.version <= 2 || module.isOperator;
  const std::string folder = file->path.substr(0, file->path.rfind('/'));
  const std::string start = folder + "/" + (bare ? std::string() : module.name + "_") + "lib";
  std::set<uint64_t> numbers;
  std::size_t others = 0;
  for (const File& one : model.files) {
    if (!isInside(one.path, folder)) continue;
    const auto name = parseGeneratedName(baseName(one.path));
    if (name && name->model == (bare ? std::string_view() : std::string_view(module.name)))
      numbers.insert(name->number);
    else if (&one != file)
      ++others;
  }
  const std::string extension(file->path.substr(file->path.rfind('.')));
  const auto named = parseGeneratedName(baseName(file->path));
  uint64_t number = 0;
  if (named && !numbers.contains(named->number)) {
    number = named->number;
  } else {
    while (numbers.contains(number)) ++number;
    if (others > 0 || (!numbers.empty() && *numbers.rbegin() > numbers.size())) return std::nullopt;
  }
  return moveFile(context, *file, start + std::to_string(number) + extension);
}

// --- MLF-306 ---

/// Only where the metadata says that there are no parameters.
OptionalFix addParameters(const FixContext& context, const Issue& issue) {
  for (const ModuleFacts& module : context.facts().modules) {
    if (parametersPath(module.module->name) != issue.place.member) continue;
    const json::Value* const main = context.inMetadata(module.module->memoryPointer() + "/functions/main");
    if (!main || main->items().empty()) return std::nullopt;
    for (const json::Value& entry : main->items()) {
      const json::Value* const constants = entry.find("constants_size_bytes");
      if (!constants || constants->type() != json::Value::Type::Unsigned || constants->number() != 0)
        return std::nullopt;
    }
    // Magic number, reserved word, no names, no tensors; section 9.
    constexpr std::string_view kMagic = "\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7";
    return FixMaker(context)
        .add(storedPath(issue.place.member), Bytes::copyOf(std::string(kMagic) + std::string(24, '\0')))
        .done("Add " + shownPath(issue.place.member) + " without parameters; the metadata says that there are none");
  }
  return std::nullopt;
}

// --- MLF-307, 308, 310 ---

/// Returns the paths at which the versions of the format store the file that belongs to `path`.
std::vector<std::string> otherPlaces(std::string_view path, std::string_view model) {
  std::set<std::string> listings, graphs;
  for (unsigned version = 1; version <= 7; ++version) {
    listings.insert(listingPath(version, model));
    graphs.insert(graphPath(version, model));
  }
  for (const auto* const set : {&listings, &graphs})
    if (set->contains(std::string(path))) return {set->begin(), set->end()};
  return {};
}

/// Several models share the places of earlier versions, so they say nothing about one of them.
OptionalFix moveHere(const FixContext& context, const Issue& issue) {
  const Model& model = context.model();
  if (model.modules.size() != 1) return std::nullopt;
  const File* found = nullptr;
  for (const std::string& path : otherPlaces(issue.place.member, model.modules.front().name))
    if (const File* const file = model.find(path)) {
      if (found) return std::nullopt;
      found = file;
    }
  return found ? moveFile(context, *found, issue.place.member) : std::nullopt;
}

OptionalFix moveAway(const FixContext& context, const Issue& issue) {
  const Model& model = context.model();
  const File* const file = model.find(issue.place.member);
  if (!file || model.modules.size() != 1 || model.modules.front().isOperator) return std::nullopt;
  const ModelModule& module = model.modules.front();
  const std::vector<std::string> places = otherPlaces(file->path, module.name);
  const std::string listing = listingPath(model.version, module.name);
  const bool isListing = std::find(places.begin(), places.end(), listing) != places.end();
  const std::string right = isListing ? listing : graphPath(model.version, module.name);
  if (places.empty() || right == file->path) return std::nullopt;
  if (const File* const present = model.find(right)) {
    if (present->bytes.view() != file->bytes.view()) return std::nullopt;
    return FixMaker(context)
        .remove(file->stored)
        .done("Remove " + shownPath(file->path) + ", which repeats " + shownPath(right));
  }
  const auto here =
      std::count_if(places.begin(), places.end(), [&](const std::string& path) { return model.find(path); });
  return here == 1 ? moveFile(context, *file, right) : std::nullopt;
}

constexpr FixRow kLayoutFixes[] = {
    {check::Rule::MlfCodeName, renameCode},     {check::Rule::MlfParametersMissing, addParameters},
    {check::Rule::MlfListingMissing, moveHere}, {check::Rule::MlfGraphMissing, moveHere},
    {check::Rule::MlfOtherLayout, moveAway},
};

} // namespace

std::span<const FixRow> layoutFixes() { return kLayoutFixes; }

} // namespace blobscope::mlf
