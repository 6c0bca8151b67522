#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/targets/python_packages.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

/// A library in which a runtime may be.
struct RuntimeFile {
  std::string name; ///< "libtvm_runtime.so", "lib/arm64-v8a/libapp.so"
  Bytes bytes;
  std::filesystem::path path = {}; ///< empty for a member of an archive
};

/// What is at a path.
struct RuntimeFiles {
  std::vector<RuntimeFile> files;
  std::vector<PythonPackage> packages; ///< of a Python environment, all that are installed
  std::filesystem::path site;          ///< its folder site-packages; empty without one
  bool python = false;                 ///< with a Python package of TVM, which registers functions, too
  /// Python's ctypes binds all functions of a library at once; the package of TileLang changes that.
  bool bindsAtOnce = false;
  std::vector<std::string> others; ///< folders of further runtimes in the environment, relative to `site`
};

/// The libraries at a path: those of a folder, of a Python environment, of an .apk; a library with the libraries of TVM
/// beside it. An environment may have TVM, TileLang, BitBLAS, another package with TVM's libraries, or only
/// apache-tvm-ffi; of several runtimes the first of these. The errors of ByteSource::openFile; PRE-RUNTIME when a
/// folder or an archive has no library; Cancelled.
Result<RuntimeFiles> findRuntimeFiles(const std::filesystem::path& path, Monitor& monitor);

/// The folder itself, and the folders of Python packages of an environment that it may be, sorted.
std::vector<std::filesystem::path> packageFolders(const std::filesystem::path& folder);

/// "libtvm_runtime" of "lib/libtvm_runtime.so", "tvm_runtime.dll", "libtvm_runtime.so.0": the name on Linux.
std::string libraryName(std::string_view file);

} // namespace blobscope::targets
