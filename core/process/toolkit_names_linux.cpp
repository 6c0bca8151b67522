#include "core/base/path_text.h"
#include "core/process/toolkit_library.h"

#include <algorithm>

#include <array>
#include <fstream>
#include <system_error>

namespace blobscope::process {

namespace fs = std::filesystem;

std::span<const std::string_view> toolkitLibraryNames(std::string_view library) {
  static constexpr std::string_view kNvrtc[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  static constexpr std::string_view kNvJitLink[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  if (library == "nvrtc") return kNvrtc;
  if (library == "nvJitLink") return kNvJitLink;
  return {};
}

std::span<const std::string_view> toolkitLibraryFolders() {
  static constexpr std::string_view kFolders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
  return kFolders;
}

std::string_view packageLibraryFolder() { return "lib"; }

std::vector<fs::path> loaderFolders(const ToolSearch& search) {
  // ld.so(8): LD_LIBRARY_PATH, the folders of /etc/ld.so.conf, then the system's own.
  std::vector<fs::path> out;
  const std::string path = environmentText("LD_LIBRARY_PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) out.push_back(pathFrom(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  const fs::path root = pathFrom(search.root);
  for (const fs::path& file : entriesOf(root / "etc/ld.so.conf.d", "")) {
    std::ifstream lines(file);
    constexpr int kMostLines = 1000;
    std::string line;
    for (int i = 0; i < kMostLines && std::getline(lines, line); ++i)
      if (line.starts_with('/')) out.push_back(root / line.substr(1));
  }
  for (const char* const folder : {"lib", "usr/lib", "lib64", "usr/lib64", "lib/x86_64-linux-gnu",
                                   "usr/lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"})
    out.push_back(root / folder);
  return out;
}

} // namespace blobscope::process
