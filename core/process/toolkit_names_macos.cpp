#include "core/process/toolkit_library.h"

namespace blobscope::process {

// NVIDIA has no CUDA toolkit for macOS since version 11.
std::span<const std::string_view> toolkitLibraryNames(std::string_view) { return {}; }
std::span<const std::string_view> toolkitLibraryFolders() { return {}; }
std::string_view packageLibraryFolder() { return "lib"; }
std::vector<std::filesystem::path> loaderFolders(const ToolSearch&) { return {}; }

} // namespace blobscope::process
