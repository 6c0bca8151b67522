#pragma once

#include "core/edit/apply.h"

namespace blobscope::write {

/// Returns the package as it will open after the edits are written. Edits of archives and parameter files are planned,
/// and their result is opened from memory, so it is what will be written; for edited blobs it is edit::preview().
/// Errors: those of planMembers(), Cancelled.
Result<library::PackagePtr> preview(const library::PackagePtr& opened, const edit::Applied& applied, Monitor& monitor);

} // namespace blobscope::write
