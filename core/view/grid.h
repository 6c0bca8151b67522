#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/plot.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::view {

class TableSource;

/// The elements of an array, numbered in row-major order. Immutable; any thread may call it.
class GridSource {
public:
  virtual ~GridSource() = default;
  /// The number of elements, counted from the first, that are stored.
  virtual uint64_t stored() const = 0;
  /// One line: "0.5". Empty from stored() on.
  virtual std::string text(uint64_t index) const = 0;
  /// Writes the numbers of elements that are `step` apart. NaN for elements without a number and from stored() on.
  virtual void numbers(uint64_t first, uint64_t step, std::span<double> out) const = 0;
  double number(uint64_t index) const {
    double out = 0;
    numbers(index, 1, {&out, 1});
    return out;
  }
};

/// The dimensions of an array that are the rows and the columns of a picture, and where the others are fixed.
struct GridSlice {
  std::vector<std::size_t> rows, columns; ///< axes, outermost first; no axis twice. Several axes: their product
  std::vector<uint64_t> at;               ///< one index per axis; those of rows and columns are ignored
  uint64_t fold = 0;                      ///< without `rows`: the columns go on in the next row after this many
  friend bool operator==(const GridSlice&, const GridSlice&) = default;
};

/// Converts places in a slice to elements and back.
class GridMap {
public:
  static constexpr uint64_t kNone = UINT64_MAX;

  /// `slice` must fit `shape`, see fits().
  GridMap(std::vector<uint64_t> shape, GridSlice slice);
  /// Whether the axes exist, none occurs twice, and the indexes are within the extents.
  static bool fits(std::span<const uint64_t> shape, const GridSlice& slice);

  const std::vector<uint64_t>& shape() const { return m_shape; }
  const GridSlice& slice() const { return m_slice; }
  uint64_t rows() const { return m_rows; }
  uint64_t columns() const { return m_columns; }
  /// The number of an element; kNone for a place behind the last element of a folded slice.
  uint64_t index(uint64_t row, uint64_t column) const;
  /// The index on each axis.
  std::vector<uint64_t> place(uint64_t row, uint64_t column) const;
  /// Row and column of the element with these indexes; nothing when it is not in the slice.
  std::optional<std::pair<uint64_t, uint64_t>> find(std::span<const uint64_t> place) const;
  /// The distance of neighbouring columns, when it is the same for all columns.
  std::optional<uint64_t> columnStep() const;

private:
  uint64_t offset(uint64_t number, std::span<const std::size_t> axes) const;

  std::vector<uint64_t> m_shape, m_strides;
  GridSlice m_slice;
  uint64_t m_base = 0, m_rows = 1, m_columns = 1, m_flat = 1;
};

/// The slices that are most useful as a picture: the first is shown at first.
std::vector<GridSlice> slicesOf(std::span<const uint64_t> shape);
/// Reads "[:, :, 1, 0]" or ":,:,1,0": the first ":" is the row, the second one the column. Nothing when the text does
/// not have an index or ":" for each axis, or not one or two ":".
std::optional<GridSlice> parseSlice(std::string_view text, std::span<const uint64_t> shape);
/// The same notation: "[:, :, 1, 0]"; further axes of a product are ":", too.
std::string sliceText(const GridSlice& slice);
/// The index on each axis of an element: "[5, 7, 1]".
std::string placeText(std::span<const uint64_t> place);
/// The number of the element with that index on each axis; nothing when there is none.
std::optional<uint64_t> elementOf(std::span<const uint64_t> place, std::span<const uint64_t> shape);
/// The index on each axis of the element with that number.
std::vector<uint64_t> placeOf(uint64_t index, std::span<const uint64_t> shape);

/// A rectangle of a slice.
struct GridRegion {
  uint64_t row = 0, column = 0, rows = 0, columns = 0;
  friend bool operator==(const GridRegion&, const GridRegion&) = default;
};

/// A region of a slice as cells of equal size, each for one or more values.
struct HeatMap {
  struct Cell {
    float mean = 0, least = 0, greatest = 0; ///< of the finite values
    bool empty = true;                       ///< there is no finite value
    bool odd = false;                        ///< there is a NaN or an infinity
  };
  GridRegion region;
  uint32_t rows = 0, columns = 0; ///< of cells; at most as many as the region has
  std::vector<Cell> cells;        ///< row by row
  uint64_t read = 0;              ///< values that were read; fewer than the region has when it was sampled

  bool isSampled() const { return read < region.rows * region.columns; }
  const Cell& at(uint32_t row, uint32_t column) const { return cells[std::size_t{row} * columns + column]; }
};

/// Regions of more values are sampled, unless all are asked for.
inline constexpr uint64_t kSampledAbove = uint64_t{1} << 23;

/// Reads a region into at most `rows` × `columns` cells. `exact`: reads all values, however many there are. Otherwise a
/// region of more than kSampledAbove values has at most 256 × 256 cells, and up to 16 neighbouring values of each are
/// read. Error: only Cancelled.
Result<HeatMap> computeHeatMap(const GridSource& source, const GridMap& map, GridRegion region, uint32_t rows,
                               uint32_t columns, bool exact, Monitor& monitor);

/// The axes of an image in an array: colours are 3 or 4 channels.
struct GridImageAxes {
  std::size_t rows = 0, columns = 0, channels = 0;
};
/// The way in which an array is an image: height × width × channels or channels × height × width as its last axes;
/// nothing for other shapes.
std::optional<GridImageAxes> imageAxesOf(std::span<const uint64_t> shape);

/// An image made from an array.
struct GridImage {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> pixels; ///< red, green, blue, alpha of each, row by row
  double low = 0, high = 255;  ///< the values that are shown as black and as full colour
  bool reduced = false;        ///< has fewer pixels than the array; each is one value of those that it is for
};
/// Makes an image of at most `side` × `side` pixels. The range is 0 to 1 or 0 to 255 if all values fit, else from the
/// least to the greatest. `at`: one index per axis, for those that are not in `axes`. Error: only Cancelled.
Result<GridImage> computeImage(const GridSource& source, const std::vector<uint64_t>& shape, const GridImageAxes& axes,
                               const std::vector<uint64_t>& at, uint32_t side, Monitor& monitor);

/// Numbers about all values of an array.
struct GridSummary {
  using Facts = std::vector<std::pair<std::string, std::string>>; ///< label and value
  Facts facts;
  PlotPage::Plot histogram;     ///< without series when there are no finite values
  double low = 0, high = 0;     ///< 1 % of the finite values are below, 1 % above
  uint64_t read = 0, count = 0; ///< values; fewer read than there are when they were sampled
  bool isSampled() const { return read < count; }
  /// The limits for colours: from `low` to `high`, symmetric around 0 if both signs occur, never an empty range.
  std::pair<double, double> limits() const;
  /// Whether the values have both signs, so that colours diverge from 0.
  bool isSigned() const { return low < 0 && high > 0; }
};

/// An array of values with a picture of two of its dimensions, its histogram and its statistics.
struct GridPage {
  std::string type; ///< of an element: "float32"
  std::vector<uint64_t> shape;
  GridSummary::Facts facts; ///< about type and storage
  std::shared_ptr<const GridSource> values;
  std::shared_ptr<const TableSource> table; ///< all values as rows, for texts
  /// Reads all values if `exact`, else at most 64 MiB of them. Null when the values have no order. Any thread may call
  /// it. Error: only Cancelled.
  std::function<Result<GridSummary>(bool exact, Monitor& monitor)> summarize;
  /// Returns the text of the value that would be stored for a text, or why none can be. Null when values cannot be
  /// changed.
  std::function<Result<std::string>(std::string_view text)> nearest;
  /// Bytes of an element as digits, and its offset in the file as text; null when elements have no bytes of their own.
  std::function<std::pair<std::string, std::string>(uint64_t index)> stored;
  std::optional<GridSlice> slice = {}; ///< only this part was asked for, in texts
  bool exact = false;                  ///< all values are to be read, in texts
};

/// Writes the page as text: facts, statistics, histogram and values. Error: only Cancelled.
Result<Done> renderGrid(const GridPage& page, const std::function<void(std::string_view)>& sink, Monitor& monitor);
/// Writes its members: "type", "shape", "facts", "statistics", "plots", "heatMap", "columns", "rows". Error: only
/// Cancelled.
Result<Done> renderGrid(const GridPage& page, json::Writer& writer, Monitor& monitor);
/// A heat map in SVG, each cell as a rectangle, with the scale of its colours. `isSigned`: they diverge from 0.
std::string heatMapSvg(const HeatMap& heat, const GridMap& map, std::pair<double, double> limits, bool isSigned,
                       std::string_view title);
/// The slice that the page shows first.
GridMap mapOf(const GridPage& page);
/// The heat map of a page in SVG; empty when its values have no order. Error: only Cancelled.
Result<std::string> gridSvg(const GridPage& page, std::string_view title, Monitor& monitor);
/// The rows and columns of a slice as a table, whose first column is the index.
std::shared_ptr<const TableSource> sliceTable(std::shared_ptr<const GridSource> source, const GridMap& map);

} // namespace blobscope::view
