#include "core/view/color_scale.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace blobscope::view {
namespace {

// Support points of the maps at equal distances. Sources: Fabio Crameri, Scientific colour maps 8.0, vik and berlin;
// Jamie Nunez, Christopher Anderton, Ryan Renslow, PLoS ONE 13(7), 2018, cividis.
constexpr uint32_t kVik[] = {0x001261, 0x033e7d, 0x1e6f9d, 0x71a8c4, 0xc9dde7, 0xece5e0,
                             0xeacebd, 0xd39774, 0xbe6533, 0x8b2706, 0x590008};
constexpr uint32_t kBerlin[] = {0x9eb0ff, 0x5ba4db, 0x2d75a0, 0x1a4256, 0x11191e, 0x130c0a,
                                0x280d01, 0x501803, 0x8a3f2a, 0xc4756a, 0xffadad};
constexpr uint32_t kCividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                                 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838};

} // namespace

uint32_t scaleColor(ColorScale scale, double part) {
  const std::span<const uint32_t> points = scale == ColorScale::Signed       ? std::span<const uint32_t>(kVik)
                                           : scale == ColorScale::SignedDark ? std::span<const uint32_t>(kBerlin)
                                                                             : std::span<const uint32_t>(kCividis);
  const double at = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) * static_cast<double>(points.size() - 1) : 0;
  const std::size_t left = std::min(static_cast<std::size_t>(at), points.size() - 2);
  const double share = at - static_cast<double>(left);
  uint32_t out = 0;
  for (const unsigned shift : {16u, 8u, 0u}) {
    const double from = points[left] >> shift & 0xff, to = points[left + 1] >> shift & 0xff;
    out |= static_cast<uint32_t>(from * (1 - share) + to * share + 0.5) << shift;
  }
  return out;
}

} // namespace blobscope::view
