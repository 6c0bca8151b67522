#pragma once

#include "app/runner/backends/dynamic_library.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>

/// Our own declarations for the CUDA driver and for NVRTC, so that every build can load them at run time. Sources:
/// core/formats/host-abi.md 4.1 and core/formats/cuda-binaries.md 7; tests/runner/test_backends_cuda_api.cpp compares
/// names, numbers and sizes with cuda.h and nvrtc.h where the CUDA toolkit is installed.
namespace blobscope::runner::cuda {

using Status = int;       ///< CUresult
using Device = int;       ///< CUdevice
using Address = uint64_t; ///< CUdeviceptr
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;

/// CUlaunchAttribute.
struct LaunchAttribute {
  uint32_t id = 0;
  uint32_t padding = 0;
  union Value {
    unsigned char bytes[64] = {};
    uint32_t extents[3];
    int32_t flag;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  uint32_t attributeCount = 0;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32 &&
              offsetof(LaunchConfig, attributeCount) == 48);

struct Uuid {
  unsigned char bytes[16] = {};
};

// CUresult.
constexpr Status kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kStubLibrary = 34, kNoDevice = 100,
                 kInvalidDevice = 101, kInvalidImage = 200, kNoBinary = 209, kInvalidPtx = 218, kNoJit = 221,
                 kPtxTooNew = 222, kNotFound = 500, kIllegalAddress = 700, kOutOfResources = 701, kLaunchTimeout = 702,
                 kAssert = 710, kHardwareStack = 714, kLaunchFailed = 719;
// CUdevice_attribute.
constexpr int kMaxThreads = 1, kMaxBlockX = 2, kMaxGridX = 5, kSharedBytes = 8, kClockKHz = 13, kMultiprocessors = 16,
              kExecutionTimeout = 17, kMemoryClockKHz = 36, kL2Bytes = 38, kMajor = 75, kMinor = 76, kCooperative = 95,
              kSharedOptIn = 97, kSharedReserved = 111, kClusters = 120;
// CUfunction_attribute.
constexpr int kFunctionThreads = 0, kFunctionShared = 1, kFunctionConstant = 2, kFunctionLocal = 3,
              kFunctionRegisters = 4, kFunctionPtx = 5, kFunctionBinary = 6, kFunctionDynamicShared = 8;
// CUlaunchAttributeID.
constexpr uint32_t kAttributeCooperative = 2, kAttributeCluster = 4, kAttributeProgrammatic = 6;
// CUjit_option.
constexpr int kJitInfoLog = 3, kJitInfoBytes = 4, kJitErrorLog = 5, kJitErrorBytes = 6;

// Exact names: names without a suffix have the same meaning in all drivers since CUDA 11 (core/formats/host-abi.md
// 4.1).
#define BLOBSCOPE_CUDA_REQUIRED(X)                                                                                     \
  X(cuInit, unsigned)                                                                                                  \
  X(cuDriverGetVersion, int*)                                                                                          \
  X(cuDeviceGetCount, int*)                                                                                            \
  X(cuDeviceGet, Device*, int)                                                                                         \
  X(cuDeviceGetName, char*, int, Device)                                                                               \
  X(cuDeviceGetAttribute, int*, int, Device)                                                                           \
  X(cuDeviceTotalMem_v2, std::size_t*, Device)                                                                         \
  X(cuDevicePrimaryCtxRetain, Context*, Device)                                                                        \
  X(cuDevicePrimaryCtxRelease_v2, Device)                                                                              \
  X(cuCtxSetCurrent, Context)                                                                                          \
  X(cuCtxSynchronize, void)                                                                                            \
  X(cuModuleLoadDataEx, Module*, const void*, unsigned, int*, void**)                                                  \
  X(cuModuleUnload, Module)                                                                                            \
  X(cuModuleGetFunction, Function*, Module, const char*)                                                               \
  X(cuModuleGetGlobal_v2, Address*, std::size_t*, Module, const char*)                                                 \
  X(cuFuncGetAttribute, int*, int, Function)                                                                           \
  X(cuFuncSetAttribute, Function, int, int)                                                                            \
  X(cuLaunchKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,    \
    void**)                                                                                                            \
  X(cuMemAlloc_v2, Address*, std::size_t)                                                                              \
  X(cuMemFree_v2, Address)                                                                                             \
  X(cuMemGetInfo_v2, std::size_t*, std::size_t*)                                                                       \
  X(cuMemcpyHtoD_v2, Address, const void*, std::size_t)                                                                \
  X(cuMemcpyDtoH_v2, void*, Address, std::size_t)                                                                      \
  X(cuMemsetD8_v2, Address, unsigned char, std::size_t)                                                                \
  X(cuMemsetD32_v2, Address, unsigned, std::size_t)                                                                    \
  X(cuStreamCreate, Stream*, unsigned)                                                                                 \
  X(cuStreamSynchronize, Stream)                                                                                       \
  X(cuStreamDestroy_v2, Stream)                                                                                        \
  X(cuEventCreate, Event*, unsigned)                                                                                   \
  X(cuEventRecord, Event, Stream)                                                                                      \
  X(cuEventSynchronize, Event)                                                                                         \
  X(cuEventElapsedTime, float*, Event, Event)                                                                          \
  X(cuEventDestroy_v2, Event)                                                                                          \
  X(cuGetErrorName, Status, const char**)                                                                              \
  X(cuGetErrorString, Status, const char**)

#define BLOBSCOPE_CUDA_OPTIONAL(X)                                                                                     \
  X(cuLaunchKernelEx, const LaunchConfig*, Function, void**, void**)                                                   \
  X(cuLaunchCooperativeKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, \
    void**)                                                                                                            \
  X(cuFuncGetParamInfo, Function, std::size_t, std::size_t*, std::size_t*)                                             \
  X(cuDeviceGetUuid_v2, Uuid*, Device)

/// The driver's functions; the optional ones may be null.
struct Driver {
#define BLOBSCOPE_CUDA_MEMBER(name, ...) Status (*name)(__VA_ARGS__) = nullptr;
  BLOBSCOPE_CUDA_REQUIRED(BLOBSCOPE_CUDA_MEMBER)
  BLOBSCOPE_CUDA_OPTIONAL(BLOBSCOPE_CUDA_MEMBER)
#undef BLOBSCOPE_CUDA_MEMBER
  std::string path;
  int version = 0; ///< CUDA version that it supports: 13000 is 13.0

  /// Returns "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected".
  std::string reason(Status status) const;
  /// Returns RUN-CALL.
  Error error(const char* call, Status status, std::string more = {}) const;
};

/// Opens the driver's library, finds its functions and initializes it. Errors: RUN-NO-DRIVER, RUN-DRIVER-SYMBOL,
/// RUN-NO-DEVICE.
Result<std::shared_ptr<const Driver>> openDriver(const std::string& path);

using Program = struct ProgramTag*; ///< nvrtcProgram

#define BLOBSCOPE_NVRTC_REQUIRED(X)                                                                                    \
  X(nvrtcVersion, int*, int*)                                                                                          \
  X(nvrtcCreateProgram, Program*, const char*, const char*, int, const char* const*, const char* const*)               \
  X(nvrtcCompileProgram, Program, int, const char* const*)                                                             \
  X(nvrtcGetProgramLogSize, Program, std::size_t*)                                                                     \
  X(nvrtcGetProgramLog, Program, char*)                                                                                \
  X(nvrtcGetPTXSize, Program, std::size_t*)                                                                            \
  X(nvrtcGetPTX, Program, char*)                                                                                       \
  X(nvrtcDestroyProgram, Program*)

// Since 11.1 and 11.2.
#define BLOBSCOPE_NVRTC_OPTIONAL(X)                                                                                    \
  X(nvrtcGetCUBINSize, Program, std::size_t*)                                                                          \
  X(nvrtcGetCUBIN, Program, char*)                                                                                     \
  X(nvrtcGetNumSupportedArchs, int*)                                                                                   \
  X(nvrtcGetSupportedArchs, int*)

/// NVRTC's functions; results are nvrtcResult, 0 for success.
struct NvrtcApi {
#define BLOBSCOPE_NVRTC_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  BLOBSCOPE_NVRTC_REQUIRED(BLOBSCOPE_NVRTC_MEMBER)
  BLOBSCOPE_NVRTC_OPTIONAL(BLOBSCOPE_NVRTC_MEMBER)
#undef BLOBSCOPE_NVRTC_MEMBER
};

} // namespace blobscope::runner::cuda
