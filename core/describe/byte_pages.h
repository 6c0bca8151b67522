#pragma once

#include "core/view/page.h"

namespace blobscope::describe {

/// Adds pages about the bytes that the list's Hex page shows, after it: their entropy block by block and the strings in
/// them. Both are made when they are shown. Nothing when there is no Hex page.
void addBytePages(view::PageList& pages);

} // namespace blobscope::describe
