#pragma once

#include "core/base/diagnostic.h"
#include "core/edit/apply.h"
#include "core/library/package.h"

#include <span>
#include <vector>

namespace blobscope::fix {

/// How an archive becomes one of another version of the format. Nothing is written.
struct VersionPlan {
  std::vector<edit::Edit> edits;        ///< in terms of the archive as opened, after the pending edits
  std::vector<Diagnostic> consequences; ///< one REP-VERSION-LOSS for everything that is lost or does not fit
};

/// Converts the metadata and moves files, in either direction. Code, graph and parameters are not changed. Without
/// edits if the archive has that version. `version`: 1 to 7. `pending`: edits that come before. Errors: REP-VERSION
/// where facts are missing or the version cannot express the archive, REP-ARCHIVE for other files, those of applying
/// edits, Cancelled. Source: core/formats/model-library-format.md 3, 5, 6.
Result<VersionPlan> planVersion(const library::PackagePtr& package, std::span<const edit::Edit> pending,
                                unsigned version, const edit::ApplyOptions& options, Monitor& monitor);

} // namespace blobscope::fix
