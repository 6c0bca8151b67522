#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `webgpu`: one WGSL text per kernel.
extern const ModuleCodec kWebgpuCodec;

} // namespace blobscope::modules
