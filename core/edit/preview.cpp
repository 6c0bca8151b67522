#include "core/edit/preview.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/base/writer.h"
#include "core/edit/archive/member_names.h"
#include "core/edit/module_draft.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/library/unresolved.h"

#include <algorithm>
#include <optional>
#include <set>

namespace blobscope::edit {
namespace {

class Previewer {
public:
  Previewer(const Applied& applied, Monitor& monitor) : m_applied(applied), m_monitor(monitor) {}

  Result<library::PackagePtr> make(const library::PackagePtr& opened) {
    // --- 1. Changes in the package and below it. ---
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
      package->members[i].stored =
          &package->image.members[static_cast<std::size_t>(opened->members[i].stored - opened->image.members.data())];
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

  /// Replaces the diagnostics of the opened blobs by those of the edited ones.
  static std::vector<Diagnostic> diagnosticsOf(const library::Package& opened, const library::Package& package) {
    std::vector<Diagnostic> out;
    const auto isAboutBlob = [&](const Diagnostic& one) {
      const auto has = [&](const std::vector<Diagnostic>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const Diagnostic& other) { return other.id == one.id && other.place == one.place; });
      };
      bool found = false;
      for (const auto& blob : opened.blobs) found = found || has(blob->diagnostics);
      for (const library::PackageMember& member : opened.members)
        found = found || (member.package && has(member.package->diagnostics));
      return found;
    };
    for (const Diagnostic& one : opened.diagnostics)
      if (!isAboutBlob(one)) out.push_back(one);
    for (const auto& blob : package.blobs) out.insert(out.end(), blob->diagnostics.begin(), blob->diagnostics.end());
    for (const library::PackageMember& member : package.members)
      if (member.package) out.insert(out.end(), member.package->diagnostics.begin(), member.package->diagnostics.end());
    return out;
  }

  const Applied& m_applied;
  Monitor& m_monitor;
};

// --- from the preview to the tree as opened

/// The edits inside one opened or added module.
class EditsOfModule {
public:
  EditsOfModule(const EditedBlob& blob, std::span<const Edit> edits, const Target& module)
      : m_blob(blob), m_edits(edits), m_module(module) {}

  /// Returns the name of a part in the file, before an edit renames it.
  std::string originalName(const Ref::Part& shown) const {
    for (const Edit& edit : m_edits) {
      const auto* const rename = std::get_if<Rename>(&edit);
      if (rename && rename->name == shown.name && isIn(rename->target) &&
          rename->target.ref.parts.front().kind == shown.kind)
        return rename->target.ref.parts.front().name;
    }
    return shown.name;
  }
  /// Whether an edit adds the part.
  bool isAdded(const Ref::Part& part) const {
    return std::any_of(m_edits.begin(), m_edits.end(), [&](const Edit& edit) {
      const auto* const add = std::get_if<AddFunction>(&edit);
      return add && isIn(add->target) && add->target.ref.parts.front() == part;
    });
  }
  /// Returns the parts that edits remove.
  std::vector<Ref::Part> removed() const {
    std::vector<Ref::Part> parts;
    for (const Edit& edit : m_edits)
      if (const auto* const remove = std::get_if<Remove>(&edit); remove && isIn(remove->target))
        parts.push_back(remove->target.ref.parts.front());
    return parts;
  }
  /// Whether an edit replaces the payload, so that nothing in it existed before.
  bool isReplaced() const {
    return std::any_of(m_edits.begin(), m_edits.end(), [&](const Edit& edit) {
      const auto* const replace = std::get_if<Replace>(&edit);
      return replace && replace->target.ref.parts.empty() && isForModule(replace->target);
    });
  }

private:
  bool isForModule(const Target& target) const {
    if (target.id != m_module.id) return false;
    if (!target.id.empty()) return true;
    return target.ref.kind == Ref::Kind::Module && target.ref.module == m_module.ref.module &&
           library::isIn(target.ref, *m_blob.package, m_blob.opened());
  }
  bool isIn(const Target& target) const { return target.ref.parts.size() == 1 && isForModule(target); }

  const EditedBlob& m_blob;
  std::span<const Edit> m_edits;
  const Target& m_module;
};

/// Splits the path of a field into steps: names and "[N]".
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

/// Returns the path that a field had before list items were removed; nothing for a field that did not exist.
std::optional<std::string> originalPath(const FieldTree& before, const std::vector<uint32_t>& removed,
                                        std::string_view path) {
  std::string original;
  for (const std::string& step : stepsOf(path)) {
    const auto list = step.starts_with('[') ? before.find(original) : std::nullopt;
    // Words have no separate rows and cannot be removed.
    const bool isList =
        list && before.rows[*list].type != FieldType::Words && before.rows[*list].type != FieldType::Words64;
    if (!isList) {
      original += (original.empty() || step[0] == '[' ? "" : ".") + step;
      continue;
    }
    auto left = parseNumber(std::string_view(step).substr(1, step.size() - 2));
    std::optional<uint32_t> found;
    for (uint32_t item = *list + 1; left && item < before.rows[*list].after && !found; item = before.rows[item].after)
      if (std::find(removed.begin(), removed.end(), item) == removed.end() && (*left)-- == 0) found = item;
    if (!found) return std::nullopt;
    original = before.pathBelow(original, *found);
  }
  return original;
}

} // namespace

Result<library::PackagePtr> preview(const library::PackagePtr& opened, const Applied& applied, Monitor& monitor) {
  longWork("edit::preview");
  BLOBSCOPE_TRY(made, Previewer(applied, monitor).make(opened));
  if (made == opened) return made;
  // Nothing else refers to it yet; in a copy, the members would point into the images of this package.
  const auto package = std::const_pointer_cast<library::Package>(made);
  std::erase_if(package->diagnostics, [](const Diagnostic& one) { return one.id == DiagnosticId::BlobCall; });
  BLOBSCOPE_TRY(calls, library::callDiagnostics(made, monitor));
  package->diagnostics.insert(package->diagnostics.end(), calls.begin(), calls.end());
  return made;
}

Result<Target> toOpenedTarget(const library::PackagePtr& preview, const Applied& applied, std::span<const Edit> edits,
                              const Ref& shown) {
  const Ref named = toOpenedNames(applied, shown);
  if (shown.kind != Ref::Kind::Module) {
    // "a.c!" and "member:a.c" are the same member of an archive, and one name for it is enough.
    const auto member = asMember(named);
    const auto around = member ? library::memberOf(preview, *asMember(shown)) : Result<library::PackagePtr>(preview);
    const bool inArchive = member && around && (*around)->archive != library::ArchiveKind::NotTar;
    return Target{inArchive ? *member : named, {}};
  }
  BLOBSCOPE_CHECK(library::memberOf(preview, shown));
  const EditedBlob* edited = nullptr;
  for (const EditedBlob& blob : applied.blobs)
    if (library::isIn(named, *blob.package, blob.opened())) edited = &blob;
  if (!edited || edited->modules.empty()) return Target{named, {}};
  if (shown.module >= edited->modules.size()) return cannotEdit(shown, "there is no such module");

  // --- 1. The module. ---
  Target target{named, {}};
  target.ref.parts.clear();
  const std::string& origin = edited->modules[shown.module].origin;
  const auto number = Ref::parse(origin);
  const bool known = number && number->kind == Ref::Kind::Module;
  if (known) {
    target.ref.module = number->module;
  } else {
    target.id = origin;
    target.ref = Ref::moduleAt({}, 0);
  }
  if (shown.parts.empty()) return target;
  const Ref::Part& part = shown.parts.front();
  const EditsOfModule inside(*edited, edits, target);
  if (!known || inside.isReplaced()) {
    target.ref.parts = shown.parts;
    return target;
  }

  // --- 2. The part in it. ---
  const Error added = cannotEdit(shown, "an edit added it; undo that edit and add the changed content instead");
  const library::Module& before = *edited->opened().modules[number->module];
  if (part.kind == PartKind::Field) {
    const ModuleDraft draft({}, before.key, before.payload, before.body, edited->opened().cut.context);
    std::vector<uint32_t> removed;
    for (const Ref::Part& one : inside.removed()) {
      const std::vector<uint32_t> rows = draft.rowsOf(one);
      removed.insert(removed.end(), rows.begin(), rows.end());
    }
    const auto path = originalPath(draft.tree(), removed, part.name);
    if (!path) return added;
    target.ref = target.ref.part(PartKind::Field, *path);
    return target;
  }
  if (part.kind == PartKind::Entry) {
    // Images are numbered without the removed ones, so the removed ones before it are counted again.
    std::set<uint64_t> removed;
    for (const Ref::Part& one : inside.removed())
      if (const auto gone = one.kind == PartKind::Entry ? parseNumber(one.name) : std::nullopt) removed.insert(*gone);
    auto shownNumber = parseNumber(part.name);
    if (!shownNumber) return cannotEdit(shown, "images are numbered from 0");
    uint64_t place = *shownNumber;
    for (const uint64_t gone : removed)
      if (gone <= place) ++place;
    uint64_t images = 0;
    for (const modules::PartGroup& group : before.body->parts())
      if (group.kind == part.kind) images = group.parts.size();
    if (place >= images) return added;
    target.ref = target.ref.part(part.kind, std::to_string(place));
    return target;
  }
  if (inside.isAdded(part)) return added;
  target.ref = target.ref.part(part.kind, inside.originalName(part));
  return target;
}

} // namespace blobscope::edit
