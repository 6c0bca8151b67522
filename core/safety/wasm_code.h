#pragma once

#include "core/safety/entries.h"
#include "core/safety/report.h"

namespace blobscope::safety {

/// Fills in what a function of WebAssembly reaches. Its code acts only through imported functions, so a call through a
/// table counts as a call of all of them. Source: WebAssembly core specification 2.0, 5.4 "Instructions". Error: only
/// Cancelled.
Result<Done> followWasm(const container::Image& image, const EntryPoint& entry, Piece& piece, Monitor& monitor);

} // namespace blobscope::safety
