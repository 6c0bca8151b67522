#pragma once

#include "tests/core/base/files.h"

#include <filesystem>
#include <string_view>

namespace blobscope::test {

/// An executable shell script.
inline std::filesystem::path writeScript(const std::filesystem::path& path, std::string_view commands) {
  writeFile(path, "#!/bin/sh\n" + std::string(commands) + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

} // namespace blobscope::test
