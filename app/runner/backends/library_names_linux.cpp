#include "app/runner/backends/loader.h"

namespace blobscope::runner::loader {

std::string libraryFileName(std::string_view name) { return "lib" + std::string(name) + ".so"; }

std::string driverName(std::string_view backend) {
  return backend == "cuda" ? "libcuda.so.1" : backend == "vulkan" ? "libvulkan.so.1" : "libOpenCL.so.1";
}

} // namespace blobscope::runner::loader
