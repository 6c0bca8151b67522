#pragma once

#include <cmath>

namespace blobscope::ui {

/// Returns 1, 2 or 5 times a power of ten, so that at most `maximum` steps fill `width`.
inline double axisStep(double width, int maximum) {
  const double raw = width / maximum;
  if (!(raw > 0) || !std::isfinite(raw)) return 1;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

} // namespace blobscope::ui
