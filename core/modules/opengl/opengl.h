#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `opengl` (v0.2 – v0.6): shaders in JSON.
extern const ModuleCodec kOpenglCodec;

} // namespace blobscope::modules
