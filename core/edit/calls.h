#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/apply.h"
#include "core/library/unresolved.h"

#include <span>
#include <vector>

/// Calls by name that edits break: the code of the file looks up a name that nothing defines after the edits.
namespace blobscope::edit {

/// Returns the names that are unresolved in the edited file but not in the opened one: compares
/// library::findUnresolved() of both, and adds removed kernels whose names host code contains as texts. The callers are
/// nodes of the tree as opened. Returns early when no module changed the names that it defines or looks up. Error: only
/// Cancelled.
Result<std::vector<library::Unresolved>> findBrokenCalls(const library::PackagePtr& opened, const Applied& applied,
                                                         Monitor& monitor);

/// Returns the indexes of those `edits`, ascending, that rename what `broken` looks up: without them these calls work.
std::vector<std::size_t> findBreakingRenames(std::span<const Edit> edits, std::span<const library::Unresolved> broken);

} // namespace blobscope::edit
