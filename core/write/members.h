#pragma once

#include "core/edit/archive/archive_draft.h"
#include "core/edit/archive/params_draft.h"
#include "core/write/plan.h"

#include <span>

/// Plans for edits of archive members and of parameter files.
namespace blobscope::write {

/// Returns a plan that changes members of an archive. `package`: the archive with the members that `edited` counts,
/// whose bytes may already have other edits. It is the identity when nothing changes. Errors: REP-ARCHIVE, REP-4G,
/// Cancelled.
Result<Plan> planMembers(const library::Package& package, const edit::EditedArchive& edited, Monitor& monitor);
/// Returns a plan that writes other values of tensors into a parameter file.
Plan planValues(const library::Package& package, std::span<const edit::BytesRun> runs);

/// The same for the bytes of a tar, without compression. `image`: as read from the file that contains them.
Result<Plan> planTarMembers(const Bytes& archive, const container::Image& image, const edit::EditedArchive& edited,
                            Monitor& monitor);

} // namespace blobscope::write
