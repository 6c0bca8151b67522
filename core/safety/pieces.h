#pragma once

#include "core/library/package.h"
#include "core/safety/address_space.h"
#include "core/safety/code_reader.h"
#include "core/safety/entries.h"
#include "core/safety/report.h"

namespace blobscope::safety {

/// Bounds of following the calls of one piece of code.
inline constexpr uint64_t kDepth = 12, kFunctions = 600;

/// Adds the pieces of code that run when `package` is loaded, with what they reach. Error: only Cancelled.
Result<Done> addPieces(const library::Package& package, const AddressSpace& space, CodeReader& reader, Report& report,
                       Monitor& monitor);

} // namespace blobscope::safety
