#include "core/edit/rules.h"

#include "core/edit/archive/archive_draft.h"
#include "core/edit/images.h"
#include "core/library/resolve.h"

#include <algorithm>
#include <array>
#include <map>

namespace blobscope::edit {
namespace {

using library::Blob;
using Imports = std::vector<std::vector<uint32_t>>;

bool contains(std::span<const uint32_t> list, uint32_t number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

/// Whether the code of a module may be text.
bool mayBeText(const std::vector<std::string>& content) {
  constexpr std::array<std::string_view, 7> kBinary = {"fatbin", "cubin", "hsaco",   "hexagon",
                                                       "elf",    "spirv", "metallib"};
  return std::any_of(content.begin(), content.end(), [&](const std::string& one) {
    return one != "llvm-bitcode" && std::none_of(kBinary.begin(), kBinary.end(),
                                                 [&](std::string_view binary) { return one.starts_with(binary); });
  });
}

/// Whether the ref names a CUDA module with a fat binary, or a blob or file with one.
bool hasFatBinary(const library::Package& package, const Ref& ref) {
  const auto inBlob = [](const Blob& blob) {
    return std::any_of(blob.modules.begin(), blob.modules.end(),
                       [](const library::ModulePtr& module) { return mayBeFatBinary(*module); });
  };
  if (ref.at || !ref.parts.empty()) return false;
  if (ref.kind == Ref::Kind::Module) {
    const auto found = library::resolve(package, ref);
    return found && mayBeFatBinary(*found->module);
  }
  if (ref.kind == Ref::Kind::Blob) {
    const auto found = library::resolveBlob(package, ref);
    return found && inBlob(*found->blob);
  }
  if (ref.kind != Ref::Kind::File) return false;
  const auto member = library::memberIn(package, ref);
  if (!member) return false;
  return std::any_of((*member)->blobs.begin(), (*member)->blobs.end(),
                     [&](const auto& blob) { return inBlob(*blob); }) ||
         std::any_of((*member)->members.begin(), (*member)->members.end(), [&](const library::PackageMember& inner) {
           return inner.package && hasFatBinary(*inner.package, Ref::file());
         });
}

bool isAnyOf(std::optional<PartKind> part, std::initializer_list<PartKind> kinds) {
  return part && std::find(kinds.begin(), kinds.end(), *part) != kinds.end();
}

bool isTarArchive(const library::Package& package) {
  return package.archive != library::ArchiveKind::NotTar && package.image.format == container::Format::Tar;
}

/// A member of an archive, and the archive.
struct MemberPlace {
  const library::Package* archive;
  const library::PackageMember* member;
};
/// Nothing when the ref names no member of an archive.
std::optional<MemberPlace> memberPlace(const library::Package& package, const Ref& ref) {
  const auto member = asMember(ref);
  const auto archive = member ? library::memberIn(package, *member) : Result<const library::Package*>(nullptr);
  if (!member || !archive || (*archive)->archive == library::ArchiveKind::NotTar) return std::nullopt;
  const library::PackageMember* const found = (*archive)->findMember(member->name);
  return found ? std::optional(MemberPlace{*archive, found}) : std::nullopt;
}

/// Returns why a member cannot be edited in this way.
std::optional<WhyNot> canEditMember(const MemberPlace& place, Operation operation) {
  using Type = container::Member::Type;
  const bool tar = isTarArchive(*place.archive), file = place.member->stored->type == Type::File;
  switch (operation) {
  case Operation::Remove: return tar ? std::nullopt : std::optional(WhyNot::NotTar);
  case Operation::Rename:
    if (!tar) return WhyNot::NotTar;
    return place.member->stored->type == Type::Folder ? std::optional(WhyNot::NotFile) : std::nullopt;
  case Operation::SetJson:
    // The page shows that it is JSON; here, only what no JSON text begins with is refused.
    return file && !place.member->package && !place.member->stored->bytes.empty() ? std::nullopt
                                                                                  : std::optional(WhyNot::NoJson);
  case Operation::EditText:
    if (file && place.member->package && place.member->package->image.format != container::Format::CSource)
      return WhyNot::NoText;
    [[fallthrough]];
  default: return file ? std::nullopt : std::optional(WhyNot::NotFile);
  }
}

Imports importsOf(const Blob& blob) {
  Imports out;
  for (const library::ModulePtr& module : blob.modules) out.push_back(module->imports);
  return out;
}

/// Returns the modules that are no longer imported after `removed` are removed, repeated for these modules in turn.
std::vector<uint32_t> orphansOf(const Imports& imports, std::span<const uint32_t> removed) {
  std::vector<uint32_t> orphans;
  std::vector<bool> gone(imports.size(), false);
  for (const uint32_t one : removed)
    if (one < gone.size()) gone[one] = true;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 1; i < gone.size(); ++i) {
      if (gone[i]) continue;
      bool byRemoved = false, byOthers = false;
      for (std::size_t importer = 0; importer < imports.size(); ++importer)
        if (contains(imports[importer], i)) (gone[importer] ? byRemoved : byOthers) = true;
      if (!byRemoved || byOthers) continue;
      gone[i] = more = true;
      orphans.push_back(i);
    }
  }
  return orphans;
}

/// Returns the imports of `module` with `removed` replaced by the imports of `removed`.
std::vector<uint32_t> importsWithout(const library::Module& module, const library::Module& removed) {
  std::vector<uint32_t> out;
  for (const uint32_t one : module.imports) {
    if (one != removed.index) {
      if (!contains(out, one)) out.push_back(one);
      continue;
    }
    for (const uint32_t child : removed.imports)
      if (!contains(out, child) && !contains(module.imports, child)) out.push_back(child);
  }
  return out;
}

Result<Edit> relink(const Blob& blob, uint32_t module, std::span<const uint32_t> imports, const TargetOf& targetOf) {
  Relink out;
  BLOBSCOPE_TRY(target, targetOf(blob.moduleRef(module)));
  out.target = std::move(target);
  for (const uint32_t one : imports) {
    BLOBSCOPE_TRY(name, targetOf(blob.moduleRef(one)));
    out.imports.push_back(name.toString());
  }
  return Edit(std::move(out));
}

} // namespace

std::optional<WhyNot> canEdit(const library::Package& package, const Ref& ref, Operation operation) {
  if (operation == Operation::Thin)
    return hasFatBinary(package, ref) ? std::nullopt : std::optional(WhyNot::NoFatBinary);
  if (operation == Operation::AddMember) {
    const auto archive = library::memberIn(package, archiveAround(package, ref));
    return archive && isTarArchive(**archive) ? std::nullopt : std::optional(WhyNot::NoArchive);
  }
  const bool ofMember = operation == Operation::Replace || operation == Operation::EditText ||
                        operation == Operation::Rename || operation == Operation::Remove ||
                        operation == Operation::SetJson;
  if (const auto member = ofMember ? memberPlace(package, ref) : std::nullopt) return canEditMember(*member, operation);
  if (operation == Operation::SetJson) return WhyNot::NoJson;
  if (operation == Operation::Replace && ref.kind == Ref::Kind::Param && !ref.at) {
    const auto file = library::memberIn(package, ref);
    if (file && (*file)->kind() == "params") return std::nullopt;
  }
  const auto found = library::resolveBlob(package, ref);
  if (operation == Operation::AddModule) {
    return found && !found->package->blobs.empty() ? std::nullopt : std::optional(WhyNot::NoBlob);
  }
  if (operation == Operation::Replace && ref.kind == Ref::Kind::Blob) return std::nullopt;
  if (!found || !found->module || ref.at) return WhyNot::NotInModule;
  using enum PartKind;
  const std::optional<PartKind> part = ref.partKind();
  if (!part && found->module->isLibrary() && operation != Operation::SetImports) return WhyNot::IsLibrary;
  switch (operation) {
  case Operation::Replace: return part == Function ? std::optional(WhyNot::NoBytes) : std::nullopt;
  case Operation::EditText:
    if (part == Field) return std::nullopt;
    if (part && part != Kernel) return WhyNot::NoText;
    return mayBeText(found->module->body->content()) ? std::nullopt : std::optional(WhyNot::NoTextInModule);
  case Operation::Rename:
    return !part || isAnyOf(part, {Kernel, Function, Field}) ? std::nullopt : std::optional(WhyNot::NoName);
  case Operation::Remove:
    if (!part && found->blob->cut.tree && ref.module == 0) return WhyNot::IsRoot;
    return !part || isAnyOf(part, {Kernel, Function, Entry}) ? std::nullopt : std::optional(WhyNot::NotRemovable);
  case Operation::SetImports:
    if (part) return WhyNot::NotModule;
    return found->blob->cut.tree ? std::nullopt : std::optional(WhyNot::NoTree);
  case Operation::AddModule:
  case Operation::AddMember:
  case Operation::SetJson:
  case Operation::Thin: break;
  }
  return std::nullopt;
}

Ref archiveAround(const library::Package& package, const std::optional<Ref>& ref) {
  Ref place;
  if (ref) place.members = ref->members;
  for (;; place.members.pop_back()) {
    const auto archive = library::memberIn(package, place);
    if (archive && (*archive)->archive != library::ArchiveKind::NotTar) return place;
    if (place.members.empty()) return place;
  }
}

Ref thinnedPlace(const library::Package& package, const std::optional<Ref>& ref) {
  if (!ref) return Ref::file();
  Ref place = ref->node();
  place.parts.clear();
  const bool suits = place.kind == Ref::Kind::Module || place.kind == Ref::Kind::Blob;
  return suits && hasFatBinary(package, place) ? place : Ref::file();
}

std::vector<uint32_t> orphansOf(const Blob& blob, std::span<const uint32_t> removed) {
  return blob.cut.tree ? orphansOf(importsOf(blob), removed) : std::vector<uint32_t>();
}

Result<std::vector<Edit>> removeEdits(const library::Package& package, const Ref& ref, Orphans orphans,
                                      const TargetOf& targetOf) {
  BLOBSCOPE_TRY(found, library::resolve(package, ref));
  std::vector<Edit> edits;
  if (found.module && ref.parts.empty()) {
    const std::vector<uint32_t> alone = orphansOf(*found.blob, std::array{found.module->index});
    for (const uint32_t one : orphans == Orphans::Remove ? alone : std::vector<uint32_t>()) {
      BLOBSCOPE_TRY(target, targetOf(found.blob->moduleRef(one)));
      edits.push_back(Remove{std::move(target)});
    }
    if (orphans == Orphans::Keep && !alone.empty())
      for (const library::ModulePtr& importer : found.blob->modules) {
        if (!contains(importer->imports, found.module->index)) continue;
        BLOBSCOPE_TRY(change, relink(*found.blob, importer->index, importsWithout(*importer, *found.module), targetOf));
        edits.push_back(std::move(change));
      }
  }
  BLOBSCOPE_TRY(target, targetOf(ref));
  edits.push_back(Remove{std::move(target)});
  return edits;
}

Result<std::vector<Edit>> moveEdits(const library::Package& package, const Ref& module, const Ref& parent,
                                    const std::optional<Ref>& from, const TargetOf& targetOf) {
  BLOBSCOPE_TRY(above, library::resolve(package, parent));
  const auto importsBut = [&](const library::Module& importer) {
    std::vector<uint32_t> imports = importer.imports;
    std::erase(imports, module.module);
    return imports;
  };
  std::vector<Edit> edits;
  std::vector<uint32_t> imports = importsBut(*above.module);
  imports.push_back(module.module);
  BLOBSCOPE_TRY(added, relink(*above.blob, parent.module, imports, targetOf));
  edits.push_back(std::move(added));
  if (from && *from != parent && from->module < above.blob->modules.size()) {
    BLOBSCOPE_TRY(taken, relink(*above.blob, from->module, importsBut(*above.blob->modules[from->module]), targetOf));
    edits.push_back(std::move(taken));
  }
  return edits;
}

Result<std::vector<Edit>> withOrphans(const library::Package& package, std::vector<Edit> edits) {
  struct OfBlob {
    Imports imports;
    std::vector<uint32_t> removed;
  };
  std::map<const Blob*, OfBlob> blobs;
  const auto ofBlob = [&](const Target& target) -> Result<std::pair<OfBlob*, const Blob*>> {
    BLOBSCOPE_TRY(found, library::resolve(package, target.ref));
    const auto [at, added] = blobs.try_emplace(found.blob);
    if (added) at->second.imports = importsOf(*found.blob);
    return std::pair(&at->second, found.blob);
  };
  const auto isModule = [](const Target& target) {
    return target.id.empty() && target.ref.kind == Ref::Kind::Module && target.ref.parts.empty();
  };
  for (const Edit& edit : edits) {
    if (const auto* const remove = std::get_if<Remove>(&edit); remove && isModule(remove->target)) {
      BLOBSCOPE_TRY(at, ofBlob(remove->target));
      at.first->removed.push_back(remove->target.ref.module);
    }
    const auto* const change = std::get_if<Relink>(&edit);
    if (!change || !isModule(change->target)) continue;
    BLOBSCOPE_TRY(at, ofBlob(change->target));
    std::vector<uint32_t>& imports = at.first->imports[change->target.ref.module];
    imports.clear();
    for (const std::string& name : change->imports)
      if (const auto ref = Ref::parse(name); ref && ref->kind == Ref::Kind::Module) imports.push_back(ref->module);
  }
  for (const auto& [blob, of] : blobs)
    for (const uint32_t one : blob->cut.tree ? orphansOf(of.imports, of.removed) : std::vector<uint32_t>())
      edits.push_back(Remove{{blob->moduleRef(one), {}}});
  return edits;
}

bool isForcible(DiagnosticId id) {
  using enum DiagnosticId;
  return id == PlanReference || id == EditOrphan || id == EditLib || id == EditUndecoded || id == EditDamaged ||
         id == EditEnum;
}

} // namespace blobscope::edit
