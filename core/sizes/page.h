#pragma once

#include "core/library/package.h"
#include "core/sizes/node.h"
#include "core/view/page.h"

#include <string>

namespace blobscope::sizes {

/// Returns a tree as a page. At most limits::kTreeRows items; what is below further ones is left out. `notes`:
/// sentences about all of it.
view::TreemapPage pageOf(const Node& root, std::vector<std::string> notes);

/// Adds the page "Size" to those of a file, member, blob or module that has bytes: what takes how many of them. It is
/// made when it is shown.
Result<Done> addPage(const library::PackagePtr& package, const Ref& ref, view::PageList& pages);

} // namespace blobscope::sizes
