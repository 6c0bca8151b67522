#pragma once

#include "core/edit/apply.h"

#include <string>

namespace blobscope::edit {

/// An edit as text, as the list of changes shows it.
struct Description {
  Ref place;           ///< in the tree as opened
  std::string subject; ///< type key of the module that it changes, for the icon; may be empty
  std::string what;    ///< "Kernel 'add' renamed"
  std::string before;  ///< value or size as opened; empty when there was none
  std::string after;   ///< value or size after the edit; empty for a removal
  std::string target;  ///< as written in the stored list: "m0/const:0"
};

/// Returns one sentence and two values for an edit of `opened`. Reads only the bytes that the edit names. Error: only
/// Cancelled.
Result<Description> describe(const library::PackagePtr& opened, const Edit& edit, const ApplyOptions& options,
                             Monitor& monitor);

} // namespace blobscope::edit
