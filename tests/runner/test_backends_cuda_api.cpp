// Our declarations against those of the CUDA toolkit, where it is installed. Ours first: the toolkit's are macros.
#include "app/runner/backends/cuda/api.h"

#if defined(BLOBSCOPE_CUDA_TOOLKIT)
#include <cuda.h>
#include <nvrtc.h>

namespace own = blobscope::runner::cuda;

static_assert(sizeof(CUlaunchAttribute) == sizeof(own::LaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(own::LaunchAttribute, value));
static_assert(sizeof(CUlaunchConfig) == sizeof(own::LaunchConfig));
static_assert(offsetof(CUlaunchConfig, gridDimX) == offsetof(own::LaunchConfig, grid));
static_assert(offsetof(CUlaunchConfig, blockDimX) == offsetof(own::LaunchConfig, block));
static_assert(offsetof(CUlaunchConfig, sharedMemBytes) == offsetof(own::LaunchConfig, sharedBytes));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(own::LaunchConfig, stream));
static_assert(offsetof(CUlaunchConfig, attrs) == offsetof(own::LaunchConfig, attributes));
static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(own::LaunchConfig, attributeCount));
static_assert(sizeof(CUdevice) == sizeof(own::Device) && sizeof(CUdeviceptr) == sizeof(own::Address));
static_assert(sizeof(CUresult) == sizeof(own::Status) && sizeof(CUuuid) == sizeof(own::Uuid));
static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) >= 64);
static_assert(sizeof(nvrtcResult) == sizeof(int) && sizeof(nvrtcProgram) == sizeof(own::Program));

static_assert(CUDA_SUCCESS == own::kSuccess && CUDA_ERROR_INVALID_VALUE == own::kInvalidValue);
static_assert(CUDA_ERROR_OUT_OF_MEMORY == own::kOutOfMemory && CUDA_ERROR_STUB_LIBRARY == own::kStubLibrary);
static_assert(CUDA_ERROR_NO_DEVICE == own::kNoDevice && CUDA_ERROR_INVALID_DEVICE == own::kInvalidDevice);
static_assert(CUDA_ERROR_INVALID_IMAGE == own::kInvalidImage && CUDA_ERROR_NO_BINARY_FOR_GPU == own::kNoBinary);
static_assert(CUDA_ERROR_INVALID_PTX == own::kInvalidPtx && CUDA_ERROR_JIT_COMPILER_NOT_FOUND == own::kNoJit);
static_assert(CUDA_ERROR_UNSUPPORTED_PTX_VERSION == own::kPtxTooNew && CUDA_ERROR_NOT_FOUND == own::kNotFound);
static_assert(CUDA_ERROR_ILLEGAL_ADDRESS == own::kIllegalAddress &&
              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES == own::kOutOfResources);
static_assert(CUDA_ERROR_LAUNCH_TIMEOUT == own::kLaunchTimeout && CUDA_ERROR_ASSERT == own::kAssert);
static_assert(CUDA_ERROR_HARDWARE_STACK_ERROR == own::kHardwareStack && CUDA_ERROR_ILLEGAL_INSTRUCTION == 715);
static_assert(CUDA_ERROR_MISALIGNED_ADDRESS == 716 && CUDA_ERROR_INVALID_ADDRESS_SPACE == 717 &&
              CUDA_ERROR_INVALID_PC == 718);
static_assert(CUDA_ERROR_LAUNCH_FAILED == own::kLaunchFailed);

static_assert(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK == own::kMaxThreads &&
              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X == own::kMaxBlockX);
static_assert(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z == own::kMaxBlockX + 2 &&
              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X == own::kMaxGridX);
static_assert(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z == own::kMaxGridX + 2);
static_assert(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK == own::kSharedBytes &&
              CU_DEVICE_ATTRIBUTE_CLOCK_RATE == own::kClockKHz);
static_assert(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == own::kMultiprocessors);
static_assert(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT == own::kExecutionTimeout);
static_assert(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE == own::kMemoryClockKHz &&
              CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE == own::kL2Bytes);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == own::kMajor &&
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == own::kMinor);
static_assert(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH == own::kCooperative);
static_assert(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == own::kSharedOptIn);
static_assert(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK == own::kSharedReserved);
static_assert(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH == own::kClusters);

static_assert(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK == own::kFunctionThreads &&
              CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == own::kFunctionShared);
static_assert(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES == own::kFunctionConstant &&
              CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES == own::kFunctionLocal);
static_assert(CU_FUNC_ATTRIBUTE_NUM_REGS == own::kFunctionRegisters &&
              CU_FUNC_ATTRIBUTE_PTX_VERSION == own::kFunctionPtx);
static_assert(CU_FUNC_ATTRIBUTE_BINARY_VERSION == own::kFunctionBinary);
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == own::kFunctionDynamicShared);

static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == own::kAttributeCooperative &&
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == own::kAttributeCluster);
static_assert(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION == own::kAttributeProgrammatic);
static_assert(CU_JIT_INFO_LOG_BUFFER == own::kJitInfoLog && CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES == own::kJitInfoBytes);
static_assert(CU_JIT_ERROR_LOG_BUFFER == own::kJitErrorLog &&
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == own::kJitErrorBytes);
#endif
