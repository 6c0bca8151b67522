#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/run/options.h"
#include "core/xref/functions.h"

namespace blobscope::run {

/// Signatures of functions that no text of the library tells whole, from what they answer when they are called with
/// guesses; host code is executed. Only functions that `options` ask for are called. Those that could be learnt replace
/// `functions`' own; nothing else changes. Source: core/formats/host-abi.md 2.5. RUN-CONSENT, RUN-CHANGED, RUN-RUNNER,
/// FILE-WRITE, Cancelled.
Result<Done> probeSignatures(const library::PackagePtr& package, const RunOptions& options, xref::Functions& functions,
                             Monitor& monitor);

} // namespace blobscope::run
