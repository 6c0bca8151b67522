#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `hip`, `hsaco`: AMDGPU code objects; the key is 'hip' with ROCm, 'hsaco' without.
extern const ModuleCodec kRocmCodec;

} // namespace blobscope::modules
