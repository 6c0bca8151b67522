#include "core/edit/preview.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/base/writer.h"
#include "core/edit/module_draft.h"
#include "core/library/node.h"

#include <algorithm>
#include <functional>

namespace blobscope::edit {
namespace {

class Previewer {
public:
  Previewer(const Applied& applied, Monitor& monitor) : m_applied(applied), m_monitor(monitor) {}

  Result<library::PackagePtr> make(const library::PackagePtr& opened) {
    // --- 1. What changed in it or below it. ---
    std::vector<library::PackagePtr> members(opened->members.size());
    bool any = false;
    for (std::size_t i = 0; i < opened->members.size(); ++i) {
      if (!opened->members[i].package) continue;
      BLOBSCOPE_TRY(member, make(opened->members[i].package));
      any = any || member != opened->members[i].package;
      members[i] = std::move(member);
    }
    for (const EditedBlob& blob : m_applied.blobs) any = any || blob.package.get() == opened.get();
    if (!any) return opened;

    // --- 2. A copy with the new parts. ---
    auto package = std::make_shared<library::Package>(*opened);
    for (std::size_t i = 0; i < members.size(); ++i) {
      package->members[i].package = members[i];
      package->members[i].stored = &package->image.members[static_cast<std::size_t>(opened->members[i].stored - opened->image.members.data())];
    }
    for (const EditedBlob& edited : m_applied.blobs) {
      if (edited.package.get() != opened.get()) continue;
      BLOBSCOPE_TRY(blob, reopen(edited));
      package->blobs[edited.index] = std::make_shared<const library::Blob>(std::move(blob));
    }
    package->diagnostics = diagnosticsOf(*opened, *package);
    return library::PackagePtr(std::move(package));
  }

private:
  Result<library::Blob> reopen(const EditedBlob& edited) {
    const library::Blob& opened = edited.opened();
    container::Carrier carrier = opened.carrier;
    carrier.available = joined(edited.pieces);
    carrier.symbolSize = carrier.symbolSize ? std::optional(edited.size) : std::nullopt;
    return library::openBlob(carrier, opened.refPrefix, m_monitor, opened.memberPath);
  }

  /// What was said of the blobs as opened is replaced by what is said of them now.
  static std::vector<Diagnostic> diagnosticsOf(const library::Package& opened, const library::Package& package) {
    std::vector<Diagnostic> out;
    const auto saidOfBlob = [&](const Diagnostic& one) {
      const auto has = [&](const std::vector<Diagnostic>& list) {
        return std::any_of(list.begin(), list.end(), [&](const Diagnostic& other) { return other.id == one.id && other.place == one.place; });
      };
      bool found = false;
      for (const auto& blob : opened.blobs) found = found || has(blob->diagnostics);
      for (const library::PackageMember& member : opened.members) found = found || (member.package && has(member.package->diagnostics));
      return found;
    };
    for (const Diagnostic& one : opened.diagnostics)
      if (!saidOfBlob(one)) out.push_back(one);
    for (const auto& blob : package.blobs) out.insert(out.end(), blob->diagnostics.begin(), blob->diagnostics.end());
    for (const library::PackageMember& member : package.members)
      if (member.package) out.insert(out.end(), member.package->diagnostics.begin(), member.package->diagnostics.end());
    return out;
  }

  const Applied& m_applied;
  Monitor& m_monitor;
};

// --- the way back -----------------------------------------------------------------------------------------------------

/// The name that something has in the file, when an edit renames it.
std::string originalName(std::span<const Edit> edits, const Target& module, std::string_view shown) {
  for (const Edit& edit : edits) {
    const auto* const rename = std::get_if<Rename>(&edit);
    if (!rename || rename->name != shown || rename->target.id != module.id || rename->target.ref.parts.size() != 1) continue;
    Ref above = rename->target.ref;
    above.parts.clear();
    if (above == module.ref) return rename->target.ref.parts.front().name;
  }
  return std::string(shown);
}

/// Steps of a field's path: names and "[N]".
std::vector<std::string> stepsOf(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    if (path[0] == '.') path.remove_prefix(1);
    const std::size_t end = path.starts_with('[') ? path.find(']') + 1 : path.find_first_of(".[");
    steps.emplace_back(path.substr(0, end));
    if (end == std::string_view::npos || end == 0) break;
    path.remove_prefix(end);
  }
  return steps;
}

/// What an item of a list is known by: its name, empty when it has none.
std::string itemName(const FieldTree& tree, uint32_t row) {
  const Field& field = tree.rows[row];
  if (field.type == FieldType::String) return std::string(tree.content(row).view());
  const bool named = field.type == FieldType::Group && field.after > row + 1 && tree.rows[row + 1].type == FieldType::String;
  return named ? std::string(tree.content(row + 1).view()) : std::string();
}

/// The path that a field had before kernels were added, removed or renamed; nothing for one that was not there.
std::optional<std::string> originalPath(const FieldTree& now, const FieldTree& before, std::string_view path, const std::function<std::string(std::string_view)>& nameBefore) {
  std::string pathNow, pathBefore;
  for (const std::string& step : stepsOf(path)) {
    const std::string dot = pathNow.empty() || step[0] == '[' ? "" : ".";
    pathNow += dot + step;
    const auto row = now.find(pathNow);
    const std::string name = row && step[0] == '[' ? itemName(now, *row) : std::string();
    const auto list = before.find(pathBefore);
    if (name.empty() || !list) {
      pathBefore += dot + step;
      continue;
    }
    std::optional<std::string> found;
    for (uint32_t item = *list + 1; item < before.rows[*list].after && !found; item = before.rows[item].after)
      if (itemName(before, item) == nameBefore(name)) found = before.pathBelow(pathBefore, item);
    // A text that was itself changed keeps its place.
    if (!found && row && now.rows[*row].type == FieldType::String) found = pathBefore + step;
    if (!found) return std::nullopt;
    pathBefore = *found;
  }
  return pathBefore;
}

} // namespace

Result<library::PackagePtr> preview(const library::PackagePtr& opened, const Applied& applied, Monitor& monitor) {
  longWork("edit::preview");
  return Previewer(applied, monitor).make(opened);
}

Result<Target> asOpened(const library::PackagePtr& preview, const Applied& applied, std::span<const Edit> edits, const Ref& shown) {
  if (shown.kind != Ref::Kind::Module) return Target{shown, {}};
  const EditedBlob* edited = nullptr;
  for (const EditedBlob& blob : applied.blobs)
    if (blob.package->memberPath == shown.members && blob.opened().refPrefix == shown.prefix) edited = &blob;
  if (!edited || edited->modules.empty()) return Target{shown, {}};
  if (shown.module >= edited->modules.size()) return cannotEdit(shown, "there is no such module");

  // --- 1. The module. ---
  Target target{shown, {}};
  target.ref.parts.clear();
  const std::string& origin = edited->modules[shown.module].origin;
  const auto number = origin.starts_with('m') ? parseNumber(std::string_view(origin).substr(1)) : std::nullopt;
  const bool known = number && *number < edited->opened().modules.size();
  if (known) {
    target.ref.module = static_cast<uint32_t>(*number);
  } else {
    target.id = origin;
    target.ref = Ref::moduleAt({}, 0);
  }
  if (shown.parts.empty()) return target;
  const Ref::Part& part = shown.parts.front();
  if (!known) {
    target.ref.parts = shown.parts;
    return target;
  }

  // --- 2. The part in it. ---
  const library::Module& before = *edited->opened().modules[*number];
  const auto nameBefore = [&](std::string_view name) { return originalName(edits, target, name); };
  if (part.kind == "field") {
    BLOBSCOPE_TRY(package, library::memberOf(preview, shown));
    const auto tree = library::treeOf(*package->blobs[edited->index]->modules[shown.module]), old = library::treeOf(before);
    const auto path = originalPath(*tree, *old, part.name, nameBefore);
    if (!path) return cannotEdit(shown, "an edit added it; take that back and add it as it is to be");
    target.ref = target.ref.part("field", *path);
    return target;
  }
  target.ref = target.ref.part(part.kind, nameBefore(part.name));
  return target;
}

} // namespace blobscope::edit
