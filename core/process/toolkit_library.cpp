#include "core/process/toolkit_library.h"

#include "core/base/path_text.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace blobscope::process {
namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

class Candidates {
public:
  explicit Candidates(std::span<const std::string_view> names) : m_names(names) {}
  void folder(const fs::path& folder) {
    for (const std::string_view name : m_names)
      if (const fs::path file = folder / name; isFile(file)) m_files.push_back(pathText(file));
  }
  void toolkit(const fs::path& base) {
    for (const std::string_view part : toolkitLibraryFolders()) folder(base / part);
  }
  /// Adds PACKAGES/nvidia/cu13/lib, PACKAGES/nvidia/cuda_nvrtc/lib.
  void packages(const fs::path& packages) {
    for (const std::string_view prefix : {"nv", "cu"}) // nvjitlink, cu13
      for (const fs::path& part : entriesOf(packages / "nvidia", prefix)) folder(part / packageLibraryFolder());
  }
  void bareNames() {
    for (const std::string_view name : m_names) m_files.emplace_back(name);
  }
  std::vector<std::string> take() { return std::move(m_files); }

private:
  std::span<const std::string_view> m_names;
  std::vector<std::string> m_files;
};

} // namespace

std::vector<std::string> toolkitLibraryFiles(std::string_view library, const ToolSearch& search) {
  Candidates candidates(toolkitLibraryNames(library));
  // --- 1. The place that the user named. ---
  if (!search.named.empty()) {
    const fs::path named = pathFrom(search.named);
    candidates.folder(named);
    candidates.toolkit(named);
    if (named.filename() == "bin") candidates.toolkit(named.parent_path());
    candidates.packages(named);
  }
  for (const std::string& toolkit : {search.cudaHome, search.cudaPath})
    if (!toolkit.empty()) candidates.toolkit(pathFrom(toolkit));
  // --- 2. System-wide installations. ---
  candidates.bareNames();
  candidates.toolkit(pathFrom(search.root) / "usr/local/cuda");
  // --- 3. Python packages. ---
  if (!search.virtualEnv.empty())
    for (const fs::path& python : entriesOf(pathFrom(search.virtualEnv) / "lib", "python3"))
      candidates.packages(python / "site-packages");
  return candidates.take();
}

bool hasToolkitLibrary(std::string_view library, const ToolSearch& search) {
  const std::vector<std::string> files = toolkitLibraryFiles(library, search);
  const std::vector<fs::path> folders = loaderFolders(search);
  return std::ranges::any_of(files, [&](const std::string& file) {
    const fs::path path = pathFrom(file);
    return path.has_parent_path() ||
           std::ranges::any_of(folders, [&](const fs::path& folder) { return isFile(folder / path); });
  });
}

} // namespace blobscope::process
