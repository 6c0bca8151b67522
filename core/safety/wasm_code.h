#pragma once

#include "core/container/wasm/wasm_module.h"
#include "core/safety/entries.h"
#include "core/safety/report.h"

namespace blobscope::safety {

/// Fills in what a function of WebAssembly reaches. Its code acts only through imported functions, so a call through a
/// table counts as a call of all of them. `left`: how many instructions may be read, for all functions of the file
/// together; kWasmInstructions at first. Source: WebAssembly core specification 2.0, 5.4 "Instructions". Error: only
/// Cancelled.
Result<Done> followWasm(const container::wasm::Module& module, const EntryPoint& entry, Piece& piece, uint64_t& left,
                        Monitor& monitor);
inline constexpr uint64_t kWasmInstructions = 4'000'000;

} // namespace blobscope::safety
