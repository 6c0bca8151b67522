#pragma once

#include "core/base/json.h"
#include "core/compile/compile.h"

#include <optional>
#include <string>
#include <vector>

/// What compilers said and made, in words and as JSON.
namespace blobscope::describe {

/// "ptxas 13.0.88 for sm_90, compute_90".
std::string compilerText(const compile::Compiled& compiled);
/// "57:3: error: Unknown symbol '%r361'"; without the place when it is not known.
std::string messageText(const compile::Message& message);
/// "add: 12 registers, 0 bytes of shared memory, 0 bytes of stack, 1,152 bytes of code, occupancy 63 %".
std::string kernelText(const compile::KernelUse& kernel);

/// A number of a kernel before and after a change.
struct UseChange {
  std::string label; ///< "Registers"
  std::optional<uint64_t> before, after;
  bool lessIsBetter = true;
  bool perCent = false;
};
/// Registers, shared memory, stack, occupancy, code; those that are known on one side.
std::vector<UseChange> changesOf(const compile::KernelUse* before, const compile::KernelUse& after);
/// "The source does not compile: 1 error, 2 warnings." or "It compiles to a cubin of 3,456 bytes.".
std::string resultText(const compile::Compiled& compiled);

/// Writes the members of the document of `compile`, from "compiler" to "code". `sha256`: of the code; empty without
/// code.
void writeCompiled(json::Writer& writer, const compile::Compiled& compiled, const std::string& sha256);

} // namespace blobscope::describe
