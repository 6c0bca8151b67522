#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// HTML reports: one file without scripts or links, readable in light and dark.
namespace blobscope::view {

/// From the first line to the heading with the title; what follows is in the body.
std::string htmlHead(std::string_view title);
/// A picture of planSvg(), callsSvg() or plotSvg() with its styles, as a file of its own.
std::string svgDocument(std::string_view picture);
/// Text for elements and attributes, shortened to `most` characters.
std::string htmlText(std::string_view raw, std::size_t most = 4'000);

} // namespace blobscope::view
