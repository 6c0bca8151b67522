#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `cuda`: PTX, fat binaries, cubins or CUDA C++ source for NVIDIA GPUs.
extern const ModuleCodec kCudaCodec;

} // namespace blobscope::modules
