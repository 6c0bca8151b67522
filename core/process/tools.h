#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Finds third-party programs.
namespace blobscope::process {

/// The settings that decide where a tool of the CUDA toolkit is searched.
struct ToolSearch {
  std::string named = {};      ///< folder that the user named: an option, else BLOBSCOPE_CUDA_TOOLS
  std::string cudaHome = {};   ///< CUDA_HOME
  std::string cudaPath = {};   ///< CUDA_PATH
  std::string path = {};       ///< PATH
  std::string virtualEnv = {}; ///< VIRTUAL_ENV
  std::string home = {};       ///< HOME
  std::string root = "/";      ///< root of the system's own folders (/usr/local/cuda/bin …)

  static ToolSearch fromEnvironment();
};

/// A tool, or the places that were searched without success.
struct FoundTool {
  std::optional<std::filesystem::path> path;
  std::vector<std::string> places; ///< every searched folder, in order; with "*" when no folder matches the pattern
};

/// Whether it is a file that the system can run.
bool isExecutable(const std::filesystem::path& path);

/// Entries of a folder whose name begins with `prefix`, in reverse alphabetical order: cu13 before cu12.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder, std::string_view prefix);

/// Searches the executable file `name` ("nvdisasm"): in the named folder and its bin, in bin of CUDA_HOME, of CUDA_PATH
/// and of /usr/local/cuda, in PATH, then in Python packages (nvidia/cu13/bin, nvidia/cuda_nvcc/bin …) of the
/// environment VIRTUAL_ENV, of each python3 in PATH, of the user and of the system. Only reads folders; nothing is run.
/// The first match is used.
FoundTool findTool(std::string_view name, const ToolSearch& search);

} // namespace blobscope::process
