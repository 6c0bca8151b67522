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
/// "add: 12 registers, 0 bytes of shared memory, 0 bytes of stack".
std::string kernelText(const compile::KernelUse& kernel);
/// "The source does not compile: 1 error, 2 warnings." or "It compiles to a cubin of 3,456 bytes.".
std::string resultText(const compile::Compiled& compiled);

/// Members of the document of `compile`, from "compiler" to "code".
struct CompiledDigest {
  std::string sha256; ///< of the code; empty without code
};
void writeCompiled(json::Writer& writer, const compile::Compiled& compiled, const CompiledDigest& digest);

} // namespace blobscope::describe
