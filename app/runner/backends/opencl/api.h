#pragma once

#include "app/runner/backends/backend.h"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

/// Functions of OpenCL 1.2, looked up in the loader by name; nothing is linked.
namespace blobscope::runner::opencl {

#define BLOBSCOPE_OPENCL(X)                                                                                            \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)                                                                                                   \
  X(clCreateContext)                                                                                                   \
  X(clReleaseContext)                                                                                                  \
  X(clCreateCommandQueue)                                                                                              \
  X(clReleaseCommandQueue)                                                                                             \
  X(clCreateBuffer)                                                                                                    \
  X(clCreateSubBuffer)                                                                                                 \
  X(clReleaseMemObject)                                                                                                \
  X(clEnqueueReadBuffer)                                                                                               \
  X(clEnqueueWriteBuffer)                                                                                              \
  X(clCreateProgramWithSource)                                                                                         \
  X(clCreateProgramWithBinary)                                                                                         \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clReleaseProgram)                                                                                                  \
  X(clCreateKernel)                                                                                                    \
  X(clReleaseKernel)                                                                                                   \
  X(clGetKernelInfo)                                                                                                   \
  X(clGetKernelWorkGroupInfo)                                                                                          \
  X(clSetKernelArg)                                                                                                    \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clFinish)                                                                                                          \
  X(clGetEventInfo)                                                                                                    \
  X(clGetEventProfilingInfo)                                                                                           \
  X(clReleaseEvent)

struct Api {
// A declared name takes no parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define BLOBSCOPE_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  BLOBSCOPE_OPENCL(BLOBSCOPE_OPENCL_MEMBER)
#undef BLOBSCOPE_OPENCL_MEMBER
  std::string path; ///< of the loader
};

/// Returns "CL_OUT_OF_RESOURCES".
std::string statusText(cl_int status);
/// Returns RUN-CALL.
Error callError(const char* call, cl_int status);
/// Errors: RUN-NO-DRIVER, RUN-DRIVER-SYMBOL.
Result<std::shared_ptr<const Api>> openApi(const std::string& path);

/// A device with the facts that a run needs.
struct DeviceFacts {
  DeviceInfo info;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  bool half = false;          ///< cl_khr_fp16
  uint64_t largestBuffer = 0; ///< bytes
  uint64_t largestGroup = 0;  ///< work items
  std::array<uint64_t, 3> largestGroups{};
  uint64_t localBytes = 0; ///< of a work group
  uint64_t alignment = 1;  ///< required alignment in bytes of the start of a sub-buffer
};

/// Returns every device of every platform in the loader's order. Errors: RUN-NO-DRIVER if there is no platform,
/// RUN-NO-DEVICE if there is no device.
Result<std::vector<DeviceFacts>> readDevices(const Api& api);

} // namespace blobscope::runner::opencl
