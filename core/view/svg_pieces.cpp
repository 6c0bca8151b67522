#include "core/view/svg_pieces.h"

#include "core/view/html.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace blobscope::view::svg {

std::string decimal(double value) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

std::string rect(std::string_view style, double x, double y, double wide, double high, std::string_view tip) {
  return "<rect class=\"" + std::string(style) + "\" x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" width=\"" +
         decimal(std::max(0.0, wide)) + "\" height=\"" + decimal(std::max(0.0, high)) + "\"><title>" + htmlText(tip) +
         "</title></rect>\n";
}

std::string text(double x, double y, std::string_view shown, std::string_view more) {
  return "<text x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\"" + (more.empty() ? "" : " ") + std::string(more) +
         ">" + htmlText(shown) + "</text>\n";
}

std::string line(double fromX, double fromY, double toX, double toY, std::string_view style) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + decimal(fromX) + "\" y1=\"" + decimal(fromY) +
         "\" x2=\"" + decimal(toX) + "\" y2=\"" + decimal(toY) + "\"/>\n";
}

std::string begin(double wide, double high, std::string_view name) {
  return "<svg viewBox=\"0 0 " + decimal(wide) + " " + decimal(high) + "\" role=\"img\" aria-label=\"" +
         htmlText(name) + "\">\n";
}

} // namespace blobscope::view::svg
