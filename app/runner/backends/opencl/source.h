#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Processing of a module's text before the compiler gets it. Facts: core/formats/host-abi.md 4.3.
namespace blobscope::runner {

/// Returns the part of a module's source that contains the kernel: from its line `// Function: NAME` to the next such
/// line; the whole source if there are no such lines (before 0.8). Nothing if there are such lines and none names the
/// kernel.
std::optional<std::string_view> kernelSource(std::string_view source, std::string_view kernel);

/// A parameter as the source declares it.
struct SourceParameter {
  std::string text;  ///< "__global half* restrict A"
  std::string image; ///< "image2d_t"; empty if it is not an image
  bool isPointer = false;
  bool isHalf = false; ///< `half`, `half4` …, as pointer or by value
};

/// Returns the parameters of the kernel's first declaration or definition, without comments. Nothing if it is not
/// found.
std::optional<std::vector<SourceParameter>> sourceParameters(std::string_view source, std::string_view kernel);

/// Returns whether the text contains an fp16 type: `half`, `half4` ….
bool usesHalf(std::string_view source);

/// Returns the text of a kernel that computes in float32 instead of fp16, for devices without fp16 (4.3, "widened
/// mode"): without the lines that enable the extension, and with `half`, `halfN`, `convert_halfN` and `as_halfN`
/// defined as their float forms. If the result is nothing, `reason` says why this is impossible: the text explicitly
/// reads or writes fp16 in memory (vload_half), which would not be widened.
std::optional<std::string> widenedSource(std::string_view source, std::string& reason);

/// Label of kernels in widened mode.
constexpr std::string_view kWidenedLabel = "computed in float32, not the device's fp16";

} // namespace blobscope::runner
