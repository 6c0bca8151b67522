#pragma once

#include "core/library/overview.h"
#include "core/mlf/archive.h"

namespace blobscope::mlf {

/// What a newcomer wants to know of the file at once. `archive`: null for what has no rules. Error: only Cancelled.
Result<library::Overview> computeOverview(const library::Package& package, const Archive* archive, Monitor& monitor);

} // namespace blobscope::mlf
