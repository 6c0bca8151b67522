#pragma once

#include "core/process/tools.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Finds libraries of the CUDA toolkit.
namespace blobscope::process {

/// The file names of a library of the toolkit ("nvrtc", "nvJitLink") on this system, newest first; empty where there is
/// no toolkit. Source: core/formats/cuda-binaries.md 7.
std::span<const std::string_view> toolkitLibraryNames(std::string_view library);
/// The folders of libraries in a toolkit, and in a part of a Python package.
std::span<const std::string_view> toolkitLibraryFolders();
std::string_view packageLibraryFolder();
/// Folders in which the system's loader searches, as far as they are known without asking it; `root` is before the
/// system's own.
std::vector<std::filesystem::path> loaderFolders(const ToolSearch& search);

/// The files to try for a library, in order, including bare names, which the system's loader looks up. Only reads
/// folders. `named` of the search is a toolkit, its folder of programs or libraries, or the site-packages of a Python.
std::vector<std::string> toolkitLibraryFiles(std::string_view library, const ToolSearch& search);
/// Whether one of them is there, without loading it.
bool hasToolkitLibrary(std::string_view library, const ToolSearch& search);

} // namespace blobscope::process
