#pragma once

#include "core/base/json.h"
#include "core/base/ref.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// Numbers against numbers as pictures: points, lines, steps, areas or bars with axes and reference lines. All numbers
/// are finite.
struct PlotPage {
  enum class Scale : uint8_t { Linear, Log2 };
  struct Axis {
    std::string title; ///< "threads per block"
    std::string unit;  ///< after the numbers: "%", "bytes"; may be empty
    Scale scale = Scale::Linear;
    std::optional<double> from, to; ///< the range that is shown at least; that of the points where it is not set
    double step = 0;                ///< numbers on a linear axis are multiples of it; 0: of any round number
  };
  struct Point {
    double x = 0, y = 0;
    std::string label;              ///< what it represents: "fused_add_kernel", "3 kernels"; may be empty
    uint64_t count = 1;             ///< of things that it represents
    std::optional<Ref> target = {}; ///< the node that it represents
  };
  /// How the points of a series are connected.
  enum class Draw : uint8_t {
    Points,
    Lines,
    Steps, ///< a value holds until the next x
    Areas, ///< steps, filled down to the series before it or to 0
    Bars   ///< one from 0 per point
  };
  struct Series {
    std::string name; ///< "registers"; series with the same name have the same colour and shape on a page
    Draw draw = Draw::Points;
    std::vector<Point> points; ///< by x, except for Draw::Points
  };
  /// A line across the plot.
  struct Line {
    bool vertical = false; ///< at an x; else at a y
    double at = 0;
    std::string label;
    bool strong = false; ///< marks the present value instead of a limit
  };
  struct Plot {
    std::string title;   ///< "Registers and block size"
    std::string subject; ///< the thing that it is about, such as a kernel; may be empty
    std::string legend;  ///< before the names of the series: "limited by"; may be empty
    std::string note;    ///< a sentence; may be empty
    Axis x, y;
    std::vector<Series> series;
    std::vector<Line> lines;
  };
  std::vector<Plot> plots;

  /// The word in --json: "points", "lines", "steps", "areas", "bars".
  static std::string_view drawName(Draw draw);
};

/// Returns a number as short as possible: "0.25", "1024".
std::string plotNumber(double number);

/// Writes the plots as text: title, axes, then the points of each series and the reference lines as rows.
void renderPlots(const PlotPage& page, const std::function<void(std::string_view)>& sink);
/// The plots below each other as a picture for htmlHead() or svgDocument(). Numbers of points are bounded by the page.
std::string plotSvg(const PlotPage& page);
/// Writes the member "plots".
void renderPlots(const PlotPage& page, json::Writer& writer);

} // namespace blobscope::view
