#pragma once

#include "tests/support/test_support.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace blobscope::test {

/// A folder that is removed when the program ends.
inline std::filesystem::path newPath(std::string_view name) {
  static const QTemporaryDir folder;
  static int count = 0;
  const std::filesystem::path path =
      std::filesystem::path(folder.path().toStdString()) / std::to_string(++count) / std::string(name);
  std::filesystem::create_directories(path.parent_path());
  return path;
}

inline std::filesystem::path writeFile(std::string_view bytes, std::string_view name = "made.so") {
  const std::filesystem::path path = newPath(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// Opens a library from disk, so that its bytes have file offsets.
inline library::PackagePtr openOnDisk(std::string_view bytes) {
  NullMonitor monitor;
  auto package = library::open(writeFile(bytes), monitor);
  if (!package) qFatal("opening a made library failed: %s", package.error().message().c_str());
  return *package;
}

} // namespace blobscope::test
