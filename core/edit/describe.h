#pragma once

#include "core/edit/apply.h"

#include <string>

namespace blobscope::edit {

/// An edit in words, as the list of changes shows it.
struct Description {
  Ref place;           ///< in the tree as opened
  std::string subject; ///< type key of the module that it changes, for its picture; may be empty
  std::string what;    ///< "Kernel 'add' renamed"
  std::string before;  ///< value or size as opened, empty when there was none
  std::string after;   ///< what comes in its place, empty for what is removed
  std::string target;  ///< "m0/const:0": as it stands in the stored list
};

/// One sentence and two values for an edit of `opened`. Reads no more than the place that it names. Cancelled.
Result<Description> describe(const library::PackagePtr& opened, const Edit& edit, const ApplyOptions& options,
                             Monitor& monitor);

} // namespace blobscope::edit
