#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Whether a device can run what a CUDA module holds, told before anything is loaded. Source of the rules:
/// core/formats/cuda-binaries.md 6.
namespace blobscope::runner::cuda {

/// What an image is held against.
struct Target {
  uint32_t sm = 0;       ///< 90 for compute capability 9.0
  int driverVersion = 0; ///< 13000 is CUDA 13.0
  std::string device;    ///< "NVIDIA H200"

  /// "NVIDIA H200 (sm_90)".
  std::string text() const;
};

/// Whether machine code for "sm_89", "sm_90a" or "sm_100f" runs there: plain within its major number and upwards, `a`
/// on exactly that device, `f` like plain ones. False for text of another form.
bool cubinRuns(std::string_view architecture, const Target& target);
/// The same for PTX with that target and version "7.8": on all later devices, `a` on exactly that one, as far as the
/// driver's version of CUDA knows the version. Versions of drivers that are newer than this program are taken to know
/// it.
bool ptxRuns(std::string_view architecture, std::string_view version, const Target& target);

/// Whether the bytes are CUDA C, which has to be compiled first: told by the module's format or by its content.
bool isCudaSource(const Bytes& image, std::string_view format);

/// RUN-IMAGE with what the image holds when no part of it runs on the device; bytes, not the declared format, decide.
Result<Done> checkImage(const Bytes& image, std::string_view kernel, const Target& target);

} // namespace blobscope::runner::cuda
