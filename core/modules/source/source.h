#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `c` (v0.14 on): host source text that was not compiled into the library.
extern const ModuleCodec kSourceCodec;

} // namespace blobscope::modules
