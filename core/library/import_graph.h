#pragma once

#include "core/library/blob.h"
#include "core/view/pictures.h"

namespace blobscope::library {

/// Returns the modules of a blob and what they import; in flat streams the library imports all of them.
view::GraphPage importGraph(const Blob& blob);

} // namespace blobscope::library
