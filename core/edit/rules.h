#pragma once

#include "core/edit/edit.h"
#include "core/library/package.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What can be edited and what an edit of the import tree needs besides it. Nothing here reads payloads: apply() may
/// still refuse an edit that is possible by these rules.
namespace blobscope::edit {

enum class Operation { Replace, EditText, Rename, Remove, SetImports, AddModule };
/// Why an operation is not possible.
enum class WhyNot {
  NoBlob,         ///< the file has none to add a module to
  NotInModule,    ///< the ref names no module and nothing in one
  IsLibrary,      ///< `_lib` stands for the library itself
  NoBytes,        ///< functions of a virtual machine have no bytes of their own
  NoText,         ///< the part is not text
  NoTextInModule, ///< all that the module says of its code is binary
  NoName,         ///< only modules, kernels, functions and fields have one
  IsRoot,         ///< loaders return module 0
  NotRemovable,   ///< only modules, kernels, functions and images can be removed
  NotModule,      ///< parts have no imports
  NoTree,         ///< in a flat stream the library imports all modules
};
/// Nothing when `operation` is possible on what `ref` names.
std::optional<WhyNot> canEdit(const library::Package& package, const Ref& ref, Operation operation);

/// Modules that would be left without an importer when `removed` go, in the order in which they lose their last one;
/// none in a flat stream.
std::vector<uint32_t> orphansOf(const library::Blob& blob, std::span<const uint32_t> removed);

/// How an edit names what a ref names; refs of edits name the tree as opened.
using TargetOf = std::function<Result<Target>(const Ref&)>;
enum class Orphans { Remove, Keep };
/// Removes a module or a part of one. Orphans::Remove: its orphans go as well. Orphans::Keep: each of its importers
/// imports what it imported, in its place. REF-NOT-FOUND, the errors of `targetOf`.
Result<std::vector<Edit>> removeEdits(const library::Package& package, const Ref& ref, Orphans orphans,
                                      const TargetOf& targetOf);
/// Makes `module` an import of `parent`, the last one, and no longer one of `from`. REF-NOT-FOUND, the errors of
/// `targetOf`.
Result<std::vector<Edit>> moveEdits(const library::Package& package, const Ref& module, const Ref& parent,
                                    const std::optional<Ref>& from, const TargetOf& targetOf);
/// The list with an edit that removes each module that only removed modules import, by the tree as opened and the
/// imports that the list sets. REF-NOT-FOUND.
Result<std::vector<Edit>> withOrphans(const library::Package& package, std::vector<Edit> edits);

/// Whether ApplyOptions::force or write::PlanOptions::force overrides a refusal.
bool isForcible(DiagnosticId id);

} // namespace blobscope::edit
