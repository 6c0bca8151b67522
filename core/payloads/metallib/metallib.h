#pragma once

#include "core/payloads/payload.h"

namespace blobscope::payloads {

/// Libraries of Apple's Metal. Apple does not publish the format. Source of all facts, both from the analysis of real
/// files: YuAo/MetalLibraryArchive 0de78a752d README.md, "Metal Library Archive Binary Layout"; JuliaGPU/Metal.jl
/// 01af60f3c5 src/compiler/library.jl. Facts on which they disagree are not shown.
extern const PayloadFormat kMetallib;

} // namespace blobscope::payloads
