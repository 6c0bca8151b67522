#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `metadata_module` (v0.9 – v0.19): a record without payload; its key is followed by the next key.
extern const ModuleCodec kMetadataCodec;

} // namespace blobscope::modules
