#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `hip`, `hsaco`: AMDGPU code objects; the key is 'hip' when TVM was built with ROCm, otherwise 'hsaco'.
extern const ModuleCodec kRocmCodec;

} // namespace blobscope::modules
