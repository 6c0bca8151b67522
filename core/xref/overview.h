#pragma once

#include "core/library/resolve.h"
#include "core/view/page.h"
#include "core/xref/functions.h"

namespace blobscope::xref {

/// Returns the page "Overview" of a module or host function: its size, its content, its callees and callers, followed
/// by the rows of `own`, a page of facts from the bytes alone. Rows with a target begin with its name.
view::Page overviewPage(const Functions& functions, const library::Resolved& node, const view::TableSource& own);

} // namespace blobscope::xref
