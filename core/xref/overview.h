#pragma once

#include "core/library/resolve.h"
#include "core/view/page.h"
#include "core/xref/functions.h"

namespace blobscope::xref {

/// The page "Overview" of a module or host function: how large it is and what it holds, calls and is called by,
/// followed by the rows of `own`, which the bytes alone tell. Rows with a target begin with its name. `own` is a page
/// of facts.
view::Page overviewPage(const Functions& functions, const library::Resolved& node, const view::TableSource& own);

} // namespace blobscope::xref
