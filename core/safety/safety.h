#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/safety/report.h"

namespace blobscope::safety {

/// Whether the file is of a format whose code is examined.
bool hasCode(const container::Image& image);
/// Reads what happens when the file, or each member of an archive, is loaded. Nothing is executed. Error: only
/// Cancelled.
Result<Report> assess(const library::PackagePtr& package, Monitor& monitor);

} // namespace blobscope::safety
