#include "core/protocol/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace blobscope::protocol {
namespace {

/// Shortens exponents: "1e-05" → "1e-5", "1e+03" → "1e3".
std::string withShortExponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  if (text[e + 1] == '+') text.erase(e + 1, 1);
  const std::size_t digits = text[e + 1] == '-' ? e + 2 : e + 1;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

std::string nonFinite(double value) { return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf"; }

/// The number with `digits` significant digits, without zeros at the end.
std::string general(double value, int digits) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
  return withShortExponent({text.data(), end});
}

} // namespace

std::string plainNumber(double value) {
  if (!std::isfinite(value)) return nonFinite(value);
  std::array<char, 64> text;
  const double magnitude = std::fabs(value);
  const auto format = magnitude == 0 || (magnitude >= 0.1 && magnitude < 1e6) ? std::chars_format::fixed
                                                                              : std::chars_format::scientific;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
  return withShortExponent({text.data(), end});
}

std::string roundedNumber(double value) {
  if (!std::isfinite(value)) return nonFinite(value);
  const double magnitude = std::fabs(value);
  if (magnitude < 1e6 && std::trunc(value) == value) return plainNumber(value);
  if (magnitude >= 0.1 && magnitude < 100) return general(value, 2);
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 1).ptr;
  std::string out = withShortExponent({text.data(), end});
  if (const std::size_t zero = out.find(".0e"); zero != std::string::npos) out.erase(zero, 2);
  return out;
}

std::string durationText(double microseconds) {
  if (!std::isfinite(microseconds)) return nonFinite(microseconds);
  const double magnitude = std::fabs(microseconds);
  if (magnitude >= 1e9) return plainNumber(std::round(microseconds / 1e6)) + " s";
  if (magnitude >= 1e6) return general(microseconds / 1e6, 4) + " s";
  if (magnitude >= 1e3) return general(microseconds / 1e3, 4) + " ms";
  return general(microseconds, 4) + " µs";
}

} // namespace blobscope::protocol
