#pragma once

#include "core/payloads/spirv/spirv.h"

#include <string>

/// Estimates what SPIRV-Tools would need for a module. For some small modules it works for minutes or fills the memory,
/// and it cannot be stopped, so the cost is estimated before it is called. Measured with 2023.1; limits are far above
/// real modules (150 KiB, 107 blocks, merges 2 deep).
namespace blobscope::payloads {

/// Whether the text with names stays small. Every use of an id writes its name, and the name of a type consists of the
/// names of its parts, so that with nested pointers alone the names grow with the square of the module (640 KB of them
/// took more than 7 GB in the validator, which makes the names too). The module must be complete.
bool spirvNamesFit(const Bytes& bytes, uint32_t bound);

/// Why the validator is not called; empty when it is:
/// - types are expanded to their leaves at each use (2.4 KB of structures of eight structures took more than a minute,
///   at which it was ended);
/// - decorations of a group are copied to each target;
/// - functions are recorded for each entry point that reaches them;
/// - blocks take time proportional to the square of their number, nested merges to the cube of their depth (700 nested
///   merges took 14 s).
std::string validationObstacle(const Bytes& bytes, const SpirvModule& module);

} // namespace blobscope::payloads
