#include "app/runner/backends/loader.h"

namespace blobscope::runner::loader {

std::string libraryFileName(std::string_view name) { return "lib" + std::string(name) + ".dylib"; }

std::string driverName(std::string_view backend) {
  return backend == "cuda"     ? "libcuda.dylib"
         : backend == "vulkan" ? "libvulkan.1.dylib"
                               : "/System/Library/Frameworks/OpenCL.framework/OpenCL";
}

std::string_view driverHelp(std::string_view backend) {
  return backend == "vulkan" ? "install the Vulkan SDK for macOS, which contains the loader and the driver MoltenVK"
                             : "use a version of macOS that contains the framework OpenCL";
}

} // namespace blobscope::runner::loader
