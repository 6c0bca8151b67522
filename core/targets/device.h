#pragma once

#include "core/base/result.h"
#include "core/targets/facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

/// A device on which the kernels of a library may run.
struct Device {
  enum class Kind : uint8_t { Cuda, Rocm, Vulkan, OpenCl, Metal, WebGpu };
  Kind kind = Kind::Cuda;
  std::string name;  ///< as the user writes it: "sm_90,driver=580", "gfx1100", "vulkan:1.3"
  std::string title; ///< "sm_90 · NVIDIA H100 · driver 580"

  const GpuArchitecture* gpu = nullptr; ///< of Cuda; in the facts that made it
  std::optional<uint32_t> driver;       ///< of Cuda: driver branch, 580
  std::optional<uint32_t> ptx;          ///< of Cuda: the newest PTX version that this driver compiles; 90 for 9.0
  std::string gfx;                      ///< of Rocm: "gfx1100"
  std::vector<std::string> gfxFeatures; ///< of Rocm, as far as stated: "xnack-", "sramecc+"
  std::optional<uint32_t> spirv;        ///< of Vulkan: the newest SPIR-V version, 0x00010500
  std::optional<uint64_t> sharedBytes, threads, pushConstants, storageBuffers; ///< limits, where they are known
  std::vector<std::string> features; ///< "shaderFloat16", "shader-f16", "cl_khr_fp16"
  bool featuresKnown = false;        ///< `features` is complete
  FactsPtr facts;                    ///< keeps `gpu` alive
};

/// Reads "sm_90", "sm_90,driver=580", "sm_90,cuda=12.4", "gfx1100", "gfx90a:sramecc+:xnack-", "vulkan:1.3", "opencl",
/// "metal", "webgpu", each with options after commas: "vulkan:1.3,shaderFloat16". Error: PRE-DEVICE with what exists.
Result<Device> parseDevice(const FactsPtr& facts, std::string_view text);

/// How a device runs a CUDA image or PTX.
struct CudaImage {
  bool ptx = false;
  std::string target;      ///< "sm_90a"
  uint32_t ptxVersion = 0; ///< 84 for 8.4; 0 for a cubin
};
enum class CudaFit : uint8_t { Native, Compiled, DriverTooOld, No };
/// Source: core/formats/load-requirements.md.
CudaFit cudaFit(const CudaImage& image, const Device& device);
/// The first driver branch that runs the image on that GPU; nothing when none does.
std::optional<uint32_t> minimumDriver(const CudaImage& image, const GpuArchitecture& gpu, const Facts& facts);

/// Whether code for a generic processor, "gfx11-generic", runs on an AMD GPU. Source: llvm/llvm-project
/// llvmorg-19.1.7 llvm/docs/AMDGPUUsage.rst, "Generic Processor Table".
bool isInGenericGfx(std::string_view gfx, std::string_view generic);

} // namespace blobscope::targets
