#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::library {

/// Maximum number of files in folders.
constexpr std::size_t kFolderFiles = 100'000;

struct ListedFile {
  std::filesystem::path path;
  std::string shown; ///< as given, or below the folder that was given
  bool inFolder = false;
};

/// Returns the files, and all regular files below the folders, in the order of `shown`. Symbolic links in folders are
/// not followed. Errors: FILE-NOT-READABLE for a folder, FILE-LIMIT for more than kFolderFiles files in folders,
/// Cancelled.
Result<std::vector<ListedFile>> listFiles(const std::vector<std::filesystem::path>& paths, Monitor& monitor);

/// Whether a file of that name should be a library, an object, an archive or parameters: "lib.so", "lib.so.1",
/// "mod.tar". Only for what is worth a message; what a file is, its content decides.
bool hasLibraryName(std::string_view path);
/// Whether a file of that name should be source text or a header of C, C++, CUDA, HIP or Objective-C.
bool hasSourceName(std::string_view path);

} // namespace blobscope::library
