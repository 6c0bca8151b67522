#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/apply.h"
#include "core/library/unresolved.h"

#include <span>
#include <vector>

/// Calls by name that edits break: the code of the file asks for a name that nothing has any more.
namespace blobscope::edit {

/// What the edited file asks for in vain and the opened one does not: library::findUnresolved() of both, and kernels
/// whose names are gone although host code holds them as texts. The callers are nodes of the tree as opened. Empty
/// without a second look when no module changed what it defines or asks for. Cancelled.
Result<std::vector<library::Unresolved>> findBrokenCalls(const library::PackagePtr& opened, const Applied& applied,
                                                         Monitor& monitor);

/// Which of `edits`, by place, rename what `broken` asks for: without them those calls work. Ascending.
std::vector<std::size_t> renamesBehind(std::span<const Edit> edits, std::span<const library::Unresolved> broken);

} // namespace blobscope::edit
