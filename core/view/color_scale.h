#pragma once

#include <cstdint>

namespace blobscope::view {

/// Colours for numbers.
enum class ColorScale : uint8_t {
  Signed,     ///< diverges from the middle, for a light background: Vik
  SignedDark, ///< the same for a dark background: Berlin
  Plain       ///< from dark to bright: Cividis
};

/// The colour of a number as 0xRRGGBB; `part`: 0 for the least, 1 for the greatest number, others are clamped.
uint32_t scaleColor(ColorScale scale, double part);

} // namespace blobscope::view
