#pragma once

#include <QVector>

#include <cmath>

namespace blobscope::ui {

/// The places of the lines of an axis from `low` to `high`: multiples of 1, 2 or 5 times a power of ten, about
/// `steps` of them, and never more than 50.
inline QVector<double> axisTicks(double low, double high, int steps) {
  const double raw = (high - low) / steps;
  double step = 1;
  if (raw > 0 && std::isfinite(raw)) {
    const double power = std::pow(10, std::floor(std::log10(raw)));
    step = raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power;
  }
  QVector<double> out;
  for (double number = std::ceil(low / step); number * step <= high && out.size() < 50; ++number) out << number * step;
  return out;
}

} // namespace blobscope::ui
