#pragma once

#include "core/edit/apply.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The names of members before and after edits of the archives that contain them. Only the names of members change;
/// what a ref names inside a member stays.
namespace blobscope::edit {

/// Returns the names that the members of an archive have after its edits, as PackageMember::name.
std::vector<std::string> namesAfter(const EditedArchive& archive);

/// Returns the ref after the edits of something in the file as opened; nothing when a member around it was removed, or
/// it is itself a removed member.
std::optional<Ref> toShownNames(const Applied& applied, const Ref& opened);

/// Returns the ref that a list of edits uses for something in the file after the edits: members have their names as
/// opened, added members their path.
Ref toOpenedNames(const Applied& applied, const Ref& shown);

/// A value in a JSON file of an archive.
struct JsonPlace {
  Target member; ///< "member:metadata.json"
  std::string pointer;
};
/// Reads "metadata.json/modules/default/version": the path of a member, as the tree or an AddMember of `edits` names
/// it, followed by a JSON pointer. "member:" in front of the path may be left out; members around the archive precede
/// it as in refs: "model.tar!metadata.json/version". Path and pointer are percent-encoded as in refs, except for '/'.
/// Errors: REF-SYNTAX; REF-NOT-FOUND when no member has such a path.
Result<JsonPlace> parseJsonPlace(const library::PackagePtr& package, std::span<const Edit> edits,
                                 std::string_view text);

} // namespace blobscope::edit
