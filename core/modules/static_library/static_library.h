#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `static_library` (v0.14 on): an object file that was not linked into the library.
extern const ModuleCodec kStaticLibraryCodec;

} // namespace blobscope::modules
