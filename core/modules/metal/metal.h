#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `metal`: Metal source or libraries for Apple GPUs.
extern const ModuleCodec kMetalCodec;

} // namespace blobscope::modules
