#include "core/edit/apply.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/blob_draft.h"
#include "core/edit/overwrite.h"
#include "core/library/resolve.h"

#include <algorithm>
#include <list>
#include <map>

namespace blobscope::edit {
namespace {

/// Returns the path of the file of an edit.
std::filesystem::path pathOf(const Content& content, const std::filesystem::path& folder) {
  const std::filesystem::path path = pathFrom(content.file);
  std::error_code failure;
  return path.is_relative() && !folder.empty() && std::filesystem::exists(folder / path, failure) ? folder / path
                                                                                                  : path;
}

/// Returns the bytes of an edit; an empty file has no bytes.
Result<Bytes> bytesOf(const Content& content, const std::filesystem::path& folder) {
  if (content.file.empty()) return content.bytes;
  auto source = ByteSource::openFile(pathOf(content, folder));
  if (!source) {
    if (source.error().id() == DiagnosticId::FileEmpty) return Bytes();
    return source.takeError();
  }
  return ByteSource::all(*source);
}

bool isParam(const Target& target) {
  return target.id.empty() && target.ref.kind == Ref::Kind::Param && !target.ref.at;
}

class Applier {
public:
  Applier(const library::PackagePtr& package, const ApplyOptions& options, Monitor& monitor)
      : m_package(package), m_options(options), m_monitor(monitor) {}

  /// `name`: what messages call the edit.
  Result<Done> add(const Edit& edit, const std::string& name) {
    BLOBSCOPE_CHECK(std::visit([this](const auto& one) { return apply(one); }, edit));
    if (const auto* const rename = std::get_if<Rename>(&edit)) return refuseSecond(rename->target, {name, false});
    if (const auto* const remove = std::get_if<Remove>(&edit)) return refuseSecond(remove->target, {name, true});
    return Done{};
  }

  Result<Applied> finish() {
    Applied out;
    out.warnings = std::move(m_warnings);
    // In file order, independent of the order of the edits.
    for (const library::PackagePtr& package : packagesInOrder())
      for (std::size_t i = 0; i < package->blobs.size(); ++i)
        for (BlobDraft& draft : m_drafts)
          if (&draft.opened() == package->blobs[i].get()) {
            BLOBSCOPE_TRY(blob, draft.finish(m_options.force, out.warnings, m_monitor));
            out.blobs.push_back(std::move(blob));
          }
    for (const library::PackagePtr& package : packagesInOrder()) {
      for (const ParamsFile& file : m_params)
        if (file.package == package) {
          BLOBSCOPE_TRY(runs, file.draft.finish());
          if (!runs.empty()) out.params.push_back({package, std::move(runs)});
        }
      for (ArchiveDraft& draft : m_archives)
        if (draft.package() == package) {
          BLOBSCOPE_TRY(archive, draft.finish(m_monitor));
          out.archives.push_back(std::move(archive));
        }
    }
    BLOBSCOPE_CHECK(refuseInReplaced(out));
    return out;
  }

private:
  /// Refuses edits inside a member that another edit replaces or removes.
  static Result<Done> refuseInReplaced(const Applied& applied) {
    std::vector<library::PackagePtr> edited;
    for (const EditedBlob& blob : applied.blobs) edited.push_back(blob.package);
    for (const EditedParams& file : applied.params) edited.push_back(file.package);
    for (const EditedArchive& archive : applied.archives) edited.push_back(archive.package);
    for (const EditedArchive& archive : applied.archives) {
      const std::vector<std::string>& around = archive.package->memberPath;
      for (const library::PackagePtr& package : edited) {
        const std::vector<std::string>& path = package->memberPath;
        if (path.size() <= around.size() || !std::equal(around.begin(), around.end(), path.begin())) continue;
        const bool kept = std::any_of(archive.members.begin(), archive.members.end(), [&](const EditedMember& one) {
          return one.origin && !one.content && archive.package->members[*one.origin].name == path[around.size()];
        });
        if (!kept)
          return cannotEdit(package->ref(Ref::file()), "another edit replaces or removes the member that contains it");
      }
    }
    return Done{};
  }

  /// An edit that renames or removes a part.
  struct Naming {
    std::string edit;
    bool removes;
  };

  /// Refuses a rename of a part that another edit renames or removes, and the removal of a part that another renames.
  Result<Done> refuseSecond(const Target& target, const Naming& naming) {
    std::string part = target.toString();
    if (target.id.empty())
      if (const auto found = library::resolveBlob(*m_package, target.ref)) part = found->ref.toString();
    const auto [earlier, first] = m_namings.try_emplace(part, naming);
    if (first || (earlier->second.removes && naming.removes)) return Done{};
    const std::string other = earlier->second.edit.empty() ? "another edit" : earlier->second.edit;
    return Error(
        DiagnosticId::EditTarget,
        {arg("ref", target.toString()), {"reason", other + (earlier->second.removes ? " removes it" : " renames it")}},
        target.id.empty() ? target.ref : Ref::file());
  }

  std::vector<library::PackagePtr> packagesInOrder() const {
    std::vector<library::PackagePtr> packages;
    library::forEachPackage(m_package, [&](const library::PackagePtr& package) { packages.push_back(package); });
    return packages;
  }

  Result<BlobDraft*> draftOf(const Target& target) {
    if (!target.id.empty()) {
      for (BlobDraft& draft : m_drafts)
        if (draft.hasAdded(target.id)) return &draft;
      return Error(DiagnosticId::RefNotFound,
                   {arg("ref", target.id), {"reason", "no earlier edit adds a module with that id"}});
    }
    for (BlobDraft& draft : m_drafts)
      if (draft.matches(target.ref)) return &draft;
    if (target.ref.kind != Ref::Kind::Module && target.ref.kind != Ref::Kind::Blob)
      return cannotEdit(target.ref, "modules, their parts and whole blobs can be edited");
    BLOBSCOPE_TRY(found, library::resolveBlob(*m_package, target.ref));
    return &m_drafts.emplace_back(library::PackagePtr(m_package, found.package), found.blobIndex);
  }

  /// The module of a target, and its part if there is one.
  struct InModule {
    ModuleDraft* module;
    const Ref::Part* part; ///< null for the module itself
  };
  Result<InModule> inModule(const Target& target) {
    if (target.id.empty() && target.ref.kind != Ref::Kind::Module)
      return cannotEdit(target.ref, "this edit applies only to modules and their parts");
    if (target.ref.at) return cannotEdit(target.ref, "name the field or part that contains these bytes");
    if (target.ref.parts.size() > 1) return cannotEdit(target.ref, "a part of a module has no parts itself");
    BLOBSCOPE_TRY(draft, draftOf(target));
    BLOBSCOPE_TRY(module, draft->module(target));
    return InModule{module, target.ref.parts.empty() ? nullptr : &target.ref.parts.front()};
  }

  /// Overwrites bytes of a module.
  Result<Done> overwrite(const Replace& edit, const Bytes& content) {
    const Ref& ref = edit.target.ref;
    const auto refused = [&](std::string reason) {
      return Error(DiagnosticId::EditValue,
                   {arg("ref", ref.toString()), sizeArg("value", content.size()), {"reason", std::move(reason)}}, ref);
    };
    if (!edit.target.id.empty()) return cannotEdit(ref, "change the file from which the module is added");
    if (content.empty()) return refused("at least one byte is needed");
    if (ref.size && *ref.size != content.size())
      return refused("the reference names " + sizeText(*ref.size) + ", and bytes are neither inserted nor removed");
    BLOBSCOPE_TRY(place, findPayloadBytes(*m_package, ref, content.size()));
    BLOBSCOPE_TRY(found, library::resolve(*m_package, place.module));
    const Bytes old = found.module->payload.slice(place.bytes.offset, place.bytes.size);
    if (edit.was && !(old == *edit.was))
      return cannotEdit(ref, "the file has " + shortHex(old) + " there, not " + shortHex(*edit.was));
    BLOBSCOPE_TRY(draft, draftOf({place.module, {}}));
    BLOBSCOPE_TRY(module, draft->module({place.module, {}}));
    BLOBSCOPE_CHECK(refuseUnread(module->unreadBytes(place.bytes.offset, ref, content)));
    return module->overwrite(place.bytes.offset, ref, content);
  }

  /// Returns the draft of the archive with the member that `member` names.
  Result<ArchiveDraft*> archiveOf(const Ref& member) {
    BLOBSCOPE_TRY(package, library::memberOf(m_package, member));
    for (ArchiveDraft& draft : m_archives)
      if (draft.package() == package) return &draft;
    if (package->archive == library::ArchiveKind::NotTar)
      return cannotEdit(member, "only archives have members that can be edited");
    return &m_archives.emplace_back(package);
  }
  /// Returns the member that an edit without parts names: in an archive, and not a slice of a universal file.
  std::optional<Ref> memberOf(const Target& target) const {
    const auto member = target.id.empty() ? asMember(target.ref) : std::nullopt;
    if (!member || target.ref.kind == Ref::Kind::Member) return member;
    const auto around = library::memberOf(m_package, *member);
    return around && (*around)->archive != library::ArchiveKind::NotTar ? member : std::nullopt;
  }
  /// Calls `change` with the draft of the parameter file that contains the tensor.
  template <class Change> Result<Done> inParams(const Ref& tensor, const Change& change) {
    // --- 1. A member that edits replace or add. ---
    Ref file = tensor;
    file.kind = Ref::Kind::File;
    file.name.clear();
    const auto member = asMember(file);
    const auto around = member ? library::memberOf(m_package, *member) : Result<library::PackagePtr>(m_package);
    if (member && around)
      for (ArchiveDraft& archive : m_archives) {
        if (archive.package() != *around) continue;
        const auto content = archive.newContent(*member);
        if (!content || !*content) break;
        ParamsDraft draft(**content);
        BLOBSCOPE_CHECK(change(draft));
        BLOBSCOPE_TRY(runs, draft.finish());
        return archive.replace(*member, withRuns(**content, runs));
      }
    // --- 2. A file or member as opened. ---
    BLOBSCOPE_TRY(package, library::memberOf(m_package, tensor));
    for (ParamsFile& one : m_params)
      if (one.package == package) return change(one.draft);
    if (package->kind() != "params") return cannotEdit(tensor, "the file is not a parameter file");
    return change(m_params.emplace_back(package, ParamsDraft(package->bytes)).draft);
  }

  Result<Done> apply(const Replace& edit) {
    BLOBSCOPE_TRY(content, bytesOf(edit.content, m_options.folder));
    if (isOverwrite(edit)) return overwrite(edit, content);
    if (const auto member = memberOf(edit.target)) {
      BLOBSCOPE_TRY(archive, archiveOf(*member));
      return archive->replace(*member, std::move(content));
    }
    if (isParam(edit.target))
      return inParams(edit.target.ref,
                      [&](ParamsDraft& draft) { return draft.replace(edit.target.ref, std::move(content)); });
    if (edit.target.id.empty() && edit.target.ref.kind == Ref::Kind::Blob) {
      BLOBSCOPE_TRY(draft, draftOf(edit.target));
      uint64_t declared = 0;
      if (content.size() >= 8) std::memcpy(&declared, content.data(), 8);
      if (content.size() < 8 || declared != content.size() - 8)
        return Error(DiagnosticId::PlanLength, {{"reason", library::lengthMismatch(declared, content.size())}},
                     edit.target.ref);
      draft->replaceAll(std::move(content));
      return Done{};
    }
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (at.part) return at.module->replacePart(*at.part, edit.target.ref, std::move(content), m_monitor);
    at.module->replacePayload(std::move(content));
    return Done{};
  }
  Result<Done> apply(const AddModule& edit) {
    BLOBSCOPE_TRY(content, bytesOf(edit.content, m_options.folder));
    if (edit.id.empty() || edit.id.find('/') != std::string::npos || Ref::parse(edit.id))
      return Error(
          DiagnosticId::EditList,
          {{"reason", "'" + escaped(edit.id) +
                          "' is not a valid id for an added module; an id is not empty, not a ref, and has no '/'"}});
    for (const BlobDraft& draft : m_drafts)
      if (draft.hasAdded(edit.id))
        return Error(DiagnosticId::EditList, {{"reason", "two added modules have the id '" + escaped(edit.id) + "'"}});
    if (edit.parents.empty())
      return Error(DiagnosticId::EditList, {{"reason", "the added module '" + escaped(edit.id) + "' has no parents"}});
    const std::string& parent = edit.parents.front();
    const auto ref = Ref::parse(parent);
    const bool known = ref && (ref->kind == Ref::Kind::Module || ref->kind == Ref::Kind::Blob);
    BLOBSCOPE_TRY(draft, draftOf(known ? Target{*ref, {}} : Target{{}, parent}));
    return draft->addModule(edit, std::move(content));
  }
  Result<Done> apply(const AddFunction& edit) {
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (!at.part) return cannotEdit(edit.target.ref, "name the kernel to add: m1/kernel:NAME");
    std::optional<Bytes> content;
    if (edit.content) {
      BLOBSCOPE_TRY(bytes, bytesOf(*edit.content, m_options.folder));
      content = std::move(bytes);
    }
    BLOBSCOPE_CHECK(refuseUnread(at.module->unreadInfo(edit.target.ref, edit.info)));
    return at.module->addPart(*at.part, edit.target.ref, content, edit.info);
  }
  Result<Done> apply(const Remove& edit) {
    if (const auto member = memberOf(edit.target)) {
      BLOBSCOPE_TRY(archive, archiveOf(*member));
      return archive->remove(*member);
    }
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (at.part) return at.module->removePart(*at.part, edit.target.ref);
    BLOBSCOPE_TRY(draft, draftOf(edit.target));
    return draft->removeModule(edit.target);
  }
  Result<Done> apply(const Rename& edit) {
    if (const auto member = memberOf(edit.target)) {
      BLOBSCOPE_TRY(archive, archiveOf(*member));
      return archive->rename(*member, edit.name);
    }
    if (edit.name.empty()) return cannotEdit(edit.target.ref, "the new name is empty");
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (at.part) return at.module->renamePart(*at.part, edit.target.ref, edit.name);
    BLOBSCOPE_TRY(draft, draftOf(edit.target));
    return draft->renameModule(edit.target, edit.name);
  }
  Result<Done> apply(const Relink& edit) {
    BLOBSCOPE_TRY(draft, draftOf(edit.target));
    return draft->relink(edit.target, edit.imports);
  }
  Result<Done> apply(const SetField& edit) {
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (!at.part || at.part->kind != PartKind::Field)
      return cannotEdit(edit.target.ref, "name the field: m1/field:PATH");
    BLOBSCOPE_CHECK(refuseUnread(at.module->unreadField(at.part->name, edit.target.ref, edit.value)));
    return at.module->setField(at.part->name, edit.target.ref, edit.value);
  }

  Result<Done> apply(const SetValue& edit) {
    if (isParam(edit.target))
      return inParams(edit.target.ref,
                      [&](ParamsDraft& draft) { return draft.setValue(edit.target.ref, edit.index, edit.value); });
    BLOBSCOPE_TRY(at, inModule(edit.target));
    if (!at.part) return cannotEdit(edit.target.ref, "name the tensor: m1/const:N or m1/param:NAME");
    return at.module->setValue(*at.part, edit.target.ref, edit.index, edit.value, m_monitor);
  }

  Result<Done> apply(const AddMember& edit) {
    const Ref& ref = edit.target.ref;
    if (!edit.target.id.empty() || ref.kind != Ref::Kind::Member || ref.at)
      return cannotEdit(ref, "name the file to add: member:PATH");
    BLOBSCOPE_TRY(content, bytesOf(edit.content, m_options.folder));
    BLOBSCOPE_TRY(archive, archiveOf(ref));
    return archive->add(ref, edit.after, std::move(content));
  }
  Result<Done> apply(const SetJson& edit) {
    const auto member = memberOf(edit.target);
    if (!member) return cannotEdit(edit.target.ref, "name a JSON file of an archive: member:PATH");
    BLOBSCOPE_TRY(archive, archiveOf(*member));
    return archive->setJson(*member, edit.pointer, edit.value);
  }
  Result<Done> apply(const SetArchive& edit) {
    const Ref& ref = edit.target.ref;
    if (!edit.target.id.empty() || ref.kind != Ref::Kind::File || ref.at)
      return cannotEdit(ref, "this edit applies to whole archives");
    BLOBSCOPE_TRY(archive, archiveOf(ref));
    return archive->setForm(ref, edit.form);
  }

  /// Refuses a value that no release accepts; with `force`, adds a warning instead.
  Result<Done> refuseUnread(std::optional<Error> unread) {
    if (!unread) return Done{};
    return refuse(std::move(*unread), m_options.force, m_warnings);
  }

  const library::PackagePtr& m_package;
  const ApplyOptions& m_options;
  Monitor& m_monitor;
  std::vector<Diagnostic> m_warnings;
  std::list<BlobDraft> m_drafts; ///< a list, because pointers to its items must stay valid
  /// A parameter file as opened, and its edits.
  struct ParamsFile {
    library::PackagePtr package;
    ParamsDraft draft;
    ParamsFile(library::PackagePtr file, ParamsDraft edits) : package(std::move(file)), draft(std::move(edits)) {}
  };
  std::list<ParamsFile> m_params;
  std::list<ArchiveDraft> m_archives;
  std::map<std::string, Naming> m_namings; ///< by part
};

} // namespace

std::string Target::toString() const {
  if (id.empty()) return ref.toString();
  Ref module = ref;
  module.kind = Ref::Kind::Module;
  module.module = 0;
  module.prefix.clear();
  module.members.clear();
  return id + module.toString().substr(2); // after "m0"
}

std::vector<std::filesystem::path> filesOf(std::span<const Edit> edits, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  const auto add = [&](const Content& content) {
    if (!content.file.empty()) files.push_back(pathOf(content, folder));
  };
  for (const Edit& edit : edits) {
    if (const auto* replace = std::get_if<Replace>(&edit)) add(replace->content);
    if (const auto* module = std::get_if<AddModule>(&edit)) add(module->content);
    if (const auto* function = std::get_if<AddFunction>(&edit); function && function->content) add(*function->content);
    if (const auto* member = std::get_if<AddMember>(&edit)) add(member->content);
  }
  return files;
}

Result<Target> parseTarget(std::string_view text, std::span<const std::string> ids) {
  const std::string_view head = text.substr(0, text.find('/'));
  if (std::find(ids.begin(), ids.end(), head) != ids.end()) {
    const auto ref = Ref::parse("m0" + std::string(text.substr(head.size())));
    if (ref) return Target{*ref, std::string(head)};
  } else if (const auto ref = Ref::parse(text)) {
    return Target{*ref, {}};
  }
  return Error(DiagnosticId::RefSyntax, {arg("ref", text)});
}

Result<Applied> apply(const library::PackagePtr& package, std::span<const Edit> edits, const ApplyOptions& options,
                      Monitor& monitor) {
  longWork("edit::apply");
  const auto fromSource = [&](Error error) {
    return options.source.empty() || error.code() == ErrorCode::Cancelled ? std::move(error)
                                                                          : std::move(error).within(options.source);
  };
  Applier applier(package, options, monitor);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("applying edits", i, edits.size());
    const std::string name = i < options.names.size() ? options.names[i] : "edit " + std::to_string(i + 1);
    if (auto added = applier.add(edits[i], name); !added)
      return fromSource(name.empty() ? added.takeError() : added.takeError().within(name));
  }
  auto applied = applier.finish();
  if (!applied) return fromSource(applied.takeError());
  return applied;
}

} // namespace blobscope::edit
