#pragma once

#include "core/edit/apply.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// Lists of pending edits as a window keeps them.
namespace blobscope::ui::editlist {

/// What the edit changes; of an added module its id.
edit::Target targetOf(const edit::Edit& edit);

/// `list` with `edit` as its last. What sets or renames the same thing again takes the place of the earlier edit, an
/// item of a list that an edit sets goes into that edit, and what comes back to the name it had is no edit. An added
/// module that is removed again leaves the list with all that was done to it.
std::vector<edit::Edit> with(std::vector<edit::Edit> list, edit::Edit edit);

/// An id that no edit of the list gives to an added module: "new1".
std::string newId(std::span<const edit::Edit> list);

/// A list of edits and what it made of the file.
struct Made {
  const edit::Applied& applied;
  std::span<const edit::Edit> edits;
};
/// What a ref of the tree shown before is called in the tree shown after; nothing for what an edit took away. Fields
/// keep their path.
std::optional<Ref> follow(const Made& before, const Made& after, const Ref& ref);

/// `left` for the file that `written` made: refs as they are called in it. What was written away goes.
std::vector<edit::Edit> rebased(std::vector<edit::Edit> left, const Made& written);

} // namespace blobscope::ui::editlist
