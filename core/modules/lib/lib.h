#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `_lib`: the library itself, a record without payload.
extern const ModuleCodec kLibCodec;

} // namespace blobscope::modules
