#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/view/grid.h"

#include <algorithm>
#include <cmath>

namespace blobscope::view {
namespace {

constexpr uint32_t kSampledSide = 256; ///< cells per side of a sampled picture
constexpr uint64_t kSampledRun = 16;   ///< neighbouring values that are read for one of its cells
constexpr uint64_t kBlock = 4096;      ///< values that are read at once

/// Reads values of one row of a slice.
class RowReader {
public:
  RowReader(const GridSource& source, const GridMap& map) : m_source(source), m_map(map), m_step(map.columnStep()) {}

  /// At most kBlock values from a column on; NaN where there is no element.
  std::span<const double> read(uint64_t row, uint64_t column, uint64_t count) {
    m_values.assign(count, std::nan(""));
    if (m_step && !m_map.slice().rows.empty()) {
      m_source.numbers(m_map.index(row, column), *m_step, m_values);
      return m_values;
    }
    for (uint64_t i = 0; i < count; ++i)
      if (const uint64_t index = m_map.index(row, column + i); index != GridMap::kNone)
        m_values[i] = m_source.number(index);
    return m_values;
  }

private:
  const GridSource& m_source;
  const GridMap& m_map;
  std::optional<uint64_t> m_step;
  std::vector<double> m_values;
};

/// Collects the values of a cell. Means are finite: floats of the extremes may be infinite, so they are clamped.
struct CellSum {
  double sum = 0, least = 0, greatest = 0;
  uint64_t count = 0;
  bool odd = false;

  void add(double value) {
    if (!std::isfinite(value)) {
      odd = true;
      return;
    }
    least = count == 0 ? value : std::min(least, value);
    greatest = count == 0 ? value : std::max(greatest, value);
    sum += value;
    ++count;
  }
  static float narrow(double value) {
    constexpr double kMost = 3.0e38;
    return static_cast<float>(std::clamp(value, -kMost, kMost));
  }
  HeatMap::Cell cell() const {
    HeatMap::Cell out;
    out.odd = odd;
    out.empty = count == 0;
    if (count == 0) return out;
    const double mean = sum / static_cast<double>(count);
    out.mean = narrow(std::isfinite(mean) ? mean : least / 2 + greatest / 2);
    out.least = narrow(least);
    out.greatest = narrow(greatest);
    return out;
  }
};

/// The first of `count` values that belongs to part `i` of `parts`.
uint64_t partEdge(uint64_t i, uint64_t parts, uint64_t count) {
  // Extents are below 2^63, parts below 2^13; the product is computed in two steps so that it fits.
  return count / parts * i + count % parts * i / parts;
}

GridRegion clipped(GridRegion region, const GridMap& map) {
  region.row = std::min(region.row, map.rows());
  region.column = std::min(region.column, map.columns());
  region.rows = std::min(region.rows, map.rows() - region.row);
  region.columns = std::min(region.columns, map.columns() - region.column);
  return region;
}

} // namespace

Result<HeatMap> computeHeatMap(const GridSource& source, const GridMap& map, GridRegion region, uint32_t rows,
                               uint32_t columns, bool exact, Monitor& monitor) {
  longWork("view::computeHeatMap");
  HeatMap out;
  out.region = region = clipped(region, map);
  if (region.rows == 0 || region.columns == 0 || rows == 0 || columns == 0) return out;
  uint64_t total = 0;
  const bool many = __builtin_mul_overflow(region.rows, region.columns, &total) || total > kSampledAbove;
  // Damaged files may state shapes of far more values than are stored.
  const bool sampled = many && !(exact && total / 2 <= source.stored() && total != 0);
  constexpr uint32_t kMostSide = 8192;
  const uint32_t side = sampled ? kSampledSide : kMostSide;
  out.rows = static_cast<uint32_t>(std::min<uint64_t>({rows, side, region.rows}));
  out.columns = static_cast<uint32_t>(std::min<uint64_t>({columns, side, region.columns}));
  out.cells.reserve(std::size_t{out.rows} * out.columns);

  RowReader reader(source, map);
  std::vector<CellSum> sums(out.columns);
  uint64_t unchecked = 0;
  for (uint32_t r = 0; r < out.rows; ++r) {
    sums.assign(out.columns, {});
    uint64_t first = partEdge(r, out.rows, region.rows), end = partEdge(r + 1, out.rows, region.rows);
    if (sampled) {
      // Rows in different places of their cells, so that a pattern that repeats is not read at one phase only.
      first += (end - first) * (r * 7 % 16) / 16;
      end = first + 1;
    }
    for (uint64_t row = first; row < end; ++row) {
      for (uint32_t c = 0; c < out.columns; ++c) {
        const uint64_t from = partEdge(c, out.columns, region.columns),
                       to = partEdge(c + 1, out.columns, region.columns);
        const uint64_t stop = sampled ? std::min(to, from + kSampledRun) : to;
        for (uint64_t column = from; column < stop; column += kBlock) {
          const uint64_t count = std::min(kBlock, stop - column);
          for (const double value : reader.read(region.row + row, region.column + column, count)) sums[c].add(value);
          out.read += count;
          unchecked += count + 16;
          if (unchecked < 65'536) continue;
          unchecked = 0;
          if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
          monitor.progress("reading values", region.rows * r / out.rows, region.rows);
        }
      }
    }
    for (const CellSum& sum : sums) out.cells.push_back(sum.cell());
  }
  return out;
}

std::optional<GridImageAxes> imageAxesOf(std::span<const uint64_t> shape) {
  constexpr uint64_t kLeast = 4, kMost = 65'536;
  const std::size_t rank = shape.size();
  if (rank < 3) return std::nullopt;
  const auto isColor = [&](std::size_t axis) { return shape[axis] == 3 || shape[axis] == 4; };
  const auto isSide = [&](std::size_t axis) { return shape[axis] >= kLeast && shape[axis] <= kMost; };
  if (isColor(rank - 1) && isSide(rank - 3) && isSide(rank - 2)) return GridImageAxes{rank - 3, rank - 2, rank - 1};
  if (isColor(rank - 3) && isSide(rank - 2) && isSide(rank - 1)) return GridImageAxes{rank - 2, rank - 1, rank - 3};
  return std::nullopt;
}

Result<GridImage> computeImage(const GridSource& source, const std::vector<uint64_t>& shape, const GridImageAxes& axes,
                               const std::vector<uint64_t>& at, uint32_t side, Monitor& monitor) {
  longWork("view::computeImage");
  GridImage out;
  out.width = static_cast<uint32_t>(std::min<uint64_t>(side, shape[axes.columns]));
  out.height = static_cast<uint32_t>(std::min<uint64_t>(side, shape[axes.rows]));
  out.reduced = out.width < shape[axes.columns] || out.height < shape[axes.rows];
  const auto channels = static_cast<std::size_t>(shape[axes.channels]);
  std::vector<uint64_t> fixed = at;
  fixed.resize(shape.size(), 0);
  fixed[axes.channels] = 0;
  const GridMap map(shape, {{axes.rows}, {axes.columns}, fixed});
  fixed[axes.channels] = 1;
  const uint64_t step = GridMap(shape, {{axes.rows}, {axes.columns}, fixed}).index(0, 0) - map.index(0, 0);

  std::vector<double> values(std::size_t{out.width} * out.height * channels);
  double least = 0, greatest = 0;
  bool any = false;
  for (uint32_t y = 0; y < out.height; ++y) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading values", y, out.height);
    for (uint32_t x = 0; x < out.width; ++x) {
      const uint64_t pixel =
          map.index(partEdge(y, out.height, shape[axes.rows]), partEdge(x, out.width, shape[axes.columns]));
      const std::span<double> place(values.data() + (std::size_t{y} * out.width + x) * channels, channels);
      source.numbers(pixel, step, place);
      for (const double value : place) {
        if (!std::isfinite(value)) continue;
        least = any ? std::min(least, value) : value;
        greatest = any ? std::max(greatest, value) : value;
        any = true;
      }
    }
  }
  out.low = least < 0 ? least : 0;
  out.high = greatest <= 1 ? 1 : greatest <= 255 ? 255 : greatest;
  if (least < 0) out.high = std::max(greatest, least + 1e-30);
  const double low = out.low / 2, range = out.high / 2 - low;
  out.pixels.assign(std::size_t{out.width} * out.height * 4, 255);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = (values[i] / 2 - low) / range;
    out.pixels[i / channels * 4 + i % channels] =
        std::isfinite(part) ? static_cast<uint8_t>(std::lround(std::clamp(part, 0.0, 1.0) * 255)) : 0;
  }
  return out;
}

} // namespace blobscope::view
