#pragma once

#include <string>
#include <string_view>

namespace blobscope::view::svg {

/// A number with one digit after the point.
std::string decimal(double value);
/// A rectangle with a tool tip; `style` is a class of htmlHead().
std::string rect(std::string_view style, double x, double y, double wide, double high, std::string_view tip);
/// A line of text; `more`: further attributes, such as class="faint"; may be empty.
std::string text(double x, double y, std::string_view shown, std::string_view more = {});
/// A line of the class "line" or another one.
std::string line(double fromX, double fromY, double toX, double toY, std::string_view style = "line");
/// Opens a picture with this size and this name for screen readers; "</svg>" closes it.
std::string begin(double wide, double high, std::string_view name);

} // namespace blobscope::view::svg
