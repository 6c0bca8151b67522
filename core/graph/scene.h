#pragma once

#include "core/graph/layout.h"
#include "core/graph/picture.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::graph {

/// What the colours of the boxes mean.
enum class Colouring : uint8_t { Operator, Bytes, Device, Mark };

/// A colour of boxes.
struct LegendRow {
  std::string name;
  uint8_t hue = 0;     ///< number of a colour; kGrey for what has none of its own
  double strength = 1; ///< of the colour: steps of one hue for Colouring::Bytes
  uint64_t nodes = 0;  ///< that have it, those of stacks counted one by one
  static constexpr uint8_t kHues = 5, kGrey = 5, kAdded = 6, kRemoved = 7, kChanged = 8;
};
struct Colours {
  std::vector<LegendRow> rows;
  std::vector<uint32_t> rowOf; ///< of each box
};
/// Groups and devices get hues by their number of nodes, the most frequent first; those after the fifth, and values,
/// are grey. Sizes are divided into five steps, each up to a quarter of the next.
Colours coloursOf(const view::GraphPage& page, const Picture& picture, Colouring colouring);

/// Widths of texts in the unit of the boxes. Any thread may call them.
struct TextWidths {
  std::function<double(std::string_view)> title, note;
  double boxHeight = 22;
};
/// Estimates for a font of 12 units without serifs.
TextWidths estimatedWidths();

/// A picture with the place of everything in it. Immutable.
struct Scene {
  Picture picture;
  Layout layout;
  bool sideways = false;
};
/// Returns a smooth line through the points of a route: the first point, then three points for each cubic curve. The
/// line leaves and enters each point across the layers.
std::vector<Point> curveOf(std::span<const Point> route, bool sideways);
/// Distance of a note from its box.
constexpr double kNoteGap = 6;
/// The text in a box of several blocks: "× 5".
std::string timesText(uint32_t blocks);

/// Error: only Cancelled.
Result<std::shared_ptr<const Scene>> makeScene(const view::GraphPage& page, const std::vector<Stack>& stacks,
                                               const PictureOptions& options, const TextWidths& widths,
                                               Monitor& monitor);

} // namespace blobscope::graph
