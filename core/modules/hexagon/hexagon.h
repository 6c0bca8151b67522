#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `hexagon`, `hex`, `nki`: an ELF for Hexagon (its file name until v0.11), or Python source for Trainium (nki).
extern const ModuleCodec kHexagonCodec;

} // namespace blobscope::modules
