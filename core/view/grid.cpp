#include "core/view/grid.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace blobscope::view {
namespace {

/// The product of extents, at most UINT64_MAX.
uint64_t product(std::span<const uint64_t> shape, std::span<const std::size_t> axes) {
  uint64_t out = 1;
  for (const std::size_t axis : axes)
    if (__builtin_mul_overflow(out, shape[axis], &out)) out = UINT64_MAX;
  return out;
}

std::vector<std::size_t> axesFrom(std::size_t first, std::size_t end) {
  std::vector<std::size_t> out;
  for (std::size_t axis = first; axis < end; ++axis) out.push_back(axis);
  return out;
}

/// The number of columns of a vector that is shown in rows: a power of two, so that the picture is about a square.
uint64_t foldOf(uint64_t extent) {
  constexpr uint64_t kShort = 32, kWidest = 4096;
  if (extent <= kShort) return 0;
  uint64_t out = 16;
  while (out < kWidest && out * out < extent) out *= 2;
  return out;
}

} // namespace

GridMap::GridMap(std::vector<uint64_t> shape, GridSlice slice) : m_shape(std::move(shape)), m_slice(std::move(slice)) {
  m_strides.assign(m_shape.size(), 1);
  for (std::size_t axis = m_shape.size(); axis-- > 1;)
    if (__builtin_mul_overflow(m_strides[axis], m_shape[axis], &m_strides[axis - 1])) m_strides[axis - 1] = 0;
  m_slice.at.resize(m_shape.size(), 0);
  for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
    const bool varies = std::ranges::count(m_slice.rows, axis) + std::ranges::count(m_slice.columns, axis) > 0;
    if (varies) m_slice.at[axis] = 0;
    m_base += m_slice.at[axis] * m_strides[axis];
  }
  m_rows = product(m_shape, m_slice.rows);
  m_columns = m_flat = product(m_shape, m_slice.columns);
  if (m_slice.fold == 0 || !m_slice.rows.empty()) return;
  m_columns = std::min(m_slice.fold, m_flat);
  m_rows = m_columns == 0 ? 0 : m_flat / m_columns + (m_flat % m_columns != 0);
}

bool GridMap::fits(std::span<const uint64_t> shape, const GridSlice& slice) {
  if (slice.at.size() > shape.size()) return false;
  std::vector<bool> seen(shape.size(), false);
  for (const auto* const axes : {&slice.rows, &slice.columns})
    for (const std::size_t axis : *axes) {
      if (axis >= shape.size() || seen[axis]) return false;
      seen[axis] = true;
    }
  for (std::size_t axis = 0; axis < slice.at.size(); ++axis)
    if (!seen[axis] && slice.at[axis] >= std::max<uint64_t>(shape[axis], 1)) return false;
  return true;
}

uint64_t GridMap::offset(uint64_t number, std::span<const std::size_t> axes) const {
  if (axes.size() == 1) return number * m_strides[axes[0]];
  uint64_t out = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const uint64_t extent = m_shape[axes[i]];
    out += number % extent * m_strides[axes[i]];
    number /= extent;
  }
  return out;
}

uint64_t GridMap::index(uint64_t row, uint64_t column) const {
  if (row >= m_rows || column >= m_columns) return kNone;
  if (!m_slice.rows.empty()) return m_base + offset(row, m_slice.rows) + offset(column, m_slice.columns);
  const uint64_t flat = row * m_columns + column;
  return flat < m_flat ? m_base + offset(flat, m_slice.columns) : kNone;
}

std::optional<uint64_t> GridMap::columnStep() const {
  const std::vector<std::size_t>& axes = m_slice.columns;
  if (axes.empty()) return 0;
  // Neighbouring axes of the array form one axis.
  for (std::size_t i = 0; i + 1 < axes.size(); ++i)
    if (axes[i + 1] != axes[i] + 1) return std::nullopt;
  return m_strides[axes.back()];
}

std::vector<uint64_t> placeOf(uint64_t index, std::span<const uint64_t> shape) {
  std::vector<uint64_t> out(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    out[axis] = shape[axis] == 0 ? 0 : index % shape[axis];
    index = shape[axis] == 0 ? 0 : index / shape[axis];
  }
  return out;
}

std::optional<uint64_t> elementOf(std::span<const uint64_t> place, std::span<const uint64_t> shape) {
  if (place.size() != shape.size()) return std::nullopt;
  uint64_t out = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (place[axis] >= shape[axis]) return std::nullopt;
    out = out * shape[axis] + place[axis];
  }
  return out;
}

std::vector<uint64_t> GridMap::place(uint64_t row, uint64_t column) const {
  const uint64_t found = index(row, column);
  return found == kNone ? std::vector<uint64_t>() : placeOf(found, m_shape);
}

std::optional<std::pair<uint64_t, uint64_t>> GridMap::find(std::span<const uint64_t> place) const {
  if (place.size() != m_shape.size()) return std::nullopt;
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const bool varies = std::ranges::count(m_slice.rows, axis) + std::ranges::count(m_slice.columns, axis) > 0;
    if (place[axis] >= m_shape[axis] || (!varies && place[axis] != m_slice.at[axis])) return std::nullopt;
  }
  const auto number = [&](const std::vector<std::size_t>& axes) {
    uint64_t out = 0;
    for (const std::size_t axis : axes) out = out * m_shape[axis] + place[axis];
    return out;
  };
  const uint64_t column = number(m_slice.columns);
  if (m_slice.rows.empty() && m_columns > 0) return std::pair(column / m_columns, column % m_columns);
  return std::pair(number(m_slice.rows), column);
}

std::vector<GridSlice> slicesOf(std::span<const uint64_t> shape) {
  const std::size_t rank = shape.size();
  const std::vector<uint64_t> at(rank, 0);
  std::vector<GridSlice> out;
  const auto add = [&](std::vector<std::size_t> rows, std::vector<std::size_t> columns, uint64_t fold = 0) {
    GridSlice slice{std::move(rows), std::move(columns), at, fold};
    if (std::ranges::find(out, slice) == out.end()) out.push_back(std::move(slice));
  };
  if (rank == 0) return {GridSlice{}};
  // Axes of extent 1 make no picture.
  std::vector<std::size_t> wide;
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (shape[axis] != 1) wide.push_back(axis);
  if (wide.size() <= 1) {
    const std::size_t axis = wide.empty() ? rank - 1 : wide.front();
    add({}, {axis}, foldOf(shape[axis]));
    return out;
  }
  constexpr uint64_t kWidest = 4096;
  const auto rest = axesFrom(wide.front() + 1, rank);
  if (wide.size() == 2) {
    add({wide[0]}, {wide[1]});
  } else {
    // Blocked layouts of convolutions: the last axes are blocks of channels (OIHW4i4o).
    constexpr uint64_t kLargestBlock = 64;
    if (rank == 6 && shape[4] <= kLargestBlock && shape[5] <= kLargestBlock) add({0, 5}, {1, 4});
    if (product(shape, rest) <= kWidest) add({wide.front()}, rest);
    add({wide[wide.size() - 2]}, {wide.back()});
    add({wide[0]}, {wide[1]});
  }
  if (rank == 5) add({1, 4}, {2, 3});
  return out;
}

std::optional<GridSlice> parseSlice(std::string_view text, std::span<const uint64_t> shape) {
  const auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return part;
  };
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  GridSlice out;
  std::vector<std::size_t> shown;
  for (std::size_t axis = 0;; ++axis) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    if (axis >= shape.size()) return std::nullopt;
    out.at.push_back(0);
    if (part == ":") {
      shown.push_back(axis);
    } else if (const auto number = parseNumber(part); number && *number < shape[axis]) {
      out.at.back() = *number;
    } else {
      return std::nullopt;
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (out.at.size() != shape.size() || shown.empty() || shown.size() > 2) return std::nullopt;
  out.columns = {shown.back()};
  if (shown.size() == 2) out.rows = {shown.front()};
  return out;
}

std::string sliceText(const GridSlice& slice) {
  std::string out = "[";
  for (std::size_t axis = 0; axis < slice.at.size(); ++axis) {
    const bool varies = std::ranges::count(slice.rows, axis) + std::ranges::count(slice.columns, axis) > 0;
    out += (axis > 0 ? ", " : "") + (varies ? ":" : std::to_string(slice.at[axis]));
  }
  return out + "]";
}

std::string placeText(std::span<const uint64_t> place) {
  std::string out = "[";
  for (const uint64_t index : place) out += (out.size() > 1 ? ", " : "") + std::to_string(index);
  return out + "]";
}

std::pair<double, double> GridSummary::limits() const {
  if (isSigned()) {
    const double most = std::max(-low, high);
    return {-most, most};
  }
  if (low < high) return {low, high};
  // All values are equal, or nearly all.
  const double around = low == 0 ? 1 : std::fabs(low) / 2;
  return {low - around, low + around};
}

GridMap mapOf(const GridPage& page) {
  return GridMap(page.shape, page.slice ? *page.slice : slicesOf(page.shape).front());
}

} // namespace blobscope::view
