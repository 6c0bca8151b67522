#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Decides whether a device can run the content of a CUDA module, before anything is loaded. Source of the rules:
/// core/formats/cuda-binaries.md 6.
namespace blobscope::runner::cuda {

/// The device for which an image is checked.
struct Target {
  uint32_t sm = 0;       ///< 90 for compute capability 9.0
  int driverVersion = 0; ///< 13000 is CUDA 13.0
  std::string device;    ///< "NVIDIA H200"

  /// Returns "NVIDIA H200 (sm_90)".
  std::string text() const;
};

/// Returns whether machine code for "sm_89", "sm_90a" or "sm_100f" runs there: plain code runs within its major number
/// and upwards, `a` only on exactly that device, `f` like plain code. False for text of another form.
bool cubinRuns(std::string_view architecture, const Target& target);
/// Returns the same for PTX with that target and version "7.8": it runs on all later devices, `a` only on exactly that
/// one, provided that the driver's version of CUDA supports the PTX version. Drivers that are newer than this program
/// are assumed to support it.
bool ptxRuns(std::string_view architecture, std::string_view version, const Target& target);

/// Returns whether the bytes are CUDA C, which has to be compiled first, according to the module's format or its
/// content.
bool isCudaSource(const Bytes& image, std::string_view format);

/// Returns RUN-IMAGE with the content of the image if no part of it runs on the device. The bytes decide, not the
/// declared format.
Result<Done> checkImage(const Bytes& image, std::string_view kernel, const Target& target);

} // namespace blobscope::runner::cuda
