#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the OpenCL back end does with a module's text before a compiler sees it. Facts: core/formats/host-abi.md 4.3.
namespace blobscope::runner {

/// The part of a module's source that has the kernel: from its line `// Function: NAME` to the next such line; all of
/// it when there are no such lines (before 0.8). Nothing when there are and none names the kernel.
std::optional<std::string_view> kernelSource(std::string_view source, std::string_view kernel);

/// A parameter as the source declares it.
struct SourceParameter {
  std::string text;  ///< "__global half* restrict A"
  std::string image; ///< "image2d_t", empty for what is no image
  bool isPointer = false;
  bool isHalf = false; ///< `half`, `half4` …, pointed to or by value
};

/// The parameters of the kernel's first declaration or definition, comments left out. Nothing when it is not found.
std::optional<std::vector<SourceParameter>> sourceParameters(std::string_view source, std::string_view kernel);

/// Whether the text names a type of fp16: `half`, `half4` ….
bool usesHalf(std::string_view source);

/// The text of a kernel that computes in float32 what it says in fp16, for devices that have no fp16 (4.3, "widened
/// mode"): without the lines that ask for the extension, and with `half`, `halfN`, `convert_halfN` and `as_halfN`
/// defined as their float forms. `reason` says why it cannot be had, when the result is nothing: the text reads or
/// writes fp16 in memory by name (vload_half), which would not be widened.
std::optional<std::string> widenedSource(std::string_view source, std::string& reason);

/// What kernels of widened mode are labelled with.
constexpr std::string_view kWidenedLabel = "computed in float32, not the device's fp16";

} // namespace blobscope::runner
