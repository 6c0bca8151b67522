#pragma once

#include "core/edit/apply.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// Lists of pending edits, as the document of a window keeps them.
namespace blobscope::ui::editlist {

/// Returns the target of the edit; for an added module its id.
edit::Target targetOf(const edit::Edit& edit);

/// Returns `list` with `edit` appended. An edit that sets or renames the same thing replaces the earlier edit; an edit
/// of a list item is merged into an edit that sets the list; a rename back to the original name removes the edit, and
/// so does the removal of what was renamed. Removing an added module removes all its edits.
std::vector<edit::Edit> with(std::vector<edit::Edit> list, edit::Edit edit);

/// Returns an id that no edit of the list uses for an added module: "new1".
std::string newId(std::span<const edit::Edit> list);

/// A list of edits and the file that results from it.
struct Made {
  const edit::Applied& applied;
  std::span<const edit::Edit> edits;
};
/// Returns the ref in `after` of what `ref` names in `before`; nullopt if an edit removed it. Fields keep their path.
std::optional<Ref> follow(const Made& before, const Made& after, const Ref& ref);

/// Returns `left` with the refs of the file that `written` produced. Edits of parts that no longer exist are dropped.
std::vector<edit::Edit> afterSave(std::vector<edit::Edit> left, const Made& written);

} // namespace blobscope::ui::editlist
