#include "core/graph/squarify.h"

#include <algorithm>
#include <cmath>

namespace blobscope::graph {
namespace {

/// The largest ratio of sides in a row of areas with this sum along a side.
double worstRatio(double sum, double least, double most, double side) {
  if (sum <= 0 || least <= 0) return 1e300;
  const double square = side * side;
  return std::max(square * most / (sum * sum), sum * sum / (square * least));
}

} // namespace

std::vector<Rect> squarify(std::span<const uint64_t> sizes, const Rect& whole) {
  std::vector<Rect> out(sizes.size(), Rect{whole.x, whole.y, 0, 0});
  double total = 0;
  for (const uint64_t size : sizes) total += static_cast<double>(size);
  if (total <= 0 || whole.width <= 0 || whole.height <= 0) return out;
  const double scale = whole.width * whole.height / total;
  Rect left = whole;
  for (std::size_t first = 0, next = 0; first < sizes.size(); first = next) {
    const double side = std::max(std::min(left.width, left.height), 1e-9);
    double sum = 0, least = 1e300, most = 0, ratio = 1e300;
    for (next = first; next < sizes.size(); ++next) {
      const double area = static_cast<double>(sizes[next]) * scale;
      const double now = worstRatio(sum + area, std::min(least, area), std::max(most, area), side);
      if (area > 0 && sum > 0 && now > ratio) break;
      if (area <= 0) continue;
      sum += area;
      least = std::min(least, area);
      most = std::max(most, area);
      ratio = now;
    }
    const bool wide = left.width >= left.height; // the row is a column at the left
    const double thickness = std::min(sum / side, wide ? left.width : left.height);
    double at = 0;
    for (std::size_t i = first; i < next; ++i) {
      const double length = sum > 0 ? side * (static_cast<double>(sizes[i]) * scale / sum) : 0;
      if (sizes[i] > 0)
        out[i] = wide ? Rect{left.x, left.y + at, thickness, length} : Rect{left.x + at, left.y, length, thickness};
      at += length;
    }
    if (wide) {
      left.x += thickness;
      left.width = std::max(0.0, left.width - thickness);
    } else {
      left.y += thickness;
      left.height = std::max(0.0, left.height - thickness);
    }
  }
  return out;
}

} // namespace blobscope::graph
