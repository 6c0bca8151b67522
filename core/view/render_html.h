#pragma once

#include "core/view/render.h"

#include <string_view>

namespace blobscope::view {

/// A page as one HTML file: its picture in SVG, empty for none, then the page as text. Error: only Cancelled.
Result<Done> renderHtml(const Page& page, std::string_view title, std::string_view picture, const TextSink& sink,
                        Monitor& monitor);

/// The memory over the instructions of a plan, 1000 units wide.
std::string planSvg(const PlanPage& page);
/// The tree as rows of boxes with the callers above; the width is the estimated work, or the number of launches where
/// no work is known.
std::string callsSvg(const CallsPage& page);

} // namespace blobscope::view
