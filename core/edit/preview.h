#pragma once

#include "core/edit/apply.h"

namespace blobscope::edit {

/// The package as it will open once the edits are written, apart from where things lie in the file: edited blobs are
/// decoded from memory, all else is shared with `opened`. Needs as much memory as the edited blobs have bytes.
/// Cancelled.
Result<library::PackagePtr> preview(const library::PackagePtr& opened, const Applied& applied, Monitor& monitor);

/// What a ref into the preview is called in a list of edits: modules by their number as opened or their id, kernels by
/// their name as opened, items of lists by their place as opened. REP-TARGET for what an edit added inside of a module.
Result<Target> asOpened(const library::PackagePtr& preview, const Applied& applied, std::span<const Edit> edits,
                        const Ref& shown);

} // namespace blobscope::edit
