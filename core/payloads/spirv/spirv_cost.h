#pragma once

#include "core/payloads/spirv/spirv.h"

#include <string>

/// What SPIRV-Tools would need for a module. Small modules exist that it works on for minutes or that fill the memory,
/// and it cannot be stopped, so the cost is estimated before it is called. Measured with 2023.1; limits are far above
/// real modules (150 KiB, 107 blocks, merges 2 deep).
namespace blobscope::payloads {

/// Whether the text stays small with names in it: every use of an id writes its name, and the name of a type is made of
/// the names of its parts, so that nested pointers alone let the names grow with the square of the module (640 KB of
/// them took above 7 GB in the validator, which makes the names too). The module is whole.
bool spirvNamesFit(const Bytes& bytes, uint32_t bound);

/// Why the validator is not called, empty when it is:
/// - types are looked through to their leaves at each use (2.4 KB of structures of eight structures took
///   more than a minute, at which it was ended);
/// - decorations of a group are copied to each target;
/// - functions are noted for each entry point that reaches them;
/// - blocks take the square of their number, nested merges the cube of their depth (700 in one another took 14 s).
std::string whyNotValidated(const Bytes& bytes, const SpirvModule& module);

} // namespace blobscope::payloads
