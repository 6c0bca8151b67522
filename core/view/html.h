#pragma once

#include <string>
#include <string_view>

/// HTML reports: one file without scripts or links, readable in light and dark.
namespace blobscope::view {

/// From the first line to the heading with the title; what follows is in the body.
std::string htmlHead(std::string_view title);
/// Text for elements and attributes, shortened.
std::string htmlText(std::string_view raw);

} // namespace blobscope::view
