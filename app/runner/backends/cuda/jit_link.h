#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/backends/cuda/nvrtc.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::runner::cuda {

/// Compiles PTX to machine code for "sm_90" with NVIDIA's nvJitLink. PTX that does not compile is a result without an
/// image. Errors: TOOL-MISSING with the places that were searched, RUN-BUILD when nvJitLink does not accept the
/// options. Source: core/formats/cuda-binaries.md.
Result<CompilerOutput> linkPtx(const NvrtcSearch& search, std::string_view ptx, const std::string& architecture,
                               const std::vector<std::string>& flags);

} // namespace blobscope::runner::cuda
