#include "app/runner/backends/loader.h"

namespace blobscope::runner::loader {

std::string libraryFileName(std::string_view name) { return "lib" + std::string(name) + ".so"; }

std::string driverName(std::string_view backend) {
  return backend == "cuda" ? "libcuda.so.1" : backend == "vulkan" ? "libvulkan.so.1" : "libOpenCL.so.1";
}

std::string_view driverHelp(std::string_view backend) {
  if (backend == "vulkan")
    return "install the loader (Debian: libvulkan1) and a driver: that of the graphics card, or mesa-vulkan-drivers, "
           "which runs kernels on the CPU";
  return "install the loader (Debian: ocl-icd-libopencl1) and a driver: that of the graphics card, or "
         "pocl-opencl-icd, which runs kernels on the CPU";
}

} // namespace blobscope::runner::loader
