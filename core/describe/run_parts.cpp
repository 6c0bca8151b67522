#include "core/describe/run_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace blobscope::describe {

std::string numberText(const char* format, double value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

std::string realText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  std::string out = numberText("%.6G", value);
  if (out.find_first_not_of("-0123456789.") != std::string::npos) return out;
  const std::size_t first = out.front() == '-' ? 1 : 0;
  for (std::size_t at = std::min(out.find('.'), out.size()); at > first + 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

view::DetailRow row(std::string label, std::string value, bool code) {
  return {std::move(label), std::move(value), code, std::nullopt, std::nullopt};
}

} // namespace blobscope::describe
