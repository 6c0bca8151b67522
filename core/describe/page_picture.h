#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <string>
#include <string_view>

namespace blobscope::describe {

/// The picture of a page as one SVG file: graphs, plots, also those of a table, memory plans, call trees, treemaps and
/// the heat map of a tensor. Empty for pages without one. `page` is no DeferredPage; `name` is the title of the
/// picture. Error: only Cancelled.
Result<std::string> pagePicture(const view::Page& page, std::string_view name, Monitor& monitor);

} // namespace blobscope::describe
