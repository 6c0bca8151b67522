#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `hexagon`, `hex`, `nki`: an ELF for Hexagon (its file name until v0.11), Python source for Trainium (nki),
/// or a binary for Ascend (asc, written by tilelang 0.1.15, declared "aibin"; source only, no file seen).
extern const ModuleCodec kHexagonCodec;

} // namespace blobscope::modules
