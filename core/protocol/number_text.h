#pragma once

#include <string>

namespace blobscope::protocol {

/// The shortest digits that give the same number, without signs and zeros that an exponent does not need: "2e-3",
/// "0.5".
std::string plainNumber(double value);
/// Two digits of it: "1.7e-3", "0.25", "12"; whole numbers below 10^6 as they are.
std::string roundedNumber(double value);
/// Microseconds in the unit that suits: "4.25 µs", "1.3 ms", "2 s".
std::string durationText(double microseconds);

} // namespace blobscope::protocol
