#include "core/base/path_text.h"
#include "core/process/toolkit_library.h"

#include <algorithm>

namespace blobscope::process {

std::span<const std::string_view> toolkitLibraryNames(std::string_view library) {
  static constexpr std::string_view kNvrtc[] = {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"};
  static constexpr std::string_view kNvJitLink[] = {"nvJitLink_130_0.dll", "nvJitLink_120_0.dll"};
  if (library == "nvrtc") return kNvrtc;
  if (library == "nvJitLink") return kNvJitLink;
  return {};
}

std::span<const std::string_view> toolkitLibraryFolders() {
  static constexpr std::string_view kFolders[] = {"bin/x64", "bin"}; // the first since CUDA 13
  return kFolders;
}

std::string_view packageLibraryFolder() { return "bin"; }

std::vector<std::filesystem::path> loaderFolders(const ToolSearch& search) {
  std::vector<std::filesystem::path> out;
  const std::string& path = search.path;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(kPathSeparator, begin), path.size());
    if (end > begin) out.push_back(pathFrom(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

} // namespace blobscope::process
