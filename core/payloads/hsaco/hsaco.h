#pragma once

#include "core/payloads/payload.h"

namespace blobscope::payloads {

/// Code objects for AMD GPUs: the processor, and the kernels with their registers and arguments.
/// Source of all facts: llvm/llvm-project llvmorg-19.1.7 llvm/docs/AMDGPUUsage.rst, "Code Object Metadata" and "ELF
/// Code Object"; llvm/include/llvm/BinaryFormat/ELF.h; processors that came later: the same file in 008d0233ac and on
/// main.
extern const PayloadFormat kHsaco;

} // namespace blobscope::payloads
