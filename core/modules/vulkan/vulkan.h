#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `vulkan`: one SPIR-V module per kernel.
extern const ModuleCodec kVulkanCodec;

} // namespace blobscope::modules
