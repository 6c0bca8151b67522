#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// What two files differ in at one place, and the file that is to become like the other there.
struct Copying {
  library::PackagePtr to, from;
  std::optional<Ref> here;  ///< in `to`; nothing when only `from` has it
  std::optional<Ref> there; ///< in `from`; nothing when only `to` has it
  std::function<std::optional<Ref>(const Ref& there)>
      partner;                                            ///< the module of `to` that stands for a module of `from`
  std::function<Result<Target>(const Ref& shown)> target; ///< what a node of `to` is called in the list of edits
  std::string newId;                                      ///< of a module that is added
};

/// The edits that make it so: content and name of what both have, the removal of what only `to` has, a kernel with its
/// FunctionInfo or a module with its imports' place for what only `from` has. REP-TARGET for other nodes and for what
/// has no place in `to`. Cancelled.
Result<std::vector<Edit>> copyEdits(const Copying& copying, Monitor& monitor);

} // namespace blobscope::edit
