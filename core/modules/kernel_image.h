#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::modules {

/// What is known about the code of a kernel for one kind of device. Values that the code does not record are empty.
struct KernelCode {
  bool found = false; ///< the image has the kernel; else nothing below is known
  std::optional<uint64_t> codeBytes;
  std::optional<uint32_t> registers;    ///< per thread
  std::optional<uint64_t> sharedBytes;  ///< static, per block
  std::optional<uint64_t> stackBytes;   ///< per thread, with the functions that the kernel calls
  std::optional<uint64_t> localBytes;   ///< local memory per thread of the kernel itself: its frame, or scratch
  std::optional<uint64_t> blockThreads; ///< of the largest block that it was compiled for
  bool tensorCores = false;             ///< matrix instructions, for all kinds of devices
  bool shuffles = false;                ///< exchanges values between the threads of a warp or subgroup
  bool clusters = false;
};

/// The code of all kernels of a module for one kind of device.
struct KernelImage {
  std::string architecture;        ///< "sm_89", "gfx1100"; empty for code that is not for one kind of device
  std::optional<uint32_t> sm;      ///< 89
  bool machineCode = false;        ///< else a driver compiles it, so that there are no registers
  std::vector<KernelCode> kernels; ///< one per kernel, in the order of Body::kernels()
};

} // namespace blobscope::modules
