#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/run/options.h"
#include "core/xref/functions.h"

namespace blobscope::run {

/// Finds signatures of functions that the texts of the library describe incompletely, from their answers to calls with
/// guessed arguments; host code is executed. Only functions that `options` request are called. The signatures that were
/// found replace those in `functions`; nothing else changes. Source: core/formats/host-abi.md 2.5. Errors: RUN-CONSENT,
/// RUN-CHANGED, RUN-RUNNER, FILE-WRITE, Cancelled.
Result<Done> probeSignatures(const library::PackagePtr& package, const RunOptions& options, xref::Functions& functions,
                             Monitor& monitor);

} // namespace blobscope::run
