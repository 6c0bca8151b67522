#pragma once

#include <string>

namespace blobscope::protocol {

/// The shortest digits that give the same number, with a short exponent: "2e-3", "0.5".
std::string plainNumber(double value);
/// The number with two digits: "1.7e-3", "0.25", "12"; whole numbers below 10^6 are not rounded.
std::string roundedNumber(double value);
/// Microseconds in a suitable unit: "4.25 µs", "1.3 ms", "2 s".
std::string durationText(double microseconds);

} // namespace blobscope::protocol
