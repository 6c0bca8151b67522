#include "app/runner/backends/host/memory.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::runner {

uint64_t overwritten(std::span<const std::byte> zone) {
  return zone.size() - static_cast<uint64_t>(std::count(zone.begin(), zone.end(), kRedZoneByte));
}

std::optional<uint64_t> HandleSpace::take(uint64_t bytes) {
  if (bytes > kEnd - kFirst || m_next >= kEnd - bytes - kGap) return std::nullopt;
  const uint64_t handle = m_next;
  m_next += bytes + kGap;
  m_next += (kAlignment - m_next % kAlignment) % kAlignment;
  return handle;
}

Error argumentError(std::string_view kernel, std::size_t index, const std::string& reason) {
  return {DiagnosticId::RunArgument, {arg("index", uint64_t{index}), arg("name", kernel), arg("reason", reason)}};
}

Error memoryError(uint64_t bytes, uint64_t limit) {
  return {DiagnosticId::RunMemory, {sizeArg("size", bytes), sizeArg("limit", limit)}};
}

Error limitError(const std::string& what, const std::string& value, const std::string& limit, std::string_view device) {
  return {DiagnosticId::RunLimit, {arg("what", what), arg("value", value), arg("limit", limit), arg("device", device)}};
}

std::optional<Error> extentError(std::string_view what, const std::array<uint64_t, 3>& extents,
                                 const std::array<uint64_t, 3>& limits, std::string_view device) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (extents[axis] > limits[axis])
      return limitError(std::string(what) + '.' + "xyz"[axis], groupedText(extents[axis]), groupedText(limits[axis]),
                        device);
  return std::nullopt;
}

uint64_t productOf(const std::array<uint64_t, 3>& extents) {
  uint64_t product = 1;
  for (const uint64_t extent : extents)
    if (__builtin_mul_overflow(product, extent, &product)) return UINT64_MAX;
  return product;
}

std::string extentsText(const std::array<uint64_t, 3>& extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

namespace {

/// Returns the non-empty lines of a log, without what C code writes after its end.
std::vector<std::string_view> linesOf(std::string_view log) {
  std::vector<std::string_view> lines;
  log = log.substr(0, log.find('\0'));
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

std::string joined(std::string_view log, std::string_view separator, std::size_t limit) {
  std::string out;
  for (const std::string_view line : linesOf(log)) {
    if (out.size() > limit) break;
    if (!out.empty()) out += separator;
    out += escapedWithin(line, limit);
  }
  return shortened(out, limit);
}

} // namespace

std::string logLine(std::string_view log) {
  // "module.cu(3): error: …" of NVRTC, "error: …" of OpenCL compilers, "ptxas fatal : …".
  for (std::string_view rest = log; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos) {
      log = rest;
      break;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return joined(log, " | ", 2000);
}
std::string logText(std::string_view log) { return joined(log, "\n", 16'384); }

std::string listText(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string_view> distinct;
  for (const std::string& word : words)
    if (std::find(distinct.begin(), distinct.end(), word) == distinct.end()) distinct.push_back(word);
  std::string out;
  for (std::size_t i = 0; i < distinct.size() && i < kShown; ++i) {
    if (i > 0) out += i + 1 == distinct.size() ? " and " : ", ";
    out += distinct[i];
  }
  if (distinct.size() > kShown) out += " and " + std::to_string(distinct.size() - kShown) + " more";
  return out;
}

Result<Done> checkArguments(std::string_view kernel, const std::vector<KernelParameter>& parameters,
                            const Launch& launch) {
  if (launch.arguments.size() == parameters.size()) return Done{};
  return argumentError(kernel, std::min(launch.arguments.size(), parameters.size()),
                       "the launch passes " + std::to_string(launch.arguments.size()) +
                           " arguments, but the table has " + std::to_string(parameters.size()));
}

} // namespace blobscope::runner
