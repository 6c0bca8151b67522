#pragma once

#include "core/payloads/payload.h"

namespace blobscope::payloads {

/// Libraries of Apple's Metal. The format is not published by its owner. Source of all facts, both found by looking at
/// real files: YuAo/MetalLibraryArchive 0de78a752d README.md, "Metal Library Archive Binary Layout"; JuliaGPU/Metal.jl
/// 01af60f3c5 src/compiler/library.jl. Where they differ, nothing is said.
extern const PayloadFormat kMetallib;

} // namespace blobscope::payloads
