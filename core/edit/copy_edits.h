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

/// A difference between two files, and the file that receives the content of the other.
struct Copying {
  library::PackagePtr to, from;
  std::optional<Ref> here;                                     ///< in `to`; nothing when only `from` has it
  std::optional<Ref> there;                                    ///< in `from`; nothing when only `to` has it
  std::function<std::optional<Ref>(const Ref& there)> partner; ///< returns the module of `to` that corresponds to a
                                                               ///< module of `from`
  std::function<Result<Target>(const Ref& shown)> target; ///< returns the target of a node of `to` in the list of edits
  std::string newId;                                      ///< id of an added module
};

/// Returns the edits that copy a node from `from` to `to`: they replace content and name of a node that both have,
/// remove a node that only `to` has, and add a kernel with its FunctionInfo or a module at its place in the imports
/// when only `from` has it. REP-TARGET for other nodes and for nodes without a place in `to`. Also Cancelled.
Result<std::vector<Edit>> copyEdits(const Copying& copying, Monitor& monitor);

} // namespace blobscope::edit
