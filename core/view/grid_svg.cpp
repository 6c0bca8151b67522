#include "core/view/color_scale.h"
#include "core/view/grid.h"
#include "core/view/html.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace blobscope::view {
namespace {

std::string colorText(uint32_t color) {
  std::array<char, 8> out;
  std::snprintf(out.data(), out.size(), "#%06x", color);
  return out.data();
}

std::string fourDigits(double value) {
  std::array<char, 32> out;
  std::snprintf(out.data(), out.size(), "%.4g", value);
  return out.data();
}

} // namespace

std::string heatMapSvg(const HeatMap& heat, const GridMap& map, std::pair<double, double> limits, bool isSigned,
                       std::string_view title) {
  constexpr double kSide = 480, kLeast = 3, kMost = 24, kTop = 44;
  if (heat.rows == 0 || heat.columns == 0) return {};
  const double wide = std::clamp(kSide / heat.columns, kLeast, kMost),
               high = std::clamp(kSide / heat.rows, kLeast, kMost);
  const double right = wide * heat.columns, bottom = kTop + high * heat.rows;
  const ColorScale scale = isSigned ? ColorScale::Signed : ColorScale::Plain;
  const double width = std::max(right, 320.0) + 2;
  std::string out = svg::begin(width, bottom + 48, title);
  out += svg::text(0, 14, title, " font-weight=\"600\"");
  out += svg::text(0, 32,
                   sliceText(map.slice()) + ", " + std::to_string(map.rows()) + " × " + std::to_string(map.columns()) +
                       " values" + (heat.isSampled() ? ", sampled" : ""));
  const auto cell = [&](double x, double y, double w, double h, std::string_view fill) {
    out += "<rect x=\"" + svg::decimal(x) + "\" y=\"" + svg::decimal(y) + "\" width=\"" + svg::decimal(w) +
           "\" height=\"" + svg::decimal(h) + "\" style=\"stroke:none\" fill=\"" + std::string(fill) + "\"/>\n";
  };
  for (uint32_t row = 0; row < heat.rows; ++row)
    for (uint32_t column = 0; column < heat.columns; ++column) {
      const HeatMap::Cell& value = heat.at(row, column);
      const double part =
          (static_cast<double>(value.mean) / 2 - limits.first / 2) / (limits.second / 2 - limits.first / 2);
      cell(wide * column, kTop + high * row, wide, high,
           value.empty ? std::string("none") : colorText(scaleColor(scale, part)));
    }
  constexpr int kSteps = 48;
  for (int i = 0; i < kSteps; ++i)
    cell(320.0 / kSteps * i, bottom + 12, 320.0 / kSteps + 0.2, 10, colorText(scaleColor(scale, (i + 0.5) / kSteps)));
  out += svg::text(0, bottom + 38, fourDigits(limits.first));
  out += svg::text(160, bottom + 38, fourDigits(limits.first / 2 + limits.second / 2), " text-anchor=\"middle\"");
  out += svg::text(320, bottom + 38, fourDigits(limits.second), " text-anchor=\"end\"");
  return out + "</svg>\n";
}

Result<std::string> gridSvg(const GridPage& page, std::string_view title, Monitor& monitor) {
  constexpr uint32_t kCells = 96;
  if (!page.summarize) return std::string();
  BLOBSCOPE_TRY(summary, page.summarize(page.exact, monitor));
  const GridMap map = mapOf(page);
  BLOBSCOPE_TRY(
      heat, computeHeatMap(*page.values, map, {0, 0, map.rows(), map.columns()}, kCells, kCells, page.exact, monitor));
  return heatMapSvg(heat, map, summary.limits(), summary.isSigned(), title);
}

} // namespace blobscope::view
