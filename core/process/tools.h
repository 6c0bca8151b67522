#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Where programs of other makers are looked for.
namespace blobscope::process {

/// What decides where a tool of the CUDA toolkit may lie.
struct ToolSearch {
  std::string named = {};      ///< the folder that the user named: an option, else BLOBSCOPE_CUDA_TOOLS
  std::string cudaHome = {};   ///< CUDA_HOME
  std::string cudaPath = {};   ///< CUDA_PATH
  std::string path = {};       ///< PATH
  std::string virtualEnv = {}; ///< VIRTUAL_ENV
  std::string home = {};       ///< HOME
  std::string root = "/";      ///< what the system's own folders (/usr/local/cuda/bin …) lie in

  static ToolSearch fromEnvironment();
};

/// A tool, or the places that were searched in vain.
struct FoundTool {
  std::optional<std::filesystem::path> path;
  std::vector<std::string> places; ///< every folder, in the order of looking; "*" where none fits the pattern
};

/// Entries of a folder whose name begins with `prefix`, the last in the alphabet first: cu13 before cu12.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder, std::string_view prefix);

/// Looks for the executable file `name` ("nvdisasm"): in the named folder and its bin, in bin of CUDA_HOME, of
/// CUDA_PATH and of /usr/local/cuda, in PATH, then in what Python packages bring (nvidia/cu13/bin, nvidia/cuda_nvcc/bin
/// …) to the environment VIRTUAL_ENV, to those of each python3 in PATH, to the user's and to the system's. Only looks
/// at folders; nothing is run. The first one wins.
FoundTool findTool(std::string_view name, const ToolSearch& search);

} // namespace blobscope::process
