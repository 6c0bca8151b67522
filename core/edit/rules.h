#pragma once

#include "core/edit/edit.h"
#include "core/library/package.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The rules for edits: what can be edited, and which further edits a change of the import tree needs. Nothing here
/// reads payloads, so apply() may refuse an edit that these rules allow.
namespace blobscope::edit {

enum class Operation { Replace, EditText, Rename, Remove, SetImports, AddModule, AddMember, SetJson, Thin };
/// Why an operation is not possible.
enum class WhyNot {
  NoBlob,         ///< the file has no blob to which a module can be added
  NotInModule,    ///< the ref does not name a module or a part of one
  IsLibrary,      ///< `_lib` represents the library itself
  NoBytes,        ///< functions of a virtual machine have no separate bytes
  NoText,         ///< the part is not text
  NoTextInModule, ///< all code of the module is binary
  NoName,         ///< only modules, kernels, functions and fields have names
  IsRoot,         ///< loaders return module 0
  NotRemovable,   ///< only modules, kernels, functions and images can be removed
  NotModule,      ///< parts have no imports
  NoTree,         ///< in a flat stream the library imports all modules
  NoFatBinary,    ///< no module of it has images that could be removed
  NotFile,        ///< the member is a folder or a link
  NotTar,         ///< in archives other than tar, members can only be replaced
  NoArchive,      ///< there is no archive to which a file can be added
  NoJson,         ///< the member is not JSON
};
/// Returns why `operation` is not possible on the node that `ref` names; nothing when it is possible.
std::optional<WhyNot> canEdit(const library::Package& package, const Ref& ref, Operation operation);

/// Returns what Operation::Thin applies to when `ref` is selected: its module or blob if that has a fat binary, else
/// the file. `ref` may name a part of the module.
Ref thinnedPlace(const library::Package& package, const std::optional<Ref>& ref);

/// Returns the archive to which Operation::AddMember adds a file when `ref` is selected: the innermost one around it,
/// or the file itself. Its members are those of the ref.
Ref archiveAround(const library::Package& package, const std::optional<Ref>& ref);

/// Returns the modules that have no importer after `removed` are removed, in the order in which they lose their last
/// one; none in a flat stream.
std::vector<uint32_t> orphansOf(const library::Blob& blob, std::span<const uint32_t> removed);

/// Converts a ref to the target of an edit; refs of edits name the tree as opened.
using TargetOf = std::function<Result<Target>(const Ref&)>;
enum class Orphans { Remove, Keep };
/// Returns the edits that remove a module or a part of one. Orphans::Remove: they also remove its orphans.
/// Orphans::Keep: its importers import its imports instead. Errors: REF-NOT-FOUND, those of `targetOf`.
Result<std::vector<Edit>> removeEdits(const library::Package& package, const Ref& ref, Orphans orphans,
                                      const TargetOf& targetOf);
/// Returns the edits that make `module` the last import of `parent` and remove it from the imports of `from`. Errors:
/// REF-NOT-FOUND, those of `targetOf`.
Result<std::vector<Edit>> moveEdits(const library::Package& package, const Ref& module, const Ref& parent,
                                    const std::optional<Ref>& from, const TargetOf& targetOf);
/// Returns the list with additional edits that remove each module that only removed modules import, based on the tree
/// as opened and the imports that the list sets. Error: REF-NOT-FOUND.
Result<std::vector<Edit>> withOrphans(const library::Package& package, std::vector<Edit> edits);

/// Whether ApplyOptions::force or write::PlanOptions::force overrides a refusal.
bool isForcible(DiagnosticId id);

} // namespace blobscope::edit
