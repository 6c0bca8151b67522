#pragma once

#include "core/edit/apply.h"

namespace blobscope::edit {

/// Returns the package as it will open after the edits are written, except for offsets in the file: edited blobs are
/// decoded from memory, everything else is shared with `opened`. Needs as much memory as the edited blobs have bytes.
/// Error: only Cancelled.
Result<library::PackagePtr> preview(const library::PackagePtr& opened, const Applied& applied, Monitor& monitor);

/// Converts a ref into the preview to a target in a list of edits: modules by their number as opened or their id,
/// kernels by their name as opened, list items by their index as opened. REP-TARGET for parts that an edit added inside
/// a module.
Result<Target> toOpenedTarget(const library::PackagePtr& preview, const Applied& applied, std::span<const Edit> edits,
                              const Ref& shown);

} // namespace blobscope::edit
