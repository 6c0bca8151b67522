#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace blobscope::targets {

/// A library in which a runtime may be.
struct RuntimeFile {
  std::string name; ///< "libtvm_runtime.so", "lib/arm64-v8a/libapp.so"
  Bytes bytes;
};

/// A Python package that is installed, by its folder *.dist-info.
struct PythonPackage {
  std::string name;    ///< "apache-tvm"
  std::string version; ///< "0.27.0.post1"
};

/// What is at a path.
struct RuntimeFiles {
  std::vector<RuntimeFile> files;
  std::vector<PythonPackage> packages;
  bool python = false; ///< with the Python package of TVM
};

/// The libraries at a path: those of a folder, of a Python environment, of an .apk; a library with the libraries of TVM
/// beside it. The errors of ByteSource::openFile; PRE-RUNTIME when a folder or an archive has no library; Cancelled.
Result<RuntimeFiles> findRuntimeFiles(const std::filesystem::path& path, Monitor& monitor);

/// The folder itself, and the folders of Python packages of an environment that it may be, sorted.
std::vector<std::filesystem::path> packageFolders(const std::filesystem::path& folder);

/// "libtvm_runtime" of "lib/libtvm_runtime.so", "tvm_runtime.dll", "libtvm_runtime.so.0": the name on Linux.
std::string libraryName(std::string_view file);

} // namespace blobscope::targets
