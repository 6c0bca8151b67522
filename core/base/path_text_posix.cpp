#include "core/base/path_text.h"

#include <cstdlib>

namespace blobscope {

const std::string_view kProgramSuffix = "";
const char kPathSeparator = ':';

std::string pathText(const std::filesystem::path& path) { return path.native(); }

std::string portableText(const std::filesystem::path& path) { return path.native(); }

std::string environmentText(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> programArguments(int argc, char** argv) { return {argv, argv + argc}; }

} // namespace blobscope
