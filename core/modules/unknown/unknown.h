#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// A module whose kind has no codec, or whose bytes fit none of its layouts: shown as bytes, kept as they are.
BodyPtr makeUnknownBody(Bytes bytes);
/// A body that shows the rows of `tree` and encodes to its bytes.
BodyPtr makeDamagedBody(FieldTree tree);

} // namespace blobscope::modules
