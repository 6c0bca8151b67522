#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `metadata` (v0.7 – v0.8), `const_loader` (v0.9 on): constants and the functions that need them.
extern const ModuleCodec kConstLoaderCodec;

} // namespace blobscope::modules
