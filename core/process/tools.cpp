#include "core/process/tools.h"

#include "core/base/path_text.h"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

namespace blobscope::process {
namespace {

namespace fs = std::filesystem;

class Search {
public:
  Search(std::string_view name, const ToolSearch& places) : m_name(name), m_search(places) {}

  FoundTool run() {
    search();
    return std::move(m_found);
  }

private:
  bool search() {
    // --- 1. The folder that the user named. ---
    if (!m_search.named.empty() && (in(pathFrom(m_search.named)) || in(pathFrom(m_search.named) / "bin"))) return true;
    for (const std::string& toolkit : {m_search.cudaHome, m_search.cudaPath})
      if (!toolkit.empty() && in(pathFrom(toolkit) / "bin")) return true;

    // --- 2. Installations for all users. ---
    const fs::path root = pathFrom(m_search.root);
    if (in(root / "usr/local/cuda/bin")) return true;
    const std::vector<fs::path> path = pathFolders();
    for (const fs::path& folder : path)
      if (in(folder)) return true;

    // --- 3. Python packages. ---
    if (!m_search.virtualEnv.empty() && inLibraries(pathFrom(m_search.virtualEnv), "site-packages")) return true;
    for (const fs::path& folder : path)
      if (folder.filename() == "bin" && isExecutable(folder / "python3") &&
          inLibraries(folder.parent_path(), "site-packages"))
        return true;
    if (!m_search.home.empty() && inLibraries(pathFrom(m_search.home) / ".local", "site-packages")) return true;
    return inPackages(root / "usr/lib/python3/dist-packages") || inLibraries(root / "usr/local", "dist-packages");
  }

  std::vector<fs::path> pathFolders() const {
    std::vector<fs::path> folders;
    std::string_view rest = m_search.path;
    while (!rest.empty()) {
      const std::size_t end = rest.find(kPathSeparator);
      const std::string_view folder = rest.substr(0, end);
      // An empty or relative folder would depend on the current working folder of this program.
      if (fs::path path = pathFrom(folder); path.is_absolute()) folders.push_back(std::move(path));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return folders;
  }

  void note(const fs::path& place) {
    std::vector<std::string>& places = m_found.places;
    std::string text = pathText(place);
    if (std::find(places.begin(), places.end(), text) == places.end()) places.push_back(std::move(text));
  }

  bool in(const fs::path& folder) {
    note(folder);
    fs::path file = folder / (std::string(m_name) + std::string(kProgramSuffix));
    if (!isExecutable(file)) return false;
    m_found.path = std::move(file);
    return true;
  }

  /// PREFIX/lib/python3*/PACKAGES.
  bool inLibraries(const fs::path& prefix, std::string_view packages) {
    const std::vector<fs::path> pythons = entriesOf(prefix / "lib", "python3");
    bool any = false;
    for (const fs::path& python : pythons) {
      std::error_code failure;
      if (!fs::is_directory(python / packages, failure)) continue;
      any = true;
      if (inPackages(python / packages)) return true;
    }
    if (!any) note(prefix / "lib/python3*" / packages);
    return false;
  }

  /// PACKAGES/nvidia/cu*/bin: cu13 of CUDA 13, cuda_nvcc and cuda_nvdisasm of earlier releases.
  bool inPackages(const fs::path& packages) {
    const std::vector<fs::path> parts = entriesOf(packages / "nvidia", "cu");
    for (const fs::path& part : parts) {
      std::error_code failure;
      if (fs::is_directory(part / "bin", failure) && in(part / "bin")) return true;
    }
    note(packages / "nvidia/cu*/bin");
    return false;
  }

  std::string_view m_name;
  const ToolSearch& m_search;
  FoundTool m_found;
};

} // namespace

bool isExecutable(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  constexpr fs::perms kAny = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return !failure && fs::is_regular_file(status) && (status.permissions() & kAny) != fs::perms::none;
}

std::vector<fs::path> entriesOf(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, failure), end;
       !failure && it != end; it.increment(failure))
    if (pathText(it->path().filename()).starts_with(prefix)) found.push_back(it->path());
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

ToolSearch ToolSearch::fromEnvironment() {
  ToolSearch search;
  search.named = environmentText("BLOBSCOPE_CUDA_TOOLS");
  search.cudaHome = environmentText("CUDA_HOME");
  search.cudaPath = environmentText("CUDA_PATH");
  search.path = environmentText("PATH");
  search.virtualEnv = environmentText("VIRTUAL_ENV");
  search.home = environmentText("HOME");
  return search;
}

FoundTool findTool(std::string_view name, const ToolSearch& search) { return Search(name, search).run(); }

} // namespace blobscope::process
