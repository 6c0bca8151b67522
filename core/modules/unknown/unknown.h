#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// Returns a body for a module whose kind has no codec, or whose bytes fit none of its layouts: shown as bytes, kept
/// unchanged.
BodyPtr makeUnknownBody(Bytes bytes);
/// Returns a body that shows the rows of `tree` and encodes to its bytes.
BodyPtr makeDamagedBody(FieldTree tree);

} // namespace blobscope::modules
