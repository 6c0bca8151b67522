#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `opencl`: OpenCL C text (from v0.8 with one section per kernel), a program binary, or SPIR-V.
extern const ModuleCodec kOpenclCodec;

/// A section of OpenCL C text.
struct OpenclSection {
  Bytes name;
  Bytes text; ///< from its marker line to the next one
};

/// Splits the text at the lines `// Function: NAME`. Text before the first marker belongs to no section; the runtime
/// drops it. Source: apache/tvm src/runtime/source_utils.cc, SplitKernels, v0.8.0.
std::vector<OpenclSection> splitOpenclSections(const Bytes& text);

} // namespace blobscope::modules
